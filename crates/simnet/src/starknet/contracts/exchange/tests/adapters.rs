//! Trades through the exchange are those of the venues' own routers.

use super::*;
use crate::starknet::contracts::erc20::approve_call;
use crate::starknet::contracts::pairs::Swap;

/// What BOB gets for ETH at a venue itself.
fn directly(venue: &'static Venue, id: PairId, amount: u128) -> U256 {
    let mut chain = test_chain();
    chain.approve(BOB, venue.rules.router, &[ETH]);
    let swap = Swap {
        sold: ETH,
        pairs: &[venue.known(id)],
        to: BOB,
    };
    let sale = venue.rules.sell_call(&swap, U256::from(amount), U256::ZERO);
    moved(&mut chain, &sale)[1]
}

#[test]
fn pairs_pay_what_their_routers_pay() {
    let nostra = NOSTRA.known(pair(&NOSTRA, [ETH, DAI])).address;
    let tokens = [ETH, DAI];
    let cases: [(&'static Venue, bool, &[Felt]); 7] = [
        (&JEDISWAP, false, &[]),
        (&TEN_K_SWAP, false, &[]),
        (&SITHSWAP, false, &[Felt::ZERO]),
        (&SITHSWAP, true, &[Felt::ONE]),
        (&STARKDEFI, false, &[Felt::ZERO, Felt::ZERO]),
        (&STARKDEFI, true, &[Felt::ONE, Felt::ZERO]),
        (&NOSTRA, false, &[nostra]),
    ];
    let amount = 7 * E18 + 12_345;
    for (venue, stable, params) in cases {
        let through = leg(venue.rules.router, WHOLE, params);
        let sale = Sale::new(amount, &[route(tokens, &through)]);
        let bought = bought(&mut test_chain(), &sale);
        let id = pair(venue, tokens).stable(stable);
        assert_eq!(bought, directly(venue, id, amount), "{venue:?} {stable}");
        assert!(!bought.is_zero());
    }
}

#[test]
fn my_swap_pays_what_it_pays_directly() {
    let amount = 7 * E18 + 12_345;
    let mut direct = test_chain();
    let most = approve_call(ETH, my_swap::MY_SWAP, U256::MAX);
    direct.run(BOB, &most);
    let swap = my_swap::swap_call(1, ETH, U256::from(amount), U256::ZERO);
    let [_, expected] = moved(&mut direct, &swap);
    let through = leg(my_swap::MY_SWAP, WHOLE, &[Felt::ONE]);
    let sale = Sale::new(amount, &[route([ETH, DAI], &through)]);
    assert_eq!(bought(&mut test_chain(), &sale), expected);
}

#[test]
fn a_vault_mints_what_it_mints_directly() {
    let amount = 7 * E18 + 12_345;
    let mut direct = test_chain();
    direct.approve(BOB, STAKED_STRK, &[ETH]);
    direct.run(BOB, &deposit_call(STAKED_STRK, U256::from(amount), BOB));
    let expected = direct.balance(STAKED_STRK, BOB);
    assert!(!expected.is_zero() && expected < U256::from(amount));
    let mut chain = test_chain();
    let through = leg(STAKED_STRK, WHOLE, &[]);
    let sale = Sale {
        bought: STAKED_STRK,
        ..Sale::new(amount, &[route([ETH, STAKED_STRK], &through)])
    };
    chain.run(BOB, &sale.call());
    assert_eq!(chain.balance(STAKED_STRK, BOB), expected);
}

/// What BOB gets for ETH at Ekubo itself.
fn at_ekubo(amount: u128) -> U256 {
    let mut chain = test_chain();
    let before = chain.balance(DAI, BOB);
    let hop = ekubo::Hop {
        key: ekubo_key(),
        limit: U256::ZERO,
    };
    for call in ekubo::swap_calls(&[hop], ETH, amount, U256::ZERO) {
        chain.run(BOB, &call);
    }
    chain.balance(DAI, BOB) - before
}

#[test]
fn ekubo_pays_what_its_router_pays() {
    // The second amount leaves the narrow position behind.
    for amount in [7 * E18 + 12_345, 1_500 * E18] {
        let sale = Sale::new(amount, &[route([ETH, DAI], &ekubo_leg(WHOLE, FAR))]);
        assert_eq!(bought(&mut test_chain(), &sale), at_ekubo(amount));
    }
}

#[test]
fn what_a_limit_leaves_unsold_stays_in_the_router() {
    let mut chain = test_chain();
    let near = Felt::from(1_u128 << 110);
    let sale = Sale::new(500 * E18, &[route([ETH, DAI], &ekubo_leg(WHOLE, near))]);
    let (_, events) = {
        let call = sale.call();
        chain.run(BOB, &call)
    };
    let swapped = event(&events, "Swapped");
    let used = crate::starknet::hash::from_felt(swapped.data[12]);
    assert!(used < sale.amount && !used.is_zero());
    // The limit was as far from one as the route said.
    let limit = (U256::ONE << 128_usize) - (U256::ONE << 110_usize);
    assert_eq!(swapped.data[9..11], halves(limit));
    assert_eq!(swapped.data[11], Felt::from(100));
    assert_eq!(chain.balance(ETH, ekubo::ROUTER), sale.amount - used);
    assert_eq!(chain.balance(DAI, ekubo::ROUTER), U256::ZERO);
    assert_eq!(chain.balance(ETH, EXCHANGE), U256::ZERO);
}

#[test]
fn limits_end_at_the_last_prices() {
    let mut chain = test_chain();
    let lowest = Sale::new(1_000, &[route([ETH, DAI], &ekubo_leg(WHOLE, FAR))]);
    let (_, events) = chain.run(BOB, &lowest.call());
    let limit = &event(&events, "Swapped").data[9..11];
    assert_eq!(*limit, halves(amm::ekubo::MIN_SQRT_RATIO));
    // The other way: DAI for ETH.
    let mut highest = lowest.call();
    (highest.calldata[0], highest.calldata[3]) = (DAI, ETH);
    let routes = highest.calldata.len() - 11;
    highest.calldata.swap(routes, routes + 1);
    let (_, events) = chain.run(BOB, &highest);
    let limit = &event(&events, "Swapped").data[9..11];
    assert_eq!(*limit, halves(amm::ekubo::MAX_SQRT_RATIO));
}

#[test]
fn ekubo_takes_amounts_of_128_bits() {
    let mut chain = test_chain();
    let mut sale = Sale::new(0, &[route([ETH, DAI], &ekubo_leg(WHOLE, FAR))]);
    sale.amount = U256::ONE << 128_usize;
    let much = crate::starknet::contracts::erc20::mint_call(ETH, BOB, sale.amount);
    chain.run(DEPLOYER, &much);
    chain.refuses(BOB, &sale.call(), "Overflow: Unsupported amount");
}

#[test]
fn adapters_take_exactly_their_parameters() {
    let mut chain = test_chain();
    let venues: [(Felt, usize); 7] = [
        (JEDISWAP.rules.router, 0),
        (TEN_K_SWAP.rules.router, 0),
        (SITHSWAP.rules.router, 1),
        (STARKDEFI.rules.router, 2),
        (NOSTRA.rules.router, 1),
        (my_swap::MY_SWAP, 1),
        (ekubo::CORE, 6),
    ];
    for (exchange, count) in venues {
        for given in (0..8).filter(|given| *given != count) {
            let params = vec![Felt::ONE; given];
            let sale = Sale::new(1_000, &[route([ETH, DAI], &leg(exchange, WHOLE, &params))]);
            chain.refuses(BOB, &sale.call(), "Invalid swap params");
        }
    }
}
