//! How a contract lays out its ticks: a bit for every tick that may be used, in
//! words of equal length.
//!
//! The contract looks for the next tick word by word and stops at the edge of a
//! word when it has seen enough empty ones. A swap then makes an extra step at
//! that edge, and each step rounds.

use crate::Ticks;

/// The layout of one pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    length: i64,
    spacing: i64,
}

/// Where the bit of a tick is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TickBit {
    /// The word, counted upwards from the one that begins at tick 0.
    pub word: i64,
    /// The bit within it; the lowest tick has bit 0.
    pub bit: u64,
}

/// Where a step ends at the latest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) tick: i32,
    /// The liquidity gained upwards, if the tick bounds a position.
    pub(crate) net: Option<i128>,
}

impl Words {
    /// Words of so many bits, one for every `spacing` ticks. No contract has a
    /// spacing of zero; it counts as one.
    #[must_use]
    pub fn new(length: u32, spacing: u32) -> Self {
        Self {
            length: i64::from(length.max(1)),
            spacing: i64::from(spacing.max(1)),
        }
    }

    /// The bit of the nearest usable tick that is this one or below.
    #[must_use]
    pub fn place(self, tick: i32) -> TickBit {
        let usable = i64::from(tick).div_euclid(self.spacing);
        TickBit {
            word: usable.div_euclid(self.length),
            bit: usable.rem_euclid(self.length).unsigned_abs(),
        }
    }

    /// The tick of a bit; `None` if no contract can hold it.
    #[must_use]
    pub fn tick(self, place: TickBit) -> Option<i32> {
        let usable = place.word.checked_mul(self.length)?;
        let usable = usable.checked_add_unsigned(place.bit)?;
        i32::try_from(usable.checked_mul(self.spacing)?).ok()
    }

    /// The next tick above `from` that bounds a position, or after `skip_ahead`
    /// further words without one the last tick of the word, at most `last`.
    pub(crate) fn above(self, ticks: &Ticks, from: i32, skip_ahead: u128, last: i32) -> Target {
        let next = i64::from(from).saturating_add(self.spacing);
        let end = self.word(next).saturating_add(words(skip_ahead));
        let found = ticks.above(from);
        if let Some(tick) = found.filter(|tick| self.word(tick.index.into()) <= end) {
            return tick.into();
        }
        let usable = end.saturating_add(1).saturating_mul(self.length) - 1;
        let edge = usable.saturating_mul(self.spacing);
        Target {
            tick: i32::try_from(edge).unwrap_or(last).min(last),
            net: None,
        }
    }

    /// The same downwards, `from` included: the first tick of the word, at
    /// least `first`.
    pub(crate) fn below(self, ticks: &Ticks, from: i32, skip_ahead: u128, first: i32) -> Target {
        let end = self.word(from.into()).saturating_sub(words(skip_ahead));
        let found = ticks.at_or_below(from);
        if let Some(tick) = found.filter(|tick| self.word(tick.index.into()) >= end) {
            return tick.into();
        }
        let edge = end.saturating_mul(self.length).saturating_mul(self.spacing);
        Target {
            tick: i32::try_from(edge).unwrap_or(first).max(first),
            net: None,
        }
    }

    fn word(self, tick: i64) -> i64 {
        tick.div_euclid(self.spacing).div_euclid(self.length)
    }
}

impl From<&crate::Tick> for Target {
    fn from(tick: &crate::Tick) -> Self {
        Self {
            tick: tick.index,
            net: Some(tick.net),
        }
    }
}

fn words(skip_ahead: u128) -> i64 {
    i64::try_from(skip_ahead).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LAST: i32 = 10_000;

    /// The search as a contract makes it: bit by bit, word by word.
    fn searched(words: Words, ticks: &Ticks, from: i32, rising: bool, skip_ahead: u128) -> Target {
        let spacing = i32::try_from(words.spacing).unwrap();
        let mut tick = if rising { from + spacing } else { from };
        tick = tick.div_euclid(spacing) * spacing;
        let mut left = skip_ahead;
        loop {
            if let Some(found) = ticks.iter().find(|at| at.index == tick) {
                return found.into();
            }
            let bit = words.place(tick).bit;
            let edge = bit
                == if rising {
                    words.length.unsigned_abs() - 1
                } else {
                    0
                };
            if edge && tick.abs() > LAST {
                let tick = if rising { LAST } else { -LAST };
                return Target { tick, net: None };
            }
            if edge && left == 0 {
                return Target { tick, net: None };
            }
            left -= u128::from(edge);
            tick += if rising { spacing } else { -spacing };
        }
    }

    #[test]
    fn words_lie_side_by_side_around_zero() {
        let words = Words::new(251, 10);
        let places = [-2511, -2510, -1, 0, 9, 10, 2509, 2510].map(|tick| words.place(tick));
        let expected = [
            (-2, 250),
            (-1, 0),
            (-1, 250),
            (0, 0),
            (0, 0),
            (0, 1),
            (0, 250),
            (1, 0),
        ];
        assert_eq!(places.map(|place| (place.word, place.bit)), expected);
    }

    #[test]
    fn a_place_that_no_tick_has_is_none() {
        let words = Words::new(256, 1);
        let far = TickBit {
            word: i64::MAX,
            bit: 0,
        };
        assert_eq!(words.tick(far), None);
    }

    proptest! {
        #[test]
        fn a_place_leads_back_to_the_usable_tick(tick: i32, spacing in 1_u32..400_000) {
            let words = Words::new(251, spacing);
            let usable = i64::from(tick) - i64::from(tick).rem_euclid(spacing.into());
            prop_assert_eq!(words.tick(words.place(tick)), i32::try_from(usable).ok());
        }

        #[test]
        fn the_target_is_what_a_search_bit_by_bit_finds(
            usable in prop::collection::vec(-200_i32..200, 0..6),
            from in -9_990_i32..9_990,
            rising: bool,
            spacing in 1_i32..50,
            skip_ahead in 0_u128..40,
        ) {
            let words = Words::new(7, spacing.unsigned_abs());
            let mut ticks = Ticks::default();
            for tick in usable {
                ticks.update(tick * spacing, 1, false).unwrap();
            }
            let target = if rising {
                words.above(&ticks, from, skip_ahead, LAST)
            } else {
                words.below(&ticks, from, skip_ahead, -LAST)
            };
            prop_assert_eq!(target, searched(words, &ticks, from, rising, skip_ahead));
        }

        #[test]
        fn without_ticks_the_longest_search_ends_at_the_bounds(from in -LAST..LAST) {
            let words = Words::new(251, 1);
            let none = Ticks::default();
            prop_assert_eq!(words.above(&none, from, u128::MAX, LAST).tick, LAST);
            prop_assert_eq!(words.below(&none, from, u128::MAX, -LAST).tick, -LAST);
        }
    }
}
