use super::*;
use crate::testing::{ONE, Pool, VENUES, add, add_ranges, deposit, fill, market, token};
use amm::Side;
use amm::book::{Book, State};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn graph(book: &Book) -> Graph {
    Graph::new(book.pools(), |_| 1.0, &BTreeSet::new())
}

/// A direction of a pair as a search would see it.
#[derive(Debug, PartialEq)]
struct Seen {
    ends: [Address; 2],
    rate: f64,
    rungs: Vec<Rung>,
    pools: Vec<(PoolId, Side)>,
    changes: Vec<Vec<(f64, f64)>>,
}

/// Everything that a search would see.
fn seen(graph: &Graph) -> Vec<Seen> {
    let topology = graph.topology();
    let mut seen = Vec::new();
    for pair in 0..graph.pair_count() {
        let view = graph.pair(pair).unwrap();
        for way in [0, 1] {
            let slots = view.slots().iter();
            seen.push(Seen {
                ends: topology
                    .ends(pair)
                    .map(|end| topology.address(end).unwrap()),
                rate: graph.rates()[Sale::new(pair, way).index()],
                rungs: view.rungs(way).to_vec(),
                pools: slots
                    .clone()
                    .map(|slot| (slot.pool, slot.side(way)))
                    .collect(),
                changes: slots.map(|slot| view.changes(slot, way).to_vec()).collect(),
            });
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
    let after = before.refreshed(book.pools(), &[pool], |_| 1.0, &BTreeSet::new());
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
        let after = before.refreshed(book.pools(), &touched, |_| 1.0, &BTreeSet::new());
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

/// What may happen in a block, to pools or tokens that any numbers choose.
#[derive(Debug, Clone)]
enum Act {
    Change(usize, [u8; 2]),
    Create(Pool),
    CreateRanges([u64; 2], i8),
}

/// More pairs than boards that are there in any case, one of them large. Amounts
/// are few, so that many pools have the same price.
fn crowd() -> Book {
    let mut book = market(&[]);
    for number in 0..90 {
        let reserves = [1 + number % 3, 1 + number % 4].map(|amount| u128::from(amount) * ONE);
        add(&mut book, VENUES[0], &([0, 1], reserves, 300));
        add(
            &mut book,
            VENUES[0],
            &([number % 9, 10 + number % 5], reserves, 300),
        );
    }
    book
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let tokens = (0_u64..9, 1_u64..7).prop_map(|(a, step)| [a, a + step]);
    let reserves = [0_u128..4, 1..4].prop_map(|amounts| amounts.map(|amount| amount * ONE));
    let pool = (tokens.clone(), reserves, 0_u32..2);
    let act = prop_oneof![
        20 => (any::<usize>(), any::<[u8; 2]>()).prop_map(|(at, by)| Act::Change(at, by)),
        1 => pool.prop_map(|(tokens, reserves, fee)| Act::Create((tokens, reserves, fee * 300))),
        2 => (tokens, -3_i8..4).prop_map(|(tokens, tick)| Act::CreateRanges(tokens, tick)),
    ];
    prop::collection::vec(act, 0..6)
}

/// Lets something happen; the pool to which it did, unless it is a new one.
fn happens(book: &mut Book, act: &Act) -> Option<PoolId> {
    match act {
        Act::Create(pool) => {
            add(book, VENUES[1], pool);
            None
        }
        Act::CreateRanges(tokens, tick) => {
            let pool = add_ranges(book, *tokens, i32::from(*tick) * 5_000);
            deposit(book, pool, [-2, 3], ONE);
            None
        }
        Act::Change(at, [a, b]) => {
            let id = book.pools().iter().nth(at % book.pools().len())?.id;
            if matches!(book.pools().get(id)?.pool.state(), State::Reserves(_)) {
                fill(
                    book,
                    id,
                    [a % 4, b % 4].map(|amount| u128::from(amount) * ONE),
                );
            } else {
                let lower = i32::from(a % 16) - 8;
                deposit(book, id, [lower, lower + 1 + i32::from(b % 4)], ONE);
            }
            Some(id)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn after_any_blocks_a_graph_is_a_new_one_and_those_before_are_what_they_were(
        blocks in prop::collection::vec((acts(), any::<bool>()), 1..60),
    ) {
        let mut book = crowd();
        let mut now = graph(&book);
        let mut before = Vec::new();
        for (acts, is_read) in &blocks {
            let changed: Vec<PoolId> = acts.iter().filter_map(|act| happens(&mut book, act)).collect();
            let next = now.refreshed(book.pools(), &changed, |_| 1.0, &BTreeSet::new());
            let new = seen(&graph(&book));
            prop_assert_eq!(&seen(&next), &new);
            // What nobody reads any more is written on again.
            if *is_read {
                before.push((next.clone(), new));
            }
            now = next;
        }
        for (graph, then) in before {
            prop_assert_eq!(seen(&graph), then);
        }
    }
}

#[test]
fn however_many_pairs_of_nothing_there_are_each_is_found() {
    let pool = |number: u64| -> Pool { ([number, number + 1], [0, 0], 300) };
    let mut book = market(&(0..30_000).map(pool).collect::<Vec<Pool>>());
    let ids: Vec<PoolId> = book.pools().iter().map(|pool| pool.id).collect();
    let mut now = graph(&book);
    for block in 1..12 {
        let changed: Vec<PoolId> = ids.iter().copied().skip(block).step_by(5).collect();
        for pool in &changed {
            let amount = u128::try_from(block % 3).unwrap() * ONE;
            fill(&mut book, *pool, [amount, amount]);
        }
        now = now.refreshed(book.pools(), &changed, |_| 1.0, &BTreeSet::new());
    }
    assert_eq!(seen(&now), seen(&graph(&book)));
}

#[test]
fn memory_does_not_grow_with_blocks() {
    let pool = |number: u64| -> Pool { ([number, number + 1], [ONE, ONE], 300) };
    let pools: Vec<Pool> = (0..30_000).map(pool).collect();
    let mut book = market(&pools);
    let ids: Vec<PoolId> = book.pools().iter().map(|pool| pool.id).collect();
    let mut graph = graph(&book);
    let (first, mut most) = (graph.bytes(), 0);
    for block in 1..60 {
        // Pools of all boards, others in every block.
        let changed: Vec<PoolId> = ids.iter().copied().skip(block).step_by(10).collect();
        for pool in &changed {
            fill(
                &mut book,
                *pool,
                [ONE, u128::try_from(block).unwrap() * ONE],
            );
        }
        graph = graph.refreshed(book.pools(), &changed, |_| 1.0, &BTreeSet::new());
        most = most.max(graph.bytes());
    }
    assert!(most > first && most < 2 * first, "{first} {most}");
}
