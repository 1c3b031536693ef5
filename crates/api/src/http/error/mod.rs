//! What went wrong, as callers of the trading and market hosts see it.
//!
//! Every refusal is a status and `{"messages": [...]}` with at least one
//! message. What is our fault has a constant text; its cause is in the log.

mod answers;
mod body;
mod problems;
mod rejection;

pub(crate) use answers::{
    BodyAnswers, ErrorAnswers, FindingBodyAnswers, FreeAnswers, PlainAnswers, QueryAnswers,
    component, references,
};
pub use body::ErrorBody;
pub use problems::Problems;
pub(crate) use problems::shown;
pub use rejection::Rejection;
