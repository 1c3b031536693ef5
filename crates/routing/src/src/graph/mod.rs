//! All pools of a block, as routes are searched on them: a graph whose nodes are
//! tokens and whose edges are pairs with their pools.

mod neighbourhood;
mod pair;
#[cfg(test)]
mod tests;
mod topology;

pub(crate) use pair::{Front, Pair, Pool};
pub(crate) use topology::{Link, PairDirection, Sale, TokenId, Topology};

use crate::VenueSet;
use amm::Pieces;
use amm::book::{PoolId, Pools};
use neighbourhood::Neighbourhood;
use primitives::Address;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All pools of a block that routes may pass. It never changes; a later one
/// shares with it the pairs that stay as they were.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Graph {
    topology: Arc<Topology>,
    pairs: Vec<Arc<Pair>>,
    /// What every sale offers, by [`Sale::index`].
    fronts: Vec<Front>,
}

impl Graph {
    /// The graph of these pools. No pool with a shunned token is part of it.
    #[must_use]
    pub fn new(pools: &Pools, shunned: &BTreeSet<Address>) -> Self {
        let topology = Topology::new(pools, shunned);
        let all = pools.iter().map(|pool| pool.id).collect();
        Self::default().with(Arc::new(topology), pools, all)
    }

    /// The graph after some pools changed or came into being.
    #[must_use]
    pub fn refreshed(
        &self,
        pools: &Pools,
        changed: &[PoolId],
        shunned: &BTreeSet<Address>,
    ) -> Self {
        let known = self.topology.pool_count();
        if pools.len() < known || self.topology.shunned() != shunned {
            return Self::new(pools, shunned);
        }
        let new = pools.iter().skip(known).map(|pool| pool.id);
        let changed = changed.iter().copied().chain(new).collect();
        let topology = if pools.len() == known {
            Arc::clone(&self.topology)
        } else {
            // Tokens and pairs keep their numbers: pools come last.
            Arc::new(Topology::new(pools, shunned))
        };
        self.with(topology, pools, changed)
    }

    /// The same with the pairs of these pools made anew.
    fn with(&self, topology: Arc<Topology>, pools: &Pools, mut changed: Vec<PoolId>) -> Self {
        let pair_of = |pool: &PoolId| topology.sale_in(*pool).map(|sale| sale.pair);
        changed.sort_unstable_by_key(|pool| (pair_of(pool), *pool));
        changed.dedup();
        let mut pairs = self.pairs.clone();
        let mut fronts = self.fronts.clone();
        pairs.resize_with(topology.pair_count(), Arc::default);
        fronts.resize(2 * topology.pair_count(), Front::default());
        let mut pieces = Pieces::default();
        for changed in changed.chunk_by(|a, b| pair_of(a) == pair_of(b)) {
            let number = changed.first().and_then(pair_of);
            let Some((number, pair)) =
                number.and_then(|number| Some((number, pairs.get_mut(number as usize)?)))
            else {
                continue;
            };
            let look = |pool| {
                let flipped = topology.sale_in(pool)?.direction == PairDirection::Back;
                Some((pools.get(pool)?, flipped))
            };
            let new = pair.with(changed, look, &mut pieces);
            for direction in [PairDirection::Forth, PairDirection::Back] {
                let sale = Sale {
                    pair: number,
                    direction,
                };
                if let Some(front) = fronts.get_mut(sale.index()) {
                    *front = new.front(direction, VenueSet::NONE);
                }
            }
            *pair = Arc::new(new);
        }
        Self {
            topology,
            pairs,
            fronts,
        }
    }

    /// How many pools it holds, those included that cannot be traded with.
    #[must_use]
    pub fn pools(&self) -> usize {
        self.topology.pool_count()
    }

    /// The graph as an order sees it that avoids some venues.
    pub(crate) fn without(&self, avoid: VenueSet) -> Lens<'_> {
        let fronts = if avoid == VenueSet::NONE {
            Cow::Borrowed(self.fronts.as_slice())
        } else {
            let directions = [PairDirection::Forth, PairDirection::Back];
            let fronts =
                |pair: &Arc<Pair>| directions.map(|direction| pair.front(direction, avoid));
            Cow::Owned(self.pairs.iter().flat_map(fronts).collect())
        };
        Lens {
            graph: self,
            avoid,
            fronts,
            near: None,
        }
    }
}

/// A graph as a search sees it: without the pools of some venues, and perhaps
/// without the tokens beyond a neighbourhood.
#[derive(Debug)]
pub(crate) struct Lens<'g> {
    graph: &'g Graph,
    avoid: VenueSet,
    fronts: Cow<'g, [Front]>,
    near: Option<Arc<Neighbourhood>>,
}

impl<'g> Lens<'g> {
    pub(crate) fn topology(&self) -> &'g Topology {
        &self.graph.topology
    }

    /// The same without all but some tokens.
    pub(crate) fn near(&self, tokens: &[TokenId]) -> Self {
        Self {
            near: Some(Arc::new(Neighbourhood::new(self.topology(), tokens))),
            fronts: self.fronts.clone(),
            ..*self
        }
    }

    /// The same without the pools of some more venues.
    pub(crate) fn without(&self, venues: VenueSet) -> Self {
        let avoid = self.avoid.and(venues);
        let Some(near) = &self.near else {
            return self.graph.without(avoid);
        };
        let mut fronts = vec![Front::default(); self.fronts.len()];
        for link in near.links() {
            let pair = self.graph.pairs.get(link.sale.pair as usize);
            if let (Some(front), Some(pair)) = (fronts.get_mut(link.sale.index()), pair) {
                *front = pair.front(link.sale.direction, avoid);
            }
        }
        Self {
            graph: self.graph,
            avoid,
            fronts: Cow::Owned(fronts),
            near: Some(Arc::clone(near)),
        }
    }

    /// The pairs of a token within the neighbourhood, also those that avoided venues alone trade.
    pub(crate) fn neighbours(&self, token: TokenId) -> &[Link] {
        match &self.near {
            Some(near) => near.neighbours(token),
            None => self.graph.topology.neighbours(token),
        }
    }

    /// The best price of a sale's first unit; 0 where nothing can be sold.
    #[inline]
    pub(crate) fn rate(&self, sale: Sale) -> f64 {
        self.front(sale).rate
    }

    /// What the pools of a sale offer at most.
    #[inline]
    pub(crate) fn front(&self, sale: Sale) -> Front {
        self.fronts.get(sale.index()).copied().unwrap_or_default()
    }

    /// A pair's pools but those of avoided venues; some may have nothing to sell this way.
    pub(crate) fn pools(&self, sale: Sale) -> impl Iterator<Item = &'g Arc<Pool>> {
        let pair = self.graph.pairs.get(sale.pair as usize);
        let avoid = self.avoid;
        pair.into_iter().flat_map(move |pair| pair.pools(avoid))
    }
}
