//! Transactions of clients: what is taken, what is refused, what becomes of it.

use super::*;
use crate::starknet::contracts::erc20::transfer_call;
use crate::starknet::gas::{Prices, Resources, Work};
use crate::starknet::network::{SEQUENCER, STRK as STRK_FELT};
use crate::starknet::rpc::render::TransactionJson;
use crate::starknet::transaction::{Action, Call, Request, SignedTransaction};
use crate::starknet::wallet::{BOUNDS, Wallet};
use primitives::U256;
use primitives::transaction_hash::{Terms, Version};

/// A chain of six blocks on which only the test acts.
pub(super) fn quiet() -> StarknetNode {
    let config = StarknetConfig {
        seed: 9,
        block_time: None,
        history: History::blocks(6, Duration::from_secs(10)),
        transactions_per_block: 0,
        pools: 0,
        ..StarknetConfig::default()
    };
    let clock = ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap());
    StarknetNode::new(config, Arc::new(clock))
}

pub(super) fn json_of(signed: &SignedTransaction) -> Value {
    let request = Request::new(signed.clone(), Version::V3);
    serde_json::to_value(TransactionJson::with_hash(&request)).unwrap()
}

pub(super) fn send(node: &StarknetNode, signed: &SignedTransaction) -> Result<String, Value> {
    let (method, name) = match signed.action {
        Action::Invoke(_) => ("starknet_addInvokeTransaction", "invoke_transaction"),
        Action::DeployAccount(_) => (
            "starknet_addDeployAccountTransaction",
            "deploy_account_transaction",
        ),
    };
    let answer = ask(node, Spec::V0_9, method, &json!({ name: json_of(signed) }))?;
    Ok(answer["transaction_hash"].as_str().unwrap().to_owned())
}

fn refused(node: &StarknetNode, signed: &SignedTransaction) -> i64 {
    send(node, signed).unwrap_err()["code"].as_i64().unwrap()
}

pub(super) fn read(node: &StarknetNode, method: &str, params: &Value) -> Value {
    ask(node, Spec::V0_9, method, params).unwrap()
}

fn receipt(node: &StarknetNode, hash: &str) -> Value {
    read(node, "starknet_getTransactionReceipt", &json!([hash]))
}

fn status(node: &StarknetNode, hash: &str) -> Value {
    read(node, "starknet_getTransactionStatus", &json!([hash]))
}

pub(super) fn pay(to: Felt, amount: u64) -> Call {
    transfer_call(STRK_FELT, to, U256::from(amount))
}

pub(super) fn balance(node: &StarknetNode, owner: Felt, block: &str) -> u128 {
    let call = call_of(STRK, "balanceOf", &[&felt_to_hex(owner)]);
    let answer = read(node, "starknet_call", &json!([call, block]));
    assert_eq!(answer[1], "0x0");
    u128_of(&answer[0])
}

