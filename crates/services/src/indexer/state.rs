//! What the indexer holds in memory: always equal to what the store holds.

use crate::{
    fault::Fault,
    indexer::{
        gauge::lossy,
        taken_blocks::TakenBlocks,
        undoing::{figures_before, taken},
        views::Views,
    },
    known::Known,
    recent_blocks::{BlockHead, RecentBlocks},
    snapshot::{Snapshot, Snapshots},
    trail::Trail,
};
use amm::book::{Book, Registry, Standing};
use market::{
    BlockEffects, Directory,
    figures::{Appraiser, Delta, Figures, Taken},
    following::Roster,
};
use primitives::{Address, BlockRef, Timestamp};
use std::{collections::BTreeSet, sync::Arc};
use store::{ChainContents, FigureHistory, PoolHistory, Store};

#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) tip: Option<Tip>,
    pub(crate) directory: Directory,
    pub(crate) book: Book,
    pub(crate) figures: Figures,
    pub(crate) appraiser: Appraiser,
    /// The contracts that are followed beside pools, as far as blocks made them known.
    pub(crate) roster: Roster,
    /// The block whose pages of figures are kept.
    pub(crate) kept: Option<u64>,
    /// What is worked out from them for readers.
    views: Views,
    /// The pools after each of the last blocks.
    pub(crate) trail: Trail,
    /// What the last blocks did, should the store forget them.
    pub(super) taken: TakenBlocks,
    /// The newest blocks, for those who ask what they missed since one of them.
    recent: RecentBlocks,
    /// The tokens that no route passes, as the store has them.
    shunned: Arc<BTreeSet<Address>>,
}

/// The newest block that is committed, with the time of its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tip {
    pub(crate) block: BlockRef,
    pub(crate) time: Timestamp,
}

impl State {
    pub(crate) async fn load(store: &Store, known: &Known) -> Result<Self, Fault> {
        let mut contents = store.chain().contents().await?;
        let shunned = shunned(store, known).await?;
        let tip = contents.tip().map(|(_, time)| time);
        let history = std::mem::take(&mut contents.figures);
        let kept = history.kept.as_ref().map(|(block, _)| *block);
        let taken = TakenBlocks::loaded(&contents.recent, &history);
        let mut figures = remake(history)?;
        if let Some(time) = tip {
            // The newest block may have done nothing to figures but move their time.
            apply(&mut figures, time, &[])?;
        }
        let loaded = Self::of(contents, figures, kept, shunned, known)?;
        Ok(Self { taken, ..loaded })
    }

    /// What a store without blocks holds.
    pub(super) fn empty(known: &Known) -> Result<Self, Fault> {
        let nothing = ChainContents::default();
        Self::of(nothing, Figures::default(), None, BTreeSet::new(), known)
    }

    /// What the store held when the block of this height was the newest.
    pub(super) async fn load_at(store: &Store, known: &Known, last: u64) -> Result<Self, Fault> {
        let mut contents = store.chain().contents_at(last).await?;
        let history = std::mem::take(&mut contents.figures);
        // Of those, nothing is computed anew.
        contents.followed.clear();
        let Some((tip, time)) = contents.tip() else {
            return Self::empty(known);
        };
        let kept = history.kept.as_ref().map(|(block, _)| *block);
        let mut figures = remake(history)?;
        match kept.filter(|kept| *kept > tip.number) {
            Some(kept) => {
                let gone = tip.number.saturating_add(1)..=kept;
                let mut undone = taken(store, gone, Delta::to_take_back).await?;
                undone.reverse();
                let before = figures_before(&figures, &undone, tip.number, store).await?;
                figures = before.ok_or(Fault::Diverged { first: tip })?;
            }
            None => apply(&mut figures, time, &[])?,
        }
        Self::of(contents, figures, kept, BTreeSet::new(), known)
    }

