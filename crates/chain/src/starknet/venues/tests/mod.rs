mod extremes;
mod layouts;

use super::{names::NAMES, *};
use amm::book::{Created, Movement, Price, Shape, Spot};
use amm::{Side, Signed};
use primitives::{Address, Felt, U256, selector};
use proptest::prelude::*;

const POOL: u64 = 0xaa;

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

fn felts(numbers: &[u64]) -> Vec<Felt> {
    numbers.iter().copied().map(Felt::from).collect()
}

fn event(name: &str, keys: &[u64], data: &[u64]) -> Event {
    Event {
        transaction: 0,
        from: address(POOL),
        keys: [vec![selector(name)], felts(keys)].concat(),
        data: felts(data),
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "compared with what decoders answer"
)]
fn moved(movement: Movement) -> Result<PoolEvent, Untold> {
    Ok(PoolEvent::Moved {
        spot: Spot::Contract(address(POOL)),
        tokens: None,
        movement,
    })
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "compared with what decoders answer"
)]
fn created(shape: Shape, pool: u64) -> Result<PoolEvent, Untold> {
    Ok(PoolEvent::Created(Created {
        tokens: [address(1), address(2)],
        spot: Spot::Contract(address(pool)),
        shape,
        price: None,
    }))
}

fn signed(numbers: [i128; 2]) -> [Signed; 2] {
    numbers.map(Signed::from)
}

fn price(sqrt_ratio: u64, tick: i32) -> Price {
    Price {
        sqrt_ratio: U256::from(sqrt_ratio),
        tick,
    }
}

#[test]
fn pairs_are_created_in_the_layout_of_their_venue() {
    let told = |kind, data: &[u64]| pool_event(kind, &event("PairCreated", &[], data));
    for kind in [Kind::JediSwap, Kind::TenKSwap, Kind::Nostra] {
        assert_eq!(told(kind, &[1, 2, 3, 9]), created(Shape::Usual, 3));
        assert_eq!(told(kind, &[1, 2, 0, 3, 9]), Err(Untold::Malformed));
    }
    assert_eq!(
        told(Kind::SithSwap, &[1, 2, 1, 3, 9]),
        created(Shape::Stable, 3)
    );
    let keyed = |data: &[u64]| {
        let event = event("PairCreated", &[1, 2], data);
        pool_event(Kind::StarkDefi, &event)
    };
    assert_eq!(keyed(&[3, 9]), created(Shape::Usual, 3));
    assert_eq!(keyed(&[3, 9, 0]), created(Shape::Usual, 3));
    assert_eq!(keyed(&[3, 9, 1]), created(Shape::Stable, 3));
    assert_eq!(keyed(&[3, 9, 1, 0]), Err(Untold::Malformed));
    assert_eq!(
        told(Kind::SithSwap, &[1, 2, 2, 3, 9]),
        Err(Untold::Malformed)
    );
}

#[test]
fn pairs_tell_their_reserves_in_one_or_two_halves() {
    let reserves = moved(Movement::Reserves([5, 7]));
    let wide = event("Sync", &[], &[5, 0, 7, 0]);
    let narrow = event("Sync", &[], &[5, 7]);
    assert_eq!(pool_event(Kind::JediSwap, &wide), reserves);
    assert_eq!(pool_event(Kind::TenKSwap, &narrow), reserves);
    assert_eq!(pool_event(Kind::TenKSwap, &wide), Err(Untold::Malformed));
    let huge = event("Sync", &[], &[5, 1, 7, 0]);
    assert_eq!(pool_event(Kind::JediSwap, &huge), Err(Untold::Malformed));
}

#[test]
fn trades_of_pairs_name_the_side_that_was_sold() {
    let sold0 = event("Swap", &[], &[8, 5, 0, 0, 0, 0, 0, 7, 0, 9]);
    let traded = |sold, amounts| moved(Movement::Traded { sold, amounts });
    assert_eq!(
        pool_event(Kind::JediSwap, &sold0),
        traded(Side::Token0, [5, 7])
    );
    let keyed = event("Swap", &[8, 9], &[0, 0, 6, 0, 4, 0, 0, 0]);
    assert_eq!(
        pool_event(Kind::StarkDefi, &keyed),
        traded(Side::Token1, [6, 4])
    );
    let returned = event("Swap", &[], &[8, 10, 0, 1, 0, 4, 0, 8, 0, 9]);
    assert_eq!(
        pool_event(Kind::Nostra, &returned),
        traded(Side::Token0, [6, 7])
    );
}

