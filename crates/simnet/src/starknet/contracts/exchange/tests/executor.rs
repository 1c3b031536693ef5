//! The executor trades in its own name and keeps nothing.

use super::*;
use crate::starknet::contracts::erc20::approve_call;
use crate::starknet::transaction::execute_calldata;

const NOTE: Felt = Felt::from_hex_unchecked("0x40e");

fn invoke(calls: &[Call]) -> Call {
    let calls = execute_calldata(calls);
    let calldata = [vec![DAI], calls, vec![NOTE]].concat();
    call(EXECUTOR, "privacy_invoke", &calldata)
}

#[test]
fn what_is_bought_goes_to_whoever_asked() {
    let mut chain = test_chain();
    let sale = Sale {
        beneficiary: EXECUTOR,
        ..Sale::new(E18, &[plain(&JEDISWAP, [ETH, DAI], WHOLE)])
    };
    let calls = [approve_call(ETH, EXCHANGE, sale.amount), sale.call()];
    chain.refuses(BOB, &invoke(&calls), "Token from balance is too low");
    chain.run(BOB, &transfer_call(ETH, EXECUTOR, sale.amount));
    let before = chain.balance(DAI, BOB);
    let (returned, events) = chain.run(BOB, &invoke(&calls));
    let expected = constant_product(sale.amount, [e18(1_000); 2]);
    assert_eq!(numbers(&returned), [expected]);
    assert_eq!(chain.balance(DAI, BOB) - before, expected);
    let told = event(&events, "PrivateSwap");
    assert_eq!(
        (told.from, told.keys[1], told.data[0]),
        (EXECUTOR, NOTE, DAI)
    );
    assert_eq!(told.data[1..], halves(expected));
    for token in [ETH, DAI] {
        assert_eq!(chain.balance(token, EXECUTOR), U256::ZERO);
    }
}

#[test]
fn calls_that_bring_nothing_are_refused() {
    let mut chain = test_chain();
    chain.refuses(BOB, &invoke(&[]), "Nothing was bought");
    let failing = transfer_call(ETH, BOB, U256::ONE);
    let failure = chain.try_run(BOB, &invoke(&[failing])).unwrap_err();
    assert!(failure.ends_with("insufficient balance"), "{failure}");
}