    fn of(
        contents: ChainContents,
        figures: Figures,
        kept: Option<u64>,
        shunned: BTreeSet<Address>,
        known: &Known,
    ) -> Result<Self, Fault> {
        let tip = contents.tip().map(|(block, time)| Tip { block, time });
        let recent = contents.recent.iter();
        let recent = recent.map(|(at, time)| BlockHead {
            at: *at,
            time: *time,
        });
        let recent = RecentBlocks::new(recent);
        let directory = Directory::from_readings(contents.readings);
        let newest = tip.map_or(0, |tip| tip.block.number);
        let (book, trail) = replay(Arc::clone(&known.venues), &contents.pools, newest)?;
        let anchors = known.anchors.as_ref().clone();
        let mut roster = Roster::new(Arc::clone(&known.following));
        for (block, contract) in &contents.followed {
            roster.learn(*block, contract);
        }
        let mut state = Self {
            tip,
            directory,
            appraiser: Appraiser::new(anchors, &figures, book.pools()),
            roster,
            kept,
            book,
            figures,
            views: Views::default(),
            trail,
            taken: TakenBlocks::default(),
            recent,
            shunned: Arc::new(shunned),
        };
        state.views.note_all();
        state.refresh(known);
        Ok(state)
    }

    /// Takes over which tokens no route passes. Returns whether they are others
    /// than before.
    pub(crate) async fn take_up_shunned(
        &mut self,
        store: &Store,
        known: &Known,
    ) -> Result<bool, Fault> {
        let shunned = shunned(store, known).await?;
        let are_others = shunned != *self.shunned;
        if are_others {
            self.shunned = Arc::new(shunned);
            self.views.note_shunned();
            self.refresh(known);
        }
        Ok(are_others)
    }

    /// Moves to the last of `effects`, which directory, book and figures have
    /// already taken up.
    pub(crate) fn commit(&mut self, effects: &[BlockEffects], known: &Known) {
        if let Some(last) = effects.last() {
            self.tip = Some(Tip {
                block: last.block,
                time: last.time,
            });
        }
        self.taken.note(effects);
        self.recent = self.recent.then(effects.iter().map(|effects| BlockHead {
            at: effects.block,
            time: effects.time,
        }));
        let kept = effects.iter().rev().find(|effects| effects.pages.is_some());
        self.kept = kept.map(|effects| effects.block.number).or(self.kept);
        self.views.note(effects);
        self.refresh(known);
    }

    /// Makes anew what blocks that came or went have put out of date for readers.
    pub(crate) fn refresh(&mut self, known: &Known) {
        self.views.refresh(
            &self.book,
            &self.directory,
            &self.figures,
            &known.listings,
            &self.shunned,
        );
    }

    /// How many pools are traded with, and why others are not.
    pub(crate) fn standing(&self) -> &Standing {
        &self.views.standing
    }

    /// Takes up blocks that another process committed on top of the tip.
    pub(crate) fn take_up(&mut self, blocks: &[BlockEffects], known: &Known) -> Result<(), Fault> {
        let newest = blocks.last().map_or(0, |last| last.block.number);
        for effects in blocks {
            self.directory.apply(effects);
            self.book.begin(effects.block.number);
            for change in &effects.pools {
                self.book.apply(change);
            }
            self.leave_trail(effects.block.number, newest);
            apply(&mut self.figures, effects.time, &effects.figures)?;
            for contract in &effects.followed.contracts {
                self.roster.learn(effects.block.number, contract);
            }
        }
        self.commit(blocks, known);
        Ok(())
    }

    /// Goes back to an earlier block that the store still has, at which the figures
    /// were these. Before it is published, it has to be refreshed; before the next
    /// block is appraised, somebody has to look anew.
    pub(crate) async fn rollback(
        &mut self,
        to: Tip,
        figures: Figures,
        store: &Store,
        known: &Known,
    ) -> Result<(), Fault> {
        let number = Some(to.block.number);
        let Ok(pools) = self.book.rollback(number) else {
            *self = self.reload(store, known).await?;
            return Ok(());
        };
        self.tip = Some(to);
        self.trail = self.trail.until(to.block.number);
        self.taken.rollback(to.block.number);
        self.recent = self.recent.until(to.block.number);
        let has_lost_readings = self.directory.rollback(number);
        self.roster.rollback(number);
        self.kept = self.kept.map(|kept| kept.min(to.block.number));
        self.figures = figures;
        self.views.note_taken_back(pools, has_lost_readings);
        Ok(())
    }

