//! Where the prices of all pools are, kept from block to block: only those are
//! looked at again that something was written to.
//!
//! Nothing here is more than the state says: a watch that begins anew sees the
//! same.

use super::pool::{Pool, Spot};
use super::scene::Scene;
use crate::starknet::state::Key;
use std::collections::HashMap;

/// What is known of all pools.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// In the order of the pools; `None` while there is nothing in one.
    spots: Vec<Option<Spot>>,
    /// Which pool's price is in a variable.
    pools: HashMap<Key, usize>,
    /// Pools that were traded with since they were looked at.
    stale: Vec<usize>,
}

impl Watch {
    /// Looks at the pools of which a variable was written; at all of them the
    /// first time.
    pub(in super::super) fn look<'k>(
        &mut self,
        scene: Scene<'_>,
        written: impl Iterator<Item = &'k Key>,
    ) {
        if self.spots.is_empty() {
            self.spots = vec![None; scene.market.pools.len()];
            (0..self.spots.len()).for_each(|place| self.look_at(scene, place));
            return;
        }
        let mut changed = std::mem::take(&mut self.stale);
        changed.extend(written.filter_map(|key| self.pools.get(key)));
        changed.sort_unstable();
        changed.dedup();
        for place in changed {
            self.look_at(scene, place);
        }
    }

    /// Has to look at a pool again.
    pub(super) fn forget(&mut self, place: usize) {
        self.stale.push(place);
    }

    /// All pools that have a price.
    pub(super) fn spots<'a>(
        &self,
        scene: Scene<'a>,
    ) -> impl Iterator<Item = (usize, &'a Pool, Spot)> {
        let pools = scene.market.pools.iter().enumerate();
        pools
            .zip(&self.spots)
            .filter_map(|((place, pool), spot)| Some((place, pool, (*spot)?)))
    }

    fn look_at(&mut self, scene: Scene<'_>, place: usize) {
        let Some(pool) = scene.market.pools.get(place) else {
            return;
        };
        let before = self.spots.get_mut(place);
        let Some(before) = before else { return };
        let is_new = before.is_none();
        *before = scene.spot(pool);
        if is_new {
            let keys = pool.price_keys(scene.view).into_iter();
            self.pools.extend(keys.map(|key| (key, place)));
        }
    }
}
