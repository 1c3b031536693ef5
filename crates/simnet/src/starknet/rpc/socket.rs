//! JSON-RPC over WebSocket: the methods of HTTP, and subscriptions.
//!
//! A connection answers one message after the other. A client that does not take
//! what it is sent loses its connection; nothing piles up for it.

use super::subscriptions::Subscriptions;
use super::{MAX_BODY_BYTES, Spec, call, spoil};
use crate::fault::FaultKind;
use crate::starknet::feed::Listener;
use crate::starknet::node::StarknetNode;
use crate::transport::{OVERSIZED_MEGABYTES, half, malformed};
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::timeout;

/// How long a client may take to accept a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) fn upgrade(
    spec: Spec,
    State(node): State<StarknetNode>,
    upgrade: WebSocketUpgrade,
) -> Response {
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
                socket,
                subscriptions: Subscriptions::default(),
            };
            connection.run(listener).await;
        })
}

struct Connection {
    node: StarknetNode,
    spec: Spec,
    socket: WebSocket,
    subscriptions: Subscriptions,
}

impl Connection {
    async fn run(mut self, mut listener: Listener) {
        loop {
            let flow = tokio::select! {
                message = self.socket.recv() => match message {
                    Some(Ok(Message::Text(text))) => self.answer(text.into()).await,
                    Some(Ok(Message::Binary(bytes))) => self.answer(bytes).await,
                    // Pings are answered by the protocol itself.
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => ControlFlow::Continue(()),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => ControlFlow::Break(()),
                },
                news = listener.next() => match news {
                    Some((number, news)) => {
                        let messages: Vec<_> =
                            self.subscriptions.news(number, &news, self.spec).collect();
                        self.notify(messages).await
                    }
                    None => self.close(close_code::POLICY, "fell behind the chain").await,
                },
            };
            if flow.is_break() {
                return;
            }
        }
    }

    /// Answers a message; a new subscription's past follows its answer.
    async fn answer(&mut self, body: Bytes) -> ControlFlow<()> {
        let (node, spec) = (self.node.clone(), self.spec);
        let subscriptions = RefCell::new(std::mem::take(&mut self.subscriptions));
        let answered = tokio::task::spawn_blocking(move || {
            let answer = spoil::answer(&node, &body, |method, params| match method {
                "starknet_subscribeNewHeads" => subscriptions.borrow_mut().subscribe(&node, params),
                "starknet_unsubscribe" => subscriptions.borrow_mut().unsubscribe(params),
                _ => call(&node, spec, method, params),
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
                return self.close(close_code::ERROR, "internal error").await;
            }
        };
        self.respond(text, fault).await?;
        let past: Vec<_> = self.subscriptions.past(self.spec).collect();
        self.notify(past).await
    }

    /// Sends an answer in the way of `fault`. Where HTTP has a status for it,
    /// the connection is closed.
    async fn respond(&mut self, text: Option<String>, fault: Option<FaultKind>) -> ControlFlow<()> {
        let text = text.unwrap_or_default();
        match fault {
            Some(FaultKind::Dropped) => ControlFlow::Break(()),
            Some(FaultKind::Http5xx) => self.close(close_code::ERROR, "unavailable").await,
            Some(FaultKind::Http429) => self.close(close_code::AGAIN, "too many requests").await,
            Some(FaultKind::Truncated) => {
                self.send(half(&text)).await?;
                ControlFlow::Break(())
            }
            Some(FaultKind::Malformed) => self.send(malformed(&text)).await,
            Some(FaultKind::Oversized) => {
                let padding = " ".repeat(OVERSIZED_MEGABYTES << 20);
                self.send(padding + &text).await
            }
            Some(FaultKind::Delay(delay)) => {
                tokio::time::sleep(delay).await;
                self.send(text).await
            }
            _ => self.send(text).await,
        }
    }

    async fn notify(&mut self, messages: Vec<crate::jsonrpc::Answer>) -> ControlFlow<()> {
        for message in messages {
            match message {
                Ok(text) => self.send(text).await?,
                Err(_) => return self.close(close_code::ERROR, "internal error").await,
            }
        }
        ControlFlow::Continue(())
    }

    /// Sends a message; nothing, if there is nothing to say.
    async fn send(&mut self, text: String) -> ControlFlow<()> {
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        let sent = timeout(SEND_TIMEOUT, self.socket.send(Message::Text(text.into()))).await;
        match sent {
            Ok(Ok(())) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    async fn close(&mut self, code: u16, reason: &'static str) -> ControlFlow<()> {
        let frame = Message::Close(Some(CloseFrame {
            code,
            reason: reason.into(),
        }));
        // Whoever does not take the goodbye is left without one.
        let _ = timeout(SEND_TIMEOUT, self.socket.send(frame)).await;
        ControlFlow::Break(())
    }
}
