//! A limit on swaps is kept, and what it leaves is used well.

use super::{Asked, net};
use oracles::generated::{GeneratedMarket, MAX_SWAPS, Plan, Query, SWAP, Variant};
use oracles::measured::beside;
use oracles::rivals::Streets;
use primitives::U256;
use routing::Amount;

#[test]
fn plain_ways_within_the_same_limit_seldom_buy_more() {
    for (seed, variant) in [(1, Variant::Usual), (2, Variant::ConstantProduct)] {
        let market = GeneratedMarket::new(Plan {
            pools: 500,
            seed,
            variant,
        });
        let comparison = beside(&market, 40);
        let missed = comparison.missed();
        let far = missed.iter().filter(|missed| **missed > 1e-4).count();
        // Which few pools are best is searched, not proven: nine in ten are as
        // good, the others nearly.
        assert!(
            missed.len() > 30 && far * 10 <= missed.len(),
            "{variant:?}: {far} of {missed:?}"
        );
        let worst = missed.iter().copied().fold(0.0, f64::max);
        assert!(worst < 3e-3, "{variant:?}: {worst}");
    }
}

/// Sales of which some are so large that the ways that begin best end soon.
#[test]
fn large_orders_find_the_deep_pools_among_many_thin_ones() {
    let asked = Asked::new(2_000, 2, Variant::Usual);
    let streets = Streets::new(&asked.market);
    let queries = asked.market.queries(3, 150).into_iter();
    let mut compared = 0;
    for sale in queries.filter(|query| !query.exact_out && !query.direct) {
        let order = sale.order(&asked.market, SWAP, MAX_SWAPS);
        let trade = streets.trade(sale.sell, sale.buy, f64::from(sale.amount));
        let Some(trade) = trade else { continue };
        let chunks = streets.in_chunks(&trade, 20, MAX_SWAPS);
        let chunks = streets.settled(&trade, &chunks, sale.amount, asked.market.pools());
        let Some(chunks) = chunks.filter(|route| route.legs.len() <= MAX_SWAPS) else {
            continue;
        };
        // Beyond this the market does not bear the order.
        if f64::from(chunks.bought) * asked.market.worth(sale.buy) < 0.7 * sale.worth {
            continue;
        }
        let mine = asked.routes(&order, 1).pop().unwrap();
        let missed = 1.0 - f64::from(mine.bought) / f64::from(chunks.bought);
        assert!(missed < 0.01, "{sale:?} misses {missed}");
        let purchase = Query {
            amount: chunks.bought,
            exact_out: true,
            ..sale
        };
        let order = purchase.order(&asked.market, SWAP, MAX_SWAPS);
        let mine = asked.routes(&order, 1).pop().unwrap();
        let dearer = f64::from(mine.sold) / f64::from(sale.amount) - 1.0;
        assert!(dearer < 0.01, "{purchase:?} is dearer by {dearer}");
        compared += 1;
    }
    assert!(compared > 80, "{compared}");
}

/// Whoever sells more than a market holds gets nearly all there is: about as much as
/// for a part of that, and no bound says that this could not be.
#[test]
fn orders_of_more_than_there_is_net_about_what_smaller_ones_do() {
    let mut compared = 0;
    for seed in [1, 2] {
        let asked = Asked::new(100, seed, Variant::Usual);
        let queries = asked.market.queries(seed + 1, 25).into_iter();
        for query in queries.filter(|query| !query.exact_out) {
            let mut order = query.asked(&asked.market);
            let mut most = f64::NEG_INFINITY;
            for times in [1_u64, 6, 40, 240, 600] {
                let amount = query.amount * U256::from(times);
                let (one, many) = (amount, amount);
                order.amount = Amount::In { one, many };
                let Some(mine) = asked.routes(&order, 1).pop() else {
                    break;
                };
                let net = net(&order, &mine);
                assert!(
                    net > most * 0.95,
                    "{query:?} {times} times: {net} of {most}"
                );
                assert!(net * (1.0 + mine.gap) > most * (1.0 - 1e-6), "{query:?}");
                most = most.max(net);
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}
