//! What accounts let others do in their name, and when.

use super::*;
use crate::starknet::contract::Contract as _;
use crate::starknet::contracts::deployer;
use crate::starknet::contracts::erc20::transfer_call;
use crate::starknet::contracts::test_chain::{ALICE, BOB, ETH, TestChain, call};
use crate::starknet::hash::contract_address;
use crate::starknet::wallet::{Wallet, outside_call};
use primitives::{felt_to_hex, selector};
use std::sync::Arc;

const NOW: u64 = 1_800_000_000;
const GIFT: u64 = 5;

/// A chain with an account of each class, and tokens in each of them.
fn test_chain() -> (TestChain, [Wallet; 3]) {
    let classes = || [Account::Both, Account::OnlyFirst, Account::Neither];
    let mut chain = TestChain::new(|contracts| {
        deployer::install(contracts);
        for class in classes() {
            contracts.declare(Arc::new(class));
        }
    });
    let wallets = classes().map(|class| {
        let wallet = Wallet::fresh(77);
        let (class_hash, key) = (class.class().hash, wallet.public_key());
        let deployment = [class_hash, key, Felt::ZERO, Felt::ONE, key];
        chain.run(
            ALICE,
            &call(deployer::MODERN, "deploy_contract", &deployment),
        );
        let address = contract_address(key, class_hash, &[key]);
        chain.run(ALICE, &transfer_call(ETH, address, U256::from(1_000)));
        Wallet { address, ..wallet }
    });
    chain.time = NOW;
    (chain, wallets)
}

/// Anybody may pay Bob until a minute has passed.
fn gift(nonce: u64) -> OutsideExecution {
    OutsideExecution {
        caller: ANY_CALLER,
        nonce: Felt::from(nonce),
        execute_after: NOW - 60,
        execute_before: NOW + 60,
        calls: vec![transfer_call(ETH, BOB, U256::from(GIFT))],
    }
}

#[test]
fn outside_executions_have_the_hashes_that_wallets_sign() {
    // Made with starknet.js: outsideExecution.getTypedData, typedData.getMessageHash.
    let payment = |calldata: &[u64]| Call {
        to: Felt::from(0x49d),
        selector: selector("transfer"),
        calldata: calldata.iter().copied().map(Felt::from).collect(),
    };
    let execution = OutsideExecution {
        caller: ANY_CALLER,
        nonce: Felt::from(7),
        execute_after: 1,
        execute_before: 2_000_000_000,
        calls: vec![payment(&[1, 2, 0]), payment(&[])],
    };
    for (version, expected) in [
        (
            OutsideVersion::One,
            "0x7f0a641df493df0923b635a6be60ffb1e56aeb44bb42dbb28127458b72b5417",
        ),
        (
            OutsideVersion::Two,
            "0x23a3421d2e48e4b73f2e65c0a510ae5b61cf1f2d47c7d5d85132782fda27386",
        ),
    ] {
        let hash = execution.hash(version, Felt::from(0x1234)).map(felt_to_hex);
        assert_eq!(hash.as_deref(), Some(expected), "{version:?}");
    }
}

#[test]
fn accounts_say_which_interfaces_they_have() {
    let (chain, wallets) = test_chain();
    let known = [[true, true], [true, false], [false, false]];
    for (wallet, known) in wallets.iter().zip(known) {
        for name in ["supports_interface", "supportsInterface"] {
            let supports = |id| chain.view(wallet.address, name, &[id]) == [Felt::ONE];
            assert_eq!([OUTSIDE_V1, OUTSIDE_V2].map(supports), known, "{name}");
            assert!(INTERFACES.into_iter().all(supports));
            assert!(!supports(Felt::TWO));
        }
    }
}

