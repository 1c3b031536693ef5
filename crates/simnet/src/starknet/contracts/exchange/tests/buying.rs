//! An exact amount is bought.

use super::*;

const COLLECTOR: Felt = Felt::from_hex_unchecked("0xfee");
const FRIEND: Felt = Felt::from_hex_unchecked("0xf41e4d");
const RESERVES: [u128; 2] = [1_000 * E18; 2];

/// A chain with a fee recipient, who wants `aim` bps when more is needed.
fn aiming(aim: u128) -> TestChain {
    let mut chain = test_chain();
    chain.run(DEPLOYER, &set_recipient_call(COLLECTOR));
    for call in set_fees_calls([2, 15, aim]) {
        chain.run(DEPLOYER, &call);
    }
    chain
}

fn sale(amount: u128) -> Sale {
    Sale::new(amount, &[plain(&JEDISWAP, [ETH, DAI], WHOLE)])
}

/// What one sale after the other brings.
fn brought(sales: &[U256]) -> Vec<U256> {
    let [mut from, mut to] = RESERVES.map(U256::from);
    let mut all = Vec::new();
    for sold in sales {
        let out = constant_product(*sold, [from, to]);
        (from, to) = (from + *sold, to - out);
        all.push(out);
    }
    all
}

fn up(a: U256, b: U256, c: U256) -> U256 {
    (a * b + c - U256::ONE) / c
}

#[test]
fn enough_at_once_needs_no_more_and_the_surplus_is_the_fee() {
    let mut chain = aiming(5);
    let sale = sale(10 * E18);
    let out = brought(&[sale.amount])[0];
    let wanted = out - U256::from(1_234);
    let most = sale.amount * U256::from(2);
    let got = moved(&mut chain, &sale.buying(wanted, most));
    assert_eq!(got, [sale.amount, wanted]);
    assert_eq!(chain.balance(DAI, COLLECTOR), U256::from(1_234));
    // One route or several: no other fee is taken.
    assert_eq!(chain.balance(ETH, COLLECTOR), U256::ZERO);
    assert_eq!(chain.balance(DAI, EXCHANGE), U256::ZERO);
}

#[test]
fn what_misses_is_bought_in_proportion() {
    let mut chain = aiming(5);
    let sale = sale(10 * E18);
    let first = brought(&[sale.amount])[0];
    let wanted = first + U256::from(E18 / 10);
    let aim = wanted + wanted * U256::from(5) / U256::from(10_000);
    let more = up(sale.amount, aim - first, first);
    let out = brought(&[sale.amount, more]);
    let received = out[0] + out[1];
    assert!(received > wanted, "one top-up is enough here");
    let call = sale.buying(wanted, sale.amount * U256::from(2));
    let before = chain.balance(ETH, BOB);
    let (_, events) = chain.run(BOB, &call);
    assert_eq!(before - chain.balance(ETH, BOB), sale.amount + more);
    assert_eq!(chain.balance(DAI, COLLECTOR), received - wanted);
    let swap = events.iter().find(|event| event.from == EXCHANGE).unwrap();
    assert_eq!(swap.data[2..4], halves(sale.amount + more));
    assert_eq!(swap.data[5..7], halves(wanted));
}

#[test]
fn top_ups_go_on_from_the_last_one() {
    // Without an aim, the worse price of each top-up leaves a little to buy.
    let mut chain = aiming(0);
    let sale = sale(100 * E18);
    let mut sales = vec![sale.amount];
    let wanted = brought(&sales)[0] + U256::from(E18 / 1_000_000);
    loop {
        let out = brought(&sales);
        let received = out.iter().fold(U256::ZERO, |sum, one| sum + *one);
        if received >= wanted {
            break;
        }
        let (last, got) = (*sales.last().unwrap(), *out.last().unwrap());
        sales.push(up(last, wanted - received, got));
    }
    assert_eq!(sales.len(), 4, "three top-ups");
    let all = sales.iter().fold(U256::ZERO, |sum, one| sum + *one);
    // One unit less than what is needed in the end is too little.
    let short = sale.buying(wanted, all - U256::ONE);
    chain.refuses(BOB, &short, "Insufficient token from amount");
    let got = moved(&mut chain, &sale.buying(wanted, all));
    assert_eq!(got, [all, wanted]);
}

