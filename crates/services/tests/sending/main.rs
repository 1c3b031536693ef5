//! Sending from accounts of the service, on a simulated node.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed step is a failed test"
)]

mod following;
mod once;
mod processes;
mod refusals;
mod replacing;
mod stage;
