//! The way back: images of what each block changed.

use super::names::Name;
use super::pool::Pool;
use super::pool_id::PoolId;
use super::verdict::Records;
use super::view::Pools;
use primitives::Felt;
use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;
use thiserror::Error;

/// Blocks that can be taken back: more than an hour of the fastest chain.
const MAX_BLOCKS: usize = 4_096;

/// Images that are kept in all, whatever the number of blocks.
const MAX_IMAGES: usize = 1_000_000;

/// The images do not reach back that far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("can go back to block {reaches} at most")]
pub struct TooDeep {
    /// The lowest block that can be gone back to.
    pub reaches: u64,
}

/// What was changed by blocks that were taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TakenBack {
    /// The pools that are as they were, without those that are gone.
    pub pools: BTreeSet<PoolId>,
    /// Whether pools are gone.
    pub has_dropped_pools: bool,
    /// Whether classes, or what is known of them, are as they were: that may switch
    /// any pool on or off.
    pub has_restored_classes: bool,
}

/// What the newest blocks changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Undo {
    frames: VecDeque<Frame>,
    /// Pools that the newest frame has images of.
    touched: HashSet<PoolId>,
    images: usize,
    /// The block below the oldest frame, once frames were dropped.
    floor: Option<u64>,
}

/// What one block changed.
#[derive(Debug, Clone)]
struct Frame {
    block: u64,
    pools: usize,
    names: usize,
    images: Vec<(PoolId, Pool)>,
    classes: Option<Arc<BTreeMap<Name, Felt>>>,
    records: Option<Arc<Records>>,
}

impl Undo {
    pub(super) fn begin(&mut self, block: u64, pools: &Pools) {
        self.touched.clear();
        self.frames.push_back(Frame {
            block,
            pools: pools.len(),
            names: pools.names.len(),
            images: Vec::new(),
            classes: None,
            records: None,
        });
        while self.frames.len() > 1
            && (self.frames.len() > MAX_BLOCKS || self.images > MAX_IMAGES)
            && let Some(dropped) = self.frames.pop_front()
        {
            self.images -= dropped.images.len();
            self.floor = Some(dropped.block);
        }
    }

    /// Keeps what the pool is, if its block has not changed it yet.
    pub(super) fn changes(&mut self, id: PoolId, pools: &Pools) {
        let Some(frame) = self.frames.back_mut() else {
            return;
        };
        let is_older = id.as_usize() < frame.pools;
        if is_older
            && self.touched.insert(id)
            && let Some(pool) = pools.pool(id)
        {
            frame.images.push((id, pool.clone()));
            self.images += 1;
        }
    }

    /// Keeps what the classes are, if the block has not changed them yet.
    pub(super) fn class_changes(&mut self, pools: &Pools) {
        if let Some(frame) = self.frames.back_mut() {
            frame
                .classes
                .get_or_insert_with(|| Arc::clone(&pools.classes));
        }
    }

    /// Keeps what swaps said of classes, if the block has not changed it yet.
    pub(super) fn record_changes(&mut self, pools: &Pools) {
        if let Some(frame) = self.frames.back_mut() {
            frame
                .records
                .get_or_insert_with(|| Arc::clone(&pools.records));
        }
    }

    pub(super) const fn reaches(&self) -> Option<u64> {
        self.floor
    }

    /// Forgets the way back below the state as it is, which is that of `block`.
    pub(super) fn restart(block: u64) -> Self {
        Self {
            floor: Some(block),
            ..Self::default()
        }
    }

    pub(super) fn rollback(
        &mut self,
        to: Option<u64>,
        pools: &mut Pools,
    ) -> Result<TakenBack, TooDeep> {
        if let Some(reaches) = self.floor
            && to.is_none_or(|to| to < reaches)
        {
            return Err(TooDeep { reaches });
        }
        let mut taken_back = TakenBack::default();
        let stays = |frame: &Frame| to.is_some_and(|to| frame.block <= to);
        while let Some(frame) = self.frames.pop_back_if(|frame| !stays(frame)) {
            self.images -= frame.images.len();
            for (id, image) in frame.images {
                if let Some(pool) = pools.pool_mut(id) {
                    *pool = image;
                    taken_back.pools.insert(id);
                }
            }
            taken_back.has_dropped_pools |= frame.pools < pools.len();
            taken_back.has_restored_classes |= frame.classes.is_some() || frame.records.is_some();
            pools.truncate(frame.pools, frame.names);
            if let Some(classes) = frame.classes {
                pools.classes = classes;
            }
            if let Some(records) = frame.records {
                pools.records = records;
            }
        }
        taken_back
            .pools
            .retain(|pool| pool.as_usize() < pools.len());
        // The newest frame left is closed: its block is over.
        self.touched.clear();
        Ok(taken_back)
    }
}
