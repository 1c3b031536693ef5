//! Sponsors, from making one to the audit of what it paid, with a service that is
//! killed whenever it has sent something.

use crate::harness::{Home, STRK, Service, ask, call, eventually, run, serve, simnet, text};
use chain::StarkSigner;
use primitives::{felt_to_hex, selector, typed_data::TypedData};
use serde_json::{Value, json};
use simnet::StarknetNode;
use std::path::Path;

/// Blocks that make something final.
const DEPTH: &str = "1";

/// Blocks after which what waits is replaced.
const STUCK_BLOCKS: &str = "2";

pub(crate) fn start(data: &Path, node: &str) -> Service {
    let mut command = serve(data, &["--starknet-rpc", node]);
    command.env("STOA__PAYMASTER__DEPTH", DEPTH);
    command.env("STOA__PAYMASTER__STUCK_BLOCKS", STUCK_BLOCKS);
    Service::ready(command)
}

pub(crate) fn base(service: &Service) -> String {
    let health = service.line("health");
    health.strip_suffix("/readyz").unwrap().to_owned()
}

async fn paymaster(service: &Service, key: &str, method: &str, params: &Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let headers = [("x-paymaster-api-key", key)];
    let (status, answer) = ask("POST", &base(service), "nobody", &headers, &body).await;
    assert_eq!(status, 200);
    assert!(answer.get("error").is_none(), "{method}: {answer}");
    answer["result"].clone()
}

/// Has a sponsor pay for a payment of the guest.
async fn pay(service: &Service, key: &str, amount: u64) -> Value {
    pay_as(service, key, amount, &json!({"mode": "sponsored"})).await
}

/// Has a payment of the guest built, signs it, and has it sent: its hash, and the id by
/// which it is tracked.
pub(crate) async fn pay_as(service: &Service, key: &str, amount: u64, fee_mode: &Value) -> Value {
    let guest = StarknetNode::guest();
    let user = guest.address;
    let transfer = json!({
        "to": STRK,
        "selector": felt_to_hex(selector("transfer")),
        "calldata": ["0x1234", format!("{amount:#x}"), "0x0"],
    });
    let parameters = json!({"version": "0x1", "fee_mode": fee_mode});
    let transaction = json!({
        "type": "invoke",
        "invoke": {"user_address": user, "calls": [transfer]},
    });
    let wish = json!({"transaction": transaction, "parameters": parameters});
    let built = paymaster(service, key, "paymaster_buildTransaction", &wish).await;
    let document = &built["typed_data"];
    let hash = TypedData::parse(document).unwrap();
    let hash = hash.hash(user.felt()).unwrap();
    let signer = StarkSigner::new(guest.private_key).unwrap();
    let signature = signer.sign(hash).unwrap().map(felt_to_hex);
    let invoke = json!({"user_address": user, "typed_data": document, "signature": signature});
    let done = json!({
        "transaction": {"type": "invoke", "invoke": invoke},
        "parameters": parameters,
    });
    paymaster(service, key, "paymaster_executeTransaction", &done).await
}

/// What a sponsor paid, once that are so many transactions, and has left.
async fn charged(service: &Service, key: &str, count: u64) -> (Value, u128) {
    let path = format!("{}/paymaster/v1/sponsor-activity", base(service));
    let activity = eventually("all are charged", async || {
        let headers = [("api-key", key)];
        let (status, activity) = ask("GET", &path, "nobody", &headers, &Value::Null).await;
        assert_eq!(status, 200);
        (activity["txCount"] == count).then_some(activity)
    })
    .await;
    let amount = |name: &str| {
        let text = activity[name].as_str().unwrap();
        u128::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
    };
    let whole = amount("strkGasFees") + amount("remainingStrkCredits");
    (activity, whole)
}

