//! What tokens do when they are traded, as rehearsals show it.
//!
//! A rehearsal buys a token and sells all of it again, at one block and without
//! any effect. Until a token has passed one, or failed several in a row, the newest
//! decides: what nobody has seen behave gets no credit. From then on one alone proves
//! nothing, and a standing changes only when several in a row, each at a block of its
//! own, speak against it. When a token is rehearsed again depends on heights alone: at
//! the next block while it is in doubt, and otherwise ever more seldom.

use primitives::Address;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// Rehearsals in a row that change what a settled token is held to be.
pub const STREAK: u32 = 3;

/// Blocks until a token is rehearsed again the first time; each pause after
/// that is twice as long: a few minutes at first, and some hours at last.
const FIRST_PAUSE: u64 = 64;
const LONGEST_PAUSE: u64 = 8_192;

/// Tokens beyond this number are not looked at: nobody trades so many.
const MAX_TOKENS: usize = 65_536;

/// How a rehearsal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rehearsed {
    /// It paid what was computed.
    Passed,
    /// It reverted, or paid less.
    Failed,
    /// There was none, or what went wrong may not be the token's doing.
    Unclear,
}

/// What is known of all tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conduct(BTreeMap<Address, Standing>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Standing {
    is_shunned: bool,
    /// Whether one rehearsal no longer decides.
    is_settled: bool,
    /// Whether the last rehearsal that said something passed, and how many in a row
    /// ended like it.
    has_passed: bool,
    in_a_row: u32,
    rehearsals: usize,
    pause: u64,
    /// The height from which on it is rehearsed again.
    due: u64,
}

impl Conduct {
    /// What is known when these tokens are shunned.
    pub fn new(shunned: impl IntoIterator<Item = Address>) -> Self {
        let standing = Standing {
            is_shunned: true,
            is_settled: true,
            ..Standing::default()
        };
        Self(shunned.into_iter().map(|it| (it, standing)).collect())
    }

    /// Which of `tokens` are to be rehearsed at a block, at most so many: first
    /// those that are in doubt, then those that wait longest.
    pub fn due(&self, block: u64, tokens: &BTreeSet<Address>, limit: usize) -> Vec<Address> {
        let has_room = self.0.len() < MAX_TOKENS;
        let mut due: Vec<_> = tokens
            .iter()
            .filter_map(|token| match self.0.get(token) {
                Some(standing) if standing.due > block => None,
                Some(standing) => Some((Reverse(standing.is_in_doubt()), standing.due, *token)),
                None => has_room.then_some((Reverse(false), 0, *token)),
            })
            .collect();
        due.sort_unstable();
        due.into_iter()
            .map(|(_, _, token)| token)
            .take(limit)
            .collect()
    }

    /// Takes up how a rehearsal at a block ended. Returns whether the token is
    /// shunned from now on, or no longer.
    pub fn note(&mut self, token: Address, block: u64, outcome: Rehearsed) -> bool {
        let standing = self.0.entry(token).or_default();
        standing.rehearsals = standing.rehearsals.wrapping_add(1);
        let has_passed = match outcome {
            Rehearsed::Passed => true,
            Rehearsed::Failed => false,
            Rehearsed::Unclear => {
                standing.rest(block);
                return false;
            }
        };
        if standing.has_passed != has_passed {
            (standing.has_passed, standing.in_a_row) = (has_passed, 0);
        }
        standing.in_a_row = standing.in_a_row.saturating_add(1);
        let is_streak = standing.in_a_row >= STREAK;
        let turns = standing.is_shunned == has_passed && (is_streak || !standing.is_settled);
        if turns {
            standing.is_shunned = !has_passed;
        }
        standing.is_settled |= has_passed || is_streak;
        if standing.is_in_doubt() {
            (standing.pause, standing.due) = (0, block.saturating_add(1));
        } else {
            standing.rest(block);
        }
        turns
    }

    /// The tokens that no route passes.
    #[must_use]
    pub fn shunned(&self) -> BTreeSet<Address> {
        let shunned = self.0.iter().filter(|(_, standing)| standing.is_shunned);
        shunned.map(|(token, _)| *token).collect()
    }

    /// Whether a token is known to do what it says.
    #[must_use]
    pub fn is_proven(&self, token: Address) -> bool {
        let standing = self.0.get(&token);
        standing.is_some_and(|standing| standing.has_passed && !standing.is_shunned)
    }

    /// How many rehearsals a token had: others each time can be asked.
    #[must_use]
    pub fn rehearsals(&self, token: Address) -> usize {
        self.0.get(&token).map_or(0, |standing| standing.rehearsals)
    }
}

impl Standing {
    /// Whether the next rehearsal may change it.
    const fn is_in_doubt(&self) -> bool {
        self.in_a_row > 0 && (self.is_shunned == self.has_passed || !self.is_settled)
    }

