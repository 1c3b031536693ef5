//! Every token that the chain has shown, with what was read of it.
//!
//! The directory is a pure function of the blocks applied to it: it decides by
//! block heights alone when a refused token is looked at again, and taking
//! blocks back leaves exactly what there was before them.

use crate::{
    effects::BlockEffects,
    metadata::{TokenMetadata, TokenReading},
};
use primitives::Address;
use std::collections::BTreeMap;

/// How often a token that cannot be read is looked at, at most.
pub const MAX_READINGS: usize = 5;

/// Tokens beyond this number are not taken up: a flood of worthless contracts
/// must not fill the memory.
const MAX_TOKENS: usize = 200_000;

/// Blocks that pass between two looks: the n-th pause is this to the power of
/// n, about an hour at first and a month at last.
const RETRY_BASE: u64 = 36;

/// The tokens of one chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    readings: BTreeMap<Address, Vec<(u64, TokenReading)>>,
}

impl Directory {
    /// The directory of stored readings, each with the height of its block, in
    /// rising order of heights for each token.
    pub fn from_readings(readings: impl IntoIterator<Item = (Address, u64, TokenReading)>) -> Self {
        let mut directory = Self::default();
        for (address, number, reading) in readings {
            directory.push(address, number, reading);
        }
        directory
    }

    /// Which of the tokens seen in block `number` are to be read there, in
    /// order.
    pub fn due(&self, number: u64, seen: &[Address]) -> Vec<Address> {
        let mut room = MAX_TOKENS.saturating_sub(self.readings.len());
        let mut due: Vec<Address> = seen
            .iter()
            .copied()
            .filter(|address| match self.readings.get(address) {
                Some(readings) => wants_another_look(readings, number),
                None if room > 0 => {
                    room -= 1;
                    true
                }
                None => false,
            })
            .collect();
        due.sort_unstable();
        due.dedup();
        due
    }

    /// Takes up what a block read. Returns whether the list changed.
    pub fn apply(&mut self, effects: &BlockEffects) -> bool {
        let mut changed = false;
        for (address, reading) in &effects.readings {
            changed |= matches!(reading, TokenReading::Readable(_));
            self.push(*address, effects.block.number, reading.clone());
        }
        changed
    }

    /// Forgets every block above `number`, or all of them. Returns whether anything
    /// was read in them.
    pub fn rollback(&mut self, number: Option<u64>) -> bool {
        let mut has_lost = false;
        self.readings.retain(|_, readings| {
            let before = readings.len();
            readings.retain(|(block, _)| number.is_some_and(|number| *block <= number));
            has_lost |= readings.len() < before;
            !readings.is_empty()
        });
        has_lost
    }

    /// The tokens that can be listed, in the order of addresses.
    pub fn readable(&self) -> impl Iterator<Item = (Address, &TokenMetadata)> {
        self.readings
            .iter()
            .filter_map(|(address, readings)| match readings.last() {
                Some((_, TokenReading::Readable(metadata))) => Some((*address, metadata)),
                _ => None,
            })
    }

    /// How many tokens were looked at.
    pub fn seen(&self) -> usize {
        self.readings.len()
    }

    fn push(&mut self, address: Address, number: u64, reading: TokenReading) {
        let readings = self.readings.entry(address).or_default();
        debug_assert!(readings.last().is_none_or(|(last, _)| *last < number));
        readings.push((number, reading));
    }
}

fn wants_another_look(readings: &[(u64, TokenReading)], number: u64) -> bool {
    match readings.last() {
        Some((last, TokenReading::Refused(_))) if readings.len() < MAX_READINGS => {
            let pause =
                (0..readings.len()).fold(1_u64, |pause, _| pause.saturating_mul(RETRY_BASE));
            number >= last.saturating_add(pause)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Refusal;
    use primitives::{BlockRef, Felt, Timestamp};
    use proptest::prelude::*;

    const REFUSED: TokenReading = TokenReading::Refused(Refusal::Unanswered);

    fn address(n: u64) -> Address {
        Address::new(Felt::from(n))
    }

    fn effects(number: u64, readings: Vec<(Address, TokenReading)>) -> BlockEffects {
        let block = BlockRef {
            number,
            hash: Felt::from(number),
        };
        let parent = Felt::from(number.wrapping_sub(1));
        BlockEffects {
            readings,
            ..BlockEffects::quiet(block, parent, Timestamp::UNIX_EPOCH)
        }
    }

    fn readable(symbol: &str) -> TokenReading {
        crate::admit(symbol, symbol, Felt::from(18))
    }

    #[test]
    fn a_new_token_is_read_once_and_a_readable_one_never_again() {
        let mut directory = Directory::default();
        let seen = [address(2), address(1), address(2)];
        assert_eq!(directory.due(7, &seen), [address(1), address(2)]);
        assert!(directory.apply(&effects(
            7,
            vec![(address(1), readable("A")), (address(2), REFUSED)]
        )));
        assert_eq!(directory.due(8, &seen), []);
        assert_eq!(directory.due(u64::MAX, &seen), [address(2)]);
        assert_eq!((directory.seen(), directory.readable().count()), (2, 1));
    }

    #[test]
    fn a_refused_token_is_looked_at_ever_more_rarely_and_then_left_alone() {
        let mut directory = Directory::default();
        let (mut number, mut looks) = (0, Vec::new());
        while let Some(next) = (number..number + 3_000_000)
            .find(|number| !directory.due(*number, &[address(1)]).is_empty())
        {
            directory.apply(&effects(next, vec![(address(1), REFUSED)]));
            looks.push(next);
            number = next + 1;
        }
        let pauses: Vec<u64> = looks.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(pauses, [36, 1296, 46_656, 1_679_616]);
        assert_eq!(looks.len(), MAX_READINGS);
    }

    proptest! {
        #[test]
        fn taking_blocks_back_equals_never_having_seen_them(
            seen in proptest::collection::vec(proptest::collection::vec(0_u64..6, 0..4), 1..40),
            kept in 0_usize..40,
        ) {
            let kept = kept.min(seen.len());
            let apply = |directory: &mut Directory, number: usize| {
                // Spread the heights so that retries become due.
                let height = number as u64 * 40;
                let tokens: Vec<Address> = seen[number].iter().map(|n| address(*n)).collect();
                let readings = directory.due(height, &tokens).into_iter()
                    .map(|token| (token, if token == address(number as u64 % 6) { readable("T") } else { REFUSED }))
                    .collect();
                directory.apply(&effects(height, readings));
            };
            let mut expected = Directory::default();
            (0..kept).for_each(|number| apply(&mut expected, number));
            let mut rolled_back = expected.clone();
            (kept..seen.len()).for_each(|number| apply(&mut rolled_back, number));
            rolled_back.rollback(kept.checked_sub(1).map(|last| last as u64 * 40));
            prop_assert_eq!(rolled_back, expected);
        }
    }
}
