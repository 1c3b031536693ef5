//! What the indexer holds in memory: always equal to what the store holds.

use crate::{
    fault::Fault,
    snapshot::{Snapshot, Snapshots},
};
use market::{BlockEffects, Directory, Listings, TokenList};
use primitives::{BlockRef, Timestamp};
use std::sync::Arc;
use store::Store;

#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) tip: Option<Tip>,
    pub(crate) directory: Directory,
    tokens: Arc<TokenList>,
}

/// The newest block applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tip {
    pub(crate) block: BlockRef,
    pub(crate) time: Timestamp,
}

impl State {
    pub(crate) async fn load(store: &Store, listings: &Listings) -> Result<Self, Fault> {
        let contents = store.chain().contents().await?;
        let tip = contents.tip.map(|(block, time)| Tip { block, time });
        let directory = Directory::from_readings(contents.readings);
        let tokens = Arc::new(TokenList::new(&directory, listings));
        Ok(Self {
            tip,
            directory,
            tokens,
        })
    }

    /// Moves to the last of `effects`, whose readings the directory has
    /// already taken up.
    pub(crate) fn commit(&mut self, effects: &[BlockEffects], listings: &Listings) {
        let Some(last) = effects.last() else { return };
        self.tip = Some(Tip {
            block: last.block,
            time: last.time,
        });
        if effects.iter().any(|effects| !effects.readings.is_empty()) {
            self.tokens = Arc::new(TokenList::new(&self.directory, listings));
        }
    }

    /// Goes back to an earlier block that the store still has.
    pub(crate) fn rollback(&mut self, to: Tip, listings: &Listings) {
        self.tip = Some(to);
        self.directory.rollback(Some(to.block.number));
        self.tokens = Arc::new(TokenList::new(&self.directory, listings));
    }

    pub(crate) fn publish(&self, snapshots: &Snapshots) {
        if let Some(tip) = self.tip {
            snapshots.publish(Snapshot {
                head: tip.block,
                head_time: tip.time,
                tokens: Arc::clone(&self.tokens),
            });
        }
    }
}
