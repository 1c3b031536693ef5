//! A node that answers what a test tells it to, and remembers what it was asked.

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{AppendHeaders, IntoResponse as _, Response},
    routing::any,
};
use chain::{RpcOptions, StarknetClient};
use primitives::SeededEntropy;
use serde_json::{Value, json};
use std::{
    io,
    num::{NonZeroU32, NonZeroUsize},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::net::TcpListener;
use tower_http::compression::CompressionLayer;
use url::Url;

/// What the node does with a request.
pub(crate) enum Reply {
    /// Answers with a text and the status 200.
    Text(String),
    /// Answers with a status and perhaps a header.
    Status(u16, Option<(&'static str, &'static str)>),
    /// Begins an answer and breaks off.
    CutShort(&'static str),
    /// Never answers.
    Silence,
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        Self::Text(value.to_string())
    }
}

/// One request as the node saw it.
pub(crate) struct Asked {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

type Behaviour = dyn Fn(usize, &Value) -> Reply + Send + Sync;

#[derive(Clone)]
struct Shared {
    behaviour: Arc<Behaviour>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// The node; it lives as long as its test's runtime.
pub(crate) struct Node {
    pub(crate) url: Url,
    shared: Shared,
}

impl Node {
    /// A node that answers the nth request (from 1) as `behaviour` says.
    pub(crate) async fn start(
        behaviour: impl Fn(usize, &Value) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let shared = Shared {
            behaviour: Arc::new(behaviour),
            asked: Arc::default(),
        };
        let router = Router::new()
            .fallback(any(answer))
            .layer(CompressionLayer::new())
            .with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            url: url.parse().unwrap(),
            shared,
        }
    }

    /// A node that answers each call, alone or in a batch, as `call` says.
    pub(crate) async fn answering(call: impl Fn(&Value) -> Answer + Send + Sync + 'static) -> Self {
        Self::start(move |_, body| respond(body, &call)).await
    }

    pub(crate) fn client(&self) -> StarknetClient {
        self.client_with(options())
    }

    pub(crate) fn client_with(&self, options: RpcOptions) -> StarknetClient {
        client(self.url.clone(), options)
    }

    pub(crate) fn requests(&self) -> usize {
        self.shared.asked.lock().unwrap().len()
    }

    /// How many calls each request had, 0 for a call outside a batch.
    pub(crate) fn batch_sizes(&self) -> Vec<usize> {
        let asked = self.shared.asked.lock().unwrap();
        asked
            .iter()
            .map(|asked| asked.body.as_array().map_or(0, Vec::len))
            .collect()
    }

    pub(crate) fn with_asked<T>(&self, look: impl FnOnce(&[Asked]) -> T) -> T {
        look(&self.shared.asked.lock().unwrap())
    }
}

/// Result or error of one call.
pub(crate) type Answer = Result<Value, (i64, &'static str)>;

/// The answer to a request of one call or of a batch.
pub(crate) fn respond(body: &Value, call: impl Fn(&Value) -> Answer) -> Reply {
    let respond = |question: &Value| match call(question) {
        Ok(result) => json!({"jsonrpc": "2.0", "id": question["id"], "result": result}),
        Err((code, message)) => {
            json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": code, "message": message}})
        }
    };
    match body {
        Value::Array(questions) => Value::Array(questions.iter().map(respond).collect()).into(),
        question => respond(question).into(),
    }
}

pub(crate) fn client(url: Url, options: RpcOptions) -> StarknetClient {
    StarknetClient::new(url, options, Arc::new(SeededEntropy::new(1))).unwrap()
}

/// Three attempts with hardly a wait; batches of four.
pub(crate) fn options() -> RpcOptions {
    RpcOptions {
        attempts: NonZeroU32::new(3).unwrap(),
        backoff_base: Duration::from_micros(10),
        backoff_cap: Duration::from_millis(1),
        max_batch: NonZeroUsize::new(4).unwrap(),
        ..RpcOptions::default()
    }
}

async fn answer(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap();
    let reply = {
        let mut asked = shared.asked.lock().unwrap();
        let reply = (shared.behaviour)(asked.len() + 1, &body);
        asked.push(Asked { headers, body });
        reply
    };
    match reply {
        Reply::Text(text) => text.into_response(),
        Reply::Status(status, header) => {
            let status = StatusCode::from_u16(status).unwrap();
            (status, AppendHeaders(header)).into_response()
        }
        Reply::CutShort(text) => {
            let pieces = [Ok(text), Err(io::Error::other("cut short"))];
            Body::from_stream(futures_util::stream::iter(pieces)).into_response()
        }
        Reply::Silence => std::future::pending().await,
    }
}
