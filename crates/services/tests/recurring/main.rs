//! Recurring orders on a simulated node: followed, and executed by a keeper.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod following;
mod keeping;
mod measuring;
mod sandwiches;
mod stage;
