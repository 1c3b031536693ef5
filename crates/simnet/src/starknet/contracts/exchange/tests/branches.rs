//! Alternatives are taken as far as they are better.

use super::*;

/// A branch as calldata.
fn branch(principal: &[Felt], alternatives: &[Vec<Felt>]) -> Vec<Felt> {
    let marker = primitives::short_string("branch");
    let mut felts = vec![ETH, DAI, marker];
    felts.extend(principal);
    felts.push(Felt::from(alternatives.len()));
    felts.extend(alternatives.concat());
    felts
}

fn told(chain: &mut TestChain, sale: &Sale) -> Vec<U256> {
    let (_, events) = chain.run(BOB, &sale.call());
    let key = primitives::selector("OptimizedSwap");
    let told = events.iter().filter(|event| event.keys[0] == key);
    told.map(|event| {
        assert_eq!(event.data[..2], [ETH, DAI]);
        numbers(&event.data[3..])[0]
    })
    .collect()
}

/// Another pool of the same tokens with a fee of nothing, half as deep.
fn with_a_cheaper_pool() -> TestChain {
    let mut chain = test_chain();
    let key = PoolKey {
        fee: 0,
        ..ekubo_key()
    };
    chain.run(ALICE, &initialize_call(&key, 0));
    for token in key.tokens {
        chain.run(ALICE, &transfer_call(token, ekubo::POSITIONS, e18(500)));
    }
    chain.run(ALICE, &mint_position_call(&key, [-1_000_000, 1_000_000], 0));
    chain
}

fn cheaper_leg(percent: u128) -> Vec<Felt> {
    let mut leg = ekubo_leg(percent, FAR);
    leg[5] = Felt::ZERO;
    leg
}

#[test]
fn a_better_alternative_takes_its_share_of_what_is_left() {
    let mut chain = with_a_cheaper_pool();
    let half = WHOLE / 2;
    let alternatives = [cheaper_leg(half), cheaper_leg(half)];
    let sale = Sale::new(1_001, &[branch(&ekubo_leg(WHOLE, FAR), &alternatives)]);
    let before = chain.balance(ETH, ekubo::CORE);
    assert_eq!(told(&mut chain, &sale), [500, 250].map(U256::from));
    assert_eq!(chain.balance(ETH, ekubo::CORE) - before, sale.amount);
}

#[test]
fn a_large_alternative_shrinks_by_tenths_until_it_is_better() {
    let mut chain = with_a_cheaper_pool();
    // The thinner pool is better for less than about 3.8 ETH.
    let amount = 9 * E18 / 2;
    let route = branch(&ekubo_leg(WHOLE, FAR), &[cheaper_leg(WHOLE)]);
    let third = amount / 100 * 81;
    assert_eq!(
        told(&mut chain, &Sale::new(amount, std::slice::from_ref(&route))),
        [U256::from(third)]
    );
    // After five tries it is still too much.
    let mut chain = with_a_cheaper_pool();
    assert!(told(&mut chain, &Sale::new(2 * amount, &[route])).is_empty());
}

#[test]
fn an_alternative_that_is_no_better_is_left_alone() {
    let plainly = Sale::new(E18, &[route([ETH, DAI], &ekubo_leg(WHOLE, FAR))]);
    let expected = bought(&mut test_chain(), &plainly);
    let silent = leg(my_swap::MY_SWAP, WHOLE, &[Felt::ONE]);
    for alternative in [ekubo_leg(WHOLE, FAR), silent] {
        let sale = Sale::new(E18, &[branch(&ekubo_leg(WHOLE, FAR), &[alternative])]);
        let mut chain = test_chain();
        assert_eq!(bought(&mut chain, &sale), expected);
    }
}

#[test]
fn adapters_that_repeat_the_amount_look_like_a_price_of_one() {
    // JediSwap's pool pays less than Ekubo's, but says one for one.
    let repeated = leg(JEDISWAP.rules.router, WHOLE / 2, &[]);
    let sale = Sale::new(E18, &[branch(&ekubo_leg(WHOLE, FAR), &[repeated])]);
    assert_eq!(told(&mut test_chain(), &sale), [U256::from(E18 / 2)]);
    // A silent principal loses against anybody.
    let silent = leg(TEN_K_SWAP.rules.router, WHOLE, &[]);
    let other = leg(my_swap::MY_SWAP, WHOLE / 4, &[Felt::ONE]);
    let sale = Sale::new(E18, &[branch(&silent, &[other])]);
    assert_eq!(told(&mut test_chain(), &sale), [U256::from(E18 / 4)]);
}

#[test]
fn branches_are_checked_like_routes() {
    let mut chain = test_chain();
    let principal = ekubo_leg(WHOLE, FAR);
    let refused = [
        (branch(&ekubo_leg(0, FAR), &[]), "Invalid route percent"),
        (
            branch(&principal, &[cheaper_leg(WHOLE + 1)]),
            "Invalid route percent",
        ),
        (
            branch(&principal, &[leg(ALICE, WHOLE, &[])]),
            "Unknown exchange",
        ),
        (branch(&leg(ALICE, WHOLE, &[]), &[]), "Unknown exchange"),
        (
            branch(&principal, &[leg(ekubo::CORE, WHOLE, &[])]),
            "Invalid swap params",
        ),
    ];
    for (route, words) in refused {
        chain.refuses(BOB, &Sale::new(E18, &[route]).call(), words);
    }
    let alone = Sale::new(E18, &[branch(&principal, &[])]);
    assert!(!bought(&mut chain, &alone).is_zero());
}
