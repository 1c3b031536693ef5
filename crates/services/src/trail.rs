//! The pools of the last few blocks: how prices moved of late.

use amm::book::Pools;
use std::sync::Arc;

/// Blocks that are remembered: about a minute, twice as long as a quote lives.
const LENGTH: u64 = 32;

/// Pools at the ends of blocks, the newest last. It never changes, and shares
/// with a longer one what did not.
#[derive(Debug, Clone, Default)]
pub struct Trail(Arc<[Arc<Step>]>);

#[derive(Debug)]
struct Step {
    block: u64,
    pools: Pools,
}

impl Trail {
    /// Whether a block will still be remembered at a later one.
    pub(crate) fn remembers(block: u64, later: u64) -> bool {
        later.saturating_sub(block) < LENGTH
    }

    /// The trail after one more block. What was on another fork is forgotten.
    #[must_use]
    pub(crate) fn then(&self, block: u64, pools: &Pools) -> Self {
        let kept = self.0.iter();
        let kept = kept.filter(|step| step.block < block && Self::remembers(step.block, block));
        let pools = pools.clone();
        let step = Arc::new(Step { block, pools });
        Self(kept.cloned().chain([step]).collect())
    }

    /// The trail before the blocks above one were seen.
    #[must_use]
    pub(crate) fn until(&self, block: u64) -> Self {
        let kept = self.0.iter().filter(|step| step.block <= block);
        Self(kept.cloned().collect())
    }

    /// The pools at the end of a block, if that is remembered.
    pub(crate) fn at(&self, block: u64) -> Option<&Pools> {
        let step = self.0.iter().rfind(|step| step.block <= block)?;
        Some(&step.pools)
    }

    /// The pools, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Pools> {
        self.0.iter().map(|step| &step.pools)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(trail: &Trail) -> Vec<u64> {
        trail.0.iter().map(|step| step.block).collect()
    }

    fn after(blocks: impl IntoIterator<Item = u64>) -> Trail {
        let blocks = blocks.into_iter();
        blocks.fold(Trail::default(), |trail, block| {
            trail.then(block, &Pools::default())
        })
    }

    #[test]
    fn the_last_32_blocks_are_remembered() {
        let all: Vec<u64> = (69..=100).collect();
        assert_eq!(blocks(&after(1..=100)), all);
        assert_eq!(blocks(&after([1, 68, 69, 100])), [69, 100]);
    }

    #[test]
    fn pools_of_a_block_are_those_of_the_last_one_that_changed_any() {
        let trail = after([3, 5]);
        let found = |block| {
            trail.0.iter().position(|step| {
                let at = trail.at(block);
                at.is_some_and(|pools| std::ptr::eq(pools, &raw const step.pools))
            })
        };
        let places = [2, 3, 4, 5, 6].map(found);
        assert_eq!(places, [None, Some(0), Some(0), Some(1), Some(1)]);
    }

    #[test]
    fn what_was_on_another_fork_is_forgotten() {
        let trail = after(1..=5);
        assert_eq!(blocks(&trail.then(3, &Pools::default())), [1, 2, 3]);
        assert_eq!(blocks(&trail.until(3)), [1, 2, 3]);
        assert_eq!(blocks(&trail), [1, 2, 3, 4, 5]);
    }
}
