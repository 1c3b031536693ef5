//! Rules of the exchange, and its walks against those of crate `amm`.

use super::*;
use crate::starknet::contracts::erc20::transfer_call;
use crate::starknet::contracts::signed::Signed;
use crate::starknet::contracts::test_chain::{ALICE, BOB, DAI, ETH, TestChain, USDC, call, event};
use crate::starknet::hash::from_felt;
use crate::starknet::network::DEPLOYER;
use crate::starknet::transaction::{Call, Event};
use amm::Side;
use amm::ekubo::{Amount, EkuboTerms, sqrt_ratio_at};
use primitives::U256;
use proptest::prelude::*;

/// 0.3 % as a share of 2^128.
const FEE: u128 = 1_020_847_100_762_815_390_390_123_822_295_304_634;

fn key(tick_spacing: u32) -> PoolKey {
    PoolKey {
        tokens: [ETH, DAI],
        fee: FEE,
        tick_spacing,
        extension: Felt::ZERO,
    }
}

fn test_chain(rounding: Rounding) -> TestChain {
    TestChain::new(|contracts| install(contracts, rounding))
}

/// Opens a position of ALICE with at most these amounts; answers with its
/// number, its liquidity, and what happened.
fn open(
    chain: &mut TestChain,
    key: &PoolKey,
    bounds: [i32; 2],
    amounts: [u128; 2],
) -> (u64, u128, Vec<Event>) {
    for (token, amount) in key.tokens.into_iter().zip(amounts) {
        chain.run(ALICE, &transfer_call(token, POSITIONS, U256::from(amount)));
    }
    let (returned, events) = chain.run(ALICE, &mint_position_call(key, bounds, 0));
    let number = |felt| from_felt(felt);
    (number(returned[0]).to(), number(returned[1]).to(), events)
}

/// Sells as BOB; answers with what he got.
fn sell(
    chain: &mut TestChain,
    hops: &[Hop],
    sold: Felt,
    amount: u128,
) -> Result<Vec<Event>, String> {
    let mut events = Vec::new();
    for call in swap_calls(hops, sold, amount, U256::ZERO) {
        events.extend(chain.try_run(BOB, &call)?.1);
    }
    Ok(events)
}

fn hop(key: PoolKey) -> Hop {
    Hop {
        key,
        limit: U256::ZERO,
    }
}

const E18: u128 = 1_000_000_000_000_000_000;

/// A pool at tick 0 with a position around it.
fn pooled(rounding: Rounding, key: &PoolKey) -> TestChain {
    let mut chain = test_chain(rounding);
    chain.run(ALICE, &initialize_call(key, 0));
    open(
        &mut chain,
        key,
        [-1_000_000, 1_000_000],
        [1_000 * E18, 1_000 * E18],
    );
    chain
}

#[test]
fn a_pool_begins_once_and_with_ordered_tokens() {
    let mut chain = test_chain(Rounding::Older);
    let key = key(1_000);
    let (returned, events) = chain.run(ALICE, &initialize_call(&key, -5));
    let initialized = event(&events, "PoolInitialized");
    assert_eq!((initialized.from, initialized.data.len()), (CORE, 9));
    assert_eq!(initialized.data[..5], key.felts());
    assert_eq!(initialized.data[5..7], [Felt::from(5), Felt::ONE]);
    assert_eq!(initialized.data[7..], returned);
    chain.refuses(ALICE, &initialize_call(&key, 0), "ALREADY_INITIALIZED");
    let maybe = call(
        CORE,
        "maybe_initialize_pool",
        &initialize_call(&key, 0).calldata,
    );
    assert_eq!(chain.run(ALICE, &maybe).0, [Felt::ONE]);
    let turned = PoolKey {
        tokens: [DAI, ETH],
        ..key
    };
    chain.refuses(ALICE, &initialize_call(&turned, 0), "TOKEN_ORDER");
    let wide = PoolKey {
        tick_spacing: 354_893,
        ..key
    };
    chain.refuses(ALICE, &initialize_call(&wide, 0), "TICK_SPACING");
    let far = initialize_call(&PoolKey { fee: 0, ..key }, 88_722_884);
    chain.refuses(ALICE, &far, "TICK_MAGNITUDE");
}