#[test]
fn what_the_owner_signed_is_done_once() {
    let (mut chain, [both, first, _]) = test_chain();
    for (wallet, version) in [
        (&both, OutsideVersion::One),
        (&both, OutsideVersion::Two),
        (&first, OutsideVersion::One),
    ] {
        let nonce = Felt::from(version == OutsideVersion::Two);
        let execution = gift(u64::from(version == OutsideVersion::Two));
        let unused = |chain: &TestChain| {
            let name = "is_valid_outside_execution_nonce";
            chain.view(wallet.address, name, &[nonce]) == [Felt::ONE]
        };
        let before = chain.balance(ETH, BOB);
        assert!(unused(&chain));
        let signed = wallet.outside(version, &execution);
        // One call that returned one element.
        let (returned, _) = chain.run(ALICE, &signed);
        assert_eq!(returned, [Felt::ONE; 3]);
        assert_eq!(chain.balance(ETH, BOB), before + U256::from(GIFT));
        assert!(!unused(&chain));
        chain.refuses(ALICE, &signed, "SRC9: duplicated nonce");
    }
}

#[test]
fn versions_that_an_account_does_not_know_are_no_entrypoints() {
    let (mut chain, [_, first, neither]) = test_chain();
    for (wallet, version) in [
        (&first, OutsideVersion::Two),
        (&neither, OutsideVersion::One),
        (&neither, OutsideVersion::Two),
    ] {
        let failure = chain.try_run(ALICE, &wallet.outside(version, &gift(0)));
        assert!(failure.unwrap_err().contains("entry point"));
    }
}

#[test]
fn the_time_is_between_the_bounds_and_never_at_one() {
    let (mut chain, [both, ..]) = test_chain();
    let signed = both.outside(OutsideVersion::Two, &gift(0));
    for (time, words) in [
        (0, "SRC9: now <= execute_after"),
        (NOW - 60, "SRC9: now <= execute_after"),
        (NOW + 60, "SRC9: now >= execute_before"),
        (u64::MAX, "SRC9: now >= execute_before"),
    ] {
        chain.time = time;
        chain.refuses(ALICE, &signed, words);
    }
    chain.time = NOW + 59;
    chain.run(ALICE, &signed);
    chain.time = NOW - 59;
    chain.run(ALICE, &both.outside(OutsideVersion::Two, &gift(1)));
}

#[test]
fn only_the_caller_that_is_named_may_call() {
    let (mut chain, [both, ..]) = test_chain();
    let execution = OutsideExecution {
        caller: ALICE,
        ..gift(0)
    };
    let signed = both.outside(OutsideVersion::One, &execution);
    chain.refuses(BOB, &signed, "SRC9: invalid caller");
    chain.run(ALICE, &signed);
}

#[test]
fn a_signature_of_anybody_or_of_anything_else_is_refused() {
    let (mut chain, [both, first, _]) = test_chain();
    let invalid = "SRC9: invalid signature";
    let thief = Wallet {
        private_key: Felt::TWO,
        ..both.clone()
    };
    chain.refuses(
        ALICE,
        &thief.outside(OutsideVersion::Two, &gift(0)),
        invalid,
    );
    let signature = both.sign(gift(0).hash(OutsideVersion::One, both.address).unwrap());
    let other = outside_call(both.address, OutsideVersion::Two, &gift(0), &signature);
    chain.refuses(ALICE, &other, invalid);
    let other = outside_call(first.address, OutsideVersion::One, &gift(0), &signature);
    chain.refuses(ALICE, &other, invalid);
    chain.run(ALICE, &both.outside(OutsideVersion::Two, &gift(0)));
}

#[test]
fn longer_signatures_are_for_accounts_that_take_them() {
    let (mut chain, [both, first, _]) = test_chain();
    for (wallet, takes) in [(&both, true), (&first, false)] {
        let hash = gift(3).hash(OutsideVersion::One, wallet.address).unwrap();
        let listed = |signer| {
            let mut list = vec![Felt::ONE, Felt::ZERO, signer];
            list.extend(wallet.sign(hash));
            outside_call(wallet.address, OutsideVersion::One, &gift(3), &list)
        };
        let stranger = listed(Felt::TWO);
        chain.refuses(ALICE, &stranger, "SRC9: invalid signature");
        let done = chain.try_run(ALICE, &listed(wallet.public_key()));
        assert_eq!(done.is_ok(), takes);
    }
}

