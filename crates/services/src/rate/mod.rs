//! How many requests a caller may make.
//!
//! A window begins with a caller's first request and ends a fixed time later;
//! within it a fixed number of requests is admitted. The rule is pure
//! ([`Window`]); where windows are kept is the limiter's business.

mod limiter;
mod local;
mod window;

pub use limiter::RateLimiter;
pub use window::{Decision, Policy};