fn u128_of(hex: &Value) -> u128 {
    u128::from_str_radix(hex.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

fn nonce(node: &StarknetNode, owner: Felt, block: &str) -> Value {
    read(
        node,
        "starknet_getNonce",
        &json!([block, felt_to_hex(owner)]),
    )
}

#[test]
fn a_transaction_is_pre_confirmed_at_once_and_sealed_by_the_next_block() {
    let node = quiet();
    let (alice, bob) = (Wallet::funded(&node, 0), Wallet::funded(&node, 1));
    let before = balance(&node, bob.address, "latest");
    let hash = send(&node, &alice.invoke(0, &[pay(bob.address, 7)])).unwrap();

    let pre = receipt(&node, &hash);
    assert_eq!(pre["finality_status"], "PRE_CONFIRMED");
    assert_eq!(pre["block_number"], 6);
    assert!(pre.get("block_hash").is_none());
    assert_eq!(
        status(&node, &hash),
        json!({"finality_status": "PRE_CONFIRMED", "execution_status": "SUCCEEDED"})
    );
    let open = read(
        &node,
        "starknet_getBlockWithTxHashes",
        &json!(["pre_confirmed"]),
    );
    assert_eq!(open["transactions"], json!([hash]));
    assert_eq!(balance(&node, bob.address, "latest"), before);
    assert_eq!(balance(&node, bob.address, "pre_confirmed"), before + 7);
    assert_eq!(nonce(&node, alice.address, "latest"), "0x0");
    assert_eq!(nonce(&node, alice.address, "pre_confirmed"), "0x1");

    node.mine(1).unwrap();
    let sealed = receipt(&node, &hash);
    assert_eq!(sealed["finality_status"], "ACCEPTED_ON_L2");
    assert_eq!(sealed["block_hash"], felt_to_hex(node.head().hash));
    for field in ["actual_fee", "events", "execution_resources"] {
        assert_eq!(sealed[field], pre[field], "{field}");
    }
    assert_eq!(balance(&node, bob.address, "latest"), before + 7);
    assert_eq!(nonce(&node, alice.address, "latest"), "0x1");
    let by_hash = read(&node, "starknet_getTransactionByHash", &json!([hash]));
    let by_index = read(
        &node,
        "starknet_getTransactionByBlockIdAndIndex",
        &json!(["latest", 0]),
    );
    assert_eq!(by_hash, by_index);
    assert_eq!(by_hash["sender_address"], felt_to_hex(alice.address));

    node.mine(100).unwrap();
    assert_eq!(status(&node, &hash)["finality_status"], "ACCEPTED_ON_L1");
}

#[test]
fn events_of_the_block_in_the_making_are_shown_on_request() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let hash = send(&node, &alice.invoke(0, &[pay(Felt::TWO, 7)])).unwrap();
    let events = |from: &str, to: &str| {
        let filter = json!({"from_block": from, "to_block": to, "chunk_size": 10});
        read(&node, "starknet_getEvents", &json!([filter]))["events"].clone()
    };
    let open = events("pre_confirmed", "pre_confirmed");
    assert_eq!(open.as_array().unwrap().len(), 2);
    assert_eq!(open[0]["transaction_hash"], hash);
    assert_eq!(open[0]["block_number"], 6);
    assert!(open[0].get("block_hash").is_none());
    assert_eq!(events("latest", "latest"), json!([]));
    assert_eq!(events("latest", "pre_confirmed"), open);
}

#[test]
fn the_fee_is_what_was_used_at_the_prices_of_the_block_and_goes_to_the_sequencer() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let (mine, theirs) = (
        balance(&node, alice.address, "latest"),
        balance(&node, SEQUENCER, "latest"),
    );
    let terms = Terms {
        tip: 1_000,
        bounds: BOUNDS,
        ..Terms::default()
    };
    let calls = [pay(Felt::TWO, 5), pay(Felt::TWO, 6)];
    let hash = send(&node, &alice.invoke_on(terms, &calls)).unwrap();
    node.mine(1).unwrap();
    // Each reads, writes and tells of two balances, which are the same ones.
    let used = Resources::of(Work {
        calls: 2,
        reads: 4,
        writes: 4,
        variables: 2,
        events: 2,
        felts: 10,
    });
    let fee = used.fee(Prices::of_block(9, 6), 1_000);
    let receipt = receipt(&node, &hash);
    assert_eq!(receipt["execution_resources"], json!(used));
    assert_eq!(
        receipt["actual_fee"],
        json!({"amount": format!("{fee:#x}"), "unit": "FRI"})
    );
    assert_eq!(balance(&node, alice.address, "latest"), mine - 11 - fee);
    assert_eq!(balance(&node, SEQUENCER, "latest"), theirs + fee);
    let last = receipt["events"].as_array().unwrap().last().unwrap();
    assert_eq!(last["keys"][2], felt_to_hex(SEQUENCER));
    assert_eq!(u128_of(&last["data"][0]), fee);
}

#[test]
fn a_failing_call_undoes_all_calls_but_fee_and_nonce_count() {
    let node = quiet();
    let (alice, bob) = (Wallet::funded(&node, 0), Wallet::funded(&node, 1));
    let (mine, theirs) = (
        balance(&node, alice.address, "latest"),
        balance(&node, bob.address, "latest"),
    );
    let too_much = transfer_call(STRK_FELT, bob.address, U256::MAX);
    let calls = [pay(bob.address, 5), too_much, pay(bob.address, 6)];
    let hash = send(&node, &alice.invoke(0, &calls)).unwrap();
    node.mine(1).unwrap();
    let receipt = receipt(&node, &hash);
    assert_eq!(receipt["execution_status"], "REVERTED");
    let reason = receipt["revert_reason"].as_str().unwrap();
    assert!(reason.ends_with("ERC20: insufficient balance"), "{reason}");
    assert_eq!(receipt["events"].as_array().unwrap().len(), 1);
    let fee = u128_of(&receipt["actual_fee"]["amount"]);
    assert_eq!(balance(&node, alice.address, "latest"), mine - fee);
    assert_eq!(balance(&node, bob.address, "latest"), theirs);
    assert_eq!(nonce(&node, alice.address, "latest"), "0x1");
    assert_eq!(
        status(&node, &hash),
        json!({
            "finality_status": "ACCEPTED_ON_L2",
            "execution_status": "REVERTED",
            "failure_reason": reason,
        })
    );
}

