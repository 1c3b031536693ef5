//! JSON-RPC over WebSocket: the methods of HTTP, and subscriptions.
//!
//! A connection answers one message after the other.

use super::methods::call;
use super::spec::Spec;
use super::spoil;
use super::subscriptions::Subscriptions;
use crate::caller::Caller;
use crate::socket::Socket;
use crate::starknet::feed::Listener;
use crate::starknet::node::StarknetNode;
use crate::transport::MAX_BODY_BYTES;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{WebSocketUpgrade, close_code};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use std::cell::RefCell;
use std::ops::ControlFlow;

pub(super) fn upgrade(
    spec: Spec,
    State(node): State<StarknetNode>,
    headers: &HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let caller = Caller::of(headers);
    let Some(listener) = node.feed().listen() else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    upgrade
        .max_message_size(MAX_BODY_BYTES)
        .max_frame_size(MAX_BODY_BYTES)
        .on_upgrade(move |socket| async move {
            let connection = Connection {
                node,
                spec,
                caller,
                socket: Socket::new(socket),
                subscriptions: Subscriptions::default(),
            };
            connection.run(listener).await;
        })
}

struct Connection {
    node: StarknetNode,
    spec: Spec,
    caller: Caller,
    socket: Socket,
    subscriptions: Subscriptions,
}

impl Connection {
    async fn run(mut self, mut listener: Listener) {
        loop {
            let flow = tokio::select! {
                message = self.socket.next() => match message {
                    Some(body) => self.answer(body).await,
                    None => ControlFlow::Break(()),
                },
                news = listener.next() => match news {
                    Some((number, news)) => {
                        let messages: Vec<_> =
                            self.subscriptions.news(number, &news, self.spec).collect();
                        self.socket.notify(messages).await
                    }
                    None => self.socket.close(close_code::POLICY, "fell behind the chain").await,
                },
            };
            if flow.is_break() {
                return;
            }
        }
    }

    /// Answers a message; a new subscription's past follows its answer.
    async fn answer(&mut self, body: Bytes) -> ControlFlow<()> {
        let (node, spec, caller) = (self.node.clone(), self.spec, self.caller);
        let subscriptions = RefCell::new(std::mem::take(&mut self.subscriptions));
        let answered = tokio::task::spawn_blocking(move || {
            let answer = spoil::answer(&node, &body, |method, params| match method {
                "starknet_subscribeNewHeads" => subscriptions.borrow_mut().subscribe(&node, params),
                "starknet_unsubscribe" => subscriptions.borrow_mut().unsubscribe(params),
                _ => {
                    caller.check(method)?;
                    call(&node, spec, method, params)
                }
            });
            (answer, subscriptions.into_inner())
        })
        .await;
        let (text, fault) = match answered {
            Ok((answer, subscriptions)) => {
                self.subscriptions = subscriptions;
                answer
            }
            Err(error) => {
                tracing::error!(%error, "a request to the simulated node failed");
                return self.socket.fail().await;
            }
        };
        self.socket.respond(text, fault).await?;
        let past: Vec<_> = self.subscriptions.past(self.spec).collect();
        self.socket.notify(past).await
    }
}
