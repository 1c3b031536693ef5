//! The newest blocks of the chain, and those that they took the place of: what
//! somebody has missed who knew an older one.

use primitives::{BlockRef, Timestamp};
use std::sync::Arc;

/// Blocks that are remembered, of the chain and of those that are gone.
const LENGTH: usize = store::RECENT_BLOCKS;

/// A block and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHead {
    /// Its height and hash.
    pub at: BlockRef,
    /// The time that its header carries.
    pub time: Timestamp,
}

/// The newest blocks. They never change; clones share them.
#[derive(Debug, Clone, Default)]
pub struct RecentBlocks {
    /// One unbroken fork, the newest last.
    chain: Arc<[BlockHead]>,
    gone: Arc<[Gone]>,
}

/// A block that was shown and then replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Gone {
    at: BlockRef,
    /// The height of the newest block before it that is still there.
    back_to: u64,
}

/// What came after a block that somebody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missed<'a> {
    /// These blocks, if any.
    Blocks(&'a [BlockHead]),
    /// The block is gone: the chain went back, and came to these.
    Replaced {
        /// The newest block before it that is still there.
        common: BlockRef,
        /// What follows that one.
        blocks: &'a [BlockHead],
    },
    /// Nobody remembers.
    Unknown,
}

impl RecentBlocks {
    /// Blocks of one fork, the newest last.
    #[must_use]
    pub fn new(blocks: impl IntoIterator<Item = BlockHead>) -> Self {
        Self::default().then(blocks)
    }

    /// With some more blocks on top.
    #[must_use]
    pub(crate) fn then(&self, blocks: impl IntoIterator<Item = BlockHead>) -> Self {
        let mut chain = self.chain.to_vec();
        chain.extend(blocks);
        let forgotten = chain.len().saturating_sub(LENGTH);
        Self {
            chain: chain.into_iter().skip(forgotten).collect(),
            gone: Arc::clone(&self.gone),
        }
    }

    /// Without those above a height.
    #[must_use]
    pub(crate) fn until(&self, number: u64) -> Self {
        let kept = self.chain.iter().filter(|block| block.at.number <= number);
        Self {
            chain: kept.copied().collect(),
            gone: Arc::clone(&self.gone),
        }
    }

    /// The same, for those who were shown other blocks before: what is not here any
    /// more is remembered as gone.
    #[must_use]
    pub(crate) fn after(self, shown: &Self) -> Self {
        let last_common = shown.chain.iter().rfind(|block| self.has(block.at));
        let Some(common) = last_common.map(|block| block.at.number) else {
            return self;
        };
        let earlier = shown.gone.iter().map(|gone| Gone {
            back_to: gone.back_to.min(common),
            ..*gone
        });
        let above = shown.chain.iter().filter(|block| block.at.number > common);
        let now = above.map(|block| Gone {
            at: block.at,
            back_to: common,
        });
        let is_gone = |gone: &Gone| !self.has(gone.at) && self.at(gone.back_to).is_some();
        let gone: Vec<Gone> = earlier.chain(now).filter(is_gone).collect();
        let forgotten = gone.len().saturating_sub(LENGTH);
        Self {
            gone: gone.into_iter().skip(forgotten).collect(),
            ..self
        }
    }

    /// The head of the chain; `None` before the first block.
    #[must_use]
    pub fn newest(&self) -> Option<&BlockHead> {
        self.chain.last()
    }

