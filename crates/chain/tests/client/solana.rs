//! The Solana client: its questions, the pin on one cluster, and what it does
//! when a node fails.

use crate::node::{Answer, Node, Reply, options, respond};
use chain::{
    EpochSchedule, RecentBlockhash, RpcError, RpcOptions, SignatureEntry, SignaturePage,
    SolanaClient,
};
use leasing::EpochPosition;
use primitives::{Entropy, Lamports, PublicKey, SeededEntropy, Signature, SolanaHash};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

const GENESIS: u8 = 1;

fn hash(byte: u8) -> SolanaHash {
    SolanaHash::from_bytes([byte; 32])
}

fn key(byte: u8) -> PublicKey {
    PublicKey::from_bytes([byte; 32])
}

fn signature(byte: u8) -> Signature {
    Signature::from_bytes([byte; 64])
}

fn method(call: &Value) -> &str {
    call["method"].as_str().unwrap()
}

/// A node of our cluster that answers everything else as `answer` says.
async fn solana(answer: impl Fn(&Value) -> Answer + Send + Sync + 'static) -> Node {
    Node::answering(move |call| match method(call) {
        "getGenesisHash" => Ok(json!(hash(GENESIS))),
        _ => answer(call),
    })
    .await
}

async fn connect(nodes: &[&Node], pinned: Option<SolanaHash>) -> Result<SolanaClient, RpcError> {
    let urls: Vec<_> = nodes.iter().map(|node| node.url.clone()).collect();
    let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(1));
    SolanaClient::connect(&urls, options(), &entropy, pinned).await
}

/// The methods that a node was asked, in order.
fn asked(node: &Node) -> Vec<String> {
    node.with_asked(|asked| {
        let asked = asked.iter();
        asked.map(|asked| method(&asked.body).to_owned()).collect()
    })
}

/// A client of a node that has this one answer, and the node.
async fn told(result: Value) -> (SolanaClient, Node) {
    let node = solana(move |_| Ok(result.clone())).await;
    (connect(&[&node], None).await.unwrap(), node)
}

/// That the last question was this.
fn assert_asked(node: &Node, method: &str, params: &Value) {
    node.with_asked(|asked| {
        let body = &asked.last().unwrap().body;
        assert_eq!((&body["method"], &body["params"]), (&json!(method), params));
    });
}

#[tokio::test]
async fn epochs_are_asked_and_read() {
    let (client, node) = told(json!({
        "absoluteSlot": 1_234, "blockHeight": 1_200, "epoch": 3, "slotIndex": 34,
        "slotsInEpoch": 400, "transactionCount": null, "somethingNew": [],
    }))
    .await;
    let position = EpochPosition::new(3, 1_234, 34, 400).unwrap();
    assert_eq!(client.epoch_position().await.unwrap(), position);
    assert_asked(&node, "getEpochInfo", &json!([{"commitment": "confirmed"}]));

    let (client, node) = told(json!({
        "slotsPerEpoch": 432_000, "leaderScheduleSlotOffset": 432_000, "warmup": false,
        "firstNormalEpoch": 14, "firstNormalSlot": 524_256,
    }))
    .await;
    let schedule = EpochSchedule {
        slots_per_epoch: 432_000,
        leader_schedule_slot_offset: 432_000,
        warmup: false,
        first_normal_epoch: 14,
        first_normal_slot: 524_256,
    };
    assert_eq!(client.epoch_schedule().await.unwrap(), schedule);
    assert_asked(&node, "getEpochSchedule", &json!([]));
}

#[tokio::test]
async fn a_slot_outside_of_its_epoch_is_malformed() {
    let (client, _node) = told(json!({
        "absoluteSlot": 1_234, "epoch": 3, "slotIndex": 400, "slotsInEpoch": 400,
    }))
    .await;
    let error = client.epoch_position().await.unwrap_err();
    assert!(matches!(error, RpcError::Malformed { .. }), "{error:?}");
}