#[test]
fn after_three_top_ups_it_is_enough() {
    let mut chain = aiming(0);
    let sale = sale(E18);
    let wanted = e18(400);
    let call = sale.buying(wanted, e18(10_000));
    chain.refuses(BOB, &call, "Too many iterations");
}

#[test]
fn an_integrators_fee_is_on_top_of_what_is_bought() {
    let mut chain = aiming(5);
    let sale = Sale {
        integrator: (50, FRIEND),
        ..sale(10 * E18)
    };
    let out = brought(&[sale.amount])[0];
    let wanted = U256::from(9 * E18 + 1);
    let fee = wanted * U256::from(50) / U256::from(10_000);
    let got = moved(&mut chain, &sale.buying(wanted, sale.amount));
    assert_eq!(got, [sale.amount, wanted]);
    assert_eq!(chain.balance(DAI, FRIEND), fee);
    assert_eq!(chain.balance(DAI, COLLECTOR), out - wanted - fee);
    // The fee is part of what has to be reached.
    let wanted = out - fee + U256::from(2);
    let short = sale.buying(wanted, sale.amount);
    chain.refuses(BOB, &short, "Insufficient token from amount");
}

#[test]
fn an_integrators_fee_is_within_what_is_sold() {
    let mut chain = aiming(5);
    chain.run(DEPLOYER, &set_weight_call(ETH, 1));
    let sale = Sale {
        integrator: (50, FRIEND),
        ..sale(10 * E18)
    };
    let fee = sale.amount * U256::from(50) / U256::from(10_050);
    let out = brought(&[sale.amount - fee])[0];
    let got = moved(&mut chain, &sale.buying(out, sale.amount));
    assert_eq!(got, [sale.amount, out]);
    assert_eq!(chain.balance(ETH, FRIEND), fee);
    assert_eq!(chain.balance(DAI, COLLECTOR), U256::ZERO);
    let short = sale.buying(out + U256::ONE, sale.amount);
    // The pool has changed; a new chain.
    let mut chain = aiming(5);
    chain.run(DEPLOYER, &set_weight_call(ETH, 1));
    chain.refuses(BOB, &short, "Insufficient token from amount");
}

#[test]
fn purchases_are_refused_in_the_public_words() {
    let mut chain = aiming(5);
    let sale = sale(10 * E18);
    let wanted = e18(9);
    let little = sale.buying(wanted, sale.amount - U256::ONE);
    chain.refuses(BOB, &little, "Invalid token from max amount");
    let other = Sale {
        beneficiary: ALICE,
        ..sale.clone()
    };
    let other = other.buying(wanted, sale.amount);
    chain.refuses(BOB, &other, "Beneficiary is not the caller");
    chain.run(DEPLOYER, &set_recipient_call(Felt::ZERO));
    let homeless = sale.buying(wanted, sale.amount);
    chain.refuses(BOB, &homeless, "Fee recipient is empty");
    // A sale that brought nothing has no price.
    let dust = Sale::new(1, &[route([ETH, DAI], &ekubo_leg(WHOLE, FAR))]);
    chain.refuses(BOB, &dust.buying(wanted, sale.amount), "u256 is 0");
    let rest = Sale::new(10 * E18, &[plain(&JEDISWAP, [ETH, DAI], WHOLE / 2)]);
    let exact = brought(&[U256::from(5 * E18)])[0];
    chain.refuses(BOB, &rest.buying(exact, sale.amount), "Residual tokens");
}
