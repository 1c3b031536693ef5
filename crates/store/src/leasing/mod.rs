//! The lease market's tables.

mod user;
mod words;

pub use user::{Roles, User};
pub use words::{EndReason, PaymentKind, PaymentStatus, StrayReason};

/// An answer that is kept, to be given again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The HTTP status, 200 or 201.
    pub status: u16,
    /// What the body is.
    pub content_type: String,
    /// The body, byte for byte.
    pub body: Vec<u8>,
}
