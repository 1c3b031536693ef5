//! The search for routes.

use crate::{Graph, Order, Route};
use amm::book::Pools;

/// Says when a search has to end with what it has.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// A place to search in: memory that is used again by the next search. One
/// for each thread.
#[derive(Debug, Default)]
pub struct Searcher {}

impl Searcher {
    /// Up to `size` different routes, the best first; none if there is no way.
    /// The graph must be that of the pools.
    pub fn routes(
        &mut self,
        _graph: &Graph,
        _pools: &Pools,
        _order: &Order,
        _size: usize,
        _stop: Stop<'_>,
    ) -> Vec<Route> {
        Vec::new()
    }
}
