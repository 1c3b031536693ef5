//! The same sales by plainer ways, each route executed by the same maths, costs
//! and fees counted.

use super::Desk;
use super::bands::{part, percentile};
use crate::generated::{GeneratedMarket, Query};
use crate::rivals::Streets;
use routing::{Graph, Order, Route};
use std::collections::BTreeSet;
use std::fmt;

/// Who is compared.
const WAYS: [&str; 3] = ["this search", "20 chunks", "best single path"];

/// Near enough to the best.
const NEAR: f64 = 1e-4;

/// Sales by every way of `WAYS`.
#[derive(Debug, Clone, Default)]
pub struct Comparison {
    /// What each misses of what the best of them nets, as a part of it.
    short: [Vec<f64>; 3],
}

/// Sells so many orders by every way.
#[must_use]
pub fn beside(market: &GeneratedMarket, queries: usize) -> Comparison {
    let graph = Graph::new(market.pools(), &BTreeSet::new());
    let streets = Streets::new(market);
    let mut desk = Desk::new(market, &graph);
    let mut comparison = Comparison::default();
    for query in market.queries(3, 3 * queries) {
        if comparison.missed().len() < queries {
            let sale = Query { size: 1, ..query };
            comparison.add(sell(&mut desk, &streets, &sale));
        }
    }
    comparison
}

/// What each way nets, if it is a sale that some of them can make.
fn sell(desk: &mut Desk<'_>, streets: &Streets, sale: &Query) -> Option<[f64; 3]> {
    if sale.exact_out || sale.direct {
        return None;
    }
    let order = sale.asked(desk.market);
    let trade = streets.trade(sale.sell, sale.buy, f64::from(sale.amount))?;
    let chunks = |chunks| {
        let flows = streets.in_chunks(&trade, chunks, order.max_swaps);
        let route = streets.settled(&trade, &flows, sale.amount, desk.market.pools());
        route.filter(|route| route.legs.len() <= order.max_swaps)
    };
    let others = [chunks(20), chunks(1)];
    let mine = desk.searched(&order, 1).into_iter().next();
    let [chunks, single] = others;
    let nets = [mine, chunks, single].map(|route| route.map_or(0.0, |route| net(&order, &route)));
    nets.iter().any(|net| *net > 0.0).then_some(nets)
}

/// What a sale leaves after fees and costs.
fn net(order: &Order, route: &Route) -> f64 {
    let swaps = u32::try_from(route.legs.len()).unwrap_or(u32::MAX);
    let cost = order.costs.swap.first().copied().unwrap_or_default();
    let fee = order.costs.fee(route.legs.len());
    f64::from(route.bought) * (1.0 - fee) - f64::from(swaps) * cost
}

impl Comparison {
    fn add(&mut self, nets: Option<[f64; 3]>) {
        let nets = nets.into_iter().flatten();
        let most = nets.clone().fold(0.0, f64::max);
        for (net, short) in nets.zip(&mut self.short) {
            short.push(1.0 - net / most);
        }
    }

    /// What the search misses of what the best way nets, sale by sale.
    #[must_use]
    pub fn missed(&self) -> &[f64] {
        let [mine, ..] = &self.short;
        mine
    }

    /// The part of the sales in which the search came near enough to the best.
    #[must_use]
    pub fn near(&self) -> f64 {
        near(self.missed())
    }
}

fn near(short: &[f64]) -> f64 {
    let near = short.iter().filter(|short| **short <= NEAR);
    part(near.count(), short.len())
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  {} sales by other ways too: short of the best of them",
            self.missed().len()
        )?;
        for (name, short) in WAYS.into_iter().zip(&self.short) {
            let [middle, high, worst] = [0.5, 0.9, 1.0].map(|part| percentile(short.clone(), part));
            writeln!(
                f,
                "  {name:<18} p50 {middle:>8.1e}  p90 {high:>8.1e}  worst {worst:>8.1e}  {:>5.1} % <=1e-4",
                near(short) * 100.0,
            )?;
        }
        Ok(())
    }
}
