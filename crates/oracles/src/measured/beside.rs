//! The same orders by plainer ways, each route executed by the same maths.

use super::bands::{BEARABLE, part, percentile};
use super::{Desk, Now};
use crate::generated::{Market, Query};
use crate::rivals::Streets;
use routing::{Graph, Route};
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

/// Sells so many orders by every way.
pub fn beside(market: &Market, queries: usize, now: Now<'_>) -> Comparison {
    let graph = Graph::new(market.pools(), |token| market.worth(token));
    let streets = Streets::new(market);
    let mut desk = Desk::new(market, &graph);
    let mut comparison = Comparison::default();
    for query in market.queries(3, 3 * queries) {
        if comparison.count() < queries {
            compare(market, &mut desk, &streets, &query, now, &mut comparison);
        }
    }
    comparison
}

/// One order by every way, if it is a sale that the market bears.
fn compare(
    market: &Market,
    desk: &mut Desk<'_>,
    streets: &Streets,
    query: &Query,
    now: Now<'_>,
    comparison: &mut Comparison,
) -> Option<()> {
    let sale = Query {
        size: 1,
        ..Some(*query).filter(|query| !query.exact_out && !query.direct)?
    };
    let (_, impact) = desk.free(&sale)?;
    if impact >= BEARABLE {
        return None;
    }
    let trade = streets.trade(sale.sell, sale.buy, f64::from(sale.amount))?;
    let settled = |flows| streets.settled(&trade, &flows, sale.amount, market.pools());
    let timed = |found: &mut dyn FnMut() -> Option<Route>| {
        let start = now();
        let route = found();
        (
            route.map_or(0.0, |route| f64::from(route.bought)),
            now() - start,
        )
    };
    let ways = [
        timed(&mut || desk.fully(&sale)),
        timed(&mut || settled(streets.in_chunks(&trade, 20))),
        timed(&mut || settled(streets.in_chunks(&trade, 1))),
        timed(&mut || settled(streets.dual(&trade))),
    ];
    let most = ways.iter().map(|(bought, _)| *bought).fold(0.0, f64::max);
    let Comparison { short, times } = comparison;
    for ((bought, time), (short, times)) in ways.into_iter().zip(short.iter_mut().zip(times)) {
        short.push(1.0 - bought / most);
        times.push(time);
    }
    Some(())
}

impl Comparison {
    fn count(&self) -> usize {
        let [mine, ..] = &self.short;
        mine.len()
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
