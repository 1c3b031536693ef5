use super::*;
use crate::ekubo::Extension;
use crate::{Side, Signed};
use primitives::{Felt, U256};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

const FACTORY: u64 = 1;
const CORE: u64 = 2;
const TIERS: u64 = 3;
const CLASS: u64 = 77;
const ORACLE: u64 = 88;

fn venue(name: &str, kind: Kind, contract: u64) -> Venue {
    Venue {
        name: name.to_owned(),
        kind,
        contract: address(contract),
        router: None,
        start_block: 0,
        classes: BTreeMap::from([(address(CLASS), Pin::Usual)]),
        extensions: BTreeMap::from([(address(ORACLE), Extension::Oracle)]),
        enabled: true,
    }
}

fn registry() -> Arc<Registry> {
    let venues = vec![
        venue("pairs", Kind::JediSwap, FACTORY),
        venue("core", Kind::Ekubo, CORE),
        venue("tiers", Kind::JediSwapV2, TIERS),
    ];
    Arc::new(Registry::new(venues).unwrap())
}

fn book() -> Book {
    Book::new(registry())
}

/// A pair of the factory.
fn pair(contract: u64) -> Change {
    Change::Created {
        venue: address(FACTORY),
        pool: Created {
            tokens: [address(10), address(11)],
            spot: Spot::Contract(address(contract)),
            shape: Shape::Usual,
            price: None,
        },
    }
}

fn keyed(fee: u128, extension: u64) -> Created {
    Created {
        tokens: [address(10), address(12)],
        spot: Spot::Keyed {
            fee,
            tick_spacing: 10,
            extension: address(extension),
        },
        shape: Shape::Usual,
        price: None,
    }
}

fn price(ratio: u64, tick: i32) -> Price {
    let sqrt_ratio = U256::from(ratio);
    Price { sqrt_ratio, tick }
}

fn moved(pool: u32, movement: Movement) -> Change {
    let pool = PoolId(pool);
    Change::Moved { pool, movement }
}

fn created() -> impl Strategy<Value = Change> {
    prop_oneof![
        (100_u64..140).prop_map(pair),
        (0_u128..9, 0_u64..2).prop_map(|(fee, extension)| Change::Created {
            venue: address(CORE),
            pool: keyed(fee, extension),
        }),
    ]
}

fn movement() -> impl Strategy<Value = Movement> {
    let delta = || [-50_i128..100, -50_i128..100].prop_map(|delta| delta.map(Signed::from));
    prop_oneof![
        any::<[u128; 2]>().prop_map(Movement::Reserves),
        any::<[u64; 2]>().prop_map(Movement::Fees),
        (1_u64..99, -9_i32..9).prop_map(|(ratio, tick)| Movement::Priced(price(ratio, tick))),
        (delta(), -9_i32..9, 0_u128..99).prop_map(|(delta, tick, liquidity)| Movement::Swapped {
            delta,
            price: price(7, tick),
            liquidity
        }),
        (-9_i32..5, 1_i32..5, -20_i128..40, delta()).prop_map(
            |(lower, width, liquidity, delta)| {
                Movement::Position {
                    lower,
                    upper: lower + width,
                    liquidity: Signed::from(liquidity),
                    delta,
                }
            }
        ),
        delta().prop_map(Movement::Held),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        2 => created(),
        8 => (0_u32..12, movement()).prop_map(|(pool, movement)| moved(pool, movement)),
        1 => (0_u64..3, 76_u64..79).prop_map(|(contract, class)| Change::Class {
            contract: address(contract),
            class: Felt::from(class),
        }),
        1 => (0_u32..12, any::<[u64; 2]>()).prop_map(|(pool, fees)| Change::Asked {
            pool: PoolId(pool),
            facts: Facts { fees, ..Facts::default() },
        }),
        1 => (0_u32..12).prop_map(|pool| Change::Flawed { pool: PoolId(pool), flaw: Flaw::Malformed }),
        1 => (0_u64..4, 76_u64..79, 0_usize..3).prop_map(|(venue, class, judgement)| Change::Judged {
            venue: address(venue),
            class: Felt::from(class),
            maths: Maths::EkuboExact,
            judgement: [
                Judgement::Agrees(Side::Token0),
                Judgement::Agrees(Side::Token1),
                Judgement::Differs,
            ][judgement],
        }),
    ]
}

#[derive(Debug, Clone)]
enum Act {
    Block(Vec<Change>),
    Rollback(usize),
    Restart,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => prop::collection::vec(change(), 0..6).prop_map(Act::Block),
        2 => (1_usize..6).prop_map(Act::Rollback),
        1 => Just(Act::Restart),
    ];
    prop::collection::vec(act, 1..40)
}

