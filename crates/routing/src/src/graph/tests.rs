use super::*;
use crate::testing::{ONE, Pool, VENUES, add, add_ranges, deposit, fill, market, token};
use amm::book::{Book, State};
use amm::{Rung, Side};
use proptest::prelude::*;

fn graph(book: &Book) -> Graph {
    Graph::new(book.pools(), &BTreeSet::new())
}

/// A direction of a pair as a search would see it.
#[derive(Debug, PartialEq)]
struct Seen {
    ends: [Address; 2],
    front: Front,
    pools: Vec<(PoolId, Side, Vec<Rung>)>,
}

/// Everything that a search would see.
fn seen(graph: &Graph) -> Vec<Seen> {
    let lens = graph.without(VenueSet::NONE);
    let topology = lens.topology();
    let tokens = (0..).take(topology.token_count());
    let links = tokens.flat_map(|token| {
        topology
            .neighbours(token)
            .iter()
            .map(move |link| (token, link))
    });
    let seen = links.map(|(token, link)| Seen {
        ends: [token, link.to].map(|end| topology.address(end).unwrap()),
        front: lens.front(link.sale),
        pools: lens
            .pools(link.sale)
            .map(|pool| {
                (
                    pool.id,
                    pool.side(link.sale.direction),
                    pool.rungs(link.sale.direction).to_vec(),
                )
            })
            .collect(),
    });
    seen.collect()
}

#[test]
fn parallel_pools_are_one_pair_whatever_the_order_of_their_tokens() {
    let book = market(&[
        ([1, 2], [100 * ONE, 200 * ONE], 0),
        ([2, 1], [200 * ONE, 100 * ONE], 0),
    ]);
    let seen = seen(&graph(&book));
    assert_eq!(seen.len(), 2);
    let [(_, first, rungs), (_, second, others)] = seen[0].pools.as_slice() else {
        panic!("two pools");
    };
    assert_eq!(first.other(), *second);
    assert_eq!(rungs, others);
}

#[test]
fn a_neighbourhood_is_its_tokens_and_what_is_between_them() {
    let pools: Vec<Pool> = [[1, 2], [2, 3], [1, 3], [3, 4]]
        .map(|tokens| (tokens, [100 * ONE, 200 * ONE], 300))
        .to_vec();
    let book = market(&pools);
    let graph = graph(&book);
    let lens = graph.without(VenueSet::NONE);
    let tokens = [1, 2, 3].map(|number| lens.topology().token(token(number)).unwrap());
    let [one, two, three] = tokens;
    let near = lens.near(&tokens);
    let links = |lens: &Lens<'_>, token| -> Vec<TokenId> {
        lens.neighbours(token).iter().map(|link| link.to).collect()
    };
    assert_eq!(links(&lens, three).len(), 3);
    assert_eq!(links(&near, three), [one, two]);
    // Without the venue of all pools nothing is offered, and the links stay.
    let venue = book.pools().iter().next().unwrap().pool.venue();
    let without = near.without(VenueSet::NONE.with(venue));
    assert_eq!(links(&without, three), [one, two]);
    for link in near.neighbours(three) {
        assert_eq!(near.front(link.sale), lens.front(link.sale));
        assert_eq!(without.front(link.sale), Front::default());
    }
}

#[test]
fn pools_of_shunned_tokens_are_left_out_until_they_are_not_shunned_any_more() {
    let book = market(&[([1, 2], [ONE, ONE], 0), ([2, 3], [ONE, ONE], 0)]);
    let whole = graph(&book);
    let shunned = BTreeSet::from([token(3)]);
    let without = whole.refreshed(book.pools(), &[], &shunned);
    assert_eq!((seen(&whole).len(), seen(&without).len()), (4, 2));
    assert_eq!(seen(&without), seen(&Graph::new(book.pools(), &shunned)));
    let again = without.refreshed(book.pools(), &[], &BTreeSet::new());
    assert_eq!(seen(&again), seen(&whole));
}

#[test]
fn tokens_are_found_by_their_address() {
    let book = market(&[([5, 2], [ONE, ONE], 0), ([9, 2], [ONE, ONE], 0)]);
    let graph = graph(&book);
    let topology = &graph.topology;
    for number in [5, 2, 9] {
        let found = topology.token(token(number)).unwrap();
        assert_eq!(topology.address(found), Some(token(number)));
    }
    assert_eq!(topology.token(token(7)), None);
    let [five, two, nine] = [5, 2, 9].map(|number| topology.token(token(number)).unwrap());
    assert_eq!(
        topology.sale(five, two),
        topology.sale(two, five).map(Sale::back)
    );
    assert_eq!(topology.sale(five, nine), None);
}

#[test]
fn an_empty_pool_is_nowhere_until_it_is_filled() {
    let mut book = market(&[([1, 2], [ONE, ONE], 0), ([1, 2], [0, 0], 0)]);
    let before = graph(&book);
    assert_eq!(seen(&before)[0].pools.len(), 1);
    let pool = book.pools().newest().unwrap().id;
    fill(&mut book, pool, [ONE, ONE]);
    let after = before.refreshed(book.pools(), &[pool], &BTreeSet::new());
    assert_eq!(seen(&after)[0].pools.len(), 2);
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
        let after = before.refreshed(book.pools(), &touched, &BTreeSet::new());
        let new = graph(&book);
        prop_assert_eq!(seen(&after), seen(&new));
    }
}

/// What may happen in a block, to pools or tokens that any numbers choose.
#[derive(Debug, Clone)]
enum Act {
    Change(usize, [u8; 2]),
    Create(Pool),
    CreateRanges([u64; 2], i8),
}

/// Many pairs, one of them large. Amounts are few, so that many pools have the
/// same price.
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
            let next = now.refreshed(book.pools(), &changed, &BTreeSet::new());
            let new = seen(&graph(&book));
            prop_assert_eq!(&seen(&next), &new);
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
        now = now.refreshed(book.pools(), &changed, &BTreeSet::new());
    }
    assert_eq!(seen(&now), seen(&graph(&book)));
}
