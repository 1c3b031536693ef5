//! Coming to the height of a store that another process writes.

use super::{
    state::{State, Tip},
    undoing::{block_taken, figures_before},
};
use crate::{fault::Fault, known::Known};
use market::figures::{Delta, Taken};
use primitives::BlockRef;
use store::Store;

impl State {
    /// Takes up what another process committed, some blocks at a time. If it has
    /// moved to another fork, the blocks that are gone are taken back as the process
    /// that indexes does; where they are too many, everything is loaded. Who
    /// appraises the next block has to look anew.
    pub(crate) async fn follow(
        mut self,
        store: &Store,
        known: &Known,
        target: BlockRef,
    ) -> Result<Self, Fault> {
        while let Some(tip) = self.tip {
            match store.chain().since(tip.block).await? {
                Some(blocks) => {
                    self.take_up(&blocks, known)?;
                    let reached = blocks.last().map(|last| last.block.number);
                    if reached.is_none_or(|reached| reached >= target.number) {
                        return Ok(self);
                    }
                }
                None if self.step_back(store, known).await? => {}
                None => break,
            }
        }
        self.reload(store, known).await
    }

    /// Goes back to the newest block that the store still has. Returns whether there
    /// is one below the tip.
    async fn step_back(&mut self, store: &Store, known: &Known) -> Result<bool, Fault> {
        let Some(to) = self.common_block(store).await? else {
            return Ok(false);
        };
        let gone = self.recent.newest_first();
        let gone = gone.take_while(|recent| recent.block.number > to.block.number);
        let undone = gone.map(|it| block_taken(it.time, &it.figures, Delta::to_take_back));
        let undone: Vec<Taken> = undone.collect::<Result<_, _>>()?;
        let figures = figures_before(&self.figures, &undone, to.block.number, store).await?;
        // If it is gone meanwhile, what was read may be of another fork.
        let still = store.chain().block_hash(to.block.number).await?;
        match figures {
            Some(figures) if still == Some(to.block.hash) => {
                self.rollback(to, figures, store, known).await?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The newest block below the tip that both we and the store have.
    async fn common_block(&self, store: &Store) -> Result<Option<Tip>, Fault> {
        let below = self.recent.newest_first().skip(1);
        let numbers: Vec<u64> = below.map(|recent| recent.block.number).collect();
        let stored = store.chain().blocks_at(&numbers).await?;
        let mut recent = self.recent.newest_first().skip(1);
        let common = recent.find(|recent| stored.contains(&recent.block));
        Ok(common.map(|recent| Tip {
            block: recent.block,
            time: recent.time,
        }))
    }
}