#[test]
fn a_fee_that_is_set_is_the_pairs() {
    let set = event("SetPairFee", &[POOL, 1], &[25]);
    let once = event("SetPairFee", &[POOL, 1], &[25, 0]);
    for set in [&set, &once] {
        assert_eq!(
            pool_event(Kind::StarkDefi, set),
            moved(Movement::Fees([25, 25]))
        );
    }
    assert_eq!(pool_event(Kind::JediSwap, &set), Err(Untold::Unknown));
}

#[test]
fn ekubo_names_the_pool_in_every_event() {
    let key = [1, 2, 30, 10, 77];
    let spot = Spot::Keyed {
        fee: 30,
        tick_spacing: 10,
        extension: address(77),
    };
    let tokens = [address(1), address(2)];
    let told = |name, before: &[u64], after: &[u64]| {
        let data = [before, &key, after].concat();
        pool_event(Kind::Ekubo, &event(name, &[], &data))
    };
    let moved = |movement| {
        let tokens = Some(tokens);
        Ok(PoolEvent::Moved {
            spot,
            tokens,
            movement,
        })
    };
    assert_eq!(
        told("PoolInitialized", &[], &[4, 1, 99, 0]),
        Ok(PoolEvent::Created(Created {
            tokens,
            spot,
            shape: Shape::Usual,
            price: Some(price(99, -4)),
        }))
    );
    let asked = [50, 0, 1, 3, 0, 100];
    let done = [40, 1, 50, 0, 98, 0, 6, 1, 1_000];
    assert_eq!(
        told("Swapped", &[8], &[&asked[..], &done].concat()),
        moved(Movement::Swapped {
            delta: signed([-40, 50]),
            price: price(98, -6),
            liquidity: 1_000,
        })
    );
    assert_eq!(
        told(
            "PositionUpdated",
            &[8],
            &[0, 20, 1, 20, 0, 500, 0, 7, 0, 9, 0]
        ),
        moved(Movement::Position {
            lower: -20,
            upper: 20,
            liquidity: Signed::from(500),
            delta: signed([7, 9]),
        })
    );
    assert_eq!(
        told("FeesAccumulated", &[], &[3, 4]),
        moved(Movement::Held(signed([3, 4])))
    );
    assert_eq!(
        told(
            "PositionFeesCollected",
            &[],
            &[0, 8, 20, 1, 20, 0, 3, 1, 4, 1]
        ),
        moved(Movement::Held(signed([-3, -4])))
    );
    assert_eq!(told("Swapped", &[8], &asked), Err(Untold::Malformed));
    assert_eq!(told("Sync", &[], &[]), Err(Untold::Unknown));
}

#[test]
fn jedi_swap_v2_has_ranges_and_collects_later() {
    let told = |name, data: &[u64]| pool_event(Kind::JediSwapV2, &event(name, &[], data));
    let tiered = Shape::Tiered {
        fee: 3_000,
        tick_spacing: 60,
    };
    assert_eq!(
        told("PoolCreated", &[1, 2, 3_000, 60, 3]),
        created(tiered, 3)
    );
    assert_eq!(
        told("Initialize", &[99, 0, 4, 1]),
        moved(Movement::Priced(price(99, -4)))
    );
    assert_eq!(
        told("Swap", &[8, 9, 40, 0, 1, 50, 0, 0, 98, 0, 1_000, 6, 1]),
        moved(Movement::Swapped {
            delta: signed([-40, 50]),
            price: price(98, -6),
            liquidity: 1_000,
        })
    );
    let position = |liquidity, delta| Movement::Position {
        lower: -20,
        upper: 20,
        liquidity: Signed::from(liquidity),
        delta: signed(delta),
    };
    assert_eq!(
        told("Mint", &[8, 9, 20, 1, 20, 0, 500, 7, 0, 9, 0]),
        moved(position(500, [7, 9]))
    );
    assert_eq!(
        told("Burn", &[9, 20, 1, 20, 0, 500, 7, 0, 9, 0]),
        moved(position(-500, [0, 0]))
    );
    assert_eq!(
        told("Collect", &[9, 9, 20, 1, 20, 0, 7, 9]),
        moved(Movement::Held(signed([-7, -9])))
    );
    assert_eq!(
        told("CollectProtocol", &[8, 9, 7, 9]),
        moved(Movement::Held(signed([-7, -9])))
    );
}

