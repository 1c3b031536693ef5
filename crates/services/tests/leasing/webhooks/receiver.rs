//! Somebody who is told of what happens: a server that notes what it gets, and
//! answers as it is told to.

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header::LOCATION},
    response::{IntoResponse, Response},
    routing,
};
use leasing::WebhookSecret;
use primitives::Timestamp;
use serde_json::Value;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, watch},
};
use tokio_util::sync::{CancellationToken, DropGuard};

/// How a receiver answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    Status(u16),
    Redirect(String),
    /// Not before it is released, then with 200.
    Wait,
}

/// What a receiver got.
#[derive(Debug, Clone)]
pub(super) struct Got {
    pub(super) id: String,
    pub(super) signature: String,
    second: i64,
    text: String,
}

impl Got {
    pub(super) fn body(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    /// Whether one of its signatures is of a secret.
    pub(super) fn is_signed_with(&self, secret: &WebhookSecret) -> bool {
        let at = Timestamp::from_second(self.second).unwrap();
        let expected = secret.signature(&self.id, at, &self.text).unwrap();
        self.signature.split(' ').any(|one| one == expected)
    }
}

struct Desk {
    /// The replies to come; the last one is given for ever.
    replies: Mutex<VecDeque<Reply>>,
    got: watch::Sender<Vec<Got>>,
    released: Semaphore,
}

/// A receiver, which stops when it is dropped.
pub(super) struct Receiver {
    pub(super) url: String,
    desk: Arc<Desk>,
    _served: DropGuard,
}

impl Receiver {
    /// One that answers so, the last reply again and again.
    pub(super) async fn new(replies: &[Reply]) -> Self {
        let desk = Arc::new(Desk {
            replies: Mutex::new(replies.iter().cloned().collect()),
            got: watch::Sender::new(Vec::new()),
            released: Semaphore::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let router = Router::new()
            .route("/hook", routing::post(take))
            .with_state(Arc::clone(&desk));
        let stop = CancellationToken::new();
        let served = stop.clone();
        tokio::spawn(async move {
            served
                .run_until_cancelled(async { axum::serve(listener, router).await })
                .await
        });
        Self {
            url,
            desk,
            _served: stop.drop_guard(),
        }
    }

    /// What came so far.
    pub(super) fn got(&self) -> Vec<Got> {
        self.desk.got.borrow().clone()
    }

    /// The types of what came so far.
    pub(super) fn types(&self) -> Vec<String> {
        let word = |got: Got| got.body()["type"].as_str().unwrap().to_owned();
        self.got().into_iter().map(word).collect()
    }

    /// Waits until so much came.
    pub(super) async fn wait_for(&self, count: usize) {
        let mut got = self.desk.got.subscribe();
        got.wait_for(|got| got.len() >= count).await.unwrap();
    }

    /// Lets those who wait have their answer.
    pub(super) fn release(&self) {
        self.desk.released.add_permits(1_000);
    }
}

async fn take(State(desk): State<Arc<Desk>>, headers: HeaderMap, body: Bytes) -> Response {
    let text = |name: &str| headers[name].to_str().unwrap().to_owned();
    assert_eq!(text("content-type"), "application/json");
    let got = Got {
        id: text("webhook-id"),
        signature: text("webhook-signature"),
        second: text("webhook-timestamp").parse().unwrap(),
        text: String::from_utf8(body.to_vec()).unwrap(),
    };
    let reply = {
        let mut replies = desk.replies.lock().unwrap();
        match replies.len() {
            0 | 1 => replies.front().cloned(),
            _ => replies.pop_front(),
        }
    };
    desk.got.send_modify(|all| all.push(got));
    match reply.unwrap_or(Reply::Status(200)) {
        Reply::Status(status) => StatusCode::from_u16(status).unwrap().into_response(),
        Reply::Redirect(url) => (StatusCode::FOUND, [(LOCATION, url)]).into_response(),
        Reply::Wait => {
            drop(desk.released.acquire().await);
            StatusCode::OK.into_response()
        }
    }
}
