use super::*;
use crate::testing::{ONE, Pool, VENUES, add, fill, market, token};
use amm::book::Book;
use proptest::prelude::*;

fn graph(book: &Book) -> Graph {
    Graph::new(book.pools(), |_| 1.0)
}

/// Everything that a search would see.
fn seen(graph: &Graph) -> Vec<(Address, Address, f64, Vec<Rung>, usize)> {
    let topology = graph.topology();
    let mut seen = Vec::new();
    for pair in 0..graph.pair_count() {
        let ends = topology
            .ends(pair)
            .map(|end| topology.address(end).unwrap());
        for way in [0, 1] {
            let view = graph.pair(pair).unwrap();
            let rate = graph.rates()[Sale::new(pair, way).index()];
            seen.push((
                ends[0],
                ends[1],
                rate,
                view.rungs(way).to_vec(),
                view.slots().len(),
            ));
        }
    }
    seen
}

#[test]
fn parallel_pools_are_one_pair_whatever_the_order_of_their_tokens() {
    let book = market(&[
        ([1, 2], [100 * ONE, 200 * ONE], 0),
        ([2, 1], [200 * ONE, 100 * ONE], 0),
    ]);
    let graph = graph(&book);
    assert_eq!(graph.pair_count(), 1);
    let view = graph.pair(0).unwrap();
    assert_eq!(view.slots().len(), 2);
    let [first, second] = [0, 1].map(|at| view.slots()[at].side(0));
    assert_eq!(first.other(), second);
    let bought = ladder::bought_for(view.rungs(0), 20e18).unwrap();
    assert!((bought / (2.0 * 10.0 * 200.0 / 110.0 * 1e18) - 1.0).abs() < 1e-9);
}

#[test]
fn tokens_are_found_by_their_address() {
    let book = market(&[([5, 2], [ONE, ONE], 0), ([9, 2], [ONE, ONE], 0)]);
    let graph = graph(&book);
    let topology = graph.topology();
    for number in [5, 2, 9] {
        let found = topology.token(token(number)).unwrap();
        assert_eq!(topology.address(found), Some(token(number)));
    }
    assert_eq!(topology.token(token(7)), None);
    let [five, two, nine] = [5, 2, 9].map(|number| topology.token(token(number)).unwrap());
    assert!(topology.between(five, two).is_some());
    assert_eq!(topology.between(five, nine), None);
}

#[test]
fn who_is_next_to_one_token_alone_connects_nothing() {
    let book = market(&[([1, 2], [ONE, ONE], 0), ([2, 3], [ONE, ONE], 0)]);
    let graph = graph(&book);
    let connectors = graph.topology().connectors();
    let connectors: Vec<_> = connectors
        .iter()
        .map(|token| graph.topology().address(*token).unwrap())
        .collect();
    assert_eq!(connectors, [token(2)]);
}

#[test]
fn an_empty_pool_is_nowhere_until_it_is_filled() {
    let mut book = market(&[([1, 2], [ONE, ONE], 0), ([1, 2], [0, 0], 0)]);
    let before = graph(&book);
    assert_eq!(before.pair(0).unwrap().slots().len(), 1);
    let pool = book.pools().newest().unwrap().id;
    fill(&mut book, pool, [ONE, ONE]);
    let after = before.refreshed(book.pools(), &[pool], |_| 1.0);
    assert_eq!(after.pair(0).unwrap().slots().len(), 2);
    assert_eq!(seen(&after), seen(&graph(&book)));
}

prop_compose! {
    fn pool()(a in 0_u64..6, step in 1_u64..6, x in 0_u128..1_000, y in 1_u128..1_000, fee in 0_u32..1_000)
        -> Pool { ([a, (a + step) % 6], [x * ONE, y * ONE], fee) }
}

proptest! {
    #[test]
    fn a_refreshed_graph_is_a_new_one(
        pools in prop::collection::vec(pool(), 1..60),
        changed in prop::collection::vec((0_usize..60, 0_u128..1_000, 1_u128..1_000), 0..20),
        more in prop::collection::vec(pool(), 0..5),
    ) {
        let mut book = market(&pools);
        let before = graph(&book);
        let ids: Vec<PoolId> = book.pools().iter().map(|pool| pool.id).collect();
        let mut touched = Vec::new();
        for (at, x, y) in changed {
            let id = ids[at % ids.len()];
            fill(&mut book, id, [x * ONE, y * ONE]);
            touched.push(id);
        }
        for pool in &more {
            add(&mut book, VENUES[1], pool);
        }
        let after = before.refreshed(book.pools(), &touched, |_| 1.0);
        let new = graph(&book);
        prop_assert_eq!(seen(&after), seen(&new));
        // Their order is decided when pools come.
        let connectors = [&after, &new].map(|graph| {
            let mut connectors = graph.topology().connectors().to_vec();
            connectors.sort_unstable();
            connectors
        });
        prop_assert_eq!(&connectors[0], &connectors[1]);
    }
}
