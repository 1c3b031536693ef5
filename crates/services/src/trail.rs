//! The pools of the last few published blocks: how prices moved of late.

use amm::book::Pools;
use std::sync::Arc;

/// Blocks that are remembered.
const LENGTH: usize = 8;

/// Published blocks that are further apart than this tell of a process that
/// caught up, not of how prices move.
const MAX_GAP: u64 = LENGTH as u64;

/// Pools of published blocks, the newest last. It never changes, and shares
/// with a longer one what did not.
#[derive(Debug, Clone, Default)]
pub struct Trail(Arc<[(u64, Pools)]>);

impl Trail {
    /// The trail after one more block. What was before a gap, or came after
    /// the block on another fork, is forgotten.
    #[must_use]
    pub(crate) fn then(&self, block: u64, pools: &Pools) -> Self {
        let last = self.0.last().map(|(number, _)| *number);
        let goes_on = last.is_some_and(|last| last < block && block - last <= MAX_GAP);
        let kept = if goes_on { &*self.0 } else { &[] };
        let kept = kept.get((kept.len() + 1).saturating_sub(LENGTH)..);
        let kept = kept.unwrap_or_default().iter().cloned();
        Self(kept.chain([(block, pools.clone())]).collect())
    }

    /// The pools, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Pools> {
        self.0.iter().map(|(_, pools)| pools)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(trail: &Trail) -> Vec<u64> {
        trail.0.iter().map(|(block, _)| *block).collect()
    }

    #[test]
    fn the_last_eight_blocks_are_remembered() {
        let trail = (1..=20).fold(Trail::default(), |trail, block| {
            trail.then(block, &Pools::default())
        });
        assert_eq!(blocks(&trail), [13, 14, 15, 16, 17, 18, 19, 20]);
    }

    #[test]
    fn a_gap_or_a_fork_begins_it_anew() {
        let trail = Trail::default().then(5, &Pools::default());
        let trail = trail.then(13, &Pools::default());
        assert_eq!(blocks(&trail), [5, 13]);
        assert_eq!(blocks(&trail.then(22, &Pools::default())), [22]);
        assert_eq!(blocks(&trail.then(13, &Pools::default())), [13]);
    }
}