#[test]
fn one_who_spends_everything_pays_the_fee_instead() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let all = U256::from(balance(&node, alice.address, "latest"));
    let hash = send(
        &node,
        &alice.invoke(0, &[transfer_call(STRK_FELT, Felt::TWO, all)]),
    )
    .unwrap();
    let receipt = receipt(&node, &hash);
    assert_eq!(receipt["revert_reason"], "insufficient fee token balance");
    assert_eq!(balance(&node, Felt::TWO, "pre_confirmed"), 0);
}

#[test]
fn one_who_allows_too_little_gas_pays_what_was_allowed() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let mut bounds = BOUNDS;
    bounds.l2_gas.max_amount = Resources::LEAST.l2;
    let terms = Terms {
        bounds,
        ..Terms::default()
    };
    let hash = send(&node, &alice.invoke_on(terms, &[pay(Felt::TWO, 5)])).unwrap();
    let receipt = receipt(&node, &hash);
    assert_eq!(
        receipt["revert_reason"],
        "insufficient max L2Gas: max amount: 600000, actual used: 945000"
    );
    assert_eq!(
        receipt["execution_resources"]["l2_gas"],
        Resources::LEAST.l2
    );
    assert_eq!(balance(&node, Felt::TWO, "pre_confirmed"), 0);
}

#[test]
fn a_transaction_that_its_account_did_not_sign_is_refused() {
    let node = quiet();
    let (alice, bob) = (Wallet::funded(&node, 0), Wallet::funded(&node, 1));
    let good = alice.invoke(0, &[pay(bob.address, 7)]);
    let with = |signature: Vec<Felt>| SignedTransaction {
        signature,
        ..good.clone()
    };
    let Action::Invoke(invoke) = &good.action else {
        panic!("an invoke");
    };
    let elsewhere = invoke.hash(&good.terms, Version::V3, short_string("SN_MAIN"));
    let simulated = Request::new(good.clone(), Version::QueryV3).hash;
    let changed = |change: fn(&mut SignedTransaction)| {
        let mut changed = good.clone();
        change(&mut changed);
        changed
    };
    for (case, bad) in [
        ("no signature", with(vec![])),
        ("half a signature", with(good.signature[..1].to_vec())),
        ("zeros", with(vec![Felt::ZERO, Felt::ZERO])),
        (
            "another's key",
            with(bob.sign(Request::new(good.clone(), Version::V3).hash)),
        ),
        ("another network", with(alice.sign(elsewhere))),
        ("a simulation", with(alice.sign(simulated))),
        (
            "another amount",
            changed(|transaction| {
                if let Action::Invoke(invoke) = &mut transaction.action {
                    invoke.calldata[5] = Felt::from(8);
                }
            }),
        ),
        (
            "deployment data",
            changed(|transaction| {
                if let Action::Invoke(invoke) = &mut transaction.action {
                    invoke.account_deployment_data = vec![Felt::ONE];
                }
            }),
        ),
        (
            "another nonce",
            changed(|transaction| transaction.terms.nonce = 1),
        ),
        (
            "another tip",
            changed(|transaction| transaction.terms.tip = 1),
        ),
        (
            "another bound",
            changed(|transaction| transaction.terms.bounds.l2_gas.max_amount += 1),
        ),
        (
            "paymaster data",
            changed(|transaction| transaction.terms.paymaster_data = vec![Felt::ONE]),
        ),
    ] {
        let error = send(&node, &bad).unwrap_err();
        assert_eq!(error["code"], 55, "{case}");
        let reason = error["data"].as_str().unwrap();
        assert!(reason.ends_with("Account: invalid signature"), "{reason}");
    }
    send(&node, &good).unwrap();
}