fn apply_block(book: &mut Book, number: u64, changes: &[Change]) {
    book.begin(number);
    for change in changes {
        book.apply(change);
    }
}

/// A book made of nothing but these blocks.
fn replayed(blocks: &[Vec<Change>]) -> Book {
    let mut book = book();
    for (number, changes) in (0..).zip(blocks) {
        apply_block(&mut book, number, changes);
    }
    book
}

fn last(blocks: &[Vec<Change>]) -> Option<u64> {
    u64::try_from(blocks.len()).unwrap().checked_sub(1)
}

/// Pools as everybody finds them.
fn found(book: &Book) -> Vec<(Option<Speaker>, Option<Change>)> {
    let keys = (0..9).flat_map(|fee| [0, 1].map(|extension| keyed(fee, extension)));
    let core = book.speaker(address(CORE)).unwrap();
    let pairs = (100..140).map(|contract| (book.speaker(address(contract)), None));
    let keyed = keys.map(|created| {
        let event = PoolEvent::Moved {
            spot: created.spot,
            tokens: Some(created.tokens),
            movement: Movement::Held([Signed::ZERO; 2]),
        };
        (None, book.change(core, &event))
    });
    pairs.chain(keyed).collect()
}

proptest! {
    #[test]
    fn a_book_through_forks_and_restarts_is_that_of_the_surviving_blocks(acts in acts()) {
        let mut followed = book();
        let mut blocks: Vec<Vec<Change>> = Vec::new();
        for act in acts {
            match act {
                Act::Block(changes) => {
                    let number = u64::try_from(blocks.len()).unwrap();
                    apply_block(&mut followed, number, &changes);
                    blocks.push(changes);
                }
                Act::Rollback(depth) => {
                    blocks.truncate(blocks.len().saturating_sub(depth));
                    let to = last(&blocks);
                    if let Err(too_deep) = followed.rollback(to) {
                        prop_assert_eq!(followed.reaches(), Some(too_deep.reaches));
                        followed = replayed(&blocks);
                    }
                }
                Act::Restart => {
                    if let Some(block) = last(&blocks) {
                        let bytes = followed.to_bytes();
                        followed = Book::from_bytes(registry(), block, &bytes).unwrap();
                    }
                }
            }
            let alone = replayed(&blocks);
            prop_assert_eq!(followed.to_bytes(), alone.to_bytes());
            prop_assert_eq!(found(&followed), found(&alone));
        }
    }

    #[test]
    fn what_is_said_to_be_taken_back_is_all_that_changed(
        blocks in prop::collection::vec(prop::collection::vec(change(), 0..6), 1..20),
        kept in any::<prop::sample::Index>(),
    ) {
        let mut book = replayed(&blocks);
        let before = book.pools().clone();
        let to = last(&blocks[..kept.index(blocks.len())]);
        let taken_back = book.rollback(to).unwrap();
        let after = book.pools();
        prop_assert_eq!(taken_back.has_dropped_pools, after.len() < before.len());
        prop_assert!(taken_back.pools.iter().all(|pool| after.pool(*pool).is_some()));
        for view in after.iter().filter(|view| !taken_back.pools.contains(&view.id)) {
            prop_assert_eq!(Some(view.pool), before.pool(view.id));
        }
        if !taken_back.has_restored_classes {
            prop_assert_eq!(&after.classes, &before.classes);
            prop_assert_eq!(&after.records, &before.records);
        }
    }

    #[test]
    fn changes_are_read_back_as_they_were_kept(changes in prop::collection::vec(change(), 0..20)) {
        let bytes = changes_to_bytes(&changes);
        prop_assert_eq!(changes_from_bytes(&bytes).unwrap(), changes);
    }

    #[test]
    fn damaged_bytes_are_refused_or_something_else_but_never_a_panic(
        changes in prop::collection::vec(change(), 0..20),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = changes_to_bytes(&changes);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = changes_from_bytes(&bytes);
        let _ = Book::from_bytes(registry(), 0, &bytes);
        prop_assert!(changes_from_bytes(&bytes[..at]).is_err() || at > 0);
    }
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let mut book = replayed(&[vec![pair(100), moved(0, Movement::Reserves([5, 7]))]]);
    let before = book.pools().clone();
    apply_block(
        &mut book,
        1,
        &[moved(0, Movement::Reserves([6, 8])), pair(101)],
    );
    let holdings = |pools: &Pools| {
        pools
            .iter()
            .map(|view| view.pool.holdings())
            .collect::<Vec<_>>()
    };
    assert_eq!(holdings(&before), [[5, 7]]);
    assert_eq!(holdings(book.pools()), [[6, 8], [0, 0]]);
}

