//! Rules of the exchange, and its walks against those of crate `amm`.

use super::*;
use crate::starknet::contract::halves;
use crate::starknet::contracts::signed::Signed;
use crate::starknet::contracts::test_chain::{
    ALICE, BOB, DAI, ETH, TestChain, call, event, numbers,
};
use crate::starknet::transaction::Call;
use amm::Side;
use amm::v3::{Amount, V3Terms, sqrt_ratio_at};
use primitives::U256;
use proptest::prelude::*;

const E18: u128 = 1_000_000_000_000_000_000;

fn id() -> PoolId {
    PoolId::new(DAI, ETH, 3_000)
}

/// A pool at this tick; it and the router may spend for both people.
fn test_chain(id: &PoolId, tick: i32) -> TestChain {
    let mut chain = TestChain::new(install);
    chain.run(ALICE, &create_pool_call(id));
    chain.run(
        ALICE,
        &initialize_call(id.address(), sqrt_ratio_at(tick).unwrap()),
    );
    for person in [ALICE, BOB] {
        for spender in [id.address(), ROUTER] {
            chain.approve(person, spender, &[ETH, DAI]);
        }
    }
    chain
}

#[test]
fn pools_are_created_once_and_only_of_a_tier() {
    let mut chain = TestChain::new(install);
    let id = id();
    let (pool, events) = chain.run(BOB, &create_pool_call(&id));
    assert_eq!(pool, [id.address()]);
    let created = [ETH, DAI, Felt::from(3_000), Felt::from(60), id.address()];
    assert_eq!(*event(&events, "PoolCreated").data, created);
    chain.refuses(BOB, &create_pool_call(&id), "pool already created");
    let wrong = PoolId { fee: 3_001, ..id };
    chain.refuses(
        BOB,
        &create_pool_call(&wrong),
        "tick spacing not initialized",
    );
    let same = PoolId::new(ETH, ETH, 500);
    chain.refuses(BOB, &create_pool_call(&same), "tokens must be different");
    let ask = [DAI, ETH, Felt::from(3_000)];
    assert_eq!(chain.view(FACTORY, "get_pool", &ask), pool);
    let views = [
        ("get_token0", ETH),
        ("get_token1", DAI),
        ("get_fee", Felt::from(3_000)),
        ("get_tick_spacing", Felt::from(60)),
    ];
    for (name, value) in views {
        assert_eq!(chain.view(pool[0], name, &[]), [value], "{name}");
    }
}

#[test]
fn events_have_the_felts_of_the_venue() {
    let id = id();
    let mut chain = TestChain::new(install);
    chain.run(ALICE, &create_pool_call(&id));
    chain.approve(ALICE, id.address(), &[ETH, DAI]);
    chain.approve(ALICE, ROUTER, &[ETH, DAI]);
    let bounds = [-600, 1_200];
    let early = mint_call(id.address(), ALICE, bounds, E18);
    chain.refuses(ALICE, &early, "not initialized");
    let price = sqrt_ratio_at(-7).unwrap();
    let (_, events) = chain.run(ALICE, &initialize_call(id.address(), price));
    let initialized = [halves(price), Signed::of_tick(-7).felts()].concat();
    assert_eq!(*event(&events, "Initialize").data, initialized);
    chain.refuses(
        ALICE,
        &initialize_call(id.address(), price),
        "already initialized",
    );
    let (taken, events) = chain.run(ALICE, &mint_call(id.address(), ALICE, bounds, E18));
    let mint = event(&events, "Mint");
    assert_eq!((mint.data.len(), &mint.data[7..]), (11, &taken[..]));
    let sale = sell_call(&id, ETH, U256::from(E18 / 1_000), U256::ONE, BOB);
    let (bought, events) = chain.run(ALICE, &sale);
    let swap = event(&events, "Swap");
    assert_eq!((swap.from, swap.data.len()), (id.address(), 13));
    assert_eq!(swap.data[..2], [ROUTER, BOB]);
    assert_eq!(
        swap.data[2..5],
        [Felt::from(E18 / 1_000), Felt::ZERO, Felt::ZERO]
    );
    assert_eq!(swap.data[5..7], bought);
    assert_eq!(swap.data[7], Felt::ONE);
    let after = snapshot(chain.state(), id.address());
    assert_eq!(swap.data[8..10], halves(after.sqrt_ratio));
    assert_eq!(swap.data[10], Felt::from(after.liquidity));
    assert_eq!(swap.data[11..], Signed::of_tick(after.tick).felts());
    assert_eq!(chain.view(id.address(), "get_tick", &[]), swap.data[11..]);
    assert_eq!(
        chain.view(id.address(), "get_liquidity", &[]),
        swap.data[10..11]
    );
    assert_eq!(
        chain.view(id.address(), "get_sqrt_price_X96", &[]),
        swap.data[8..10]
    );
    let (given, events) = chain.run(ALICE, &burn_call(id.address(), bounds, E18));
    let burn = event(&events, "Burn");
    assert_eq!((burn.data.len(), &burn.data[6..]), (10, &given[..]));
    let before = chain.balance(ETH, BOB);
    let (collected, events) = chain.run(ALICE, &collect_call(id.address(), BOB, bounds));
    assert_eq!(event(&events, "Collect").data.len(), 8);
    assert_eq!(collected[0], given[0]);
    assert_eq!(chain.balance(ETH, BOB) - before, numbers(&given)[0]);
    let nothing = chain.run(ALICE, &collect_call(id.address(), BOB, bounds)).0;
    assert_eq!(nothing, [Felt::ZERO, Felt::ZERO]);
}