#[test]
fn a_transaction_is_taken_only_once() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let first = alice.invoke(0, &[pay(Felt::TWO, 7)]);
    send(&node, &first).unwrap();
    assert_eq!(refused(&node, &first), 59);
    let other = alice.invoke(0, &[pay(Felt::TWO, 8)]);
    let error = send(&node, &other).unwrap_err();
    assert_eq!(error["code"], 52);
    assert_eq!(error["data"], "account nonce is 1, transaction nonce is 0");
    node.mine(1).unwrap();
    assert_eq!(refused(&node, &first), 59);
    assert_eq!(refused(&node, &other), 52);
    assert_eq!(balance(&node, Felt::TWO, "latest"), 7);
}

#[test]
fn a_nonce_of_the_near_future_waits_for_those_before_it() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let later: Vec<String> = [2, 1]
        .map(|nonce| send(&node, &alice.invoke(nonce, &[pay(Felt::TWO, nonce)])).unwrap())
        .to_vec();
    for hash in &later {
        assert_eq!(status(&node, hash), json!({"finality_status": "RECEIVED"}));
        let shown = read(&node, "starknet_getTransactionByHash", &json!([hash]));
        assert_eq!(&shown["transaction_hash"], hash);
        let absent = ask(
            &node,
            Spec::V0_9,
            "starknet_getTransactionReceipt",
            &json!([hash]),
        );
        assert_eq!(absent.unwrap_err()["code"], 29);
    }
    node.mine(1).unwrap();
    assert_eq!(status(&node, &later[0])["finality_status"], "RECEIVED");
    assert_eq!(refused(&node, &alice.invoke(2, &[pay(Felt::TWO, 2)])), 59);
    assert_eq!(refused(&node, &alice.invoke(2, &[pay(Felt::TWO, 9)])), 64);
    assert_eq!(refused(&node, &alice.invoke(65, &[pay(Felt::TWO, 9)])), 52);
    let first = send(&node, &alice.invoke(0, &[])).unwrap();
    let open = read(
        &node,
        "starknet_getBlockWithTxHashes",
        &json!(["pre_confirmed"]),
    );
    assert_eq!(open["transactions"], json!([first, later[1], later[0]]));
}

#[test]
fn bounds_below_the_least_and_balances_below_the_most_are_refused() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let with = |change: fn(&mut Terms)| {
        let mut terms = Terms {
            bounds: BOUNDS,
            ..Terms::default()
        };
        change(&mut terms);
        alice.invoke_on(terms, &[pay(Felt::TWO, 1)])
    };
    for low in [
        with(|terms| terms.bounds.l2_gas.max_amount = 599_999),
        with(|terms| terms.bounds.l2_gas.max_price_per_unit = 1),
        with(|terms| terms.bounds.l1_data_gas.max_amount = 0),
        with(|terms| terms.bounds.l1_data_gas.max_price_per_unit = 0),
        with(|terms| terms.bounds.l1_gas.max_price_per_unit = 0),
    ] {
        assert_eq!(refused(&node, &low), 53);
    }
    for high in [
        with(|terms| terms.bounds.l2_gas.max_price_per_unit = u128::MAX),
        with(|terms| terms.bounds.l1_gas.max_amount = u64::MAX),
        with(|terms| terms.tip = u64::MAX),
    ] {
        assert_eq!(refused(&node, &high), 54);
    }
}

#[test]
fn only_accounts_send_transactions() {
    let node = quiet();
    let stranger = Wallet::fresh(77);
    let error = send(&node, &stranger.invoke(0, &[])).unwrap_err();
    assert_eq!(error["code"], 55);
    assert!(error["data"].as_str().unwrap().ends_with("is not deployed"));
    let alice = Wallet::funded(&node, 0);
    let token = Wallet {
        address: STRK_FELT,
        ..alice.clone()
    };
    let funding = alice.invoke(
        0,
        &[transfer_call(
            STRK_FELT,
            STRK_FELT,
            U256::from(1_u128 << 60),
        )],
    );
    send(&node, &funding).unwrap();
    assert_eq!(refused(&node, &token.invoke(0, &[])), 58);
}