#[test]
fn positions_are_told_and_counted() {
    let key = key(1_000);
    let mut chain = test_chain(Rounding::Older);
    chain.run(ALICE, &initialize_call(&key, 0));
    let before = chain.balance(ETH, ALICE);
    let bounds = [-10_000, 20_000];
    let (id, liquidity, events) = open(&mut chain, &key, bounds, [E18, 2 * E18]);
    let updated = event(&events, "PositionUpdated");
    assert_eq!((updated.from, updated.data.len()), (CORE, 17));
    assert_eq!(updated.data[0], POSITIONS);
    assert_eq!(updated.data[6], Felt::from(id));
    assert_eq!(updated.data[7..11], [10_000, 1, 20_000, 0].map(Felt::from));
    assert_eq!(updated.data[11..13], Signed::plus(liquidity).felts());
    assert_eq!(updated.data[14], Felt::ZERO, "the core takes");
    assert_eq!(
        from_felt(updated.data[13]),
        before - chain.balance(ETH, ALICE)
    );
    let felts = key.felts();
    assert_eq!(
        chain.view(CORE, "get_pool_liquidity", &felts),
        [Felt::from(liquidity)]
    );
    let tick = |chain: &TestChain, tick| {
        let index = Signed::of_tick(tick).felts();
        chain.view(
            CORE,
            "get_pool_tick_liquidity_delta",
            &[&felts[..], &index].concat(),
        )
    };
    assert_eq!(tick(&chain, -10_000), Signed::plus(liquidity).felts());
    assert_eq!(tick(&chain, 20_000), Signed::minus(liquidity).felts());
    assert_eq!(
        chain.view(POSITIONS, "owner_of", &[Felt::from(id)]),
        [ALICE]
    );
    let owned = [
        felts.to_vec(),
        vec![Felt::from(id), POSITIONS],
        updated.data[7..11].to_vec(),
    ]
    .concat();
    assert_eq!(
        chain.view(CORE, "get_position_liquidity", &owned),
        [Felt::from(liquidity)]
    );

    chain.refuses(BOB, &withdraw_call(id, &key, bounds, 1), "UNAUTHORIZED");
    let (_, events) = chain.run(ALICE, &withdraw_call(id, &key, bounds, liquidity));
    let updated = event(&events, "PositionUpdated");
    assert_eq!(updated.data[11..13], Signed::minus(liquidity).felts());
    assert_eq!(updated.data[14], Felt::ONE, "the core gives");
    assert_eq!(chain.view(CORE, "get_pool_liquidity", &felts), [Felt::ZERO]);
    assert_eq!(tick(&chain, 20_000), [Felt::ZERO, Felt::ZERO]);
    // Rounding leaves at most a unit behind.
    assert!(before - chain.balance(ETH, ALICE) <= U256::ONE);
    let gone = withdraw_call(id, &key, bounds, 1);
    chain.refuses(ALICE, &gone, "u128_sub Overflow");
}

#[test]
fn positions_have_bounds() {
    let key = key(1_000);
    let mut chain = test_chain(Rounding::Older);
    let open = |bounds| mint_position_call(&key, bounds, 0);
    chain.refuses(ALICE, &open([0, 1_000]), "NOT_INITIALIZED");
    chain.run(ALICE, &initialize_call(&key, 0));
    chain.refuses(ALICE, &open([1_000, 0]), "BOUNDS_ORDER");
    chain.refuses(ALICE, &open([0, 1_500]), "BOUNDS_TICK_SPACING");
    chain.refuses(ALICE, &open([0, 88_723_000]), "BOUNDS_MAX");
    let greedy = mint_position_call(&key, [0, 1_000], 1);
    chain.refuses(ALICE, &greedy, "MIN_LIQUIDITY");
    let direct = call(CORE, "swap", &[]);
    chain.refuses(ALICE, &direct, "NOT_LOCKED");
}

