//! Webhooks: people are told over HTTP of what happened to their leases.
//!
//! [`WebhookFeed`] makes deliveries of rows of the audit log, which every change
//! has in its own transaction, in the order of the log's chain: what committed
//! is told, and nothing else is. [`WebhookSender`] sends them, each until it is
//! taken or has failed too often: at least once, with the same id.

mod carrier;
mod deliveries;
mod disabling;
mod endpoints;
mod feed;
mod lookup;
mod message;
mod sender;

pub use endpoints::{WebhookChange, WebhookError, WebhookWish, Webhooks};
pub use feed::WebhookFeed;
pub use lookup::{Lookup, SystemLookup};
pub use sender::WebhookSender;