#[test]
fn a_pool_refuses_what_it_cannot_do() {
    let id = id();
    let mut chain = test_chain(&id, 0);
    let mint = |bounds, amount| mint_call(id.address(), ALICE, bounds, amount);
    chain.refuses(
        ALICE,
        &mint([60, 0], 1),
        "tick_lower must be less than tick_upper",
    );
    chain.refuses(ALICE, &mint([0, 61], 1), "tick misaligned");
    chain.refuses(ALICE, &mint([-887_280, 60], 1), "tick_lower too low");
    chain.refuses(ALICE, &mint([0, 887_280], 1), "tick_upper too high");
    chain.refuses(ALICE, &mint([0, 60], 0), "amount must be greater than 0");
    chain.refuses(
        ALICE,
        &burn_call(id.address(), [0, 60], 1),
        "u128_sub Overflow",
    );
    chain.run(ALICE, &mint([-6_000, 6_000], E18));
    let greedy = sell_call(&id, ETH, U256::from(1_000), U256::from(1_000), BOB);
    chain.refuses(BOB, &greedy, "too little received");
    let wrong = swap_call(&id, true, Signed::plus(5), sqrt_ratio_at(1).unwrap());
    chain.refuses(BOB, &wrong, "invalid sqrt_price_limit");
    let nothing = swap_call(&id, true, Signed::plus(0), sqrt_ratio_at(-1).unwrap());
    chain.refuses(BOB, &nothing, "amount must be non zero");
}