#[test]
fn a_swap_tells_all_that_a_follower_needs() {
    let key = key(1_000);
    let mut chain = pooled(Rounding::Older, &key);
    let before = chain.balance(DAI, BOB);
    let events = sell(&mut chain, &[hop(key)], ETH, E18).unwrap();
    let swapped = event(&events, "Swapped");
    assert_eq!(
        (swapped.from, swapped.keys.len(), swapped.data.len()),
        (CORE, 1, 21)
    );
    assert_eq!(swapped.data[0], ROUTER);
    assert_eq!(swapped.data[1..6], key.felts());
    assert_eq!(
        swapped.data[6..9],
        [Felt::from(E18), Felt::ZERO, Felt::ZERO]
    );
    assert_eq!(swapped.data[11], Felt::from(100));
    assert_eq!(swapped.data[12..14], [Felt::from(E18), Felt::ZERO]);
    assert_eq!(swapped.data[15], Felt::ONE);
    let bought = chain.balance(DAI, BOB) - before;
    assert_eq!(from_felt(swapped.data[14]), bought);
    // 0.3 % of fee and 1 of about 2,541 of virtual reserves.
    assert!(bought > U256::from(996 * E18 / 1_000) && bought < U256::from(997 * E18 / 1_000));
    let felts = key.felts();
    let snapshot = pool(chain.state(), &key);
    assert_eq!(
        crate::starknet::contract::halves(snapshot.sqrt_ratio),
        swapped.data[16..18]
    );
    assert_eq!(Signed::of_tick(snapshot.tick).felts(), swapped.data[18..20]);
    assert_eq!(Felt::from(snapshot.liquidity), swapped.data[20]);
    assert_eq!(
        chain.view(CORE, "get_pool_price", &felts),
        swapped.data[16..20]
    );
    assert_eq!(
        chain.view(CORE, "get_pool_liquidity", &felts),
        swapped.data[20..]
    );
}

#[test]
fn limits_are_on_the_side_of_the_trade() {
    let key = key(1_000);
    let mut chain = pooled(Rounding::Older, &key);
    let swap = |limit, sold| swap_calls(&[Hop { key, limit }], sold, 5, U256::ZERO)[1].clone();
    chain.refuses(BOB, &swap(MAX_SQRT_RATIO, ETH), "LIMIT_DIRECTION");
    chain.refuses(BOB, &swap(MIN_SQRT_RATIO, DAI), "LIMIT_DIRECTION");
    chain.refuses(BOB, &swap(U256::ONE, ETH), "LIMIT_MAG");
    chain.refuses(BOB, &swap(U256::ZERO, USDC), "INVALID_TOKEN");
    // The router has nothing to pay with.
    chain.refuses(BOB, &swap(U256::ZERO, ETH), "ERC20: insufficient balance");
    // What the limit leaves unsold can be cleared.
    let limit = sqrt_ratio_at(-500).unwrap();
    let events = sell(&mut chain, &[Hop { key, limit }], ETH, 1_000 * E18).unwrap();
    let swapped = event(&events, "Swapped");
    assert_eq!(
        swapped.data[16..18],
        crate::starknet::contract::halves(limit)
    );
    let left = chain.balance(ETH, ROUTER);
    assert_eq!(U256::from(1_000 * E18) - left, from_felt(swapped.data[12]));
    let before = chain.balance(ETH, BOB);
    let least = crate::starknet::contract::halves(left + U256::ONE);
    let greedy = call(ROUTER, "clear_minimum", &[ETH, least[0], least[1]]);
    chain.refuses(BOB, &greedy, "CLEAR_AT_LEAST_MINIMUM");
    chain.run(BOB, &call(ROUTER, "clear", &[ETH]));
    assert_eq!(chain.balance(ETH, BOB) - before, left);
}

