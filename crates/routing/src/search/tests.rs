use super::*;
use crate::testing::{ONE, Pool, VENUES, add, market, token};
use crate::{Costs, VenueSet};
use amm::book::VenueId;
use primitives::U256;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn sale(sell: u64, buy: u64, amount: u128) -> Order {
    let amount = U256::from(amount);
    Order {
        sell: token(sell),
        buy: token(buy),
        amount: Amount::In {
            one: amount,
            many: amount,
        },
        avoid: VenueSet::NONE,
        direct: false,
        max_swaps: 32,
        costs: Costs::default(),
    }
}

/// The same where each swap costs so much of the bought token.
fn costing(swap: f64, mut order: Order) -> Order {
    order.costs.swap = vec![swap; 2];
    order
}

fn purchase(sell: u64, buy: u64, amount: u128) -> Order {
    Order {
        amount: Amount::Out(U256::from(amount)),
        ..sale(sell, buy, 0)
    }
}

fn search(pools: &Pools, order: &Order, size: usize) -> Vec<Route> {
    let graph = Graph::new(pools, &BTreeSet::new());
    routes(&graph, pools, order, size, &|| false)
}

fn best(pools: &[Pool], order: &Order) -> Option<Route> {
    search(market(pools).pools(), order, 1).pop()
}

#[test]
fn one_pool_is_a_route() {
    let pools = [([1, 2], [1_000 * ONE, 2_000 * ONE], 300)];
    let route = best(&pools, &sale(1, 2, ONE)).unwrap();
    assert_eq!(route.legs.len(), 1);
    assert!(route.gap < 1e-9, "{}", route.gap);
    for nowhere in [sale(1, 3, ONE), sale(1, 1, ONE), sale(1, 2, 0)] {
        assert_eq!(best(&pools, &nowhere), None);
    }
}

#[test]
fn of_paths_that_pay_as_many_units_the_one_with_the_cheapest_swaps_is_taken() {
    let pools = |between: u64, units: u128| -> [Pool; 2] {
        let first = ([1, between], [1_000 * ONE, 1_000 * ONE], 300);
        [first, ([between, 2], [1_000 * ONE, units], 300)]
    };
    let dear: Vec<Pool> = (3..30).flat_map(|token| pools(token, 1_000_000)).collect();
    let mut book = market(&dear);
    let [first, last] = pools(30, 995_000);
    let cheap = [(VENUES[1], first), (VENUES[0], last)];
    let cheap = cheap.map(|(venue, pool)| add(&mut book, venue, &pool));
    let mut order = sale(1, 2, ONE / 1_000 * 74 / 10);
    order.costs.swap = vec![0.02, 0.01];
    let route = search(book.pools(), &order, 1).pop().unwrap();
    assert_eq!(route.bought, U256::from(7));
    let passed: Vec<_> = route.legs.iter().map(|leg| leg.pool).collect();
    assert_eq!(passed, cheap);
}

#[test]
fn equal_pools_share_equally() {
    let pool = ([1, 2], [1_000 * ONE, 2_000 * ONE], 300);
    let route = best(&[pool, pool], &sale(1, 2, 100 * ONE)).unwrap();
    let sold: Vec<_> = route.legs.iter().map(|leg| leg.sold).collect();
    assert_eq!(sold, [U256::from(50 * ONE); 2]);
}

/// Paths that part at the first token and meet again at two others.
const MESH: [Pool; 6] = [
    ([1, 3], [1_000 * ONE, 1_000 * ONE], 300),
    ([1, 4], [1_000 * ONE, 1_000 * ONE], 300),
    ([4, 3], [5_000 * ONE, 5_000 * ONE], 50),
    ([3, 2], [2_000 * ONE, 2_000 * ONE], 300),
    ([4, 2], [500 * ONE, 500 * ONE], 300),
    ([1, 2], [300 * ONE, 300 * ONE], 300),
];

#[test]
fn ways_join_and_part_at_tokens_between() {
    let route = best(&MESH, &sale(1, 2, 100 * ONE)).unwrap();
    assert_eq!(route.legs.len(), 6);
    assert!(route.gap < 1e-6, "{}", route.gap);
}

#[test]
fn a_route_through_a_pool_twice_is_malformed() {
    let mesh = market(&MESH);
    let mut route = search(mesh.pools(), &sale(1, 2, 100 * ONE), 1)
        .pop()
        .unwrap();
    assert!(route.executable(mesh.pools()).is_ok());
    route.legs.extend(route.legs.first().copied());
    assert_eq!(
        route.executable(mesh.pools()).err(),
        Some(crate::Broken::Malformed)
    );
}

