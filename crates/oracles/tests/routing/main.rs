//! Routes held against their promises, against search by brute force and
//! against the enumeration of all sets of pools.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod bounds;
mod brute;
mod costs;
mod laws;
mod limits;

use oracles::generated::{GeneratedMarket, MAX_SWAPS, Plan, Query, Variant};
use routing::{Amount, Graph, Order, Route};
use std::collections::BTreeSet;

/// A market with its graph, ready to be asked.
struct Asked {
    market: GeneratedMarket,
    graph: Graph,
}

impl Asked {
    fn new(pools: usize, seed: u64, variant: Variant) -> Self {
        let market = GeneratedMarket::new(Plan {
            pools,
            seed,
            variant,
        });
        let graph = Graph::new(market.pools(), &BTreeSet::new());
        Self { market, graph }
    }

    fn routes(&self, order: &Order, size: usize) -> Vec<Route> {
        let pools = self.market.pools();
        routing::routes(&self.graph, pools, order, size, &|| false)
    }

    /// The best route of an order that nothing but the pools counts for.
    fn free(&self, query: &Query) -> Option<Route> {
        let order = query.order(&self.market, 0.0, MAX_SWAPS);
        self.routes(&order, 1).into_iter().next()
    }
}

/// What a sale leaves after fees and costs, or minus what a purchase takes with
/// them.
fn net(order: &Order, route: &Route) -> f64 {
    let swaps = f64::from(u32::try_from(route.legs.len()).unwrap());
    let (cost, fee) = (
        order.costs.swap[0] * swaps,
        order.costs.fee(route.legs.len()),
    );
    match order.amount {
        Amount::In { .. } => f64::from(route.bought) * (1.0 - fee) - cost,
        Amount::Out(_) => -f64::from(route.sold) * (1.0 + fee) - cost,
    }
}