/// The call of a swap by the router without payment.
fn order(key: &PoolKey, token: Felt, amount: Signed) -> Call {
    let mut swap = swap_calls(&[hop(*key)], token, 0, U256::ZERO)[1].clone();
    let place = swap.calldata.len() - 2;
    swap.calldata.splice(place.., amount.felts());
    swap
}

#[test]
fn an_exact_purchase_gives_what_it_says() {
    let key = key(1_000);
    let mut chain = pooled(Rounding::Exact, &key);
    let purchase = order(&key, DAI, Signed::minus(E18));
    let quote = Call {
        selector: primitives::selector("quote_swap"),
        ..purchase.clone()
    };
    let quoted = chain.run(BOB, &quote).0;
    assert_eq!(quoted[2..], Signed::minus(E18).felts());
    assert_eq!(quoted[1], Felt::ZERO);
    chain.run(BOB, &transfer_call(ETH, ROUTER, from_felt(quoted[0])));
    assert_eq!(chain.run(BOB, &purchase).0, quoted);
    assert_eq!(chain.balance(ETH, ROUTER), U256::ZERO);
    assert_eq!(chain.balance(DAI, ROUTER), U256::from(E18));
}

#[test]
fn routes_pass_several_pools() {
    let first = key(1_000);
    let second = PoolKey {
        tokens: [USDC, DAI],
        extension: ORACLE,
        fee: 0,
        tick_spacing: 354_892,
    };
    let mut chain = pooled(Rounding::Older, &first);
    chain.run(ALICE, &initialize_call(&second, 0));
    open(
        &mut chain,
        &second,
        [-88_722_000 / 354_892 * 354_892, 354_892 * 249],
        [E18, E18],
    );
    let before = chain.balance(USDC, BOB);
    let events = sell(&mut chain, &[hop(first), hop(second)], ETH, E18 / 1_000).unwrap();
    let swaps = events.iter().filter(|event| event.data.len() == 21).count();
    assert_eq!(swaps, 2);
    assert!(chain.balance(USDC, BOB) > before);
    let mut many = swap_calls(&[hop(first), hop(second)], ETH, 10, U256::ZERO);
    chain.run(BOB, &many[0]);
    many[1].selector = primitives::selector("multi_multihop_swap");
    many[1].calldata.insert(0, Felt::ONE);
    let (returned, _) = chain.run(BOB, &many[1]);
    assert_eq!(returned[..2], [Felt::ONE, Felt::TWO]);
    assert_eq!(returned.len(), 2 + 2 * 4);
}

#[test]
fn only_the_owner_upgrades_and_only_to_a_core() {
    let key = key(1_000);
    let mut chain = pooled(Rounding::Older, &key);
    let [older, exact] = [Rounding::Older, Rounding::Exact].map(core_class_hash);
    assert_ne!(older, exact);
    let upgrade = |class| call(CORE, "replace_class_hash", &[class]);
    chain.refuses(BOB, &upgrade(exact), "OWNER_ONLY");
    chain.refuses(DEPLOYER, &upgrade(Felt::ONE), "INVALID_CLASS_HASH");
    let (_, events) = chain.run(DEPLOYER, &upgrade(exact));
    assert_eq!(*event(&events, "ClassHashReplaced").data, [exact]);
    let class = chain.read(&crate::starknet::state::Key::class_hash(CORE));
    assert_eq!(class, from_felt(exact));
    sell(&mut chain, &[hop(key)], ETH, E18).unwrap();
}

