//! The lease market: from a registration to a paid lease, and whatever can go
//! wrong on the way.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

mod accounts;
mod audit_chain;
mod blocks;
mod calendar;
mod cuts;
mod extending;
mod failures;
mod lease_keys;
mod lease_tokens;
mod leases;
mod money;
mod oidc;
mod paying;
mod races;
mod repeated;
mod revoking;
mod settlement;
mod traces;
mod usage;
mod validators;
mod webhooks;
