//! One WebSocket connection: messages in, answers out, faults of transport
//! included.
//!
//! A client that does not take what it is sent loses its connection; nothing
//! piles up for it.

use crate::fault::FaultKind;
use crate::jsonrpc::Answer;
use crate::transport::{OVERSIZED_MEGABYTES, half, malformed};
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use std::ops::ControlFlow;
use std::time::Duration;
use tokio::time::timeout;

/// How long a client may take to accept a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection. What breaks a flow has ended it.
pub(crate) struct Socket(WebSocket);

impl Socket {
    pub(crate) fn new(socket: WebSocket) -> Self {
        Self(socket)
    }

    /// The next message; `None` at the end of the connection.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        loop {
            match self.0.recv().await {
                Some(Ok(Message::Text(text))) => return Some(text.into()),
                Some(Ok(Message::Binary(bytes))) => return Some(bytes),
                // Pings and goodbyes are answered by the protocol itself, the latter
                // while the end is read.
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_))) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }

    /// Sends an answer in the way of `fault`. Where HTTP has a status for it,
    /// the connection is closed.
    pub(crate) async fn respond(
        &mut self,
        text: Option<String>,
        fault: Option<FaultKind>,
    ) -> ControlFlow<()> {
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

    pub(crate) async fn notify(&mut self, messages: Vec<Answer>) -> ControlFlow<()> {
        for message in messages {
            match message {
                Ok(text) => self.send(text).await?,
                Err(_) => return self.fail().await,
            }
        }
        ControlFlow::Continue(())
    }

    /// Sends a message; nothing, if there is nothing to say.
    async fn send(&mut self, text: String) -> ControlFlow<()> {
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        let sent = timeout(SEND_TIMEOUT, self.0.send(Message::Text(text.into()))).await;
        match sent {
            Ok(Ok(())) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    /// Ends the connection for a failure of the node.
    pub(crate) async fn fail(&mut self) -> ControlFlow<()> {
        self.close(close_code::ERROR, "internal error").await
    }

    pub(crate) async fn close(&mut self, code: u16, reason: &'static str) -> ControlFlow<()> {
        let frame = Message::Close(Some(CloseFrame {
            code,
            reason: reason.into(),
        }));
        // Whoever does not take the goodbye is left without one.
        let _ = timeout(SEND_TIMEOUT, self.0.send(frame)).await;
        ControlFlow::Break(())
    }
}
