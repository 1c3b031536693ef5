//! An order as the chain tells of it, and what that means at a time.
//!
//! Facts are kept and nothing that follows from them: a cycle without an event is
//! pending or lost by the clock alone.

use super::event::{CycleOutcome, DeployedOrder, Ending};
use primitives::{Felt, Timestamp, U256};

/// Where something was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mark {
    /// The height of the block.
    pub block: u64,
    /// The time in that block's header.
    pub time: Timestamp,
    /// The hash of the transaction.
    pub transaction: Felt,
}

/// A cycle that somebody took care of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastCycle {
    /// Which one, counted from 0.
    pub cycle: u32,
    /// Where.
    pub mark: Mark,
    /// The block it became known with.
    pub learned: u64,
    /// What became of it.
    pub outcome: CycleOutcome,
}

/// A recurring order as its events tell it; what time makes of it is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// What its factory told.
    pub deployed: DeployedOrder,
    /// Where it was created.
    pub created: Mark,
    /// Cycles with an event, in their order.
    pub past: Vec<PastCycle>,
    /// What the best route would have bought, on the pools before a cycle's block:
    /// of cycles that somebody has measured, in their order.
    pub benchmarks: Vec<(u32, U256)>,
    /// How and where it ended, if it told so.
    pub ended: Option<(Ending, Mark)>,
}

/// What an order does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrderStatus {
    /// Its block is the newest one: it may still be another order soon.
    Indexing,
    /// It has cycles ahead.
    Active,
    /// It has none.
    Closed,
}

/// What became or becomes of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CycleState {
    /// It may still be executed.
    Pending,
    /// It was.
    Executed {
        /// What was sold.
        sold: U256,
        /// What the trader got for it.
        bought: U256,
        /// What the best route would have bought, if that is known.
        benchmark: Option<U256>,
        /// Where.
        mark: Mark,
    },
    /// It would have bought an amount out of bounds.
    Skipped {
        /// The amount.
        offered: U256,
        /// The bound that it missed.
        bound: U256,
        /// Where that was told.
        mark: Mark,
    },
    /// Nobody took care of it before the next one was due.
    Missed,
    /// The trader cancelled the order before.
    Cancelled,
}

/// A cycle of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cycle {
    /// When it is due.
    pub due: Timestamp,
    /// What became of it.
    pub state: CycleState,
}

/// How many cycles came to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct CycleCounts {
    /// Those that sold and bought.
    pub executed: u32,
    /// Skipped, missed or cancelled.
    pub cancelled: u32,
    /// Neither.
    pub pending: u32,
}

/// What an order has traded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traded {
    /// Sold in all.
    pub sold: U256,
    /// Bought in all.
    pub bought: U256,
    /// Bought by a cycle on average, rounded down.
    pub average: U256,
}

/// The chain's newest block, by which orders are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Its height.
    pub block: u64,
    /// The time in its header, by which cycles are due.
    pub time: Timestamp,
}

impl Order {
    /// What the best route would have bought for a cycle, if that is known.
    #[must_use]
    pub fn benchmark(&self, cycle: u32) -> Option<U256> {
        let place = self.benchmarks.binary_search_by_key(&cycle, |it| it.0);
        self.benchmarks.get(place.ok()?).map(|it| it.1)
    }

    /// What it does.
    #[must_use]
    pub fn status(&self, now: Now) -> OrderStatus {
        if self.close_date(now).is_some() {
            OrderStatus::Closed
        } else if self.created.block >= now.block {
            OrderStatus::Indexing
        } else {
            OrderStatus::Active
        }
    }

    /// Since when it has no cycles ahead: it told so, or its time is over.
    #[must_use]
    pub fn close_date(&self, now: Now) -> Option<Timestamp> {
        match self.ended {
            Some((_, mark)) => Some(mark.time),
            None => Some(self.deployed.end).filter(|end| *end <= now.time),
        }
    }