#[test]
fn an_account_obeys_only_its_transactions() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    let itself = Call {
        to: alice.address,
        selector: selector("__execute__"),
        calldata: vec![Felt::ZERO],
    };
    let hash = send(&node, &alice.invoke(0, &[itself])).unwrap();
    let reason = receipt(&node, &hash)["revert_reason"].clone();
    assert!(
        reason
            .as_str()
            .unwrap()
            .ends_with("Account: invalid caller")
    );
    let address = felt_to_hex(alice.address);
    for entrypoint in ["__execute__", "__validate__"] {
        let call = call_of(&address, entrypoint, &["0x0"]);
        let error = ask(&node, Spec::V0_9, "starknet_call", &json!([call, "latest"]));
        assert_eq!(error.unwrap_err()["code"], 40);
    }
    let constructor = call_of(&address, "constructor", &["0x1"]);
    let error = ask(
        &node,
        Spec::V0_9,
        "starknet_call",
        &json!([constructor, "latest"]),
    );
    assert_eq!(error.unwrap_err()["code"], 21);
}

#[test]
fn an_account_says_whether_its_owner_signed() {
    let node = quiet();
    let (alice, bob) = (Wallet::funded(&node, 0), Wallet::funded(&node, 1));
    let message = Felt::from(0x1234);
    let says = |signature: &[Felt]| {
        let (r, s) = (felt_to_hex(signature[0]), felt_to_hex(signature[1]));
        let hash = felt_to_hex(message);
        let calldata = [hash.as_str(), "0x2", &r, &s];
        let call = call_of(&felt_to_hex(alice.address), "is_valid_signature", &calldata);
        read(&node, "starknet_call", &json!([call, "latest"]))
    };
    let valid = felt_to_hex(short_string("VALID"));
    assert_eq!(says(&alice.sign(message)), json!([valid]));
    assert_eq!(says(&bob.sign(message)), json!(["0x0"]));
}

#[test]
fn a_funded_address_becomes_an_account() {
    let node = quiet();
    let (alice, fresh) = (Wallet::funded(&node, 0), Wallet::fresh(4_321));
    let deployment = fresh.deployment();
    assert_eq!(refused(&node, &deployment), 54);
    let funds = transfer_call(STRK_FELT, fresh.address, U256::from(1_u128 << 60));
    send(&node, &alice.invoke(0, &[funds])).unwrap();
    let forged = SignedTransaction {
        signature: alice.sign(Request::new(deployment.clone(), Version::V3).hash),
        ..deployment.clone()
    };
    assert_eq!(refused(&node, &forged), 55);

    let params = json!([json_of(&deployment)]);
    let answer = read(&node, "starknet_addDeployAccountTransaction", &params);
    assert_eq!(answer["contract_address"], felt_to_hex(fresh.address));
    // Its first transaction need not wait for the block.
    let spending = fresh.invoke(1, &[pay(Felt::TWO, 3)]);
    let spent = send(&node, &spending).unwrap();
    node.mine(1).unwrap();
    let hash = answer["transaction_hash"].as_str().unwrap();
    let receipt_of_it = receipt(&node, hash);
    assert_eq!(receipt_of_it["type"], "DEPLOY_ACCOUNT");
    assert_eq!(
        receipt_of_it["contract_address"],
        felt_to_hex(fresh.address)
    );
    assert_eq!(receipt_of_it["execution_status"], "SUCCEEDED");
    assert_eq!(receipt(&node, &spent)["execution_status"], "SUCCEEDED");
    assert_eq!(nonce(&node, fresh.address, "latest"), "0x2");
    let transaction = read(&node, "starknet_getTransactionByHash", &json!([hash]));
    assert_eq!(transaction["type"], "DEPLOY_ACCOUNT");
    assert_eq!(
        transaction["contract_address_salt"],
        felt_to_hex(fresh.public_key())
    );
    let key = call_of(&felt_to_hex(fresh.address), "get_public_key", &[]);
    assert_eq!(
        read(&node, "starknet_call", &json!([key, "latest"])),
        json!([felt_to_hex(fresh.public_key())])
    );
    assert_eq!(refused(&node, &deployment), 59);
}

#[test]
fn only_new_accounts_of_a_known_class_are_deployed() {
    let node = quiet();
    let alice = Wallet::funded(&node, 0);
    assert_eq!(refused(&node, &alice.deployment()), 55);
    let with = |change: fn(&mut SignedTransaction)| {
        let mut deployment = Wallet::fresh(5).deployment();
        change(&mut deployment);
        deployment
    };
    let later = with(|deployment| deployment.terms.nonce = 1);
    assert_eq!(refused(&node, &later), 52);
    let unknown = with(|deployment| {
        if let Action::DeployAccount(deployment) = &mut deployment.action {
            deployment.class_hash = Felt::ONE;
        }
    });
    assert_eq!(refused(&node, &unknown), 28);
}

