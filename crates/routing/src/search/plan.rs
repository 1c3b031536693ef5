//! A route before it is counted in whole units.

use super::arena::Arena;
use super::division::Division;
use super::paths::Path;
use crate::graph::{Pool, Sale, TokenId};
use amm::book::PoolId;
use std::sync::Arc;

/// Swaps in the order of execution, those that sell one token side by side.
#[derive(Debug, Clone)]
pub(super) struct Plan<'g> {
    pub(super) swaps: Vec<Swap<'g>>,
    /// About what is sold and bought in all.
    pub(super) sold: f64,
    pub(super) bought: f64,
}

/// A swap of a plan, between tokens of the graph.
#[derive(Debug, Clone, Copy)]
pub(super) struct Swap<'g> {
    pub(super) from: TokenId,
    pub(super) to: TokenId,
    pub(super) pool: &'g Arc<Pool>,
    pub(super) sale: Sale,
    /// About what it sells; of the swaps of one token, the proportions decide.
    pub(super) sold: f64,
}

impl<'g> Plan<'g> {
    /// The plan of a division; `None` if its pools cannot take the amount.
    pub(super) fn of(division: &Division, arena: &Arena<'g>, sold: f64) -> Option<Self> {
        let swap = |part: &super::division::Part| {
            let hop = arena.hops.get(part.hop)?;
            Some(Swap {
                from: *arena.tokens.get(hop.from)?,
                to: *arena.tokens.get(hop.to)?,
                pool: hop.pool,
                sale: hop.sale,
                sold: part.sold,
            })
        };
        let swaps = division
            .parts
            .iter()
            .map(swap)
            .collect::<Option<Vec<_>>>()?;
        (division.bought > 0.0).then_some(Self {
            swaps,
            sold,
            bought: division.bought,
        })
    }

    /// Its pools, in the order of their numbers.
    pub(super) fn pools(&self) -> Vec<PoolId> {
        let mut pools: Vec<PoolId> = self.swaps.iter().map(|swap| swap.pool.id).collect();
        pools.sort_unstable();
        pools
    }

    /// The plan of a single path from a token.
    pub(super) fn single(path: &Path<'g>, start: TokenId, sold: f64) -> Self {
        let mut from = start;
        let swaps = path.hops.iter().map(|hop| {
            let swap = Swap {
                from,
                to: hop.to,
                pool: hop.pool,
                sale: hop.sale,
                // Each sells all that is there.
                sold: 1.0,
            };
            from = hop.to;
            swap
        });
        Self {
            swaps: swaps.collect(),
            sold,
            bought: path.bought,
        }
    }
}
