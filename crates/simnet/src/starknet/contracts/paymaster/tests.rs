//! What the forwarder takes, from whom, and for whom.

use super::forwarder::{FORWARDER, first_state};
use super::pool::PRIVACY_POOL;
use super::*;
use crate::starknet::contract::{Contract as _, halves};
use crate::starknet::contracts::account::Account;
use crate::starknet::contracts::account::outside::{OutsideExecution, OutsideVersion};
use crate::starknet::contracts::deployer;
use crate::starknet::contracts::erc20::transfer_call;
use crate::starknet::contracts::test_chain::{ALICE, BOB, ETH, TestChain, USDC, call, event};
use crate::starknet::hash::contract_address;
use crate::starknet::transaction::Call;
use crate::starknet::wallet::Wallet;
use primitives::{Felt, U256};

const TANK: Felt = Felt::from_hex_unchecked("0x7a9c");
const NOW: u64 = 1_800_000_000;

/// A chain on which Alice relays, and a user's account with 1000 USDC.
fn test_chain() -> (TestChain, Wallet) {
    let mut chain = TestChain::new(|contracts| {
        deployer::install(contracts);
        install(contracts);
        contracts.declare(Arc::new(Account::Both));
    });
    for (key, value) in first_state(&[ALICE], TANK) {
        chain.write(key, value);
    }
    let wallet = Wallet::fresh(7);
    let (class_hash, key) = (Account::Both.class().hash, wallet.public_key());
    let deployment = [class_hash, key, Felt::ZERO, Felt::ONE, key];
    chain.run(
        ALICE,
        &call(deployer::MODERN, "deploy_contract", &deployment),
    );
    let address = contract_address(key, class_hash, &[key]);
    chain.run(ALICE, &transfer_call(USDC, address, U256::from(1_000)));
    chain.time = NOW;
    (chain, Wallet { address, ..wallet })
}

/// The user pays Bob 5, and the forwarder 30.
fn signed(wallet: &Wallet) -> Call {
    let calls = vec![
        transfer_call(USDC, BOB, U256::from(5)),
        transfer_call(USDC, FORWARDER, U256::from(30)),
    ];
    let execution = OutsideExecution {
        caller: FORWARDER,
        nonce: Felt::ONE,
        execute_after: NOW - 1,
        execute_before: NOW + 60,
        calls,
    };
    wallet.outside(OutsideVersion::Two, &execution)
}

fn forwarding(name: &str, signed: &Call, rest: &[Felt]) -> Call {
    let mut calldata = vec![
        signed.to,
        signed.selector,
        Felt::from(signed.calldata.len()),
    ];
    calldata.extend(&signed.calldata);
    calldata.extend(rest);
    call(FORWARDER, name, &calldata)
}

fn paid(signed: &Call, amount: u64) -> Call {
    let [low, high] = halves(U256::from(amount));
    forwarding("execute", signed, &[USDC, low, high])
}

#[test]
fn a_relayer_takes_its_fee_and_the_user_gets_the_rest_back() {
    let (mut chain, wallet) = test_chain();
    chain.run(ALICE, &paid(&signed(&wallet), 12));
    let balance = |who| chain.balance(USDC, who);
    assert_eq!(balance(TANK), U256::from(12));
    assert_eq!(balance(wallet.address), U256::from(1_000 - 5 - 12));
    assert_eq!(balance(FORWARDER), U256::ZERO);
}

#[test]
fn nobody_else_forwards_and_no_more_is_taken_than_was_signed() {
    let (mut chain, wallet) = test_chain();
    let signed = signed(&wallet);
    chain.refuses(BOB, &paid(&signed, 12), "Caller is not whitelisted");
    chain.refuses(ALICE, &paid(&signed, 31), "Gas fees are not paid");
    chain.run(ALICE, &paid(&signed, 30));
    assert_eq!(chain.balance(USDC, TANK), U256::from(30));
    assert_eq!(chain.view(FORWARDER, "get_gas_fees_recipient", &[]), [TANK]);
}

#[test]
fn a_sponsored_transaction_names_its_user_and_its_sponsor() {
    let (mut chain, wallet) = test_chain();
    let metadata = [Felt::TWO, Felt::from(7), Felt::from(8)];
    let forwarding = forwarding("execute_sponsored", &signed(&wallet), &metadata);
    let (_, events) = chain.run(ALICE, &forwarding);
    let told = event(&events, "SponsoredTransaction");
    let mut expected = vec![wallet.address];
    expected.extend(metadata);
    assert_eq!(*told.data, expected);
}

#[test]
fn a_pool_keeps_deposits_and_says_what_it_takes() {
    let (mut chain, _) = test_chain();
    chain.approve(ALICE, PRIVACY_POOL, &[ETH]);
    let [low, high] = halves(U256::from(500));
    chain.run(ALICE, &call(PRIVACY_POOL, "deposit", &[ETH, low, high]));
    assert_eq!(chain.balance(ETH, PRIVACY_POOL), U256::from(500));
    let fee = chain.view(PRIVACY_POOL, "get_fee_amount", &[]);
    assert_eq!(fee, [Felt::from(100_000_000_000_000_000_u64)]);
}

#[test]
fn the_factory_deploys_accounts_whose_owners_signed_for_it() {
    let (mut chain, _) = test_chain();
    let owner = Wallet::fresh(8);
    let (class_hash, key) = (Account::Both.class().hash, owner.public_key());
    let address = contract_address(key, class_hash, &[key]);
    let deployment = |hash: Felt| {
        let mut arguments = vec![class_hash, key, Felt::ONE, key, Felt::TWO];
        arguments.extend(owner.sign(hash));
        call(ACCOUNT_FACTORY, "deploy_account", &arguments)
    };
    let words = "Factory: the owners did not sign";
    chain.refuses(BOB, &deployment(Felt::ONE), words);
    let hash = starknet_crypto::pedersen_hash(&address, &class_hash);
    let (returned, _) = chain.run(BOB, &deployment(hash));
    assert_eq!(returned, [address]);
    assert_eq!(chain.view(address, "get_public_key", &[]), [key]);
}
