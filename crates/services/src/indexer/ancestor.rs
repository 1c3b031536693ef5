//! Where two forks part.

use crate::{
    fault::Fault,
    indexer::{Indexer, nodes::Chosen},
};
use chain::{BlockMark, StarknetClient};
use primitives::{BlockRef, SignedDuration, Timestamp};
use store::MarkedBlock;

/// The shortest time between two looks at more than a block's hash.
const LOOK_BEHIND_EVERY: SignedDuration = SignedDuration::from_secs(5);

/// Heights that are compared in one call.
const COMPARED: u8 = 16;

impl Indexer {
    /// The highest stored block that the node has too, perhaps the tip itself.
    ///
    /// Hashes chain, so that agreement at a height means agreement below it:
    /// the search steps back by doubling distances, and then divides the gap
    /// again and again. What it waits for is calls, so that each compares
    /// several heights.
    pub(super) async fn common_ancestor(
        &self,
        node: &StarknetClient,
        tip: BlockRef,
    ) -> Result<BlockRef, Fault> {
        let Some(first) = self.store.chain().first_block().await? else {
            return Err(Fault::Diverged { first: tip });
        };
        let mut differs = tip.number.saturating_add(1);
        let mut steps = 0..;
        let mut agreed = loop {
            let asked = back(tip.number, first.number, steps.by_ref());
            if let Some(block) = self.agreement(node, &asked, &mut differs).await? {
                break block;
            }
            if asked.last() == Some(&first.number) {
                return Err(Fault::Diverged { first });
            }
        };
        while differs - agreed.number > 1 {
            let asked = between(agreed.number, differs);
            let higher = self.agreement(node, &asked, &mut differs).await?;
            agreed = higher.unwrap_or(agreed);
        }
        Ok(agreed)
    }

    /// The first of some falling heights at which the node has the stored
    /// block; `differs` falls to the last one before it.
    async fn agreement(
        &self,
        node: &StarknetClient,
        asked: &[u64],
        differs: &mut u64,
    ) -> Result<Option<BlockRef>, Fault> {
        let stored = self.store.chain().marked_blocks_at(asked).await?;
        let theirs = node.block_marks(asked).await?;
        for (number, theirs) in asked.iter().copied().zip(theirs) {
            let is_ours = |mark: &BlockMark| stored.iter().any(|ours| is_same(ours, mark));
            if let Some(mark) = theirs.filter(is_ours) {
                return Ok(Some(mark.at));
            }
            *differs = number;
        }
        Ok(None)
    }

    /// Whether a node has another block under the hash of ours: its hashes do not
    /// tell everything. Asking takes a call, so that it is done now and then, and at
    /// once where the node has gone back.
    pub(super) async fn is_disguised(
        &mut self,
        chosen: &Chosen,
        tip: BlockRef,
    ) -> Result<bool, Fault> {
        let now = self.clock.now();
        let waits = |last: Timestamp| now.duration_since(last).abs() < LOOK_BEHIND_EVERY;
        if chosen.head.number >= tip.number && self.looked_behind.is_some_and(waits) {
            return Ok(false);
        }
        let height = [chosen.head.number.min(tip.number)];
        let stored = self.store.chain().marked_blocks_at(&height).await?;
        let theirs = chosen.client.block_marks(&height).await?;
        let pair = stored.first().zip(theirs.into_iter().flatten().next());
        let is_other =
            pair.is_some_and(|(ours, theirs)| ours.block == theirs.at && !is_same(ours, &theirs));
        // What was found is looked at again until it is mended.
        self.looked_behind = Some(now).filter(|_| !is_other);
        Ok(is_other)
    }
}

/// Whether a block is the stored one, as far as headers tell.
fn is_same(ours: &MarkedBlock, theirs: &BlockMark) -> bool {
    let root = ours.state_root.unwrap_or(theirs.state_root);
    (ours.block, ours.time, root) == (theirs.at, theirs.time, theirs.state_root)
}

/// The next heights on the way back from a tip, whose distances from it double.
fn back(tip: u64, first: u64, steps: impl Iterator<Item = u32>) -> Vec<u64> {
    let mut heights = Vec::new();
    for step in steps.take(COMPARED.into()) {
        let distance = step
            .checked_sub(1)
            .map_or(0, |bits| 1_u64.checked_shl(bits).unwrap_or(u64::MAX));
        let height = tip.saturating_sub(distance).max(first);
        heights.push(height);
        if height == first {
            break;
        }
    }
    heights
}

/// Heights that divide the gap between two, the highest first.
fn between(low: u64, high: u64) -> Vec<u64> {
    let gap = high - low;
    let parts = gap.min(u64::from(COMPARED) + 1);
    let part = |number: u64| low + gap / parts * number + gap % parts * number / parts;
    (1..parts).rev().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_double_from_call_to_call_until_the_first_block() {
        let mut steps = 0..;
        let mut next = |tip, first| back(tip, first, steps.by_ref());
        let near = next(1_000_000, 900_000);
        assert_eq!(near[..5], [1_000_000, 999_999, 999_998, 999_996, 999_992]);
        assert_eq!(near.last(), Some(&(1_000_000 - 16_384)));
        assert_eq!(next(1_000_000, 900_000), [967_232, 934_464, 900_000]);
        assert_eq!(back(5, 5, 0..), [5]);
        assert_eq!(back(6, 5, 0..), [6, 5]);
    }

    #[test]
    fn heights_between_two_divide_the_gap() {
        assert_eq!(between(4, 6), [5]);
        assert_eq!(between(0, 4), [3, 2, 1]);
        for gap in 2..5_000 {
            let heights = between(7, 7 + gap);
            assert!(heights.is_sorted_by(|one, next| one > next), "{heights:?}");
            let ends = [vec![7 + gap], heights, vec![7]].concat();
            let largest = ends.windows(2).map(|two| two[0] - two[1]).max().unwrap();
            assert!(
                largest <= gap.div_ceil(u64::from(COMPARED) + 1),
                "{gap}: {largest}"
            );
        }
    }
}