    /// What came after a block.
    #[must_use]
    pub fn since(&self, known: BlockRef) -> Missed<'_> {
        if self.has(known) {
            return Missed::Blocks(self.above(known.number));
        }
        let gone = self.gone.iter().rfind(|gone| gone.at == known);
        match gone.and_then(|gone| self.at(gone.back_to)) {
            Some(common) => Missed::Replaced {
                common: common.at,
                blocks: self.above(common.at.number),
            },
            None => Missed::Unknown,
        }
    }

    fn has(&self, block: BlockRef) -> bool {
        self.at(block.number).is_some_and(|found| found.at == block)
    }

    fn at(&self, number: u64) -> Option<&BlockHead> {
        self.chain.get(self.place(number)?)
    }

    fn above(&self, number: u64) -> &[BlockHead] {
        let place = self.place(number.saturating_add(1));
        place
            .and_then(|place| self.chain.get(place..))
            .unwrap_or_default()
    }

    fn place(&self, number: u64) -> Option<usize> {
        let first = self.chain.first()?.at.number;
        usize::try_from(number.checked_sub(first)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::Felt;
    use proptest::prelude::*;

    /// A block of a fork.
    fn block(number: u64, fork: u64) -> BlockHead {
        BlockHead {
            at: BlockRef {
                number,
                hash: Felt::from(fork * 1_000_000 + number),
            },
            time: Timestamp::UNIX_EPOCH,
        }
    }

    fn blocks(numbers: std::ops::RangeInclusive<u64>, fork: u64) -> Vec<BlockHead> {
        numbers.map(|number| block(number, fork)).collect()
    }

    #[test]
    fn who_knows_a_block_is_told_those_after_it() {
        let recent = RecentBlocks::new(blocks(1..=9, 0));
        let after = blocks(8..=9, 0);
        assert_eq!(recent.since(block(7, 0).at), Missed::Blocks(&after));
        assert_eq!(recent.since(block(9, 0).at), Missed::Blocks(&[]));
        for unknown in [block(0, 0), block(10, 0), block(7, 1)] {
            assert_eq!(recent.since(unknown.at), Missed::Unknown);
        }
        assert_eq!(
            RecentBlocks::default().since(block(1, 0).at),
            Missed::Unknown
        );
    }

    #[test]
    fn only_so_many_are_remembered() {
        let recent = RecentBlocks::new(blocks(1..=1_000, 0));
        assert_eq!(recent.chain.len(), LENGTH);
        assert_eq!(recent.newest(), Some(&block(1_000, 0)));
        assert_eq!(recent.since(block(500, 0).at), Missed::Unknown);
    }

    #[test]
    fn who_knows_a_replaced_block_is_told_where_the_forks_part() {
        let shown = RecentBlocks::new(blocks(1..=9, 0));
        // The chain is first seen shorter, then on its new way.
        let back = shown.until(6).after(&shown);
        let common = block(6, 0).at;
        let nothing = Missed::Replaced {
            common,
            blocks: &[],
        };
        assert_eq!(back.since(block(9, 0).at), nothing);
        let on = back.then(blocks(7..=8, 1)).after(&back);
        let new = blocks(7..=8, 1);
        for old in [7, 8, 9] {
            let missed = on.since(block(old, 0).at);
            let blocks = new.as_slice();
            assert_eq!(missed, Missed::Replaced { common, blocks });
        }
        assert_eq!(on.since(common), Missed::Blocks(&new));
    }

    #[test]
    fn a_block_that_comes_back_is_not_gone() {
        let shown = RecentBlocks::new(blocks(1..=9, 0));
        let other = shown.until(6).then(blocks(7..=9, 1)).after(&shown);
        let again = other.until(6).then(blocks(7..=9, 0)).after(&other);
        assert_eq!(again.since(block(9, 0).at), Missed::Blocks(&[]));
        let common = block(6, 0).at;
        let blocks = blocks(7..=9, 0);
        let replaced = Missed::Replaced {
            common,
            blocks: &blocks,
        };
        assert_eq!(again.since(block(9, 1).at), replaced);
    }

    #[test]
    fn blocks_that_have_nothing_in_common_with_those_before_replace_none() {
        let shown = RecentBlocks::new(blocks(1..=9, 0));
        let other = RecentBlocks::new(blocks(5..=9, 1)).after(&shown);
        assert_eq!(other.since(block(9, 0).at), Missed::Unknown);
    }

    proptest! {
        /// Whoever knew any block that was ever shown is led to the newest one, or is
        /// told that nobody remembers.
        #[test]
        fn everybody_finds_the_way(steps in proptest::collection::vec((0..12_u64, 1..20_u64), 1..30)) {
            let mut recent = RecentBlocks::new(blocks(1..=30, 0));
            let mut ever = blocks(1..=30, 0);
            for (fork, (depth, length)) in (1..).zip(steps) {
                let newest = recent.newest().unwrap().at.number;
                let back = newest.saturating_sub(depth).max(1);
                let new = blocks(back + 1..=back + length, fork);
                ever.extend(&new);
                recent = recent.until(back).then(new).after(&recent);
            }
            for known in &ever {
                match recent.since(known.at) {
                    Missed::Blocks(blocks) => {
                        prop_assert_eq!(blocks.last().unwrap_or(known), recent.newest().unwrap());
                    }
                    Missed::Replaced { common, blocks } => {
                        prop_assert!(common.number < known.at.number);
                        prop_assert_eq!(recent.since(common), Missed::Blocks(blocks));
                    }
                    Missed::Unknown => prop_assert!(ever.len() > LENGTH),
                }
            }
        }
    }
}