#[test]
fn the_order_within_a_block_is_kept() {
    let [first, second] = [[1, 1], [2, 2]].map(|held| moved(0, Movement::Reserves(held)));
    let forth = replayed(&[vec![pair(100), first.clone(), second.clone()]]);
    let back = replayed(&[vec![pair(100), second, first]]);
    assert_ne!(forth.to_bytes(), back.to_bytes());
}

#[test]
fn a_pool_that_cannot_have_done_what_was_said_is_not_followed_any_more() {
    let cases = [
        (Movement::Held([Signed::positive(1); 2]), Flaw::Unexpected),
        (Movement::Priced(price(1, 0)), Flaw::Unexpected),
    ];
    for (movement, flaw) in cases {
        let book = replayed(&[vec![pair(100), moved(0, movement)]]);
        let view = book.pools().get(PoolId(0)).unwrap();
        assert_eq!(view.off(), Some(Off::Flaw(flaw)));
        let event = PoolEvent::Moved {
            spot: Spot::Contract(address(100)),
            tokens: None,
            movement: Movement::Reserves([1, 1]),
        };
        let speaker = book.speaker(address(100)).unwrap();
        assert_eq!(book.change(speaker, &event), None);
    }
    let core = Change::Created {
        venue: address(CORE),
        pool: keyed(1, 0),
    };
    let position = |liquidity| Movement::Position {
        lower: 0,
        upper: 10,
        liquidity,
        delta: [Signed::ZERO; 2],
    };
    let [one, most] = [1, u128::MAX].map(Signed::positive);
    for (movement, flaw) in [
        (Movement::Held([-one, Signed::ZERO]), Flaw::Overdrawn),
        (Movement::Held([Signed::ZERO, -most]), Flaw::Overdrawn),
        (position(-one), Flaw::Unbalanced),
        (position(most), Flaw::Unbalanced),
        (Movement::Reserves([1, 1]), Flaw::Unexpected),
    ] {
        let before = replayed(&[vec![core.clone()]]);
        let book = replayed(&[vec![core.clone(), moved(0, movement)]]);
        let view = book.pools().get(PoolId(0)).unwrap();
        assert_eq!(view.off(), Some(Off::Flaw(flaw)));
        let state = before.pools().get(PoolId(0)).unwrap().pool.state().clone();
        assert_eq!(*view.pool.state(), state);
    }
}

#[test]
fn a_pool_is_on_when_venue_class_and_extension_allow_it() {
    let class = |class: u64| Change::Class {
        contract: address(CORE),
        class: Felt::from(class),
    };
    let pools = [0, ORACLE, 99].map(|extension| Change::Created {
        venue: address(CORE),
        pool: keyed(1, extension),
    });
    let off = |book: &Book| {
        book.pools()
            .iter()
            .map(|view| view.off())
            .collect::<Vec<_>>()
    };
    let mut book = replayed(&[pools.to_vec()]);
    assert_eq!(off(&book), [Some(Off::Class); 3]);
    book.apply(&class(CLASS));
    let unknown = Some(Off::Extension(Extension::Unknown));
    assert_eq!(off(&book), [None, None, unknown]);
    book.apply(&class(CLASS + 1));
    assert_eq!(off(&book), [Some(Off::Class); 3]);
}

#[test]
fn the_way_back_is_long_but_not_endless() {
    let mut book = replayed(&[vec![pair(100)]]);
    for number in 1..6_000_u64 {
        let held = u128::from(number);
        apply_block(
            &mut book,
            number,
            &[moved(0, Movement::Reserves([held, held]))],
        );
    }
    let reaches = book.reaches().unwrap();
    assert!((1_000..3_000).contains(&reaches), "{reaches}");
    let before = book.to_bytes();
    assert_eq!(book.rollback(Some(reaches - 1)), Err(TooDeep { reaches }));
    assert_eq!(book.to_bytes(), before);
    book.rollback(Some(reaches)).unwrap();
    let held = u128::from(reaches);
    let view = book.pools().get(PoolId(0)).unwrap();
    assert_eq!(view.pool.holdings(), [held, held]);
}

#[test]
fn trades_of_pairs_are_told_but_change_nothing() {
    let trade = Movement::Traded {
        sold: Side::Token0,
        amounts: [1, 2],
    };
    let with = replayed(&[vec![pair(100), moved(0, trade)]]);
    assert_eq!(with.to_bytes(), replayed(&[vec![pair(100)]]).to_bytes());
}
