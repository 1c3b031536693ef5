//! What stakes earned on the days of the past, as far as it is known.

use primitives::{Address, Timestamp};
use std::{
    collections::BTreeMap,
    ops::RangeInclusive,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Seconds of a day.
pub(super) const DAY_S: i64 = 86_400;

/// What a stake would have earned in a year, by what was so on a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DayRate {
    /// The end of the day, UTC.
    pub time: Timestamp,
    /// As a part of the stake.
    pub apr: f64,
}

/// What the pools paid on a day.
pub(super) type PoolRates = BTreeMap<Address, f64>;

/// By the end of a day, in days since 1970; a day that nobody remembers is empty.
#[derive(Debug, Default)]
pub(super) struct DayRates(Mutex<BTreeMap<i64, PoolRates>>);

impl DayRates {
    fn days(&self) -> MutexGuard<'_, BTreeMap<i64, PoolRates>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest of these days that is not known yet. All others are forgotten.
    pub(super) fn missing(&self, wanted: RangeInclusive<i64>) -> Option<i64> {
        let mut days = self.days();
        days.retain(|day, _| wanted.contains(day));
        wanted.rev().find(|day| !days.contains_key(day))
    }

    pub(super) fn learn(&self, day: i64, rates: PoolRates) {
        self.days().insert(day, rates);
    }

    /// What stakes in a pool earned, the oldest day first.
    pub(super) fn of(&self, pool: Address) -> Vec<DayRate> {
        let days = self.days();
        let rates = days.iter().filter_map(|(day, rates)| {
            Some(DayRate {
                time: Timestamp::from_second(day.checked_mul(DAY_S)?).ok()?,
                apr: *rates.get(&pool)?,
            })
        });
        rates.collect()
    }
}
