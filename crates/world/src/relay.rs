//! A node that stands before the simulated one and lets a test change what it
//! says: for whatever no honest contract of the simulated network would do.

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    response::Response,
};
use primitives::{Address, Felt, SeededEntropy, felt_to_hex, selector};
use serde_json::{Value, json};
use simnet::StarknetNode;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::net::TcpListener;
use tower::ServiceExt as _;
use url::Url;

/// More than any answer of a small world.
const MAX_BYTES: usize = 64 << 20;

/// Changes the answer to one call, given the method and its params.
type Change = dyn Fn(&str, &Value, &mut Value) + Send + Sync;

/// The node; it lives as long as its test's runtime.
#[derive(Clone)]
pub struct Relay {
    /// Where its JSON-RPC is.
    pub url: Url,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Relay {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Relay").field(&self.url).finish()
    }
}

struct Shared {
    behind: Router,
    change: Box<Change>,
    calls: Mutex<BTreeMap<String, usize>>,
    requests: Mutex<usize>,
}

impl Relay {
    /// A node before `node`, whose answers (the whole objects, with `result` or
    /// `error`) `change` may alter.
    pub async fn start(
        node: &StarknetNode,
        change: impl Fn(&str, &Value, &mut Value) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port");
        let address = listener.local_addr().expect("its address");
        let shared = Arc::new(Shared {
            behind: node.router(),
            change: Box::new(change),
            calls: Mutex::default(),
            requests: Mutex::default(),
        });
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let url = Url::parse(&format!("http://{address}/starknet/rpc/v0_10")).expect("a url");
        Self { url, shared }
    }

    /// A client that asks through the relay, and gets what it alters.
    pub fn client(&self, entropy: &Arc<SeededEntropy>) -> chain::StarknetClient {
        crate::client(&self.url, entropy)
    }

    /// How often each method was called so far.
    pub fn calls(&self) -> BTreeMap<String, usize> {
        let calls = self.shared.calls.lock();
        calls.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many requests came so far, each with one call or many.
    pub fn requests(&self) -> usize {
        let requests = self.shared.requests.lock();
        *requests.unwrap_or_else(PoisonError::into_inner)
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, MAX_BYTES).await.expect("a whole request");
    let asked: Value = serde_json::from_slice(&body).expect("a request in JSON");
    let mut parts = parts;
    // What comes back is read here, so that it must not be compressed.
    parts.headers.remove("accept-encoding");
    let request = Request::from_parts(parts, Body::from(body));
    let behind = shared.behind.clone().oneshot(request).await;
    let (mut parts, body) = behind.expect("the node answers").into_parts();
    let body = to_bytes(body, MAX_BYTES).await.expect("a whole answer");
    *shared
        .requests
        .lock()
        .unwrap_or_else(PoisonError::into_inner) += 1;
    let Ok(mut said) = serde_json::from_slice::<Value>(&body) else {
        return Response::from_parts(parts, Body::from(body));
    };
    for call in each(&asked) {
        let method = call["method"].as_str().unwrap_or_default();
        let calls = shared.calls.lock();
        let mut calls = calls.unwrap_or_else(PoisonError::into_inner);
        *calls.entry(method.to_owned()).or_default() += 1;
        drop(calls);
        let answers = match &mut said {
            Value::Array(answers) => answers.as_mut_slice(),
            answer => std::slice::from_mut(answer),
        };
        if let Some(answer) = answers.iter_mut().find(|it| it["id"] == call["id"]) {
            (shared.change)(method, &call["params"], answer);
        }
    }
    parts.headers.remove("content-length");
    Response::from_parts(parts, Body::from(said.to_string()))
}

fn each(asked: &Value) -> &[Value] {
    match asked {
        Value::Array(calls) => calls,
        call => std::slice::from_ref(call),
    }
}

/// Adds an event to the first transaction of a block with receipts.
pub fn add_event(answer: &mut Value, from: Address, name: &str, data: &[Felt]) {
    let hex = |felts: &[Felt]| -> Vec<String> { felts.iter().copied().map(felt_to_hex).collect() };
    let block = &mut answer["result"];
    let count = block["event_count"].as_u64().expect("a count of events");
    block["event_count"] = json!(count + 1);
    let events = &mut block["transactions"][0]["receipt"]["events"];
    let events = events.as_array_mut().expect("a transaction");
    events.push(json!({
        "from_address": felt_to_hex(from.felt()),
        "keys": hex(&[selector(name)]),
        "data": hex(data),
    }));
}
