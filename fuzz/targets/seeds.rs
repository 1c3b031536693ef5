//! Writes inputs to begin with into a folder, one folder for each target: requests of
//! the API's description, and what simulated nodes are asked and answer.

mod solana_questions;
mod starknet_questions;

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::State,
    http::{Request, Uri},
    response::Response,
};
use chain::{RpcOptions, SolanaClient, StarknetClient};
use primitives::{Entropy, Felt, Signature, felt_to_hex};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};
use tokio::net::TcpListener;
use tower::ServiceExt as _;
use trading::paymaster::{OutsideExecution, OutsideVersion, SelectedCall, TimeBounds};
use world::{Market, World};

// It is instrumented as the targets are, and what that needs comes with the fuzzer.
libfuzzer_sys::fuzz_target!(|_nothing: &[u8]| {});

/// Longer inputs cost more than they tell.
const LONGEST: usize = 24 * 1024;

/// What was asked and answered.
#[derive(Clone)]
struct Recorder {
    node: Router,
    path: &'static str,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    asked: Vec<String>,
    answered: Vec<String>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let folder = std::env::args().nth(1).expect("usage: seeds FOLDER");
    let folder = PathBuf::from(folder);
    requests(&folder.join("http_request"));
    let mut asked = starknet(&folder.join("starknet_answers")).await;
    asked.extend(solana(&folder.join("solana_answers")).await);
    write(&folder.join("simulated_nodes"), asked);
    files(&folder.join("files"));
    executions(&folder.join("typed_data"));
}

fn write(folder: &Path, inputs: impl IntoIterator<Item = String>) {
    fs::create_dir_all(folder).expect("a folder");
    let inputs: BTreeSet<String> = inputs.into_iter().collect();
    let short = inputs.into_iter().filter(|input| input.len() <= LONGEST);
    for (number, input) in short.enumerate() {
        fs::write(folder.join(format!("{number:03}")), input).expect("a file");
    }
}

