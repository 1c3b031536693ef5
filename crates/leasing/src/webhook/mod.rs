//! Webhooks: what is told, where it may be sent, how it is signed, and how often
//! it is tried.

mod event;
mod networks;
mod retrying;
mod secret;
mod target;

pub use event::{DeliveryProblem, DeliveryStatus, DisabledReason, WebhookEvent, WebhookEvents};
pub use networks::Networks;
pub use retrying::{FAILING_FOR, MAX_ATTEMPTS, pause};
pub use secret::WebhookSecret;
pub use target::{TargetError, WebhookTarget};
