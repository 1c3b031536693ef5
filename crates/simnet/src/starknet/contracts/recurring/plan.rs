//! When cycles are due. Days since 1970 are counted as Hinnant's `civil_from_days`
//! does.

use crate::starknet::contract::Calldata;
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::failure::Revert;
use primitives::Felt;

const DAY: u64 = 86_400;

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_DAYS: u64 = 719_468;

/// Days of 400 years, after which the calendar repeats itself.
const ERA_DAYS: u64 = 146_097;

/// An order has this many cycles at most.
pub(super) const MAX_CYCLES: u64 = 1_000;

/// Times beyond the year 9999, and steps as long as that, mean nothing.
const LATEST: u64 = 253_402_300_800;

/// Cycles at a distance of some months and some seconds, the first one at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) start: u64,
    pub(super) months: u64,
    pub(super) seconds: u64,
    pub(super) cycles: u64,
}

impl Plan {
    /// Checks what somebody asks for.
    pub(super) fn new(start: u64, months: u64, seconds: u64, cycles: u64) -> Result<Self, Revert> {
        let plan = Self {
            start,
            months,
            seconds,
            cycles,
        };
        ensure(
            (1..=MAX_CYCLES).contains(&cycles),
            "Invalid number of cycles",
        )?;
        ensure(start < LATEST && seconds < LATEST, "Invalid frequency")?;
        ensure(months < 12 * 8_000, "Invalid frequency")?;
        ensure(months > 0 || seconds >= 60, "Invalid frequency")?;
        ensure(plan.due(cycles) < LATEST, "Invalid frequency")?;
        Ok(plan)
    }

    /// When a cycle is due: so many months after the start, on the last day of a
    /// month that is too short, and so many seconds later. The cycle behind the
    /// last one is the end.
    pub(super) fn due(&self, cycle: u64) -> u64 {
        let (days, second) = (self.start / DAY, self.start % DAY);
        let (year, month, day) = civil(days);
        let months = year * 12 + (month - 1) + self.months.saturating_mul(cycle);
        let (year, month) = (months / 12, months % 12 + 1);
        let day = day.min(days_of_month(year, month));
        let moved = days_of(year, month, day) * DAY + second;
        moved.saturating_add(self.seconds.saturating_mul(cycle))
    }

    /// The cycle that is to be executed now, if one is: it may be until the next
    /// one is due.
    pub(super) fn current(&self, now: u64) -> Option<u64> {
        (0..self.cycles)
            .find(|cycle| now < self.due(cycle + 1))
            .filter(|cycle| now >= self.due(*cycle))
    }
}

/// A time or another number of 64 bits.
pub(super) fn u64(calldata: &mut Calldata<'_>) -> Result<u64, Revert> {
    u64::try_from(calldata.u128()?).map_err(|_| Revert::new("u64_from_felt252 Overflow"))
}

pub(super) fn felt(number: u64) -> Felt {
    Felt::from(number)
}

/// Year, month and day, both from 1, of a day since 1970.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + EPOCH_DAYS;
    let (era, day) = (shifted / ERA_DAYS, shifted % ERA_DAYS);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

/// The day since 1970 of a date.
fn days_of(year: u64, month: u64, day: u64) -> u64 {
    let year = year - u64::from(month <= 2);
    let (era, year) = (year / 400, year % 400);
    let month = if month > 2 { month - 3 } else { month + 9 };
    let day = (153 * month + 2) / 5 + day - 1;
    era * ERA_DAYS + year * 365 + year / 4 - year / 100 + day - EPOCH_DAYS
}

fn days_of_month(year: u64, month: u64) -> u64 {
    let (next_year, next) = if month == 12 {
        (year + 1, 1)
    } else {
        (year, month + 1)
    };
    days_of(next_year, next, 1) - days_of(year, month, 1)
}
