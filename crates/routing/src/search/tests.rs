use super::*;
use crate::{Costs, VenueSet};
use amm::book::{Book, Change, Created, Kind, Maths, Movement, Registry, Shape, Spot, Venue};
use primitives::{Address, Felt, U256};
use std::sync::Arc;

const VENUE: u64 = 0xe;

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

fn token(number: u64) -> Address {
    address(1_000 + number)
}

/// Pools of two tokens with reserves and a fee in hundred-thousandths.
fn pools(list: &[([u64; 2], [u128; 2], u32)]) -> Pools {
    let venue = Venue {
        name: "mySwap".to_owned(),
        kind: Kind::MySwap,
        contract: address(VENUE),
        router: Some(address(VENUE)),
        start_block: 0,
        classes: [(address(1), Maths::Usual)].into(),
        extensions: [].into(),
        enabled: true,
    };
    let registry = Registry::new(vec![venue]).unwrap();
    let mut book = Book::new(Arc::new(registry));
    book.begin(1);
    for (tokens, reserves, fee) in list {
        let number = u64::try_from(book.pools().len()).unwrap();
        book.apply(&Change::Created {
            venue: address(VENUE),
            pool: Created {
                tokens: tokens.map(token),
                spot: Spot::Numbered(number),
                shape: Shape::Charged { fee: *fee },
                price: None,
            },
        });
        let pool = book.pools().newest().unwrap().id;
        book.apply(&Change::Moved {
            pool,
            movement: Movement::Reserves(*reserves),
        });
    }
    book.apply(&Change::Class {
        contract: address(VENUE),
        class: Felt::ONE,
    });
    book.pools().clone()
}

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

fn search(pools: &Pools, order: &Order, size: usize) -> Vec<Route> {
    let graph = Graph::new(pools, |_| 1.0);
    Searcher::default().routes(&graph, pools, order, size, &|| false)
}

const E: u128 = 1_000_000_000_000_000_000;

#[test]
fn one_pool_is_a_route() {
    let pools = pools(&[([1, 2], [1_000 * E, 2_000 * E], 300)]);
    let [route] = search(&pools, &sale(1, 2, E), 1).try_into().unwrap();
    assert_eq!(route.legs.len(), 1);
    assert!(route.gap < 1e-9, "{}", route.gap);
    assert!(search(&pools, &sale(1, 3, E), 1).is_empty());
    assert!(search(&pools, &sale(1, 1, E), 1).is_empty());
}

#[test]
fn equal_pools_share_equally() {
    let pool = ([1, 2], [1_000 * E, 2_000 * E], 300);
    let pools = pools(&[pool, pool]);
    let [route] = search(&pools, &sale(1, 2, 100 * E), 1).try_into().unwrap();
    let sold: Vec<_> = route.legs.iter().map(|leg| leg.sold).collect();
    assert_eq!(sold, [U256::from(50 * E); 2]);
}

#[test]
fn ways_join_and_part_at_tokens_between() {
    let pools = pools(&[
        ([1, 3], [1_000 * E, 1_000 * E], 300),
        ([1, 4], [1_000 * E, 1_000 * E], 300),
        ([4, 3], [5_000 * E, 5_000 * E], 50),
        ([3, 2], [2_000 * E, 2_000 * E], 300),
        ([4, 2], [500 * E, 500 * E], 300),
        ([1, 2], [300 * E, 300 * E], 300),
    ]);
    let [route] = search(&pools, &sale(1, 2, 100 * E), 1).try_into().unwrap();
    assert_eq!(route.legs.len(), 6);
    assert!(route.gap < 1e-6, "{}", route.gap);
}
