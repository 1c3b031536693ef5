//! Orders as people ask for them on generated markets, measured: how long their
//! routes take, what the graph weighs, and what plainer ways would pay.
//!
//! Nothing here reads a clock or counts memory; who measures passes that in.

mod bands;
mod beside;
mod samples;

pub use bands::{Figures, percentile};
pub use beside::{Comparison, beside};
pub use samples::{Measured, Sample};

use crate::generated::{GeneratedMarket, Query};
use routing::{Graph, Order, Route};
use std::collections::BTreeSet;

/// What is measured with.
#[derive(Clone, Copy)]
pub struct Instruments<'a> {
    /// A clock, in seconds.
    pub now: &'a dyn Fn() -> f64,
    /// Bytes that the process has asked for and not given back.
    pub heap: &'a dyn Fn() -> usize,
}

/// Orders that are searched before anything is measured.
const WARM_UP: usize = 200;

/// Times that every order is searched; the quickest counts, since whatever
/// else the machine does only ever adds to it.
const TURNS: usize = 3;

/// Sales that are compared with the purchase of what they buy.
const PURCHASES: usize = 200;

/// Changed pools of one block.
const CHANGED: usize = 1_000;

/// Blocks that pass.
const BLOCKS: u64 = 32;

/// Searches so many orders on a market.
///
/// # Panics
///
/// If the heap does not grow with a graph: then it is not counted.
pub fn measure(
    market: &mut GeneratedMarket,
    queries: usize,
    instruments: Instruments<'_>,
) -> Measured {
    let Instruments { now, heap } = instruments;
    let (before, start) = (heap(), now());
    let graph = Graph::new(market.pools(), &BTreeSet::new());
    let building = now() - start;
    let bytes = heap().saturating_sub(before);
    assert!(bytes > 0, "nobody counts what the graph takes");
    let desk = Desk::new(market, &graph);
    for query in market.queries(1, WARM_UP) {
        desk.search(&query);
    }
    let queries = market.queries(2, queries);
    let samples = queries.iter().filter_map(|query| desk.sample(query, now));
    let samples = samples.collect();
    let purchases = queries.iter().filter_map(|query| desk.purchase(query, now));
    let purchase = percentile(purchases.take(PURCHASES).collect(), 0.5);
    let pools = market.pools().len();
    Measured {
        pools,
        samples,
        building,
        refreshing: refreshing(market, graph, now),
        bytes: bands::part(bytes, pools),
        purchase,
    }
}

/// The middle of the seconds that a graph takes after a block.
fn refreshing(market: &mut GeneratedMarket, mut graph: Graph, now: &dyn Fn() -> f64) -> f64 {
    let mut times = Vec::new();
    for block in 1..=BLOCKS {
        let changed = market.stir(block, CHANGED);
        let start = now();
        let next = graph.refreshed(market.pools(), &changed, &BTreeSet::new());
        times.push(now() - start);
        graph = next;
    }
    percentile(times, 0.5)
}

/// Where orders are searched.
struct Desk<'a> {
    market: &'a GeneratedMarket,
    graph: &'a Graph,
}

impl<'a> Desk<'a> {
    fn new(market: &'a GeneratedMarket, graph: &'a Graph) -> Self {
        Self { market, graph }
    }

    fn search(&self, query: &Query) -> Vec<Route> {
        self.searched(&query.asked(self.market), query.size)
    }

    fn searched(&self, order: &Order, size: usize) -> Vec<Route> {
        let pools = self.market.pools();
        routing::routes(self.graph, pools, order, size, &|| false)
    }

    /// The routes of an order, and seconds.
    fn timed(&self, query: &Query, now: &dyn Fn() -> f64) -> (Vec<Route>, f64) {
        let order = query.asked(self.market);
        let (mut routes, mut time) = (Vec::new(), f64::INFINITY);
        for _ in 0..TURNS {
            let start = now();
            routes = self.searched(&order, query.size);
            time = time.min(now() - start);
        }
        (routes, time)
    }

    /// The time of a purchase, in times of the sale that buys as much; `None`
    /// for what is no sale.
    fn purchase(&self, query: &Query, now: &dyn Fn() -> f64) -> Option<f64> {
        if query.exact_out {
            return None;
        }
        let (routes, sale) = self.timed(query, now);
        let query = Query {
            amount: routes.first()?.bought,
            exact_out: true,
            ..*query
        };
        let (_, purchase) = self.timed(&query, now);
        Some(purchase / sale)
    }

    fn sample(&self, query: &Query, now: &dyn Fn() -> f64) -> Option<Sample> {
        self.market.place(query.buy)?;
        let (routes, time) = self.timed(query, now);
        Some(Sample {
            exact_out: query.exact_out,
            worth: query.worth,
            gap: routes.first().map_or(f64::INFINITY, |route| route.gap),
            time,
        })
    }
}