/// The constructor's arguments of an account of several owners, of whom so many have to
/// sign.
fn of_several(threshold: u64, owners: &[Wallet]) -> Vec<Felt> {
    let mut constructor = vec![Felt::from(threshold), Felt::from(owners.len())];
    constructor.extend(owners.iter().map(Wallet::public_key));
    constructor
}

fn deploying(constructor: &[Felt]) -> Call {
    let class_hash = Account::Several.class().hash;
    let mut deployment = vec![class_hash, Felt::ONE, Felt::ZERO];
    deployment.push(Felt::from(constructor.len()));
    deployment.extend(constructor);
    call(deployer::MODERN, "deploy_contract", &deployment)
}

fn lab_of_several() -> TestChain {
    TestChain::new(|contracts| {
        deployer::install(contracts);
        contracts.declare(Arc::new(Account::Several));
    })
}

fn signed_by(owners: &[&Wallet], hash: Felt) -> Vec<Felt> {
    let mut signature = vec![Felt::from(owners.len())];
    for owner in owners {
        signature.extend([Felt::ZERO, owner.public_key()]);
        signature.extend(owner.sign(hash));
    }
    signature
}

#[test]
fn as_many_different_owners_as_have_to_must_sign() {
    let mut chain = lab_of_several();
    let owners = [7, 8, 9].map(Wallet::fresh);
    let constructor = of_several(2, &owners);
    chain.run(ALICE, &deploying(&constructor));
    let class_hash = Account::Several.class().hash;
    // As documented.
    let documented = "0x129044205657744da45b90def87584066f391bbe12ccc52de673a031e138c6a";
    assert_eq!(felt_to_hex(class_hash), documented);
    let address = contract_address(Felt::ONE, class_hash, &constructor);
    chain.run(ALICE, &transfer_call(ETH, address, U256::from(1_000)));
    chain.time = NOW;
    assert_eq!(chain.view(address, "get_threshold", &[]), [Felt::TWO]);
    assert_eq!(chain.view(address, "get_signers", &[]), constructor[1..]);
    let hash = Felt::from(0x1234);
    let takes = |signature: &[Felt]| {
        let mut question = vec![hash, Felt::from(signature.len())];
        question.extend(signature);
        chain.view(address, "is_valid_signature", &question) == [valid()]
    };
    let [one, two, three] = &owners;
    let stranger = Wallet::fresh(10);
    assert!(takes(&signed_by(&[one, three], hash)));
    assert!(takes(&signed_by(&[three, two, one], hash)));
    for wrong in [
        signed_by(&[one], hash),
        signed_by(&[one, one], hash),
        signed_by(&[one, &stranger], hash),
        signed_by(&[one, two, &stranger], hash),
        signed_by(&[one, two], Felt::TWO),
        one.sign(hash),
        signed_by(&[one, two], hash)[..8].to_vec(),
        Vec::new(),
    ] {
        assert!(!takes(&wrong), "{wrong:?}");
    }
    let mut of_another_kind = signed_by(&[one, two], hash);
    of_another_kind[1] = Felt::ONE;
    assert!(!takes(&of_another_kind));
    let execution = gift(0);
    let hash = execution.hash(OutsideVersion::Two, address).unwrap();
    let outside = |owners: &[&Wallet]| {
        let signature = signed_by(owners, hash);
        outside_call(address, OutsideVersion::Two, &execution, &signature)
    };
    chain.refuses(ALICE, &outside(&[two]), "SRC9: invalid signature");
    let before = chain.balance(ETH, BOB);
    chain.run(ALICE, &outside(&[two, three]));
    assert_eq!(chain.balance(ETH, BOB), before + U256::from(GIFT));
}

#[test]
fn an_account_of_several_owners_has_as_many_as_have_to_sign_and_none_twice() {
    let mut chain = lab_of_several();
    let owners = [7, 8, 9].map(Wallet::fresh);
    for threshold in [0, 4] {
        let deployment = deploying(&of_several(threshold, &owners));
        chain.refuses(ALICE, &deployment, "Account: invalid threshold");
    }
    let twice = deploying(&of_several(1, &[7, 8, 7].map(Wallet::fresh)));
    chain.refuses(ALICE, &twice, "Account: repeated signer");
}