#[test]
fn other_versions_and_shapes_are_refused() {
    let node = quiet();
    let good = json_of(&Wallet::funded(&node, 0).invoke(0, &[]));
    let method = "starknet_addInvokeTransaction";
    let code_of = |field: &str, value: Value| {
        let mut changed = good.clone();
        changed[field] = value;
        let error = ask(&node, Spec::V0_9, method, &json!([changed])).unwrap_err();
        error["code"].as_i64().unwrap()
    };
    for version in [
        "0x0",
        "0x1",
        "0x2",
        "0x4",
        "0x100000000000000000000000000000003",
    ] {
        assert_eq!(code_of("version", json!(version)), 61, "{version}");
    }
    for (field, value) in [
        ("version", Value::Null),
        ("type", json!("DECLARE")),
        ("type", json!("DEPLOY_ACCOUNT")),
        ("signature", json!("0x1")),
        ("calldata", json!(["1"])),
        ("nonce", json!("0x10000000000000000")),
        ("tip", json!(1)),
        ("resource_bounds", json!({})),
        ("fee_data_availability_mode", json!("L3")),
    ] {
        assert_eq!(code_of(field, value), -32602, "{field}");
    }
    let deployment = json_of(&Wallet::fresh(5).deployment());
    let error = ask(&node, Spec::V0_9, method, &json!([deployment])).unwrap_err();
    assert_eq!(error["code"], -32602);
}

#[test]
fn unknown_transactions_are_not_found() {
    for method in [
        "starknet_getTransactionByHash",
        "starknet_getTransactionReceipt",
        "starknet_getTransactionStatus",
    ] {
        assert_eq!(code(method, &json!(["0x123"])), 29, "{method}");
    }
    let by_index = "starknet_getTransactionByBlockIdAndIndex";
    assert_eq!(code(by_index, &json!(["pre_confirmed", 0])), 27);
    assert_eq!(code(by_index, &json!(["latest", u64::MAX])), 27);
    assert_eq!(code(by_index, &json!([{"block_number": 150}, 0])), 24);
}

#[test]
fn transactions_of_orphaned_blocks_are_included_again() {
    let node = quiet();
    let (alice, fresh) = (Wallet::funded(&node, 0), Wallet::fresh(4_321));
    let funds = transfer_call(STRK_FELT, fresh.address, U256::from(1_u128 << 60));
    let mut hashes = vec![send(&node, &alice.invoke(0, &[funds])).unwrap()];
    node.mine(1).unwrap();
    hashes.push(send(&node, &fresh.deployment()).unwrap());
    node.mine(1).unwrap();
    hashes.push(send(&node, &fresh.invoke(1, &[pay(Felt::TWO, 3)])).unwrap());
    hashes.push(send(&node, &alice.invoke(1, &[pay(Felt::TWO, 4)])).unwrap());
    let orphans: Vec<Value> = hashes
        .iter()
        .map(|hash| receipt(&node, hash)["block_hash"].clone())
        .collect();
    node.reorg(2).unwrap();
    for (hash, orphan) in hashes.iter().zip(orphans) {
        let again = receipt(&node, hash);
        assert_eq!(again["execution_status"], "SUCCEEDED");
        assert_eq!(again["finality_status"], "ACCEPTED_ON_L2");
        assert_ne!(again["block_hash"], orphan);
    }
    assert_eq!(balance(&node, Felt::TWO, "latest"), 7);
    assert_eq!(nonce(&node, fresh.address, "latest"), "0x2");
    let first = read(
        &node,
        "starknet_getBlockWithTxHashes",
        &json!([{"block_number": 6}]),
    );
    assert_eq!(first["transactions"], json!(hashes));
}

#[test]
fn gas_prices_of_headers_move() {
    let price = |number: u64| {
        let id = json!([{ "block_number": number }]);
        u128_of(&get("starknet_getBlockWithTxHashes", &id)["l2_gas_price"]["price_in_fri"])
    };
    assert_ne!(price(0), price(100));
    assert!(price(99).abs_diff(price(100)) * 200 < price(100));
}
