//! How many requests a caller may make.
//!
//! Two rules, both pure. A [`Window`](window::Window) begins with a caller's
//! first request and ends a fixed time later; within it a fixed number of
//! requests is admitted. A [`Bucket`](bucket::Bucket) holds as many and fills
//! evenly, so that a caller who waits a little may ask a little. Where they are
//! kept is the limiter's business.

mod bucket;
mod limiter;
mod local;
mod window;

pub use limiter::RateLimiter;
pub use window::{Decision, Policy};
