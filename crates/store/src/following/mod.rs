//! What is followed beside pools: contracts with their events, and transactions
//! of senders. The rows hang on the blocks that they became known with, and go
//! with these; nothing else of the chain's half knows of them.
//!
//! Whoever answers from a snapshot reads as of its block: rows of later blocks
//! are left out, and a block that is not stored any more is told.

mod benchmarks;
mod contracts;
mod events;
mod fee;
mod page;
mod transactions;

pub use benchmarks::{BenchmarkPlace, CycleBenchmark};
pub use events::{EventPlace, LearnedEvent, LearnedPlace};
pub use transactions::TransactionPlace;

use crate::{db::Tx, error::StoreError};
pub(crate) use contracts::between;
use market::BlockEffects;

/// Adds what blocks do to what is followed; where that is nothing, nothing is
/// asked of the database.
pub(crate) async fn insert(tx: &mut Tx, effects: &[BlockEffects]) -> Result<(), StoreError> {
    contracts::insert(tx, effects).await?;
    events::insert(tx, effects).await?;
    transactions::insert(tx, effects).await
}
