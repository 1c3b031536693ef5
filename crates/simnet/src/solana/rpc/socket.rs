//! JSON-RPC over WebSocket: the methods of HTTP, and news of transactions and
//! slots.
//!
//! A connection answers one message after the other. Slots pass with the clock
//! without telling anybody, so that a connection that waits for something looks
//! at the chain again and again.

use super::methods::call;
use super::spoil;
use super::subscriptions::Subscriptions;
use crate::caller::Caller;
use crate::socket::Socket;
use crate::solana::node::SolanaNode;
use crate::transport::MAX_BODY_BYTES;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::sleep;

/// How often a connection looks for news.
const LOOK_EVERY: Duration = Duration::from_millis(50);

pub(super) async fn upgrade(
    State(node): State<SolanaNode>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let caller = Caller::of(&headers);
    let Some(seat) = node.seat() else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    upgrade
        .max_message_size(MAX_BODY_BYTES)
        .max_frame_size(MAX_BODY_BYTES)
        .on_upgrade(move |socket| async move {
            let connection = Connection {
                node,
                caller,
                socket: Socket::new(socket),
                subscriptions: Subscriptions::default(),
            };
            connection.run().await;
            drop(seat);
        })
}

struct Connection {
    node: SolanaNode,
    caller: Caller,
    socket: Socket,
    subscriptions: Subscriptions,
}

impl Connection {
    async fn run(mut self) {
        loop {
            let flow = tokio::select! {
                message = self.socket.next() => match message {
                    Some(body) => self.answer(body).await,
                    None => ControlFlow::Break(()),
                },
                () = sleep(LOOK_EVERY), if !self.subscriptions.is_empty() => {
                    let news = self.node.look(|chain| self.subscriptions.news(chain));
                    self.socket.notify(news).await
                }
            };
            if flow.is_break() {
                return;
            }
        }
    }

    async fn answer(&mut self, body: Bytes) -> ControlFlow<()> {
        let (node, caller) = (self.node.clone(), self.caller);
        let subscriptions = RefCell::new(std::mem::take(&mut self.subscriptions));
        let answered = tokio::task::spawn_blocking(move || {
            let answer = spoil::answer(&node, &body, |method, params, behind| match method {
                "signatureSubscribe" => subscriptions.borrow_mut().await_signature(params),
                "slotSubscribe" => subscriptions.borrow_mut().await_slots(&node, params),
                "signatureUnsubscribe" | "slotUnsubscribe" => {
                    subscriptions.borrow_mut().end(params)
                }
                _ => {
                    caller.check(method)?;
                    call(&node, method, params, behind)
                }
            });
            (answer, subscriptions.into_inner())
        })
        .await;
        match answered {
            Ok(((text, fault), subscriptions)) => {
                self.subscriptions = subscriptions;
                self.socket.respond(text, fault).await
            }
            Err(error) => {
                tracing::error!(%error, "a request to the simulated node failed");
                self.socket.fail().await
            }
        }
    }
}