#[tokio::test]
async fn leaders_are_asked_for_all_or_one() {
    let (client, node) =
        told(json!({key(5).to_string(): [0, 1, 2, 3], key(6).to_string(): []})).await;
    let leaders = BTreeMap::from([(key(5), vec![0, 1, 2, 3]), (key(6), vec![])]);
    assert_eq!(
        client.leader_schedule(77, None).await.unwrap(),
        Some(leaders)
    );
    assert_asked(&node, "getLeaderSchedule", &json!([77, {}]));
    client.leader_schedule(77, Some(key(5))).await.unwrap();
    assert_asked(
        &node,
        "getLeaderSchedule",
        &json!([77, {"identity": key(5)}]),
    );

    let (client, _node) = told(Value::Null).await;
    assert_eq!(client.leader_schedule(77, None).await.unwrap(), None);
}

#[tokio::test]
async fn accounts_and_blockhashes_are_asked_as_finalised() {
    let (client, node) = told(json!({"context": {"slot": 9}, "value": u64::MAX})).await;
    assert_eq!(
        client.balance(key(5)).await.unwrap(),
        Lamports::new(u64::MAX)
    );
    assert_asked(
        &node,
        "getBalance",
        &json!([key(5), {"commitment": "finalized"}]),
    );

    let (client, node) = told(json!(890_880)).await;
    assert_eq!(
        client.rent_minimum(0).await.unwrap(),
        Lamports::new(890_880)
    );
    let params = json!([0, {"commitment": "finalized"}]);
    assert_asked(&node, "getMinimumBalanceForRentExemption", &params);

    let (client, node) = told(json!({
        "context": {"apiVersion": "4.0.0", "slot": 9},
        "value": {"blockhash": hash(8), "lastValidBlockHeight": 159},
    }))
    .await;
    let recent = RecentBlockhash {
        blockhash: hash(8),
        last_valid_block_height: 159,
    };
    assert_eq!(client.recent_blockhash().await.unwrap(), recent);
    assert_asked(
        &node,
        "getLatestBlockhash",
        &json!([{"commitment": "finalized"}]),
    );

    let (client, node) = told(json!({"current": [], "delinquent": []})).await;
    assert_eq!(client.vote_accounts().await.unwrap().stake_of(key(5)), None);
    assert_asked(
        &node,
        "getVoteAccounts",
        &json!([{"commitment": "finalized"}]),
    );
}

#[tokio::test]
async fn a_history_is_asked_by_pages() {
    let (client, node) = told(json!([
        {"signature": signature(3), "slot": 12, "err": null, "memo": "[7] LEASE-1",
         "blockTime": 1_790_000_000, "confirmationStatus": "finalized", "transactionIndex": 4},
        {"signature": signature(2), "slot": 11, "err": {"InstructionError": [0, "Custom"]},
         "memo": null, "blockTime": null},
    ]))
    .await;
    let page = SignaturePage {
        before: Some(signature(4)),
        until: Some(signature(1)),
        limit: 2,
    };
    let found = client.signatures(key(5), page).await.unwrap();
    let expected = [
        SignatureEntry {
            signature: signature(3),
            slot: 12,
            failed: false,
            memo: Some("[7] LEASE-1".to_owned()),
            time: Some("2026-09-21T14:13:20Z".parse().unwrap()),
        },
        SignatureEntry {
            signature: signature(2),
            slot: 11,
            failed: true,
            memo: None,
            time: None,
        },
    ];
    assert_eq!(found, expected);
    let options = json!({
        "before": signature(4), "until": signature(1), "limit": 2, "commitment": "finalized",
    });
    assert_asked(&node, "getSignaturesForAddress", &json!([key(5), options]));

    for (limit, sent) in [(0, 1), (1_000, 1_000), (1_001, 1_000)] {
        let page = SignaturePage {
            limit,
            ..SignaturePage::default()
        };
        client.signatures(key(5), page).await.unwrap();
        let options = json!({"limit": sent, "commitment": "finalized"});
        assert_asked(&node, "getSignaturesForAddress", &json!([key(5), options]));
    }
}

