//! The same orders by plainer ways, each route executed by the same maths.

use super::{Desk, Now};
use crate::generated::Market;
use crate::rivals::Streets;
use routing::{Graph, Route};

/// Who is compared.
pub const WAYS: [&str; 4] = [
    "this search",
    "20 chunks",
    "best single path",
    "textbook dual",
];

/// One order by every way.
#[derive(Debug, Clone, Copy)]
pub struct Compared {
    /// What each buys, as a part of the most that any could.
    pub bought: [f64; 4],
    /// Seconds that each took.
    pub times: [f64; 4],
}

/// Sells so many orders by every way. The most that any route could buy is the
/// value of the textbook's dual problem, over all pools.
pub fn beside(market: &Market, queries: usize, now: Now<'_>) -> Vec<Compared> {
    let graph = Graph::new(market.pools(), |token| market.worth(token));
    let streets = Streets::new(market);
    let mut desk = Desk::new(market, &graph);
    let sales = market.queries(3, 3 * queries).into_iter();
    let sales = sales.filter(|query| !query.exact_out && !query.direct);
    let mut compared = Vec::new();
    for mut query in sales {
        query.size = 1;
        let start = now();
        let found = desk.free(&query);
        // Two searches, the second one of next to nothing.
        let mine = (now() - start) / 2.0;
        let Some((route, impact)) = found.filter(|(_, impact)| *impact < 0.3) else {
            continue;
        };
        debug_assert!(impact.is_finite());
        let amount = f64::from(query.amount);
        let Some(trade) = streets.trade(query.sell, query.buy, amount) else {
            continue;
        };
        let settled = |flows| streets.settled(&trade, &flows, query.amount, market.pools());
        let timed = |way: &dyn Fn() -> Option<Route>| {
            let start = now();
            let route = way();
            (
                route.map_or(0.0, |route| f64::from(route.bought)),
                now() - start,
            )
        };
        let (chunks, chunks_time) = timed(&|| settled(streets.in_chunks(&trade, 20)));
        let (single, single_time) = timed(&|| settled(streets.in_chunks(&trade, 1)));
        let (dual, dual_time) = timed(&|| settled(streets.dual(&trade).0));
        let most = streets.dual(&trade).1;
        compared.push(Compared {
            bought: [f64::from(route.bought), chunks, single, dual].map(|bought| bought / most),
            times: [mine, chunks_time, single_time, dual_time],
        });
        if compared.len() == queries {
            break;
        }
    }
    compared
}
