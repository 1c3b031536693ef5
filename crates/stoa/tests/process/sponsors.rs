//! Sponsors, from making one to the audit of what it paid, with a service that is
//! killed whenever it has sent something.

use crate::harness::{Home, Service, ask, call, eventually, run, serve, simnet, text};
use chain::StarkSigner;
use primitives::{felt_to_hex, selector, typed_data::TypedData};
use serde_json::{Value, json};
use simnet::StarknetNode;
use std::path::Path;

const STRK: &str = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";

/// Blocks that make something final.
const DEPTH: &str = "1";

fn start(data: &Path, node: &str) -> Service {
    let mut command = serve(data, &["--starknet-rpc", node]);
    command.env("STOA__PAYMASTER__DEPTH", DEPTH);
    Service::ready(command)
}

fn base(service: &Service) -> String {
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

/// Has a payment of the guest built, signs it, and has it sent.
async fn pay(service: &Service, key: &str, amount: u64) {
    let guest = StarknetNode::guest();
    let user = guest.address;
    let transfer = json!({
        "to": STRK,
        "selector": felt_to_hex(selector("transfer")),
        "calldata": ["0x1234", format!("{amount:#x}"), "0x0"],
    });
    let parameters = json!({"version": "0x1", "fee_mode": {"mode": "sponsored"}});
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
    paymaster(service, key, "paymaster_executeTransaction", &done).await;
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
    let value = |word: &str| {
        let mut lines = created.lines();
        let value = lines.find_map(|line| line.strip_prefix(word)).unwrap();
        value.trim().to_owned()
    };
    let (id, key) = (value("id "), value("secret "));
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
    let path = format!("{}/paymaster/v1/sponsor-activity", base(&service));
    let activity = eventually("all are charged", async || {
        let headers = [("api-key", key.as_str())];
        let (status, activity) = ask("GET", &path, "nobody", &headers, &Value::Null).await;
        assert_eq!(status, 200);
        (activity["txCount"] == ROUNDS).then_some(activity)
    })
    .await;
    assert_eq!(activity["succeededTxCount"], ROUNDS);
    let amount = |name: &str| {
        let text = activity[name].as_str().unwrap();
        u128::from_str_radix(text.strip_prefix("0x").unwrap(), 16).unwrap()
    };
    let whole = amount("strkGasFees") + amount("remainingStrkCredits");
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
