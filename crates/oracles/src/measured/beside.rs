//! The same orders by plainer ways, each route executed by the same maths.

use super::bands::{BEARABLE, part, percentile};
use super::{Desk, Now};
use crate::generated::{Market, Query};
use crate::rivals::Streets;
use routing::{Graph, Route};
use std::collections::BTreeSet;
use std::fmt;

/// Who is compared.
pub const WAYS: [&str; 4] = [
    "this search",
    "20 chunks",
    "best single path",
    "textbook dual",
];

/// Near enough to the best.
const NEAR: f64 = 1e-4;

/// Orders by every way of [`WAYS`].
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// What each misses of what the best of them buys, as a part of it.
    short: [Vec<f64>; 4],
    /// Seconds that each took.
    times: [Vec<f64>; 4],
}

/// Sells so many orders by every way, with so many swaps at most.
pub fn beside(market: &Market, queries: usize, max_swaps: usize, now: Now<'_>) -> Comparison {
    let graph = Graph::new(
        market.pools(),
        |token| market.worth(token),
        &BTreeSet::new(),
    );
    let streets = Streets::new(market);
    let mut desk = Desk::new(market, &graph);
    let mut comparison = Comparison::default();
    for query in market.queries(3, 3 * queries) {
        if comparison.count() < queries {
            let sale = Query { size: 1, ..query };
            let ways = sell(market, &mut desk, &streets, &sale, max_swaps, now);
            comparison.add(ways);
        }
    }
    comparison
}

/// What each way buys and the seconds it takes, if it is a sale that the market
/// bears.
fn sell(
    market: &Market,
    desk: &mut Desk<'_>,
    streets: &Streets,
    sale: &Query,
    max_swaps: usize,
    now: Now<'_>,
) -> Option<[(f64, f64); 4]> {
    if sale.exact_out || sale.direct || desk.free(sale)?.1 >= BEARABLE {
        return None;
    }
    let trade = streets.trade(sale.sell, sale.buy, f64::from(sale.amount))?;
    let order = sale.order(market, 0.0, max_swaps);
    let settled = |flows| streets.settled(&trade, &flows, sale.amount, market.pools());
    let chunks = |chunks| settled(streets.in_chunks(&trade, chunks, max_swaps));
    let timed = |way: &mut dyn FnMut() -> Option<Route>| {
        let start = now();
        let route = way().filter(|route| route.legs.len() <= max_swaps);
        let bought = route.map_or(0.0, |route| f64::from(route.bought));
        (bought, now() - start)
    };
    Some([
        timed(&mut || desk.search(sale, &order).into_iter().next()),
        timed(&mut || chunks(20)),
        timed(&mut || chunks(1)),
        timed(&mut || settled(streets.dual(&trade))),
    ])
}

impl Comparison {
    fn add(&mut self, ways: Option<[(f64, f64); 4]>) {
        let ways = ways.into_iter().flatten();
        let most = ways.clone().map(|(bought, _)| bought).fold(0.0, f64::max);
        let Self { short, times } = self;
        for ((bought, time), (short, times)) in ways.zip(short.iter_mut().zip(times)) {
            short.push(1.0 - bought / most);
            times.push(time);
        }
    }

    fn count(&self) -> usize {
        self.missed().len()
    }

    /// What the search misses of what the best way buys, order by order.
    #[must_use]
    pub fn missed(&self) -> &[f64] {
        let [mine, ..] = &self.short;
        mine
    }

    /// The parts of the orders in which each came near enough to the best.
    #[must_use]
    pub fn near(&self) -> [f64; 4] {
        self.short.each_ref().map(|short| {
            let near = short.iter().filter(|short| **short <= NEAR);
            part(near.count(), short.len())
        })
    }

    /// Seconds that each took in the middle.
    #[must_use]
    pub fn middle(&self) -> [f64; 4] {
        self.times.clone().map(|times| percentile(times, 0.5))
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  {} sales by other ways too: short of the best of them",
            self.count()
        )?;
        let figures = self.near().into_iter().zip(self.middle()).zip(&self.short);
        for (name, ((near, time), short)) in WAYS.into_iter().zip(figures) {
            let [middle, high, worst] = [0.5, 0.9, 1.0].map(|part| percentile(short.clone(), part));
            writeln!(
                f,
                "  {name:<18} p50 {middle:>8.1e}  p90 {high:>8.1e}  worst {worst:>8.1e}  {:>5.1} % <=1e-4  {:>8.3} ms",
                near * 100.0,
                time * 1e3,
            )?;
        }
        Ok(())
    }
}
