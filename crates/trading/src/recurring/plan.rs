//! What may be ordered, and when its cycles are due.

use super::frequency::Frequency;
use jiff::{Span, tz::TimeZone};
use primitives::{Address, SignedDuration, Timestamp, U256};
use thiserror::Error;

/// Cycles of an order, at most.
pub const MAX_CYCLES: u32 = 1_000;

/// When the cycles of an order are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// When the first one is.
    pub start: Timestamp,
    /// How far they are apart.
    pub frequency: Frequency,
    /// How many there are.
    pub cycles: u32,
}

impl Plan {
    /// When a cycle is due: its months after the start, on the last day of a month
    /// that is too short, and its seconds after that. The cycle behind the last one
    /// is the end. `None` beyond the calendar.
    #[must_use]
    pub fn due(&self, cycle: u32) -> Option<Timestamp> {
        let months = self.frequency.months().checked_mul(cycle)?;
        let seconds = self.frequency.seconds().checked_mul(cycle.into())?;
        let start = self.start.to_zoned(TimeZone::UTC);
        let months = Span::new().try_months(months).ok()?;
        let moved = start.checked_add(months).ok()?.timestamp();
        let seconds = SignedDuration::from_secs(i64::try_from(seconds).ok()?);
        moved.checked_add(seconds).ok()
    }

    /// The first cycle whose time is not over at `time`, due or not; the number of
    /// cycles if all are over.
    #[must_use]
    pub fn current(&self, time: Timestamp) -> u32 {
        let is_over = |cycle: u32| self.due(cycle + 1).is_some_and(|next| next <= time);
        if self.frequency.months() == 0 {
            let passed = time.as_second().saturating_sub(self.start.as_second());
            let passed = u64::try_from(passed).unwrap_or(0);
            let over = passed.checked_div(self.frequency.seconds()).unwrap_or(0);
            return u32::try_from(over).map_or(self.cycles, |over| over.min(self.cycles));
        }
        let (mut first, mut behind) = (0, self.cycles);
        while first < behind {
            let middle = first.midpoint(behind);
            if is_over(middle) {
                first = middle + 1;
            } else {
                behind = middle;
            }
        }
        first
    }

    /// When nothing is due any more.
    #[must_use]
    pub fn end(&self) -> Option<Timestamp> {
        self.due(self.cycles)
    }
}

/// What a cycle has to buy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BuyBounds {
    /// At least so much, in its smallest unit; without it, anything is enough.
    pub least: Option<U256>,
    /// At most so much, in its smallest unit; without it, nothing is too much.
    pub most: Option<U256>,
}

impl BuyBounds {
    /// Whether a cycle may buy so much.
    #[must_use]
    pub fn allow(&self, bought: U256) -> bool {
        self.least.is_none_or(|least| bought >= least)
            && self.most.is_none_or(|most| bought <= most)
    }
}

/// An order that may be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewOrder {
    /// What is sold.
    pub sell: Address,
    /// What is bought.
    pub buy: Address,
    /// In all.
    pub amount: U256,
    /// In each cycle; what whole cycles leave of the amount is paid back.
    pub per_cycle: U256,
    /// When.
    pub plan: Plan,
    /// For how much.
    pub bounds: BuyBounds,
}

/// Why an order cannot be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BadOrder {
    /// Nothing would happen.
    #[error("sellTokenAddress and buyTokenAddress are the same")]
    SameToken,
    /// Nothing would be sold.
    #[error("sellAmountPerCycle is 0")]
    NothingPerCycle,
    /// Not even one cycle could be paid.
    #[error("sellAmountPerCycle is more than sellAmount")]
    TooMuchPerCycle,
    /// It would take so many cycles, more than an order has.
    #[error("{0} cycles, and at most {MAX_CYCLES} are possible: sell more in each of them")]
    TooManyCycles(U256),
    /// A cycle would be missed before the order is there.
    #[error("startDate lies so far in the past that the second cycle would be due already")]
    TooEarly,
    /// Contracts count seconds from 1970 on.
    #[error("startDate lies before 1970")]
    BeforeTime,
    /// It would never end.
    #[error("the order would end beyond the calendar")]
    TooLate,
    /// Nothing would ever be bought.
    #[error("tokenToMinAmount is more than tokenToMaxAmount")]
    CrossedBounds,
}

impl NewOrder {
    /// Checks an order that is to begin at `start`.
    #[expect(clippy::too_many_arguments, reason = "an order has as many parts")]
    pub fn new(
        sell: Address,
        buy: Address,
        amount: U256,
        per_cycle: U256,
        frequency: Frequency,
        start: Timestamp,
        bounds: BuyBounds,
        now: Timestamp,
    ) -> Result<Self, BadOrder> {
        if sell == buy {
            return Err(BadOrder::SameToken);
        }
        let cycles = amount
            .checked_div(per_cycle)
            .ok_or(BadOrder::NothingPerCycle)?;
        if cycles.is_zero() {
            return Err(BadOrder::TooMuchPerCycle);
        }
        let fitting = u32::try_from(cycles).ok().filter(|it| *it <= MAX_CYCLES);
        let plan = Plan {
            start,
            frequency,
            cycles: fitting.ok_or(BadOrder::TooManyCycles(cycles))?,
        };
        if start < Timestamp::UNIX_EPOCH {
            return Err(BadOrder::BeforeTime);
        }
        plan.end().ok_or(BadOrder::TooLate)?;
        if plan.due(1).is_none_or(|second| second <= now) {
            return Err(BadOrder::TooEarly);
        }
        if let (Some(least), Some(most)) = (bounds.least, bounds.most)
            && least > most
        {
            return Err(BadOrder::CrossedBounds);
        }
        Ok(Self {
            sell,
            buy,
            amount,
            per_cycle,
            plan,
            bounds,
        })
    }
}
