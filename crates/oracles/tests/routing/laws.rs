//! What every route promises.

use super::{Asked, net};
use amm::Curve as _;
use amm::book::VenueId;
use oracles::generated::{Query, Variant};
use primitives::U256;
use routing::{Amount, Graph, Order, Route, Share, VenueSet};
use std::collections::BTreeSet;

const POOLS: usize = 300;
const ORDERS: usize = 60;

/// Orders on markets of every kind.
fn everywhere(mut check: impl FnMut(&mut Asked, &Query)) {
    for (seed, variant) in (11..).zip(Variant::ALL) {
        let mut asked = Asked::new(POOLS, seed, variant);
        for query in asked.market.queries(seed, ORDERS) {
            check(&mut asked, &query);
        }
    }
}

/// Executes a route by hand, and checks each step.
fn executed(asked: &Asked, route: &Route) -> U256 {
    let mut balances = vec![U256::ZERO; route.tokens.len()];
    balances[0] = route.sold;
    for leg in &route.legs {
        let pool = asked.market.pools().get(leg.pool).unwrap();
        let (from, to) = (usize::from(leg.from), usize::from(leg.to));
        let ends = leg.side.of(pool.tokens());
        assert_eq!((route.tokens[from], route.tokens[to]), ends);
        let share = U256::from(leg.share.units());
        let sold = balances[from] * share / U256::from(Share::WHOLE.units());
        let fill = pool.curve().unwrap().exact_in(leg.side, sold).unwrap();
        assert_eq!(
            (leg.sold, leg.bought, leg.ticks),
            (sold, fill.bought, fill.ticks)
        );
        balances[from] -= sold;
        balances[to] += fill.bought;
    }
    let bought = balances.remove(1);
    assert!(balances.iter().all(U256::is_zero), "something stays behind");
    bought
}

#[test]
fn every_route_is_executed_to_its_amounts_and_leaves_nothing_behind() {
    let mut found = 0;
    everywhere(|asked, query| {
        let order = query.asked(&asked.market);
        for route in asked.routes(&order, query.size) {
            assert_eq!([route.tokens[0], route.tokens[1]], [query.sell, query.buy]);
            assert_eq!(executed(asked, &route), route.bought);
            match order.amount {
                Amount::In { one, .. } => assert_eq!(route.sold, one),
                Amount::Out(wanted) => assert!(route.bought >= wanted),
            }
            found += 1;
        }
    });
    assert!(found > 250, "{found}");
}

#[test]
fn a_purchase_takes_the_least_that_its_swaps_need() {
    let mut found = 0;
    everywhere(|asked, query| {
        let mut query = *query;
        query.exact_out = true;
        let order = query.asked(&asked.market);
        for route in asked.routes(&order, 1) {
            let swaps = route.executable(asked.market.pools()).unwrap();
            let less = swaps.bought_for(route.sold - U256::ONE);
            assert!(less.is_err() || less.unwrap() < query.amount, "{query:?}");
            found += 1;
        }
    });
    assert!(found > 50, "{found}");
}

/// What a purchase may cost more than the sale that buys as much, as a share.
const DEARER: f64 = 1e-5;

#[test]
fn what_a_sale_gives_can_be_bought_for_no_more() {
    let mut found = 0;
    for seed in 61..65 {
        let asked = Asked::new(POOLS, seed, Variant::Usual);
        let queries = asked.market.queries(seed, ORDERS).into_iter();
        for query in queries.filter(|query| !query.exact_out && !query.direct) {
            let sale = asked.routes(&query.asked(&asked.market), 1).pop();
            let Some(sale) = sale.filter(|sale| !sale.bought.is_zero()) else {
                continue;
            };
            let query = Query {
                amount: sale.bought,
                exact_out: true,
                ..query
            };
            let order = query.asked(&asked.market);
            let purchase = asked.routes(&order, 1).pop();
            let [cost, limit] =
                [purchase.as_ref(), Some(&sale)].map(|route| -net(&order, route.unwrap()));
            assert!(cost <= limit * (1.0 + DEARER), "{query:?} {cost} {limit}");
            found += 1;
        }
    }
    assert!(found > 120, "{found}");
}