#[test]
fn every_token_is_there_before_it_is_sold_and_nothing_is_left() {
    let route = best(&MESH, &sale(1, 2, 100 * ONE)).unwrap();
    let mut balances = vec![U256::ZERO; route.tokens.len()];
    balances[0] = route.sold;
    for leg in &route.legs {
        assert_eq!(leg.sold, leg.share.of(balances[usize::from(leg.from)]));
        balances[usize::from(leg.from)] -= leg.sold;
        balances[usize::from(leg.to)] += leg.bought;
    }
    let bought = balances.swap_remove(1);
    assert_eq!(bought, route.bought);
    assert!(balances.iter().all(U256::is_zero));
}

#[test]
fn a_direct_order_passes_no_other_token() {
    let order = Order {
        direct: true,
        ..sale(1, 2, 100 * ONE)
    };
    let route = best(&MESH, &order).unwrap();
    assert_eq!((route.legs.len(), route.tokens.len()), (1, 2));
    let nowhere = Order {
        direct: true,
        ..sale(1, 7, ONE)
    };
    assert_eq!(best(&MESH, &nowhere), None);
}

#[test]
fn a_thin_pool_at_a_fine_price_beside_a_deep_one_does_not_widen_the_bound() {
    // Taken for one pool, the last two would gain in a circle whatever is traded.
    let pools = [
        ([1, 2], [100_000 * ONE, 100_000 * ONE], 300),
        ([2, 3], [100_000 * ONE, 100_000 * ONE], 300),
        ([3, 4], [100_000 * ONE, 100_000 * ONE], 300),
        ([3, 4], [ONE / 100, ONE / 90], 300),
    ];
    let order = costing(1e15, sale(1, 2, 100 * ONE));
    let route = best(&pools, &order).unwrap();
    assert_eq!(route.legs.len(), 1);
    assert!(route.gap < 1e-6, "{}", route.gap);
}

#[test]
fn what_is_gained_in_a_circle_counts_for_as_much_as_an_order_has() {
    // Round the last two pools a hundredth is gained, by the order 10¹⁴; a swap costs 10¹⁵.
    let pools = [
        ([1, 2], [100_000 * ONE, 100_000 * ONE], 300),
        ([1, 3], [100_000 * ONE, 100_000 * ONE], 300),
        ([3, 2], [100_000 * ONE, 98_000 * ONE], 300),
        ([3, 4], [100_000 * ONE, 100_000 * ONE], 300),
        ([3, 4], [100_000 * ONE, 101_000 * ONE], 300),
    ];
    let route = best(&pools, &costing(1e15, sale(1, 2, ONE / 100))).unwrap();
    assert_eq!(route.legs.len(), 1);
    assert!(route.gap < 1e-6, "{}", route.gap);
}

#[test]
fn a_circle_that_gains_counts_once_and_not_for_every_pool_on_a_way_to_it() {
    let even = |ends| (ends, [10_000 * ONE, 10_000 * ONE], 300);
    let mut pools = vec![even([1, 2]), even([1, 3]), even([3, 2])];
    pools.extend([4, 5, 6, 7].into_iter().flat_map(|token| {
        let [one, two] = [[1, token], [token, 2]].map(even);
        [one, two, even([3, token])]
    }));
    // Round these two some two thousandths of a token are gained.
    pools.push(([3, 8], [1_000 * ONE, 1_000 * ONE], 300));
    pools.push(([3, 8], [1_000 * ONE, 1_010 * ONE], 300));
    let route = best(&pools, &costing(1e14, sale(1, 2, 10 * ONE))).unwrap();
    assert!(route.gap < 3e-4, "{}", route.gap);
}

#[test]
fn a_way_that_is_worse_does_not_widen_the_bound() {
    let deep = |ends, price: u128| (ends, [1_000_000 * ONE, 10_000 * price * ONE], 300);
    let pools = [
        deep([1, 3], 100),
        deep([3, 2], 100),
        deep([1, 4], 100),
        deep([4, 2], 99),
    ];
    for swap in [1e12, 1e15, 1e17] {
        let route = best(&pools, &costing(swap, sale(1, 2, ONE))).unwrap();
        assert!(
            route.legs.len() == 2 && route.gap < 1e-6,
            "{swap} {}",
            route.gap
        );
    }
}

#[test]
fn a_direct_order_is_held_against_direct_pools_alone() {
    let order = Order {
        direct: true,
        ..costing(1e15, sale(1, 2, 100 * ONE))
    };
    let route = best(&MESH, &order).unwrap();
    assert!(route.gap < 1e-6, "{}", route.gap);
}

