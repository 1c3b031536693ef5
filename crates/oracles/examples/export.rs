//! Writes generated markets, orders and the routes found for them as JSON, one
//! market to a line. Without arguments these are the markets of `./test`; with
//! a number of pools and one of orders it is one usual market of that size.

#![expect(clippy::unwrap_used, reason = "a person reads the failure")]

use oracles::export::{self, Answered};
use oracles::generated::{Market, Plan, Variant};
use routing::{Graph, Searcher};
use std::collections::BTreeSet;

/// A market and how it is asked.
struct Task {
    plan: Plan,
    queries: usize,
    /// What a swap costs, by reference prices.
    swap: f64,
}

/// Routes that no limit shortens: the optimum may have many swaps.
const MAX_SWAPS: usize = 512;

fn task(pools: usize, variant: Variant, queries: usize, swap: f64) -> Task {
    let plan = Plan {
        pools,
        seed: pools as u64 + 1,
        variant,
    };
    Task {
        plan,
        queries,
        swap,
    }
}

fn tasks() -> Vec<Task> {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().map(|text| text.parse::<f64>().unwrap());
    if let Some(pools) = number() {
        let (queries, swap) = (number().unwrap_or(50.0), number().unwrap_or(0.0));
        let count = |number: f64| format!("{number:.0}").parse().unwrap();
        return vec![task(count(pools), Variant::Usual, count(queries), swap)];
    }
    vec![
        task(80, Variant::Usual, 60, 0.0),
        task(81, Variant::ConstantProduct, 30, 0.0),
        task(82, Variant::Stable, 30, 0.0),
        task(83, Variant::Hollow, 30, 0.0),
        task(400, Variant::Usual, 20, 0.0),
        task(2_000, Variant::Usual, 3, 0.0),
        task(16, Variant::Usual, 30, 0.05),
        task(14, Variant::ConstantProduct, 20, 0.5),
    ]
}

fn main() {
    let mut searcher = Searcher::default();
    for Task {
        plan,
        queries,
        swap,
    } in tasks()
    {
        let market = Market::new(plan);
        let graph = Graph::new(
            market.pools(),
            |token| market.worth(token),
            &BTreeSet::new(),
        );
        let answered: Vec<Answered> = market
            .queries(plan.seed, queries)
            .into_iter()
            .map(|query| {
                let order = query.order(&market, swap, MAX_SWAPS);
                let routes = searcher.routes(&graph, market.pools(), &order, 1, &|| false);
                Answered {
                    query,
                    order,
                    routes,
                }
            })
            .collect();
        println!("{}", export::market(&market, &answered));
    }
}
