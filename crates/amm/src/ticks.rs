//! The ticks of a pool at which its liquidity changes.
//!
//! Sorted by index and shared between snapshots: a clone costs a counter, and
//! only a change of a shared list copies it.

use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// A tick that bounds at least one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tick {
    /// The logarithm of its price, to the base that its kind of pool uses.
    pub index: i32,
    /// What the active liquidity gains when the price passes upwards.
    pub net: i128,
    /// The liquidity of all positions that this tick bounds. It decides whether
    /// the tick exists: the net of two positions can be zero.
    pub gross: u128,
}

/// A change that no sequence of positions can lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the liquidity at tick {tick} would leave its bounds")]
pub struct Unbalanced {
    /// The tick, or the pool's own where its active liquidity is at fault.
    pub tick: i32,
}

/// All ticks of a pool that bound a position, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Tick>", into = "Vec<Tick>")]
pub struct Ticks(Arc<[Tick]>);

impl From<Vec<Tick>> for Ticks {
    fn from(mut ticks: Vec<Tick>) -> Self {
        ticks.sort_unstable_by_key(|tick| tick.index);
        Self(ticks.into())
    }
}

impl From<Ticks> for Vec<Tick> {
    fn from(ticks: Ticks) -> Self {
        ticks.0.to_vec()
    }
}

impl Ticks {
    /// Adds a position's liquidity, or takes it away if negative, at one of its
    /// two ends. Nothing changes if that is refused.
    pub fn update(&mut self, tick: i32, liquidity: i128, upper: bool) -> Result<(), Unbalanced> {
        let unbalanced = Unbalanced { tick };
        let place = self.0.binary_search_by_key(&tick, |at| at.index);
        let before = place.ok().and_then(|at| self.0.get(at));
        let (net, gross) = before.map_or((0, 0), |at| (at.net, at.gross));
        let net = if upper {
            net.checked_sub(liquidity)
        } else {
            net.checked_add(liquidity)
        };
        let after = Tick {
            index: tick,
            net: net.ok_or(unbalanced)?,
            gross: gross.checked_add_signed(liquidity).ok_or(unbalanced)?,
        };
        match place {
            Ok(at) if after.gross == 0 => {
                let (before, rest) = self.0.split_at(at);
                self.0 = before.iter().chain(rest.iter().skip(1)).copied().collect();
            }
            Ok(at) => {
                if let Some(changed) = Arc::make_mut(&mut self.0).get_mut(at) {
                    *changed = after;
                }
            }
            Err(_) if after.gross == 0 => {}
            Err(at) => {
                let (before, rest) = self.0.split_at(at);
                let after = std::iter::once(&after);
                self.0 = before.iter().chain(after).chain(rest).copied().collect();
            }
        }
        Ok(())
    }

    /// The ticks, and the liquidity at a tick that had so much, after a position
    /// gained liquidity, or lost it if negative.
    pub fn with_position(
        &self,
        (tick, active): (i32, u128),
        range: Range<i32>,
        liquidity: i128,
    ) -> Result<(Self, u128), Unbalanced> {
        let mut ticks = self.clone();
        ticks.update(range.start, liquidity, false)?;
        ticks.update(range.end, liquidity, true)?;
        let active = if range.contains(&tick) {
            active.checked_add_signed(liquidity)
        } else {
            Some(active)
        };
        Ok((ticks, active.ok_or(Unbalanced { tick })?))
    }

    /// The nearest tick above this one.
    #[must_use]
    pub fn above(&self, tick: i32) -> Option<&Tick> {
        self.0.get(self.count_up_to(tick))
    }

    /// The nearest tick that is this one or below.
    #[must_use]
    pub fn at_or_below(&self, tick: i32) -> Option<&Tick> {
        self.0.get(self.count_up_to(tick).checked_sub(1)?)
    }

    /// Those above this one, from the nearest on.
    pub fn upwards(&self, tick: i32) -> impl Iterator<Item = &Tick> {
        self.0.iter().skip(self.count_up_to(tick))
    }

    /// This one and those below, from the nearest on.
    pub fn downwards(&self, tick: i32) -> impl Iterator<Item = &Tick> {
        self.0.iter().take(self.count_up_to(tick)).rev()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Tick> {
        self.0.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no position is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn count_up_to(&self, tick: i32) -> usize {
        self.0.partition_point(|at| at.index <= tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_tick_lives_as_long_as_a_position_ends_there() {
        let mut ticks = Ticks::default();
        ticks.update(10, 5, false).unwrap();
        ticks.update(10, 5, true).unwrap();
        let both = ticks.at_or_below(10).copied().unwrap();
        assert_eq!((both.net, both.gross), (0, 10));
        ticks.update(10, -5, false).unwrap();
        ticks.update(10, -5, true).unwrap();
        assert!(ticks.is_empty());
    }

    #[test]
    fn a_refused_change_changes_nothing() {
        let mut ticks = Ticks::default();
        ticks.update(1, i128::MAX, false).unwrap();
        let before = ticks.clone();
        assert_eq!(ticks.update(1, 1, false), Err(Unbalanced { tick: 1 }));
        assert_eq!(ticks.update(2, -1, false), Err(Unbalanced { tick: 2 }));
        assert_eq!(
            ticks.update(1, i128::MIN, true),
            Err(Unbalanced { tick: 1 })
        );
        assert_eq!(ticks, before);
        ticks.update(3, 0, false).unwrap();
        assert_eq!(ticks, before);
    }

    #[test]
    fn a_shared_list_is_not_changed() {
        let mut ticks = Ticks::default();
        ticks.update(7, 1, false).unwrap();
        let snapshot = ticks.clone();
        ticks.update(8, 1, true).unwrap();
        assert_eq!((snapshot.len(), ticks.len()), (1, 2));
    }

    proptest! {
        #[test]
        fn neighbours_are_those_of_a_sorted_map(
            changes in prop::collection::vec((-50_i32..50, 1_i128..9, any::<bool>()), 0..60),
            from in -60_i32..60,
        ) {
            let mut ticks = Ticks::default();
            let mut map: BTreeMap<i32, (i128, u128)> = BTreeMap::new();
            for (tick, liquidity, upper) in changes {
                ticks.update(tick, liquidity, upper).unwrap();
                let entry = map.entry(tick).or_default();
                entry.0 += if upper { -liquidity } else { liquidity };
                entry.1 += liquidity.unsigned_abs();
            }
            let above = map.range(from + 1..).next().map(|(tick, _)| *tick);
            let below = map.range(..=from).next_back().map(|(tick, _)| *tick);
            prop_assert_eq!(ticks.above(from).map(|at| at.index), above);
            prop_assert_eq!(ticks.at_or_below(from).map(|at| at.index), below);
            let listed: Vec<_> = ticks.iter().map(|at| (at.index, (at.net, at.gross))).collect();
            prop_assert_eq!(listed, map.into_iter().collect::<Vec<_>>());
        }
    }
}