#[test]
fn dear_swaps_are_left_out() {
    let cheap = best(&MESH, &sale(1, 2, 100 * ONE)).unwrap();
    let dear = best(&MESH, &costing(3e18, sale(1, 2, 100 * ONE))).unwrap();
    assert!(dear.legs.len() < cheap.legs.len());
    assert!(dear.bought < cheap.bought);
}

#[test]
fn a_fee_on_more_than_one_swap_can_decide_for_one() {
    let pools = [
        ([1, 2], [100_000 * ONE, 100_000 * ONE], 300),
        ([1, 2], [50_000 * ONE, 50_000 * ONE], 300),
    ];
    let plain = best(&pools, &sale(1, 2, 100 * ONE)).unwrap();
    let charged = Order {
        costs: Costs {
            fee_one: 0.0002,
            fee_many: 0.0015,
            ..Costs::default()
        },
        ..sale(1, 2, 100 * ONE)
    };
    let charged = best(&pools, &charged).unwrap();
    assert_eq!((plain.legs.len(), charged.legs.len()), (2, 1));
}

#[test]
fn a_route_of_one_swap_sells_what_is_left_for_it() {
    let order = Order {
        amount: Amount::In {
            one: U256::from(10 * ONE),
            many: U256::from(9 * ONE),
        },
        ..sale(1, 2, 0)
    };
    let pools = [([1, 2], [1_000 * ONE, 1_000 * ONE], 300)];
    assert_eq!(best(&pools, &order).unwrap().sold, U256::from(10 * ONE));
    let pools = [
        ([1, 3], [1_000 * ONE, 1_000 * ONE], 300),
        ([3, 2], [1_000 * ONE, 1_000 * ONE], 300),
    ];
    assert_eq!(best(&pools, &order).unwrap().sold, U256::from(9 * ONE));
}

#[test]
fn venues_that_are_avoided_are_not_used() {
    let mut book = market(&[([1, 2], [1_000 * ONE, 1_000 * ONE], 300)]);
    let better = add(
        &mut book,
        VENUES[1],
        &([1, 2], [1_000 * ONE, 2_000 * ONE], 300),
    );
    let avoid = |venue| Order {
        avoid: VenueSet::NONE.with(VenueId::at(venue).unwrap()),
        ..sale(1, 2, ONE)
    };
    let used = |order: &Order| {
        let route = search(book.pools(), order, 1).pop().unwrap();
        route.legs.iter().any(|leg| leg.pool == better)
    };
    assert!(used(&sale(1, 2, ONE)) && used(&avoid(0)) && !used(&avoid(1)));
}

#[test]
fn alternatives_differ_and_the_best_comes_first() {
    let book = market(&MESH);
    let routes = search(book.pools(), &sale(1, 2, 100 * ONE), 5);
    assert!(routes.len() > 1);
    assert!(routes.is_sorted_by(|a, b| a.bought >= b.bought));
    for (at, route) in routes.iter().enumerate() {
        for other in &routes[at + 1..] {
            assert_ne!(
                route.legs.iter().map(|leg| leg.pool).collect::<Vec<_>>(),
                other.legs.iter().map(|leg| leg.pool).collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn more_than_there_is_has_no_route() {
    assert_eq!(best(&MESH, &purchase(1, 2, 5_000 * ONE)), None);
}

#[test]
fn a_search_that_must_stop_at_once_still_answers() {
    let book = market(&MESH);
    let graph = Graph::new(book.pools(), &BTreeSet::new());
    let order = sale(1, 2, 100 * ONE);
    let routes = routes(&graph, book.pools(), &order, 5, &|| true);
    assert!(!routes.is_empty());
}

prop_compose! {
    fn pool()(a in 1_u64..5, step in 1_u64..4, x in 1_u128..10_000, price in 50_u128..200, fee in 1_u32..1_000)
        -> Pool { ([a, (a - 1 + step) % 4 + 1], [x * ONE, x * price * ONE / 100], fee) }
}

proptest! {
    #[test]
    fn what_a_route_says_is_what_its_pools_pay(
        pools in prop::collection::vec(pool(), 1..12), amount in 1_u128..1 << 80, out: bool,
    ) {
        let book = market(&pools);
        let order = if out { purchase(1, 2, amount) } else { sale(1, 2, amount) };
        for route in search(book.pools(), &order, 3) {
            let executable = route.executable(book.pools()).unwrap();
            let run = executable.run(route.sold).unwrap();
            prop_assert_eq!(run.bought, route.bought);
            if out {
                prop_assert!(route.bought >= U256::from(amount));
                let less = executable.bought_for(route.sold - U256::ONE);
                prop_assert!(less.is_ok_and(|less| less < U256::from(amount)) || route.sold == U256::ONE
                    || less.is_err());
            } else {
                prop_assert_eq!(route.sold, U256::from(amount));
            }
        }
    }
}