    /// Leaves it alone for a while, and longer the next time.
    fn rest(&mut self, block: u64) {
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        self.due = block.saturating_add(self.pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Rehearsed::{Failed, Passed, Unclear};
    use primitives::Felt;
    use proptest::prelude::*;

    fn token(n: u64) -> Address {
        Address::new(Felt::from(n))
    }

    fn tokens(numbers: impl IntoIterator<Item = u64>) -> BTreeSet<Address> {
        numbers.into_iter().map(token).collect()
    }

    /// Rehearses one token as soon as it is due, from block 0 on; returns the
    /// heights.
    fn rehearse(conduct: &mut Conduct, outcomes: &[Rehearsed]) -> Vec<u64> {
        let (mut block, mut heights) = (0, Vec::new());
        for outcome in outcomes {
            while conduct.due(block, &tokens([1]), 1).is_empty() {
                block += 1;
            }
            conduct.note(token(1), block, *outcome);
            heights.push(block);
            block += 1;
        }
        heights
    }

    #[test]
    fn a_token_that_never_passed_is_what_its_newest_rehearsal_says() {
        let mut conduct = Conduct::default();
        assert!(conduct.note(token(1), 0, Failed));
        assert_eq!(conduct.shunned(), tokens([1]));
        assert!(conduct.note(token(1), 1, Passed));
        assert!(conduct.shunned().is_empty());
        assert!(conduct.is_proven(token(1)));
    }

    #[test]
    fn one_that_only_failed_is_left_alone_after_three_at_three_blocks() {
        let mut conduct = Conduct::default();
        assert_eq!(rehearse(&mut conduct, &[Failed; 4]), [0, 1, 2, 66]);
        rehearse(&mut conduct, &[Passed, Passed]);
        assert_eq!(conduct.shunned(), tokens([1]));
        rehearse(&mut conduct, &[Passed]);
        assert!(conduct.shunned().is_empty());
    }

    #[test]
    fn one_that_passed_once_is_shunned_after_three_failures_in_a_row() {
        let mut conduct = Conduct::default();
        rehearse(
            &mut conduct,
            &[Passed, Failed, Failed, Passed, Failed, Failed],
        );
        assert!(conduct.shunned().is_empty());
        rehearse(&mut conduct, &[Failed]);
        assert_eq!(conduct.shunned(), tokens([1]));
    }

    #[test]
    fn what_is_unclear_neither_shuns_nor_clears() {
        let mut conduct = Conduct::default();
        rehearse(&mut conduct, &[Unclear; 9]);
        assert!(conduct.shunned().is_empty());
        assert!(!conduct.is_proven(token(1)));
        rehearse(&mut conduct, &[Passed, Failed, Failed, Unclear]);
        assert!(conduct.shunned().is_empty());
        rehearse(&mut conduct, &[Failed]);
        assert_eq!(conduct.shunned(), tokens([1]));
    }

    #[test]
    fn a_shunned_token_is_taken_back_when_it_behaves_again() {
        let mut conduct = Conduct::new([token(1)]);
        rehearse(&mut conduct, &[Passed, Passed, Failed, Passed, Passed]);
        assert_eq!(conduct.shunned(), tokens([1]));
        assert!(!conduct.is_proven(token(1)));
        rehearse(&mut conduct, &[Passed]);
        assert!(conduct.shunned().is_empty());
        assert!(conduct.is_proven(token(1)));
    }

    #[test]
    fn a_token_that_stays_as_it_is_is_rehearsed_ever_more_seldom() {
        let mut conduct = Conduct::default();
        let heights = rehearse(&mut conduct, &[Passed; 11]);
        let pauses: Vec<u64> = heights.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(
            pauses,
            [64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 8_192, 8_192]
        );
    }

    #[test]
    fn doubts_come_first_and_then_those_who_wait_longest() {
        let mut conduct = Conduct::default();
        conduct.note(token(1), 10, Passed);
        conduct.note(token(2), 5, Passed);
        conduct.note(token(3), 100, Failed);
        let all = tokens([1, 2, 3, 4]);
        assert_eq!(conduct.due(50, &all, 9), [token(4)]);
        assert_eq!(
            conduct.due(101, &all, 9),
            [token(3), token(4), token(2), token(1)]
        );
        assert_eq!(conduct.due(101, &all, 2), [token(3), token(4)]);
        assert_eq!(conduct.due(101, &tokens([2]), 9), [token(2)]);
    }

    proptest! {
        /// The same rules, said by looking back over all that was seen.
        #[test]
        fn a_standing_is_what_the_rules_say_of_everything_that_was_seen(
            outcomes in proptest::collection::vec(
                prop_oneof![Just(Passed), Just(Failed), Just(Unclear)], 0..60),
        ) {
            let mut conduct = Conduct::default();
            let (mut seen, mut shunned) = (Vec::new(), false);
            for (block, outcome) in (0..).zip(outcomes) {
                let before = shunned;
                if outcome != Unclear {
                    let is_settled = seen.contains(&Passed)
                        || seen.windows(3).any(|it| it == [Failed; 3]);
                    seen.push(outcome);
                    let decide = if is_settled { 3 } else { 1 };
                    if seen.iter().rev().take_while(|it| **it == outcome).count() >= decide {
                        shunned = outcome == Failed;
                    }
                }
                prop_assert_eq!(conduct.note(token(1), block, outcome), before != shunned);
                prop_assert_eq!(!conduct.shunned().is_empty(), shunned);
            }
        }
    }
}
