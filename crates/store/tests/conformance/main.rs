//! What every store promises, held by each engine.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod audit;
mod backups;
mod benchmarks;
mod blocks;
mod chain;
mod corruption;
mod duties;
mod external_identity;
mod figure_model;
mod figures;
mod following;
mod halves;
mod keys;
mod lease_keys;
mod lease_life;
mod leasing;
mod market_money;
mod market_rows;
mod news;
mod performance;
mod pools;
mod ratings;
mod retention;
mod schema;
mod sending;
mod shunned;
mod sponsors;
mod stream_tickets;
mod token_keys;
mod trades;
mod usage;
mod webhooks;
mod wider_market;