/// A swap at the pool itself.
fn swap_call(id: &PoolId, falling: bool, amount: Signed, limit: U256) -> Call {
    let [low, high] = halves(U256::from(amount.size));
    let mut calldata = vec![
        BOB,
        Felt::from(falling),
        low,
        high,
        Felt::from(amount.negative),
    ];
    calldata.extend(halves(limit));
    calldata.push(Felt::ZERO);
    call(id.address(), "swap", &calldata)
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Swap {
        falling: bool,
        buy: bool,
        amount: u128,
    },
    Mint {
        lower: i32,
        width: i32,
        liquidity: u128,
    },
    Burn,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let amount = || (0_u32..70, 0_u128..1_000).prop_map(|(bits, more)| (1_u128 << bits) + more);
    let act = prop_oneof![
        4 => (any::<bool>(), any::<bool>(), amount())
            .prop_map(|(falling, buy, amount)| Act::Swap { falling, buy, amount }),
        2 => (-60_i32..60, 1_i32..60, amount())
            .prop_map(|(lower, width, liquidity)| Act::Mint { lower, width, liquidity }),
        1 => Just(Act::Burn),
    ];
    prop::collection::vec(act, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_swap_is_what_the_quoting_side_predicts(
        (fee, spacing) in prop::sample::select(amm::v3::FEE_TIERS.to_vec()),
        start in -9_000_i32..9_000, acts in acts(),
    ) {
        let id = PoolId::new(ETH, DAI, fee);
        let mut chain = test_chain(&id, start);
        let mut model = amm::v3::Pool {
            rules: V3Terms { fee },
            tick_spacing: spacing,
            sqrt_ratio: sqrt_ratio_at(start).unwrap(),
            tick: start,
            liquidity: 0,
            ticks: amm::Ticks::default(),
        };
        let spacing = i32::try_from(spacing).unwrap();
        let totals = [ETH, DAI].map(|token| chain.total(token));
        let mut positions = Vec::new();
        for act in acts {
            match act {
                Act::Mint { lower, width, liquidity } => {
                    let bounds = [lower * spacing, (lower + width) * spacing];
                    chain.run(ALICE, &mint_call(id.address(), ALICE, bounds, liquidity));
                    let change = i128::try_from(liquidity).unwrap();
                    model.update_position(bounds[0], bounds[1], change).unwrap();
                    positions.push((bounds, liquidity));
                }
                Act::Burn => if let Some((bounds, liquidity)) = positions.pop() {
                    chain.run(ALICE, &burn_call(id.address(), bounds, liquidity));
                    chain.run(ALICE, &collect_call(id.address(), ALICE, bounds));
                    let change = -i128::try_from(liquidity).unwrap();
                    model.update_position(bounds[0], bounds[1], change).unwrap();
                },
                Act::Swap { falling, buy, amount } => {
                    let (sold, far) = if falling { (Side::Token0, -300_000) } else { (Side::Token1, 300_000) };
                    let limit = sqrt_ratio_at(far).unwrap();
                    let (signed, named) = if buy {
                        (Signed::minus(amount), Amount::Out(amount))
                    } else {
                        (Signed::plus(amount), Amount::In(amount))
                    };
                    let made = chain.try_run(BOB, &swap_call(&id, falling, signed, limit));
                    match (made, model.swap(sold, named, limit)) {
                        (Ok((_, events)), Ok(predicted)) => {
                            let data = &event(&events, "Swap").data;
                            let amounts = [numbers(&data[2..4])[0], numbers(&data[5..7])[0]];
                            let (took, gave) = sold.of(amounts);
                            prop_assert_eq!(took, U256::from(predicted.sold));
                            prop_assert_eq!(gave, U256::from(predicted.bought));
                            model.apply(&predicted);
                        }
                        (Err(_), Err(_)) => {}
                        (made, predicted) => prop_assert!(false, "{made:?} {predicted:?}"),
                    }
                }
            }
            let after = snapshot(chain.state(), id.address());
            let expected = super::pool::Snapshot {
                sqrt_ratio: model.sqrt_ratio,
                tick: model.tick,
                liquidity: model.liquidity,
            };
            prop_assert_eq!(after, expected);
            prop_assert_eq!(totals, [ETH, DAI].map(|token| chain.total(token)));
        }
    }

    #[test]
    fn there_and_back_never_pays(first: bool, amount in 1_u128..E18 / 10) {
        let id = id();
        let mut chain = test_chain(&id, 0);
        chain.run(ALICE, &mint_call(id.address(), ALICE, [-60_000, 60_000], E18));
        let [sold, bought] = if first { [ETH, DAI] } else { [DAI, ETH] };
        let before = chain.balance(sold, BOB);
        let (got, _) = chain.run(BOB, &sell_call(&id, sold, U256::from(amount), U256::ZERO, BOB));
        let got = numbers(&got)[0];
        if !got.is_zero() {
            chain.run(BOB, &sell_call(&id, bought, got, U256::ZERO, BOB));
        }
        prop_assert!(chain.balance(sold, BOB) <= before);
    }
}