    /// Each planned trade, with what became of it until now.
    #[must_use]
    pub fn cycles(&self, now: Now) -> Vec<Cycle> {
        let plan = self.deployed.terms.plan;
        let mut past = self.past.iter().peekable();
        let mut cycles = Vec::new();
        let mut due = plan.due(0);
        for number in 0..plan.cycles {
            let next = plan.due(number + 1);
            let told = past.next_if(|told| told.cycle == number);
            let state = match told {
                Some(told) => self.told(told),
                None => self.untold(next, now),
            };
            // Every cycle is before the end, which the calendar has.
            let Some(at) = due else { break };
            cycles.push(Cycle { due: at, state });
            due = next;
        }
        cycles
    }

    /// A cycle that something was told of.
    fn told(&self, past: &PastCycle) -> CycleState {
        let mark = past.mark;
        match past.outcome {
            CycleOutcome::Executed { sold, bought } => CycleState::Executed {
                sold,
                bought,
                benchmark: self.benchmark(past.cycle),
                mark,
            },
            CycleOutcome::Skipped { offered, bound } => CycleState::Skipped {
                offered,
                bound,
                mark,
            },
        }
    }

    /// A cycle that nothing was told of, and the one after which is due `next`.
    fn untold(&self, next: Option<Timestamp>, now: Now) -> CycleState {
        let is_over = |time| next.is_some_and(|next| next <= time);
        match self.ended {
            Some((_, mark)) if !is_over(mark.time) => CycleState::Cancelled,
            None if !is_over(now.time) => CycleState::Pending,
            _ => CycleState::Missed,
        }
    }

    /// How many cycles came to what.
    #[must_use]
    pub fn counts(&self, now: Now) -> CycleCounts {
        let cycles = self.deployed.terms.plan.cycles;
        let told = u32::try_from(self.past.len()).unwrap_or(cycles);
        let executed = self.past.iter().filter(|it| it.is_executed()).count();
        let executed = u32::try_from(executed).unwrap_or(told);
        let first = self.deployed.terms.plan.current(now.time);
        let ahead = match self.ended {
            Some(_) => 0,
            None => cycles - first,
        };
        let told_ahead = self.past.iter().rev().take_while(|it| it.cycle >= first);
        let told_ahead = u32::try_from(told_ahead.count()).unwrap_or(told);
        let pending = ahead.saturating_sub(told_ahead);
        CycleCounts {
            executed,
            cancelled: cycles - executed - pending,
            pending,
        }
    }

    /// Sums over the cycles that were executed.
    #[must_use]
    pub fn traded(&self) -> Traded {
        let mut traded = Traded::default();
        let mut executed = U256::ZERO;
        for past in &self.past {
            if let CycleOutcome::Executed { sold, bought } = past.outcome {
                traded.sold = traded.sold.saturating_add(sold);
                traded.bought = traded.bought.saturating_add(bought);
                executed += U256::ONE;
            }
        }
        traded.average = traded.bought.checked_div(executed).unwrap_or_default();
        traded
    }

    /// The cycle that can be executed now, if there is one and nobody did.
    #[must_use]
    pub fn due_cycle(&self, now: Now) -> Option<u32> {
        let plan = self.deployed.terms.plan;
        let current = plan.current(now.time);
        let is_due = plan.due(current)? <= now.time;
        let is_over = self.past.last().is_some_and(|past| past.cycle >= current);
        (self.ended.is_none() && current < plan.cycles && is_due && !is_over).then_some(current)
    }
}

/// By how many basis points less was bought than a benchmark says; less than
/// nothing if more was.
#[must_use]
pub fn shortfall_bps(bought: U256, benchmark: U256) -> Option<f64> {
    let missing = if bought <= benchmark {
        f64::from(benchmark - bought)
    } else {
        -f64::from(bought - benchmark)
    };
    (!benchmark.is_zero()).then(|| missing / f64::from(benchmark) * 10_000.0)
}

impl PastCycle {
    /// Whether it was executed.
    #[must_use]
    pub const fn is_executed(&self) -> bool {
        matches!(self.outcome, CycleOutcome::Executed { .. })
    }
}
