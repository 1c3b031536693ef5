//! What the indexer holds in memory: always equal to what the store holds.

use crate::{
    fault::Fault,
    known::Known,
    snapshot::{Snapshot, Snapshots},
};
use amm::book::{Book, Registry};
use market::{BlockEffects, Directory, TokenList, figures::Figures};
use primitives::{BlockRef, Timestamp};
use std::sync::Arc;
use store::{PoolHistory, Store};

#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) tip: Option<Tip>,
    pub(crate) directory: Directory,
    pub(crate) book: Book,
    tokens: Arc<TokenList>,
}

/// The newest block applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tip {
    pub(crate) block: BlockRef,
    pub(crate) time: Timestamp,
}

impl State {
    pub(crate) async fn load(store: &Store, known: &Known) -> Result<Self, Fault> {
        let contents = store.chain().contents().await?;
        let tip = contents.tip.map(|(block, time)| Tip { block, time });
        let directory = Directory::from_readings(contents.readings);
        let tokens = Arc::new(TokenList::new(&directory, &known.listings));
        let book = replay(Arc::clone(&known.venues), &contents.pools)?;
        Ok(Self {
            tip,
            directory,
            book,
            tokens,
        })
    }

    /// Moves to the last of `effects`, which directory and book have already
    /// taken up.
    pub(crate) fn commit(&mut self, effects: &[BlockEffects], known: &Known) {
        let Some(last) = effects.last() else { return };
        self.tip = Some(Tip {
            block: last.block,
            time: last.time,
        });
        if effects.iter().any(|effects| !effects.readings.is_empty()) {
            self.tokens = Arc::new(TokenList::new(&self.directory, &known.listings));
        }
    }

    /// Takes up blocks that another process committed on top of the tip.
    pub(crate) fn take_up(&mut self, blocks: &[BlockEffects], known: &Known) {
        for effects in blocks {
            self.directory.apply(effects);
            self.book.begin(effects.block.number);
            for change in &effects.pools {
                self.book.apply(change);
            }
        }
        self.commit(blocks, known);
    }

    /// Goes back to an earlier block that the store still has.
    pub(crate) async fn rollback(
        &mut self,
        to: Tip,
        store: &Store,
        known: &Known,
    ) -> Result<(), Fault> {
        let number = Some(to.block.number);
        if self.book.rollback(number).is_err() {
            *self = Self::load(store, known).await?;
            return Ok(());
        }
        self.tip = Some(to);
        self.directory.rollback(number);
        self.tokens = Arc::new(TokenList::new(&self.directory, &known.listings));
        Ok(())
    }

    pub(crate) fn publish(&self, snapshots: &Snapshots) {
        if let Some(tip) = self.tip {
            snapshots.publish(Snapshot {
                head: tip.block,
                head_time: tip.time,
                tokens: Arc::clone(&self.tokens),
                pools: self.book.pools().clone(),
                figures: Figures::default(),
            });
        }
    }
}

/// The book at the end of what is stored.
fn replay(venues: Arc<Registry>, history: &PoolHistory) -> Result<Book, Fault> {
    let mut book = match &history.checkpoint {
        Some((block, bytes)) => Book::from_bytes(venues, *block, bytes)?,
        None => Book::new(venues),
    };
    for (block, changes) in &history.changes {
        book.begin(*block);
        for change in changes {
            book.apply(change);
        }
    }
    Ok(book)
}
