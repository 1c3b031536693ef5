//! Durable state, on SQLite or PostgreSQL.
//!
//! One [`Store`] has two halves: [`ChainStore`] for what can be read from the
//! chain again, and [`LedgerStore`] for what cannot. Each SQL text is written
//! once and runs on either native driver. Every write is one transaction: it
//! happens whole or not at all. Rows are outside input: one that does not
//! decode is [`StoreError::Corrupt`], never a panic.

pub mod backup;
mod block_table;
mod bulk;
mod chain;
mod column;
mod commits;
mod db;
mod error;
mod fence;
mod figures;
mod following;
mod half;
mod identity;
pub mod leasing;
mod ledger;
mod location;
mod migrations;
mod news;
mod pools;
mod postgres;
mod reading;
mod retention;
mod row;
mod sending;
mod shunned;
mod sponsors;
mod sqlite;
mod store;
mod trades;
mod wider_market;

pub use block_table::ChainStore;
pub use chain::{ChainContents, MarkedBlock, RECENT_BLOCKS};
pub use commits::Commits;
pub use error::StoreError;
pub use fence::Fence;
pub use figures::FigureHistory;
pub use following::{
    BenchmarkPlace, CycleBenchmark, EventPlace, LearnedEvent, LearnedPlace, TransactionPlace,
};
pub use ledger::{ApiKeyRow, LedgerStore};
pub use location::{Location, LocationError};
pub use migrations::{MigrationReport, SchemaChange};
pub use pools::PoolHistory;
pub use postgres::ServerUse;
pub use sending::{PaidFees, SendReceipt, SendRow, SendState, SendingAccount, TakenNonce};
pub use sponsors::{
    Activity, ActivityPart, NewReservation, Reservation, RuleKind, SponsorRow, SponsorRule,
    SponsoredOutcome, SponsoredProgress, SponsoredRow, SponsoredState,
};
pub use store::{Store, private_folder};
pub use trades::TradedBlock;
pub use wider_market::Saying;