#[test]
fn ticks_are_found_word_by_word() {
    let key = key(10);
    let mut chain = test_chain(Rounding::Older);
    chain.run(ALICE, &initialize_call(&key, 0));
    open(&mut chain, &key, [-50_000, 30_000], [E18, E18]);
    let search = |name: &str, from, skip_ahead: u32| {
        let mut felts = key.felts().to_vec();
        felts.extend(Signed::of_tick(from).felts());
        felts.push(Felt::from(skip_ahead));
        chain.view(CORE, name, &felts)
    };
    let tick = |tick: i32, found: bool| {
        let mut felts = Signed::of_tick(tick).felts().to_vec();
        felts.push(Felt::from(found));
        felts
    };
    // Words are 2,510 ticks wide here; 30,000 is in the twelfth.
    assert_eq!(search("next_initialized_tick", 0, 0), tick(2_500, false));
    assert_eq!(search("next_initialized_tick", 0, 10), tick(27_600, false));
    assert_eq!(search("next_initialized_tick", 0, 11), tick(30_000, true));
    assert_eq!(
        search("next_initialized_tick", 30_000, 0),
        tick(30_110, false)
    );
    assert_eq!(search("prev_initialized_tick", 0, 0), tick(0, false));
    assert_eq!(search("prev_initialized_tick", -1, 0), tick(-2_510, false));
    assert_eq!(
        search("prev_initialized_tick", -50_000, 0),
        tick(-50_000, true)
    );
    assert_eq!(search("prev_initialized_tick", 0, 100), tick(-50_000, true));
    assert_eq!(
        search("next_initialized_tick", 88_722_000, 5),
        tick(88_722_883, false)
    );
    assert_eq!(
        search("prev_initialized_tick", -88_722_000, 5),
        tick(-88_722_883, false)
    );
}

/// What crate `amm` calls a rounding.
fn predicted(rounding: Rounding) -> amm::ekubo::Rounding {
    match rounding {
        Rounding::Older => amm::ekubo::Rounding::Older,
        Rounding::Exact => amm::ekubo::Rounding::Exact,
    }
}

