//! Routes on generated markets, measured: how near to the best they are, how
//! long they take, and how both compare with plainer ways.
//!
//! Nothing here reads a clock; who measures passes one in, in seconds.

mod bands;
mod beside;

pub use bands::{Figures, percentile};
pub use beside::{Comparison, WAYS, beside};

use crate::generated::{Market, Query};
use primitives::U256;
use routing::{Graph, Order, Route, Searcher};
use std::collections::BTreeSet;

/// A clock, in seconds.
pub type Now<'a> = &'a dyn Fn() -> f64;

/// What a swap costs in realistic orders, by reference prices.
pub const SWAP: f64 = 0.02;

/// The most swaps of a route in realistic orders,
pub const MAX_SWAPS: usize = 12;
/// and where nothing but the pools counts.
pub const ANY_SWAPS: usize = 512;

/// Orders that are searched before anything is measured.
const WARM_UP: usize = 200;

/// Times that every order is searched; the quickest counts, since whatever
/// else the machine does only ever adds to it.
const TURNS: usize = 5;

/// An order is this many times as large as the one that tells the price
/// before it moves.
const FIRST_PART: u64 = 20_000;

/// Sales that are compared with the purchase of what they buy.
const PURCHASES: usize = 200;

/// Changed pools of one block.
const CHANGED: usize = 1_000;

/// Blocks that pass: enough of them that what earlier ones left behind has to be
/// cleared away.
const BLOCKS: u64 = 64;

/// An order, searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Whether what is bought was named.
    pub exact_out: bool,
    /// How far it moves the price: the part of what its first units get that
    /// all of them together do not. Infinite if no route was found.
    pub impact: f64,
    /// The most by which any other route could be better, by the route's own
    /// account, where nothing but the pools counts.
    pub gap: f64,
    /// Seconds, with realistic costs.
    pub time: f64,
}

/// A market, searched many times.
#[derive(Debug, Clone)]
pub struct Measured {
    /// How many pools it has.
    pub pools: usize,
    /// Its orders.
    pub samples: Vec<Sample>,
    /// Seconds until its graph was made,
    pub building: f64,
    /// and until one was made again after a thousand pools changed.
    pub refreshing: f64,
    /// Bytes of the graph for each pool,
    pub bytes: f64,
    /// and by its own account after those blocks.
    pub bytes_later: f64,
    /// The time of a purchase, in times of the sale that buys as much.
    pub purchase: f64,
}

/// Searches so many orders on a market.
pub fn measure(market: &mut Market, queries: usize, now: Now<'_>) -> Measured {
    let before = resident_bytes();
    let start = now();
    let graph = Graph::new(
        market.pools(),
        |token| market.worth(token),
        &BTreeSet::new(),
    );
    let building = now() - start;
    let bytes = resident_bytes() - before;
    let mut desk = Desk::new(market, &graph);
    for query in market.queries(1, WARM_UP) {
        desk.search(&query, &query.order(market, SWAP, MAX_SWAPS));
    }
    let queries = market.queries(2, queries);
    let samples = queries.iter().filter_map(|query| desk.sample(query, now));
    let samples = samples.collect();
    let purchases = queries.iter().filter_map(|query| desk.purchase(query, now));
    let purchase = percentile(purchases.take(PURCHASES).collect(), 0.5);
    let pools = market.pools().len();
    let (refreshing, later) = refreshing(market, graph, now);
    Measured {
        pools,
        samples,
        building,
        refreshing,
        bytes: bytes * bands::part(1, pools),
        bytes_later: bands::part(later.bytes(), pools),
        purchase,
    }
}

/// The middle of the seconds that a graph takes after a block, and the graph
/// after all of them.
fn refreshing(market: &mut Market, mut graph: Graph, now: Now<'_>) -> (f64, Graph) {
    let mut times = Vec::new();
    for block in 1..=BLOCKS {
        let changed = market.stir(block, CHANGED);
        let start = now();
        let next = graph.refreshed(
            market.pools(),
            &changed,
            |token| market.worth(token),
            &BTreeSet::new(),
        );
        times.push(now() - start);
        graph = next;
    }
    (percentile(times, 0.5), graph)
}

/// Where orders are searched.
struct Desk<'a> {
    market: &'a Market,
    graph: &'a Graph,
    searcher: Searcher,
}

impl<'a> Desk<'a> {
    fn new(market: &'a Market, graph: &'a Graph) -> Self {
        let searcher = Searcher::default();
        Self {
            market,
            graph,
            searcher,
        }
    }

    fn search(&mut self, query: &Query, order: &Order) -> Vec<Route> {
        let pools = self.market.pools();
        let size = query.size;
        self.searcher
            .routes(self.graph, pools, order, size, &|| false)
    }

    /// The first route where nothing but the pools counts.
    fn fully(&mut self, query: &Query) -> Option<Route> {
        let order = query.order(self.market, 0.0, ANY_SWAPS);
        self.search(query, &order).into_iter().next()
    }

    /// The same, and how far it moves the price.
    fn free(&mut self, query: &Query) -> Option<(Route, f64)> {
        let route = self.fully(query)?;
        let first = self.fully(&Query {
            amount: (query.amount / U256::from(FIRST_PART)).max(U256::ONE),
            size: 1,
            ..*query
        })?;
        let impact = 1.0 - rate(&route) / rate(&first);
        Some((route, impact))
    }

    /// The routes of a realistic order, and seconds.
    fn timed(&mut self, query: &Query, now: Now<'_>) -> (Vec<Route>, f64) {
        let order = query.order(self.market, SWAP, MAX_SWAPS);
        let (mut routes, mut time) = (Vec::new(), f64::INFINITY);
        for _ in 0..TURNS {
            let start = now();
            routes = self.search(query, &order);
            time = time.min(now() - start);
        }
        (routes, time)
    }

    /// The time of a purchase, in times of the sale that buys as much; `None`
    /// for what is no sale.
    fn purchase(&mut self, query: &Query, now: Now<'_>) -> Option<f64> {
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

    fn sample(&mut self, query: &Query, now: Now<'_>) -> Option<Sample> {
        self.market.place(query.buy)?;
        let (_, time) = self.timed(query, now);
        let free = self.free(query);
        Some(Sample {
            exact_out: query.exact_out,
            impact: free.as_ref().map_or(f64::INFINITY, |(_, impact)| *impact),
            gap: free.map_or(f64::INFINITY, |(route, _)| route.gap),
            time,
        })
    }
}

/// What is bought for a unit.
fn rate(route: &Route) -> f64 {
    f64::from(route.bought) / f64::from(route.sold)
}

/// The memory that the process holds; 0 where nobody tells.
fn resident_bytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.map_or(0.0, |pages: f64| pages * 4_096.0)
}
