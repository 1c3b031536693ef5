//! The real binary, as people run it: what it prints, answers and exits with.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test may fail by panicking, in its helpers too"
)]

mod attacks;
mod backups;
mod cluster;
mod commands;
mod crashes;
mod failures;
mod fault_run;
mod gate;
mod harness;
mod keys;
mod learning;
mod load;
mod market;
mod node;
mod own_postgres;
mod privileges;
mod rebalancing;
mod replicas;
mod schedule;
mod secret_settings;
mod secrets;
mod serving;
mod solana_wallet;
mod sponsors;
mod squeeze;
mod standby;
mod terminal;
mod verifying;
