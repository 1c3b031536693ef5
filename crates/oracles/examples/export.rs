//! Writes generated markets, orders as people ask for them and the routes found
//! for them as JSON, one market to a line.
//!
//! Without arguments these are the markets of `./test`. Arguments are a number
//! of pools, then how many orders, then a seed, and make a market of every kind
//! without standing gains: `export -- 200 50 7`.

#![expect(clippy::unwrap_used, reason = "a person reads the failure")]

use oracles::export::{self, Answered};
use oracles::generated::{GeneratedMarket, Plan, Query, Variant};
use routing::Graph;
use std::collections::BTreeSet;

/// Markets in which nothing is earned in a circle.
const VARIANTS: [Variant; 4] = [
    Variant::Usual,
    Variant::ConstantProduct,
    Variant::Stable,
    Variant::Hollow,
];

/// Plans, and how many orders of each.
fn tasks() -> Vec<(Plan, usize)> {
    let arguments = std::env::args().skip(1);
    let numbers: Vec<usize> = arguments.map(|text| text.parse().unwrap()).collect();
    let plan = |pools, variant, seed| Plan {
        pools,
        seed,
        variant,
    };
    if let [pools, rest @ ..] = numbers.as_slice() {
        let queries = rest.first().copied().unwrap_or(40).div_ceil(VARIANTS.len());
        let seed = rest.get(1).copied().unwrap_or(1) as u64;
        let plans = VARIANTS.map(|variant| (plan(*pools, variant, seed), queries));
        return plans.to_vec();
    }
    vec![
        (plan(50, Variant::Usual, 1), 20),
        (plan(50, Variant::Stable, 2), 10),
        (plan(100, Variant::Hollow, 3), 10),
        (plan(100, Variant::ConstantProduct, 4), 10),
        (plan(200, Variant::Usual, 5), 10),
        (plan(400, Variant::Usual, 6), 6),
    ]
}

fn main() {
    for (plan, queries) in tasks() {
        let market = GeneratedMarket::new(plan);
        let graph = Graph::new(market.pools(), &BTreeSet::new());
        let mut answered = |query: Query| {
            let order = query.asked(&market);
            let routes = routing::routes(&graph, market.pools(), &order, 1, &|| false);
            Answered {
                query,
                order,
                routes,
            }
        };
        let queries = market.queries(plan.seed, queries);
        let answered: Vec<Answered> = queries.into_iter().map(&mut answered).collect();
        println!("{}", export::market(&market, &answered));
    }
}
