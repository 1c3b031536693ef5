//! The watch over epochs: leases whose last epoch begins are told of, those whose
//! epochs are over are completed.

use super::{audit::Subject, context::Context, registering::stake_row};
use crate::fault::Fault;
use chain::RpcError;
use leasing::Lease;
use primitives::{Lamports, PublicKey, Timestamp, Ulid};
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, StakeRow, ValidatorRow};

/// Leases that one statement finds, and validators that one page has.
const BATCH: u16 = 200;

/// Pages of either in a round, at most.
const MAX_BATCHES: usize = 1_000;

/// Asks the node for the epoch, refreshes stakes, completes leases.
#[derive(Debug)]
pub struct EpochWatch {
    context: Arc<Context>,
    /// The stakes that were written down last.
    stakes_of: Option<Timestamp>,
}

impl EpochWatch {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self {
            context,
            stakes_of: None,
        }
    }

    /// Looks once: takes up where the chain is, tells of leases whose last epoch
    /// it is, completes the leases whose epochs are over by what the node says,
    /// and refreshes stakes.
    pub async fn round(&mut self) -> Result<(), Fault> {
        let context = &*self.context;
        let client = context.nodes.client()?;
        let answer = client.epoch_position().await;
        let is_foreign = matches!(answer, Err(RpcError::OtherCluster { .. }));
        context.epochs.note_foreign(is_foreign);
        let position = answer.map_err(Fault::Solana)?;
        context.epochs.observe(position);
        self.tell_endings(position.epoch).await?;
        self.complete_leases(position.epoch).await?;
        let told = context.votes.told().await?;
        if self.stakes_of != Some(told.at) {
            self.refresh_stakes(|identity| stake_row(&told, identity))
                .await?;
            self.stakes_of = Some(told.at);
        }
        Ok(())
    }
}

impl EpochWatch {
    /// Notes, once for every end that a lease has, that its last epoch has begun.
    async fn tell_endings(&self, epoch: u64) -> Result<(), Fault> {
        let until = i32::try_from(epoch).unwrap_or(i32::MAX);
        let ledger = self.context.store.ledger();
        for _ in 0..MAX_BATCHES {
            let ending = ledger.leases_ending(until, BATCH).await?;
            for lease in &ending {
                let mut tx = ledger.begin().await?;
                if !tx.tell_ending(lease).await? {
                    tx.rollback().await?;
                    continue;
                }
                let what = Subject::new("lease", &lease.id);
                let detail = json!({"last_epoch": lease.window.end().saturating_sub(1)});
                self.context
                    .audit(&mut tx, Actor::System, "lease.ending", what, &detail)
                    .await?;
                tx.commit().await?;
            }
            if ending.len() < usize::from(BATCH) {
                break;
            }
        }
        Ok(())
    }

    async fn complete_leases(&self, epoch: u64) -> Result<(), Fault> {
        // Epochs beyond what leases count end all of them.
        let until = i32::try_from(epoch).unwrap_or(i32::MAX);
        for _ in 0..MAX_BATCHES {
            let over = self
                .context
                .store
                .ledger()
                .leases_over(until, BATCH)
                .await?;
            for lease in &over {
                self.complete(lease, epoch).await?;
            }
            if over.len() < usize::from(BATCH) {
                break;
            }
        }
        Ok(())
    }

    async fn complete(&self, lease: &Lease, epoch: u64) -> Result<(), Fault> {
        let mut tx = self.context.store.ledger().begin().await?;
        tx.lock_validator(lease.validator).await?;
        // As it is now: it may have ended, or have been extended.
        let Some(lease) = tx.lease(lease.id).await? else {
            return Ok(());
        };
        let extension = tx.open_extension(lease.id).await?;
        let completed = lease.complete(epoch, extension.is_some(), self.context.now());
        let Ok(completed) = completed else {
            return Ok(());
        };
        if !tx.update_lease(&lease, &completed).await? {
            return Err(Fault::LeaseChanged);
        }
        let what = Subject::new("lease", &lease.id);
        self.context
            .audit(&mut tx, Actor::System, "lease.completed", what, &json!({}))
            .await?;
        Ok(tx.commit().await?)
    }

    async fn refresh_stakes(
        &self,
        stake_of: impl Fn(PublicKey) -> Option<StakeRow>,
    ) -> Result<(), Fault> {
        let mut after: Option<Ulid> = None;
        for _ in 0..MAX_BATCHES {
            let rows = self.context.store.ledger().validators(after, BATCH).await?;
            self.write_stakes(&rows, &stake_of).await?;
            after = rows.last().map(|row| row.id);
            if rows.len() < usize::from(BATCH) {
                break;
            }
        }
        Ok(())
    }

    async fn write_stakes(
        &self,
        rows: &[ValidatorRow],
        stake_of: impl Fn(PublicKey) -> Option<StakeRow>,
    ) -> Result<(), Fault> {
        let changed: Vec<_> = rows
            .iter()
            .filter_map(|row| {
                // Who left the cluster has no stake, and votes no more.
                let gone = StakeRow {
                    stake: Lamports::ZERO,
                    delinquent: true,
                    ..row.stake
                };
                let stake = stake_of(row.identity).unwrap_or(gone);
                (stake != row.stake).then_some((row.id, stake))
            })
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        let mut tx = self.context.store.ledger().begin().await?;
        for (id, stake) in &changed {
            tx.update_stake(*id, stake).await?;
        }
        tx.commit().await?;
        self.context.pages.forget();
        Ok(())
    }
}