#[tokio::test]
async fn a_history_without_verdicts_is_malformed() {
    let (client, _node) =
        told(json!([{"signature": signature(3), "slot": 12, "memo": null}])).await;
    let error = client.signatures(key(5), SignaturePage::default()).await;
    assert!(
        matches!(error, Err(RpcError::Malformed { .. })),
        "{error:?}"
    );
}

fn transaction(name: Signature) -> Value {
    json!({
        "slot": 5, "blockTime": null, "version": 1,
        "meta": {"err": null, "preBalances": [9], "postBalances": [4]},
        "transaction": {
            "signatures": [name],
            "message": {"accountKeys": [{"pubkey": key(5)}], "instructions": []},
        },
    })
}

#[tokio::test]
async fn a_transaction_of_a_newer_version_is_asked_for_at_once() {
    let node = solana(
        |call| match &call["params"][1]["maxSupportedTransactionVersion"] {
            version if version == 0 => Err((-32_015, "Transaction version (1) is not supported")),
            _ => Ok(transaction(signature(3))),
        },
    )
    .await;
    let client = connect(&[&node], None).await.unwrap();
    let task = tokio::spawn(async move { client.transaction(signature(3)).await });
    let landed = task.await.unwrap().unwrap().unwrap();
    assert_eq!(landed.payer, key(5));
    assert_eq!(node.requests(), 3, "genesis and two versions");
    let options = json!({
        "encoding": "jsonParsed", "commitment": "finalized", "maxSupportedTransactionVersion": 1,
    });
    assert_asked(&node, "getTransaction", &json!([signature(3), options]));
}

#[tokio::test]
async fn a_transaction_that_the_node_lacks_is_none_and_another_one_is_refused() {
    let (client, _node) = told(Value::Null).await;
    assert_eq!(client.transaction(signature(3)).await.unwrap(), None);
    let (client, _node) = told(transaction(signature(4))).await;
    let error = client.transaction(signature(3)).await.unwrap_err();
    assert!(matches!(error, RpcError::Malformed { .. }), "{error:?}");
}

#[tokio::test]
async fn a_node_that_fell_behind_is_unhealthy_and_a_dead_one_is_an_error() {
    let (client, _node) = told(json!("ok")).await;
    assert!(client.is_healthy().await.unwrap());
    let node = solana(|_| Err((-32_005, "Node is behind by 42 slots"))).await;
    let client = connect(&[&node], None).await.unwrap();
    assert!(!client.is_healthy().await.unwrap());
    let node = solana(|_| Err((-32_603, "internal error"))).await;
    let client = connect(&[&node], None).await.unwrap();
    client.is_healthy().await.unwrap_err();
}

#[tokio::test]
async fn the_first_node_that_answers_says_which_cluster_it_is() {
    let dead = Node::start(|_, _| Reply::Status(503, None)).await;
    let ours = solana(|_| Ok(json!("ok"))).await;
    let client = connect(&[&dead, &ours], None).await.unwrap();
    assert_eq!(client.genesis(), hash(GENESIS));
    assert_eq!(client.nodes().count(), 2);

    let error = connect(&[&dead], None).await.unwrap_err();
    assert!(matches!(error, RpcError::HttpStatus { .. }), "{error:?}");
    let error = connect(&[], None).await.unwrap_err();
    assert!(matches!(error, RpcError::NoNode), "{error:?}");
}

