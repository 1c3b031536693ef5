//! Where swaps cost something, fewer of them may be better. Every set of a few
//! pools is solved without costs, and the costs are taken off.

use super::Asked;
use amm::book::PoolId;
use oracles::generated::{Query, Variant};
use oracles::rivals::Streets;

const POOLS: usize = 7;

/// Ladders follow the maths of some pools only nearly.
const NEARLY: f64 = 1e-6;

/// What is left when a swap costs this much of what is bought.
fn enumerated(asked: &Asked, query: &Query, cost: f64) -> f64 {
    let ids: Vec<PoolId> = asked.market.pools().iter().map(|pool| pool.id).collect();
    let nets = (1_u32..1 << POOLS).filter_map(|set| {
        let counts = |pool: PoolId| set & 1 << ids.iter().position(|id| *id == pool).unwrap() != 0;
        let streets = Streets::through(&asked.market, counts);
        let trade = streets.trade(query.sell, query.buy, f64::from(query.amount))?;
        let flows = streets.dual(&trade);
        let route = streets.settled(&trade, &flows, query.amount, asked.market.pools())?;
        let swaps = f64::from(u32::try_from(route.legs.len()).unwrap());
        Some(f64::from(route.bought) - swaps * cost)
    });
    nets.fold(0.0, f64::max)
}

#[test]
fn no_other_set_of_pools_leaves_more_after_costs_and_none_is_beyond_the_bound() {
    let (mut sales, mut short) = (0, Vec::new());
    for seed in 0..40 {
        let variant = Variant::ALL[usize::try_from(seed).unwrap() % 3];
        let asked = Asked::new(POOLS, 200 + seed, variant);
        let queries = asked.market.queries(seed, 12).into_iter();
        for query in queries
            .filter(|query| !query.exact_out && !query.direct)
            .take(3)
        {
            // From next to nothing to a hundredth of the trade.
            let swap = query.worth * [1e-5, 1e-4, 1e-3, 1e-2][usize::try_from(seed % 4).unwrap()];
            let order = query.order(&asked.market, swap, 12);
            let cost = order.costs.swap[0];
            let best = enumerated(&asked, &query, cost);
            let kept = best * asked.market.worth(query.buy) / query.worth;
            if kept < 0.7 {
                continue;
            }
            let routes = asked.routes(&order, 1);
            let mine = routes.first().map_or(0.0, |route| {
                let swaps = f64::from(u32::try_from(route.legs.len()).unwrap());
                f64::from(route.bought) - swaps * cost
            });
            let gap = routes.first().map_or(f64::INFINITY, |route| route.gap);
            assert!(
                best - mine <= mine.abs() * (gap + NEARLY),
                "the optimum is beyond the bound: {best} {mine} {gap} {query:?}"
            );
            sales += 1;
            short.push((1.0 - mine / best, seed, query));
        }
    }
    short.sort_by(|one, other| one.0.total_cmp(&other.0));
    let far = short.iter().filter(|(short, ..)| *short > 1e-4).count();
    assert!(
        sales > 50 && far * 100 <= sales,
        "{far} of {sales}: {:?}",
        short.last()
    );
    assert!(
        short.iter().all(|(short, ..)| *short < 1e-3),
        "{:?}",
        short.last()
    );
}
