//! The rivals find ways, and a cleverer one finds better ways.

use oracles::generated::{GeneratedMarket, Plan, Variant};
use oracles::rivals::{Flows, Streets};
use primitives::U256;

/// No limit to swaps.
const ANY: usize = usize::MAX;

#[test]
fn splitting_pays_and_the_dual_pays_as_much() {
    let market = GeneratedMarket::new(Plan {
        pools: 120,
        seed: 3,
        variant: Variant::Usual,
    });
    let streets = Streets::new(&market);
    let (mut trades, mut splits, mut near) = (0, 0, 0);
    let queries = market.queries(1, 60).into_iter();
    for query in queries.filter(|query| !query.exact_out) {
        let amount = f64::from(query.amount);
        let Some(trade) = streets.trade(query.sell, query.buy, amount) else {
            continue;
        };
        let paid = |flows: Flows| {
            let settled = streets.settled(&trade, &flows, query.amount, market.pools());
            settled.map_or(U256::ZERO, |route| route.bought)
        };
        let ways = [
            streets.in_chunks(&trade, 1, ANY),
            streets.in_chunks(&trade, 20, ANY),
            streets.dual(&trade),
        ];
        let [single, chunks, dual] = ways.map(paid).map(f64::from);
        // Larger trades may be more than the pools hold.
        let kept = dual * market.worth(query.buy) / (amount * market.worth(query.sell));
        if kept > 0.7 {
            trades += 1;
            splits += usize::from(chunks > single * 0.999_99);
            near += usize::from(dual > chunks * 0.999_9);
        }
    }
    assert!(trades > 25, "{trades}");
    assert!(splits * 20 > trades * 19, "{splits} of {trades}");
    assert!(near * 10 > trades * 9, "{near} of {trades}");
}
