//! A doorbell: a node announces new heads over WebSocket.
//!
//! An announcement is only a reason to look; what is true is asked for over
//! HTTP. So nothing is read from a message but that it came, and a socket that
//! is silent, late or lost costs freshness, never correctness.

use crate::jsonrpc::shown;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use std::time::Duration;
use thiserror::Error;
use tokio::{sync::Notify, time::timeout};
use tokio_tungstenite::{
    connect_async_with_config,
    tungstenite::{self, Message, protocol::WebSocketConfig},
};
use url::Url;

/// Announcements are short; a longer one is not for us.
const MAX_MESSAGE_BYTES: usize = 256 * 1024;

/// Time to connect and to subscribe.
const PATIENCE: Duration = Duration::from_secs(10);

/// A socket that is silent for so long is taken for dead.
const MAX_SILENCE: Duration = Duration::from_mins(2);

/// Why a node's announcements ended.
#[derive(Debug, Error)]
pub enum HeadsError {
    /// The address is not one of a WebSocket.
    #[error("an address for announcements begins with ws:// or wss://, not {scheme}:")]
    UnsupportedUrl {
        /// What it begins with.
        scheme: String,
    },
    /// No connection, or it broke.
    #[error("the socket of {node} failed")]
    Socket {
        /// Scheme, host and port.
        node: String,
        /// What the socket says.
        source: Box<tungstenite::Error>,
    },
    /// The node does not announce heads.
    #[error("{node} refused to announce heads: {reason}")]
    Refused {
        /// Scheme, host and port.
        node: String,
        /// Its words, cut.
        reason: String,
    },
    /// Nothing came for too long.
    #[error("{node} has been silent for {after:?}")]
    Silent {
        /// Scheme, host and port.
        node: String,
        /// For how long.
        after: Duration,
    },
    /// The node closed the socket.
    #[error("{node} closed the socket")]
    Closed {
        /// Scheme, host and port.
        node: String,
    },
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    error: Option<serde_json::Value>,
}

/// Subscribes to the heads of the node at `url` and rings `bell` for each
/// announcement. Returns only with the reason why there will be no more.
pub async fn ring_at_heads(url: &Url, bell: &Notify) -> HeadsError {
    match listen(url, bell).await {
        Ok(never) => match never {},
        Err(error) => error,
    }
}

async fn listen(url: &Url, bell: &Notify) -> Result<std::convert::Infallible, HeadsError> {
    if !matches!(url.scheme(), "ws" | "wss") {
        return Err(HeadsError::UnsupportedUrl {
            scheme: url.scheme().to_owned(),
        });
    }
    let node = shown(url);
    let failed = |source| HeadsError::Socket {
        node: node.clone(),
        source: Box::new(source),
    };
    let silent = |after| HeadsError::Silent {
        node: node.clone(),
        after,
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES));
    let connected = connect_async_with_config(url.as_str(), Some(config), true);
    let (mut socket, _) = timeout(PATIENCE, connected)
        .await
        .map_err(|_| silent(PATIENCE))?
        .map_err(failed)?;
    let subscribe = r#"{"jsonrpc":"2.0","id":1,"method":"starknet_subscribeNewHeads","params":{}}"#;
    socket
        .send(Message::text(subscribe))
        .await
        .map_err(failed)?;
    loop {
        let message = timeout(MAX_SILENCE, socket.next())
            .await
            .map_err(|_| silent(MAX_SILENCE))?
            .ok_or_else(|| HeadsError::Closed { node: node.clone() })?
            .map_err(failed)?;
        let Message::Text(text) = message else {
            continue;
        };
        match serde_json::from_str(&text) {
            Ok(Reply { error: Some(error) }) => {
                return Err(HeadsError::Refused {
                    node,
                    reason: crate::error::cut(&error.to_string()),
                });
            }
            // Also when it says that it will announce: a block may have come before.
            Ok(Reply { error: None }) => bell.notify_one(),
            Err(_) => {}
        }
    }
}