#[test]
fn my_swap_numbers_its_pools() {
    let told = |name, data: &[u64]| pool_event(Kind::MySwap, &event(name, &[], data));
    let spot = Spot::Numbered(4);
    assert_eq!(
        told("PoolCreated", &[4, 1, 2, 300]),
        Ok(PoolEvent::Created(Created {
            tokens: [address(1), address(2)],
            spot,
            shape: Shape::Charged { fee: 300 },
            price: None,
        }))
    );
    assert_eq!(
        told("Swap", &[4, 8, 2, 50, 0, 40, 0]),
        Ok(PoolEvent::Sold {
            spot,
            token: address(2),
            amounts: [50, 40],
        })
    );
    assert_eq!(
        told("Sync", &[4, 5, 0, 7, 0]),
        Ok(PoolEvent::Moved {
            spot,
            tokens: None,
            movement: Movement::Reserves([5, 7]),
        })
    );
    assert_eq!(told("Mint", &[4]), Err(Untold::Nothing));
}

#[test]
fn every_venue_can_be_upgraded() {
    for kind in Kind::ALL {
        for name in ["Upgraded", "ClassHashReplaced"] {
            let told = pool_event(kind, &event(name, &[], &[5]));
            assert_eq!(told, Ok(PoolEvent::Upgraded));
        }
    }
}

fn any_felt() -> impl Strategy<Value = Felt> {
    prop_oneof![
        (0_u64..3).prop_map(Felt::from),
        any::<u64>().prop_map(Felt::from),
        any::<[u8; 32]>().prop_map(|bytes| Felt::from_bytes_be(&bytes)),
    ]
}

proptest! {
    #[test]
    fn no_event_makes_a_decoder_panic(
        kind in prop::sample::select(&Kind::ALL),
        name in prop::sample::select(NAMES.keys().copied().collect::<Vec<_>>()),
        keys in prop::collection::vec(any_felt(), 0..4),
        data in prop::collection::vec(any_felt(), 0..24),
    ) {
        let keys = [vec![name], keys].concat();
        let _ = pool_event(kind, &Event { transaction: 0, from: address(POOL), keys, data });
    }
}

#[test]
fn what_a_swap_was_asked_for_is_read_and_loans_are_told_from_trades() {
    let pair = |kind, keys: &[u64], data: &[u64]| asked(kind, &event("Swap", keys, data));
    let plain = Some(AskedSwap::Plain);
    let kind = Kind::JediSwap;
    assert_eq!(pair(kind, &[], &[8, 5, 0, 0, 0, 0, 0, 7, 0, 9]), plain);
    assert_eq!(pair(kind, &[], &[8, 0, 0, 5, 0, 7, 0, 0, 0, 9]), plain);
    for flash in [
        [8, 5, 0, 1, 0, 0, 0, 7, 0, 9],
        [8, 5, 0, 0, 0, 1, 0, 7, 0, 9],
        [8, 5, 0, 0, 0, 5, 0, 0, 0, 9],
        [8, 0, 0, 0, 0, 0, 0, 7, 0, 9],
    ] {
        assert_eq!(pair(kind, &[], &flash), None, "{flash:?}");
    }
    let keyed = [5, 0, 0, 0, 0, 0, 7, 0];
    assert_eq!(pair(Kind::StarkDefi, &[8, 9], &keyed), plain);
    assert_eq!(asked(kind, &event("Sync", &[], &[5, 0, 7, 0])), None);
    // The locker, the key of the pool, and then what was asked for.
    let swapped = [
        vec![9, 1, 2, 30, 10, 0],
        vec![500, 1, 1, 77, 3, 6],
        vec![4, 0, 5, 1, 7, 0, 8, 0, 6],
    ];
    let asked_for = AskedSwap::Order {
        amount: Signed::from(-500),
        token: Side::Token1,
        limit: U256::from(77) | U256::from(3) << 128_usize,
        skip_ahead: 6,
    };
    let swapped = event("Swapped", &[], &swapped.concat());
    assert_eq!(asked(Kind::Ekubo, &swapped), Some(asked_for));
    assert!(pool_event(Kind::Ekubo, &swapped).is_ok());
}

#[test]
fn a_vault_tells_its_deposits_and_nothing_of_what_it_counts() {
    let keyed = event("Deposit", &[1, 2], &[300, 0, 200, 0]);
    assert_eq!(deposited(&keyed), Some([300, 200]));
    assert_eq!(pool_event(Kind::Endur, &keyed), Err(Untold::Nothing));
    for data in [&[300, 0, 200][..], &[300, 0, 200, 1], &[300, 0, 200, 0, 0]] {
        assert_eq!(deposited(&event("Deposit", &[1, 2], data)), None);
    }
    assert_eq!(deposited(&event("Swap", &[1, 2], &[300, 0, 200, 0])), None);
}