    /// Forgets what is not in the store: everything above the tip.
    pub(crate) async fn forget_uncommitted(
        &mut self,
        figures: Figures,
        store: &Store,
        known: &Known,
    ) -> Result<(), Fault> {
        let committed = self.tip.map(|tip| tip.block.number);
        self.trail = self.trail.until(committed.unwrap_or(0));
        self.directory.rollback(committed);
        self.roster.rollback(committed);
        if self.book.rollback(committed).is_err() {
            *self = self.reload(store, known).await?;
            return Ok(());
        }
        self.figures = figures;
        self.look_anew(known);
        Ok(())
    }

    /// What the store holds, which readers may have seen otherwise.
    pub(crate) async fn reload(&self, store: &Store, known: &Known) -> Result<Self, Fault> {
        let mut loaded = Self::load(store, known).await?;
        loaded.figures.begin_epoch(self.figures.epoch() + 1);
        Ok(loaded)
    }

    pub(crate) fn publish(&self, snapshots: &Snapshots) {
        if let Some(tip) = self.tip {
            let figures = self.figures.with_pools(self.book.pools());
            snapshots.publish(Snapshot {
                head: tip.block,
                head_time: tip.time,
                tokens: Arc::clone(&self.views.tokens),
                pools: self.book.pools().clone(),
                graph: Arc::clone(&self.views.graph),
                trail: self.trail.clone(),
                recent: self.recent.clone(),
                figures,
                shunned: Arc::clone(&self.shunned),
                standing: Arc::clone(&self.views.standing),
                // The place says.
                provisional: false,
            });
            metrics::gauge!("stoa_tokens_shunned").set(lossy(self.shunned.len() as u64));
        }
    }

    /// Remembers the pools after a block, unless that will be forgotten by the
    /// newest of the blocks in hand.
    pub(crate) fn leave_trail(&mut self, block: u64, newest: u64) {
        if Trail::remembers(block, newest) {
            self.trail = self.trail.then(block, self.book.pools());
        }
    }

    /// How many tokens readers are shown, of all that were seen.
    pub(crate) fn listed(&self) -> usize {
        self.views.tokens.tokens().len()
    }

    pub(crate) fn look_anew(&mut self, known: &Known) {
        let anchors = known.anchors.as_ref().clone();
        self.appraiser = Appraiser::new(anchors, &self.figures, self.book.pools());
    }
}

/// The tokens that the store wants no route to pass. What prices hang on is
/// beyond doubt.
async fn shunned(store: &Store, known: &Known) -> Result<BTreeSet<Address>, Fault> {
    let mut shunned = store.chain().shunned().await?;
    for anchor in known.anchors.iter() {
        shunned.remove(&anchor);
    }
    Ok(shunned)
}

/// How many pools of a store are traded with, and why others are not; none if it
/// has no blocks.
pub async fn stored_standing(store: &Store, known: &Known) -> Result<Option<Standing>, Fault> {
    let contents = store.chain().contents().await?;
    let Some((tip, _)) = contents.tip() else {
        return Ok(None);
    };
    let (book, _) = replay(Arc::clone(&known.venues), &contents.pools, tip.number)?;
    Ok(Some(book.pools().standing()))
}

/// The book at the end of what is stored, and the way there.
fn replay(
    venues: Arc<Registry>,
    history: &PoolHistory,
    newest: u64,
) -> Result<(Book, Trail), Fault> {
    let mut book = match &history.checkpoint {
        Some((block, bytes)) => Book::from_bytes(venues, *block, bytes)?,
        None => Book::new(venues),
    };
    let mut trail = Trail::default();
    for (block, changes) in &history.changes {
        book.begin(*block);
        for change in changes {
            book.apply(change);
        }
        if Trail::remembers(*block, newest) {
            trail = trail.then(*block, book.pools());
        }
    }
    Ok((book, trail))
}

/// The figures at the end of what is stored.
fn remake(history: FigureHistory) -> Result<Figures, Fault> {
    let mut figures = match history.kept {
        Some((_, kept)) => Figures::from_kept(kept)?,
        None => Figures::default(),
    };
    for (_, time, bytes) in &history.deltas {
        apply(&mut figures, *time, bytes)?;
    }
    Ok(figures)
}

fn apply(figures: &mut Figures, time: Timestamp, bytes: &[u8]) -> Result<(), Fault> {
    let delta = Delta::from_bytes(bytes)?;
    let time = time.as_second();
    figures.apply(&Taken { time, delta });
    Ok(())
}
