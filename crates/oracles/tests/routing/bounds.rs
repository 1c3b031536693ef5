//! What a route says of all others: none is better by more than its gap.

use super::Asked;
use oracles::generated::{Query, Variant};
use oracles::rivals::{Flows, Streets};
use primitives::U256;
use routing::{Amount, Order, Route};

const POOLS: usize = 120;
const ORDERS: usize = 12;

/// Limits on swaps.
const LIMITS: [usize; 3] = [3, 12, 512];

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
        streets.dual(&trade),
    ];
    ways.into_iter().filter_map(settled).collect()
}

#[test]
fn no_other_route_is_better_by_more_than_the_gap() {
    let (mut sales, mut purchases) = (0, 0);
    for (seed, variant) in (51..).zip(Variant::ALL) {
        let mut asked = Asked::new(POOLS, seed, variant);
        let streets = Streets::new(&asked.market);
        let queries = asked.market.queries(seed, ORDERS).into_iter();
        for query in queries.filter(|query| !query.exact_out && !query.direct) {
            for limit in LIMITS {
                let order = query.order(&asked.market, 0.0, limit);
                for rival in rivals(&asked, &streets, &query, limit) {
                    let sale = Order {
                        amount: Amount::In {
                            one: rival.sold,
                            many: rival.sold,
                        },
                        ..order.clone()
                    };
                    let purchase = Order {
                        amount: Amount::Out(rival.bought),
                        ..order.clone()
                    };
                    let [bought, sold] = [rival.bought, rival.sold].map(f64::from);
                    if let Some(mine) = asked.routes(&sale, 1).pop() {
                        let most = f64::from(mine.bought) * (1.0 + mine.gap);
                        assert!(bought <= most * (1.0 + NEARLY), "{query:?} {bought} {most}");
                        sales += 1;
                    }
                    if let Some(mine) = asked.routes(&purchase, 1).pop() {
                        let least = f64::from(mine.sold) * (1.0 - mine.gap);
                        assert!(sold >= least * (1.0 - NEARLY), "{query:?} {sold} {least}");
                        purchases += usize::from(rival.bought > U256::ZERO);
                    }
                }
            }
        }
    }
    assert!(sales > 150 && purchases > 150, "{sales} {purchases}");
}