#[tokio::test]
async fn a_node_of_another_cluster_is_asked_for_nothing_but_its_genesis() {
    let other = Node::answering(|call| match method(call) {
        "getGenesisHash" => Ok(json!(hash(9))),
        _ => Ok(json!(1)),
    })
    .await;
    let ours = solana(|_| Ok(json!(2))).await;
    let client = connect(&[&other, &ours], Some(hash(GENESIS)))
        .await
        .unwrap();
    for _ in 0..2 {
        assert_eq!(client.rent_minimum(0).await.unwrap(), Lamports::new(2));
    }
    assert!(
        asked(&other)
            .iter()
            .all(|method| method == "getGenesisHash")
    );

    let error = connect(&[&other], Some(hash(GENESIS))).await.unwrap_err();
    assert!(matches!(&error, RpcError::OtherCluster { theirs, ours, .. }
        if (*theirs, *ours) == (hash(9), hash(GENESIS))));
    assert!(!error.is_transient());
}

#[tokio::test]
async fn a_node_that_comes_back_as_another_cluster_is_refused() {
    let genesis = Arc::new(AtomicU8::new(GENESIS));
    let says = genesis.clone();
    let node = Node::start(move |_, body| {
        let genesis = says.load(Ordering::Relaxed);
        respond(body, |call| match method(call) {
            "getGenesisHash" => Ok(json!(hash(genesis))),
            "getHealth" => Err((-32_603, "restarting")),
            _ => Ok(json!(1)),
        })
    })
    .await;
    let client = connect(&[&node], None).await.unwrap();
    client.rent_minimum(0).await.unwrap();
    client.is_healthy().await.unwrap_err();
    genesis.store(9, Ordering::Relaxed);
    let error = client.rent_minimum(0).await.unwrap_err();
    assert!(matches!(error, RpcError::OtherCluster { .. }), "{error:?}");
}

#[tokio::test]
async fn the_next_node_is_asked_when_one_fails_and_the_failed_one_rests() {
    let failing = solana(|_| Err((-32_603, "internal error"))).await;
    let good = solana(|_| Ok(json!(2))).await;
    let client = connect(&[&failing, &good], None).await.unwrap();
    for _ in 0..3 {
        assert_eq!(client.rent_minimum(0).await.unwrap(), Lamports::new(2));
    }
    // The three attempts of the options are one for each of two nodes.
    assert_eq!(
        asked(&failing),
        ["getGenesisHash", "getMinimumBalanceForRentExemption"]
    );
    assert_eq!(good.requests(), 4);
}

#[tokio::test]
async fn a_silent_node_is_left_after_its_time() {
    let silent = Node::start(|nth, body| match nth {
        1 => respond(body, |_| Ok(json!(hash(GENESIS)))),
        _ => Reply::Silence,
    })
    .await;
    let good = solana(|_| Ok(json!(2))).await;
    let hasty = RpcOptions {
        timeout: Duration::from_millis(500),
        ..options()
    };
    let urls = [silent.url.clone(), good.url.clone()];
    let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(1));
    let client = SolanaClient::connect(&urls, hasty, &entropy, None)
        .await
        .unwrap();
    assert_eq!(client.rent_minimum(0).await.unwrap(), Lamports::new(2));
}

#[tokio::test]
async fn a_question_that_is_at_fault_is_not_asked_elsewhere() {
    let strict = solana(|_| Err((-32_602, "Invalid params"))).await;
    let other = solana(|_| Ok(json!(2))).await;
    let client = connect(&[&strict, &other], None).await.unwrap();
    let error = client.rent_minimum(0).await.unwrap_err();
    assert!(matches!(error, RpcError::Node { .. }), "{error:?}");
    assert_eq!(other.requests(), 0);
}

#[tokio::test]
async fn while_every_node_rests_all_are_asked() {
    let nth = Arc::new(AtomicU8::new(0));
    let node = solana(move |_| match nth.fetch_add(1, Ordering::Relaxed) {
        0..3 => Err((-32_603, "internal error")),
        _ => Ok(json!(2)),
    })
    .await;
    let client = connect(&[&node], None).await.unwrap();
    client.rent_minimum(0).await.unwrap_err();
    assert_eq!(client.rent_minimum(0).await.unwrap(), Lamports::new(2));
}