fn roundings() -> impl Strategy<Value = Rounding> {
    prop::sample::select(vec![Rounding::Older, Rounding::Exact])
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Swap {
        first: bool,
        buy: bool,
        amount: u128,
        skip_ahead: u128,
    },
    Open {
        lower: i32,
        width: i32,
        amount: u128,
    },
    Close,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let amount = || (0_u32..75, 0_u128..1_000).prop_map(|(bits, more)| (1_u128 << bits) + more);
    let act = prop_oneof![
        4 => (any::<bool>(), any::<bool>(), amount(), 0_u128..120).prop_map(
            |(first, buy, amount, skip_ahead)| Act::Swap { first, buy, amount, skip_ahead }),
        2 => (-60_i32..60, 1_i32..60, amount()).prop_map(
            |(lower, width, amount)| Act::Open { lower, width, amount }),
        1 => Just(Act::Close),
    ];
    prop::collection::vec(act, 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// The contract's own loop over its bitmap, and the sorted ticks of crate
    /// `amm`, are two ways to the same amounts.
    #[test]
    fn every_swap_is_what_the_quoting_side_predicts(
        rounding in roundings(), spacing in prop::sample::select(vec![1_u32, 50, 1_000, 20_000]),
        start in -2_000_i32..2_000, acts in acts(),
    ) {
        let key = key(spacing);
        let mut chain = test_chain(rounding);
        let spaced = |unit: i32| unit * i32::try_from(spacing).unwrap();
        let tick = start * 10;
        chain.run(ALICE, &initialize_call(&key, tick));
        let mut model = amm::ekubo::Pool {
            rules: EkuboTerms { fee: FEE, rounding: predicted(rounding) },
            tick_spacing: spacing,
            sqrt_ratio: sqrt_ratio_at(tick).unwrap(),
            tick,
            liquidity: 0,
            ticks: amm::Ticks::default(),
        };
        let totals = [ETH, DAI].map(|token| chain.total(token));
        let mut positions = Vec::new();
        for token in [ETH, DAI] {
            chain.run(BOB, &transfer_call(token, ROUTER, U256::from(1) << 110_usize));
        }
        for act in acts {
            match act {
                Act::Open { lower, width, amount } => {
                    let bounds = [spaced(lower), spaced(lower + width)];
                    let (id, liquidity, _) = open(&mut chain, &key, bounds, [amount, amount]);
                    model.update_position(bounds[0], bounds[1], i128::try_from(liquidity).unwrap()).unwrap();
                    positions.push((id, bounds, liquidity));
                }
                Act::Close => if let Some((id, bounds, liquidity)) = positions.pop() {
                    chain.run(ALICE, &withdraw_call(id, &key, bounds, liquidity));
                    model.update_position(bounds[0], bounds[1], -i128::try_from(liquidity).unwrap()).unwrap();
                },
                Act::Swap { first, buy, amount, skip_ahead } => {
                    let token = if first { ETH } else { DAI };
                    // Buying the second token sells the first one.
                    let sold = if first == buy { Side::Token1 } else { Side::Token0 };
                    let limit = match sold {
                        Side::Token0 => sqrt_ratio_at(-3_000_000).unwrap(),
                        Side::Token1 => sqrt_ratio_at(3_000_000).unwrap(),
                    };
                    let (signed, named) = if buy {
                        (Signed::minus(amount), Amount::Out(amount))
                    } else {
                        (Signed::plus(amount), Amount::In(amount))
                    };
                    let mut swap = order(&key, token, signed);
                    swap.calldata.splice(5..7, crate::starknet::contract::halves(limit));
                    swap.calldata[7] = Felt::from(skip_ahead);
                    let predicted = model.swap(sold, named, limit, skip_ahead);
                    match (chain.try_run(BOB, &swap), predicted) {
                        (Ok((_, events)), Ok(predicted)) => {
                            let data = &event(&events, "Swapped").data;
                            let moved = [12, 14].map(|place| from_felt(data[place]));
                            let (took, gave) = sold.of(moved);
                            prop_assert_eq!(took, U256::from(predicted.sold));
                            prop_assert_eq!(gave, U256::from(predicted.bought));
                            model.apply(&predicted);
                        }
                        (Err(_), Err(_)) => {}
                        (made, predicted) => prop_assert!(false, "{made:?} {predicted:?}"),
                    }
                }
            }
            let felts = key.felts();
            let price = chain.view(CORE, "get_pool_price", &felts);
            prop_assert_eq!(&price[..2], &crate::starknet::contract::halves(model.sqrt_ratio));
            prop_assert_eq!(&price[2..], &Signed::of_tick(model.tick).felts());
            let liquidity = chain.view(CORE, "get_pool_liquidity", &felts);
            prop_assert_eq!(liquidity, vec![Felt::from(model.liquidity)]);
            prop_assert_eq!(totals, [ETH, DAI].map(|token| chain.total(token)));
        }
    }

    #[test]
    fn there_and_back_never_pays(
        rounding in roundings(), first: bool, amount in 1_u128..200 * E18,
    ) {
        let key = key(1_000);
        let mut chain = pooled(rounding, &key);
        let [sold, bought] = if first { [ETH, DAI] } else { [DAI, ETH] };
        let before = [sold, bought].map(|token| chain.balance(token, BOB));
        sell(&mut chain, &[hop(key)], sold, amount).unwrap();
        let got = u128::try_from(chain.balance(bought, BOB) - before[1]).unwrap();
        if got > 0 {
            sell(&mut chain, &[hop(key)], bought, got).unwrap();
        }
        prop_assert!(chain.balance(sold, BOB) <= before[0]);
        prop_assert_eq!(chain.balance(bought, BOB), before[1]);
    }

    #[test]
    fn a_position_gives_back_at_most_what_it_took(
        start in -9_000_i32..9_000, lower in -20_i32..20, width in 1_i32..20, amounts in [1_u128..1 << 90, 1_u128..1 << 90],
    ) {
        let key = key(500);
        let mut chain = test_chain(Rounding::Older);
        chain.run(ALICE, &initialize_call(&key, start));
        let before = [ETH, DAI].map(|token| chain.balance(token, ALICE));
        let bounds = [lower * 500, (lower + width) * 500];
        let (id, liquidity, _) = open(&mut chain, &key, bounds, amounts);
        chain.run(ALICE, &withdraw_call(id, &key, bounds, liquidity));
        let after = [ETH, DAI].map(|token| chain.balance(token, ALICE));
        for (before, after) in before.into_iter().zip(after) {
            prop_assert!(after <= before && before - after <= U256::ONE);
        }
    }
}