impl Recorder {
    async fn serve(node: Router, path: &'static str) -> (Self, String) {
        let recorder = Self {
            node,
            path,
            seen: Arc::default(),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let router = Router::new().fallback(record).with_state(recorder.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (recorder, format!("http://{address}"))
    }

    fn take(&self) -> Seen {
        std::mem::take(&mut *self.seen.lock().expect("what was seen"))
    }
}

async fn record(State(recorder): State<Recorder>, _: Uri, asked: Bytes) -> Response {
    let request = Request::post(recorder.path).header("content-type", "application/json");
    let request = request.body(Body::from(asked.clone())).expect("a request");
    let answer = recorder
        .node
        .clone()
        .oneshot(request)
        .await
        .expect("an answer");
    let (parts, body) = answer.into_parts();
    let body = to_bytes(body, usize::MAX).await.expect("a body");
    let mut seen = recorder.seen.lock().expect("what was seen");
    seen.asked
        .push(String::from_utf8_lossy(&asked).into_owned());
    let told: Value = serde_json::from_slice(&body).unwrap_or_default();
    let told = match told {
        Value::Array(all) => all,
        one => vec![one],
    };
    for one in told {
        seen.answered
            .push(match (one.get("result"), one.get("error")) {
                (Some(result), _) => result.to_string(),
                (None, error) => format!("!{}", error.cloned().unwrap_or_default()),
            });
    }
    Response::from_parts(parts, Body::from(body))
}

/// Answers of a Starknet node; gives back what it was asked.
async fn starknet(folder: &Path) -> Vec<String> {
    let world = World::new(1).await;
    let (recorder, url) = Recorder::serve(world.node.router(), "/starknet/rpc/v0_10").await;
    let entropy: Arc<dyn Entropy> = Arc::clone(&world.entropy) as _;
    let url = url.parse().expect("an address");
    let client = StarknetClient::new(url, RpcOptions::default(), entropy).expect("a client");
    let hash = client.block_hash(starknet_questions::HEIGHT).await;
    let hash = hash.expect("a node that answers").unwrap_or(Felt::ZERO);
    recorder.take();
    let (mut inputs, mut asked) = (Vec::new(), Vec::new());
    for question in 0..starknet_questions::COUNT {
        starknet_questions::ask(&client, question, hash).await;
        let seen = recorder.take();
        let lines = seen.answered.join("\n");
        inputs.push(format!("{question} {}\n{lines}", felt_to_hex(hash)));
        asked.extend(seen.asked.iter().map(|asked| format!("k{asked}")));
    }
    write(folder, inputs);
    asked
}

/// Answers of a Solana node; gives back what it was asked.
async fn solana(folder: &Path) -> Vec<String> {
    let market = Market::new(1).await;
    let (payer, to) = (market.wallet(2), market.wallet(3).public_key());
    let owner = market.user("owner").await;
    let validator = market.validator(&owner, 0, 1).await.id;
    let booking = market.booking(validator, 1, 1, leasing::Mode::Shared);
    let trader = market.user("trader").await;
    let booked = market.book(&trader, &booking).await.expect("a lease");
    let name = market
        .pay(booked.lease.payment.memo().as_str(), &payer)
        .await;
    market.finalise();
    let (recorder, url) = Recorder::serve(market.node.router(), "/solana").await;
    let entropy: Arc<dyn Entropy> = Arc::clone(&market.entropy) as _;
    let urls = [url.parse().expect("an address")];
    let client = SolanaClient::connect(&urls, RpcOptions::default(), &entropy, None).await;
    let client = client.expect("a client");
    recorder.take();
    let (mut inputs, mut asked) = (Vec::new(), Vec::new());
    let unknown = Signature::from_bytes([7; 64]);
    for (account, name) in [(payer.public_key(), name), (to, unknown)] {
        for question in 0..solana_questions::COUNT {
            solana_questions::ask(&client, question, account, name).await;
            let seen = recorder.take();
            let lines = seen.answered.join("\n");
            inputs.push(format!("{question} {account} {name}\n{lines}"));
            asked.extend(seen.asked.iter().map(|asked| format!("s{asked}")));
        }
    }
    write(folder, inputs);
    asked
}

/// Lists of the simulated network, and the example of settings.
fn files(folder: &Path) {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../config.example.toml");
    let example = fs::read_to_string(example).expect("the example");
    // A comment tells nothing; what it says of a key does.
    let keys = example
        .lines()
        .map(|line| line.strip_prefix("# ").unwrap_or(line));
    let keys = keys.filter(|line| line.starts_with('[') || line.contains(" = "));
    let keys: Vec<&str> = keys.collect();
    write(
        folder,
        [
            format!("t{}", simnet::StarknetNode::token_list()),
            format!("a{}", simnet::StarknetNode::anchors()),
            format!("v{}", simnet::StarknetNode::venues()),
            format!("s{}", keys.join("\n")),
            "eSTOA__SERVER__LISTEN=127.0.0.1:0\nSTOA__STORE__URL=sqlite:./data".to_owned(),
        ],
    );
}

/// What users of the paymaster sign, in both versions.
fn executions(folder: &Path) {
    let transfer = vec![Felt::TWO, Felt::ONE, Felt::ZERO];
    let call = SelectedCall::named(services::STRK, "transfer", transfer);
    let document = |version| {
        let execution = OutsideExecution {
            version,
            caller: simnet::StarknetNode::forwarder(),
            nonce: Felt::from(7_u8),
            bounds: TimeBounds {
                execute_after: 1,
                execute_before: 1_800_000_000,
            },
            calls: vec![call.clone()],
        };
        execution.typed_data("SN_STOA").to_string()
    };
    let versions = [OutsideVersion::One, OutsideVersion::Two];
    write(folder, versions.map(document));
}

/// A request for each operation of the descriptions, with its examples.
fn requests(folder: &Path) {
    let mut inputs = Vec::new();
    for name in ["market", "marketplace", "operation", "paymaster", "trade"] {
        let place = format!("{}/../openapi/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(place).expect("a description");
        let document: Value = serde_json::from_str(&text).expect("a description");
        let paths = document["paths"].as_object().expect("paths");
        for (path, item) in paths {
            for (method, operation) in item.as_object().expect("operations") {
                inputs.push(request(method, path, operation));
            }
        }
    }
    write(folder, inputs);
}

fn request(method: &str, path: &str, operation: &Value) -> String {
    let mut path = path.to_owned();
    let (mut query, mut headers) = (Vec::new(), vec!["authorization: Bearer @staff@".to_owned()]);
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    for parameter in parameters {
        let name = parameter["name"].as_str().unwrap_or_default();
        let value = value(name, parameter);
        match parameter["in"].as_str() {
            Some("path") => path = path.replace(&format!("{{{name}}}"), &value),
            Some("query") => query.push(format!("{name}={value}")),
            _ => headers.push(format!("{name}: {value}")),
        }
    }
    if !query.is_empty() {
        path = format!("{path}?{}", query.join("&"));
    }
    let content = &operation["requestBody"]["content"]["application/json"];
    let body = match &content["example"] {
        Value::Null => String::new(),
        example => {
            headers.push("content-type: application/json".to_owned());
            example.to_string()
        }
    };
    let method = method.to_uppercase();
    format!("{method} {path}\n{}\n\n{body}", headers.join("\n"))
}

/// What a parameter is, where the description has an example or its name tells.
fn value(name: &str, parameter: &Value) -> String {
    let known = match name {
        "id" | "validator_id" | "validator" => "@validator@",
        "lease_id" => "@lease@",
        "memo" => "@memo@",
        "identity_pubkey" => "@identity@",
        "poolAddress" => "@pool@",
        "userAddress" | "traderAddress" | "takerAddress" | "trader" => "@account@",
        "tokenAddress" | "sellTokenAddress" | "addressOrSymbol" | "token" | "symbol" => "@strk@",
        "Idempotency-Key" => "@key@",
        _ => "",
    };
    if !known.is_empty() {
        return known.to_owned();
    }
    let schema = &parameter["schema"];
    let places = [
        &parameter["example"],
        &schema["example"],
        &schema["default"],
    ];
    match places.into_iter().find(|place| !place.is_null()) {
        Some(Value::String(text)) => text.replace(' ', "+"),
        Some(other) => other.to_string(),
        None => "1".to_owned(),
    }
}