#[test]
fn the_same_question_has_the_same_answer() {
    everywhere(|asked, query| {
        let order = query.asked(&asked.market);
        let first = asked.routes(&order, 5);
        let pools = asked.market.pools();
        let fresh = routing::routes(&asked.graph, pools, &order, 5, &|| false);
        assert_eq!(first, fresh);
    });
}

#[test]
fn a_refreshed_graph_answers_as_a_new_one() {
    for (seed, variant) in (31..).zip(Variant::ALL) {
        let mut asked = Asked::new(POOLS, seed, variant);
        for block in 1..4 {
            let changed = asked.market.stir(block, 40);
            let pools = asked.market.pools();
            asked.graph = asked.graph.refreshed(pools, &changed, &BTreeSet::new());
            let new = Graph::new(pools, &BTreeSet::new());
            for query in asked.market.queries(block, 20) {
                let order = query.asked(&asked.market);
                let pools = asked.market.pools();
                let expected = routing::routes(&new, pools, &order, 3, &|| false);
                assert_eq!(asked.routes(&order, 3), expected);
            }
        }
    }
}

#[test]
fn avoided_venues_are_not_passed() {
    let mut found = 0;
    everywhere(|asked, query| {
        let avoided = VenueId::at(2).unwrap();
        let order = Order {
            avoid: VenueSet::NONE.with(avoided),
            ..query.asked(&asked.market)
        };
        for route in asked.routes(&order, query.size) {
            let pools = asked.market.pools();
            let venue = |pool| pools.get(pool).unwrap().pool.venue();
            assert!(route.legs.iter().all(|leg| venue(leg.pool) != avoided));
            found += 1;
        }
    });
    assert!(found > 150, "{found}");
}

#[test]
fn limits_on_swaps_and_tokens_are_kept() {
    let (mut direct, mut short) = (0, 0);
    everywhere(|asked, query| {
        let order = query.order(&asked.market, 0.0, 3);
        for route in asked.routes(&order, query.size) {
            assert!(route.legs.len() <= 3);
            short += 1;
        }
        let order = Order {
            direct: true,
            ..query.order(&asked.market, 0.0, 12)
        };
        for route in asked.routes(&order, query.size) {
            assert!(route.legs.iter().all(|leg| (leg.from, leg.to) == (0, 1)));
            direct += 1;
        }
    });
    assert!(direct > 80 && short > 200, "{direct} {short}");
}

#[test]
fn alternatives_are_different_and_the_best_comes_first() {
    let mut several = 0;
    everywhere(|asked, query| {
        let order = query.asked(&asked.market);
        let routes = asked.routes(&order, 5);
        assert!(routes.len() <= 5);
        for pair in routes.windows(2) {
            let (better, worse) = (net(&order, &pair[0]), net(&order, &pair[1]));
            assert!(better >= worse - worse.abs() * 1e-12, "{better} {worse}");
        }
        let pools = |route: &Route| {
            route
                .legs
                .iter()
                .map(|leg| leg.pool)
                .collect::<BTreeSet<_>>()
        };
        let different: BTreeSet<_> = routes.iter().map(pools).collect();
        assert_eq!(different.len(), routes.len());
        several += usize::from(routes.len() > 1);
    });
    assert!(several > 100, "{several}");
}

#[test]
fn a_search_that_has_to_stop_still_answers() {
    let mut lost = 0;
    everywhere(|asked, query| {
        let order = query.asked(&asked.market);
        let whole = asked.routes(&order, 1);
        let pools = asked.market.pools();
        let hurried = routing::routes(&asked.graph, pools, &order, 1, &|| true);
        lost += usize::from(hurried.len() < whole.len());
        for route in hurried {
            assert_eq!(executed(asked, &route), route.bought);
        }
    });
    assert_eq!(lost, 0);
}
