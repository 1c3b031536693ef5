//! Where two forks part.

use crate::{fault::Fault, indexer::Indexer};
use chain::StarknetClient;
use primitives::BlockRef;

impl Indexer {
    /// The highest stored block that the node has too, perhaps the tip itself.
    ///
    /// Hashes chain, so that agreement at a height means agreement below it:
    /// the search steps back by doubling distances and then halves the gap,
    /// which finds a fork of any depth in few calls.
    pub(super) async fn common_ancestor(
        &self,
        node: &StarknetClient,
        tip: BlockRef,
    ) -> Result<BlockRef, Fault> {
        let Some(first) = self.store.chain().first_block().await? else {
            return Err(Fault::Diverged { first: tip });
        };
        let mut differs = tip.number;
        let mut distance = 0_u64;
        let mut agreed = loop {
            let number = tip.number.saturating_sub(distance).max(first.number);
            if let Some(block) = self.agreement(node, number).await? {
                break block;
            }
            if number == first.number {
                return Err(Fault::Diverged { first });
            }
            differs = number;
            distance = distance.saturating_mul(2).max(1);
        };
        while differs - agreed.number > 1 {
            let middle = agreed.number + (differs - agreed.number) / 2;
            match self.agreement(node, middle).await? {
                Some(block) => agreed = block,
                None => differs = middle,
            }
        }
        Ok(agreed)
    }

    /// The stored block at a height, if the node has the same one.
    async fn agreement(
        &self,
        node: &StarknetClient,
        number: u64,
    ) -> Result<Option<BlockRef>, Fault> {
        let Some(stored) = self.store.chain().block_hash(number).await? else {
            return Ok(None);
        };
        let theirs = node.block_hash(number).await?;
        Ok((theirs == Some(stored)).then_some(BlockRef {
            number,
            hash: stored,
        }))
    }
}