/// A sponsor's id and key, as they are shown when it is made.
pub(crate) fn shown(created: &str) -> (String, String) {
    let value = |word: &str| {
        let mut lines = created.lines();
        let value = lines.find_map(|line| line.strip_prefix(word)).unwrap();
        value.trim().to_owned()
    };
    (value("id "), value("secret "))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_between_a_replacement_and_its_receipt_a_sponsor_is_charged_once() {
    let home = Home::new();
    let node = Service::ready(simnet(&home.path("node"), &[]));
    let url = node.line("node").to_owned();
    call(&url, "sim_pause", json!({})).await;
    let data = home.data();
    let folder = data.display().to_string();
    let sponsor = |arguments: &[&str]| {
        let output = run(&[&["sponsor"], arguments, &["--data", &folder]].concat());
        (output.status.success(), text(&output.stdout))
    };
    let (_, created) = sponsor(&["create", "--name", "my game", "--credits", "5"]);
    let (id, key) = shown(&created);

    let service = start(&data, &url);
    call(&url, "sim_congest", json!({"tip": u64::MAX})).await;
    let sent = pay(&service, &key, 7).await;
    let tracked = json!({"tracking_id": sent["tracking_id"]});
    let track = async |service: &Service| {
        let method = "paymaster_trackingIdToLatestHash";
        paymaster(service, &key, method, &tracked).await
    };
    let latest = track(&service).await;
    assert_eq!(latest["transaction_hash"], sent["transaction_hash"]);
    call(&url, "sim_mine", json!({"blocks": 2})).await;
    let replaced = eventually("it is replaced", async || {
        let latest = track(&service).await;
        let (hash, first) = (&latest["transaction_hash"], &sent["transaction_hash"]);
        let method = "starknet_getTransactionStatus";
        let wish = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": [hash]});
        // Its row is there before the node has it.
        let (_, known) = ask("POST", &url, "nobody", &[], &wish).await;
        let is_sent = hash != first && known["result"]["finality_status"] == "RECEIVED";
        is_sent.then_some(latest)
    })
    .await;
    assert_eq!(replaced["status"], "active");
    service.end_with("KILL");

    call(&url, "sim_congest", json!({"tip": 0})).await;
    call(&url, "sim_mine", json!({"blocks": 2})).await;
    let service = start(&data, &url);
    let landed = track(&service).await;
    assert_eq!(landed["status"], "accepted");
    assert_eq!(landed["transaction_hash"], replaced["transaction_hash"]);
    call(&url, "sim_mine", json!({"blocks": 4})).await;
    let (activity, whole) = charged(&service, &key, 1).await;
    assert_eq!(activity["succeededTxCount"], 1);
    assert_eq!(whole, 5_000_000_000_000_000_000);
    assert_eq!(service.end_with("TERM").code(), Some(0));
    let (sound, audited) = sponsor(&["audit", &id, "--starknet-rpc", &url]);
    assert!(sound, "{audited}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_between_sending_and_receipt_a_sponsor_is_charged_once() {
    const ROUNDS: u64 = 4;
    let home = Home::new();
    let node = Service::ready(simnet(&home.path("node"), &[]));
    let url = node.line("node").to_owned();
    call(&url, "sim_pause", json!({})).await;
    let data = home.data();
    let folder = data.display().to_string();
    let sponsor = |arguments: &[&str]| {
        let output = run(&[&["sponsor"], arguments, &["--data", &folder]].concat());
        (output.status.success(), text(&output.stdout))
    };
    let (_, created) = sponsor(&["create", "--name", "my game", "--credits", "4.5"]);
    let (id, key) = shown(&created);
    let (credited, told) = sponsor(&["credit", &id, "0.5"]);
    assert!(credited && told.contains("5 STRK"), "{told}");

    for round in 0..ROUNDS {
        let service = start(&data, &url);
        pay(&service, &key, 1 + round).await;
        service.end_with("KILL");
        // Half of them land while nobody looks.
        if round % 2 == 1 {
            call(&url, "sim_mine", json!({"blocks": 1})).await;
        }
    }
    let service = start(&data, &url);
    call(&url, "sim_mine", json!({"blocks": 4})).await;
    let (activity, whole) = charged(&service, &key, ROUNDS).await;
    assert_eq!(activity["succeededTxCount"], ROUNDS);
    assert_eq!(whole, 5_000_000_000_000_000_000);
    assert_eq!(service.end_with("TERM").code(), Some(0));

    let (sound, audited) = sponsor(&["audit", &id, "--starknet-rpc", &url]);
    assert!(sound, "{audited}");
    assert!(
        audited.contains("Every charge is that of its receipt."),
        "{audited}"
    );
    let call = format!("{STRK}:transfer");
    let (_, explained) = sponsor(&["explain", &id, "--call", &call]);
    assert!(explained.starts_with("paid for"), "{explained}");
    let (_, rotated) = sponsor(&["rotate", &id]);
    assert!(rotated.contains("secret") && !rotated.contains(&key));
    let (_, disabled) = sponsor(&["disable", &id]);
    assert!(disabled.contains("is disabled"));
    let (_, explained) = sponsor(&["explain", &id, "--call", &call]);
    assert!(explained.contains("the key is disabled"), "{explained}");
    let (_, listed) = sponsor(&["list"]);
    assert!(listed.contains(&id) && listed.contains("my game") && !listed.contains(&key));
}
