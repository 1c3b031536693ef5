//! What a route says of all others: none is better by more than its gap.

use super::{Asked, net};
use oracles::generated::{Query, Variant};
use oracles::rivals::{Flows, Streets};
use routing::{Amount, Order, Route};

const POOLS: usize = 120;
const ORDERS: usize = 20;

/// Limits on swaps.
const LIMITS: [usize; 2] = [3, 12];

/// Ladders follow the maths of some pools only nearly.
const NEARLY: f64 = 1e-6;

/// What plainer ways buy in a sale, with so many swaps at most.
fn rivals(asked: &Asked, streets: &Streets, query: &Query, limit: usize) -> Vec<Route> {
    let amount = f64::from(query.amount);
    let Some(trade) = streets.trade(query.sell, query.buy, amount) else {
        return Vec::new();
    };
    let settled = |flows: Flows| {
        let route = streets.settled(&trade, &flows, query.amount, asked.market.pools());
        route.filter(|route| route.legs.len() <= limit)
    };
    let ways = [
        streets.in_chunks(&trade, 1, limit),
        streets.in_chunks(&trade, 20, limit),
    ];
    ways.into_iter().filter_map(settled).collect()
}

/// Whether a route is better than another says that any could be.
fn is_beyond(order: &Order, mine: &Route, rival: &Route) -> bool {
    let gross = match order.amount {
        Amount::In { .. } => mine.bought,
        Amount::Out(_) => mine.sold,
    };
    net(order, rival) > net(order, mine) + f64::from(gross) * (mine.gap + NEARLY)
}

#[test]
fn no_other_route_is_better_by_more_than_the_gap() {
    let (mut sales, mut purchases) = (0, 0);
    for (seed, variant) in (51..).zip(Variant::ALL) {
        let asked = Asked::new(POOLS, seed, variant);
        let streets = Streets::new(&asked.market);
        let queries = asked.market.queries(seed, ORDERS).into_iter();
        for query in queries.filter(|query| !query.exact_out && !query.direct) {
            for max_swaps in LIMITS {
                for rival in rivals(&asked, &streets, &query, max_swaps) {
                    let sale = Order {
                        max_swaps,
                        ..query.asked(&asked.market)
                    };
                    let purchase = Query {
                        amount: rival.bought,
                        exact_out: true,
                        ..query
                    };
                    let purchase = Order {
                        max_swaps,
                        ..purchase.asked(&asked.market)
                    };
                    for (order, found) in [(sale, &mut sales), (purchase, &mut purchases)] {
                        if let Some(mine) = asked.routes(&order, 1).pop() {
                            assert!(!is_beyond(&order, &mine, &rival), "{query:?} {}", mine.gap);
                            *found += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(sales > 150 && purchases > 150, "{sales} {purchases}");
}
