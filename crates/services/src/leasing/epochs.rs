//! Which epoch it is, for everybody in this process.

use super::{Inner, Leasing, audit::Subject, validators::stake_row};
use crate::fault::Fault;
use leasing::{EpochClock, EpochPosition, Lease};
use primitives::{Lamports, PublicKey, SignedDuration, Timestamp, Ulid};
use serde_json::json;
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::leasing::{Actor, StakeRow, ValidatorRow};

/// Leases that one statement finds, and validators that one page has.
const BATCH: u16 = 200;

/// Pages of either in a round, at most.
const MAX_BATCHES: usize = 1_000;

/// What is known of the chain's place.
#[derive(Debug, Default)]
pub(super) struct Epochs(Mutex<Option<EpochClock>>);

/// Where the chain is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochView {
    /// Where, as far as one can tell.
    pub position: EpochPosition,
    /// When the epoch ends, as far as one can tell.
    pub ends_at: Option<Timestamp>,
    /// How long no node has said anything new.
    pub silence: SignedDuration,
    /// How long the chain has stood still, by what nodes say.
    pub standstill: SignedDuration,
}

/// Asks the node for the epoch, refreshes stakes, completes leases.
#[derive(Debug)]
pub struct EpochWatch {
    leasing: Leasing,
    /// The stakes that were written down last.
    stakes_of: Option<Timestamp>,
}

impl Epochs {
    fn observe(&self, position: EpochPosition, at: Timestamp) {
        match &mut *self.lock() {
            Some(clock) => clock.observe(position, at),
            none => *none = Some(EpochClock::new(position, at)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<EpochClock>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// The current epoch as leases count them, if a node ever said.
    pub(super) fn current_epoch(&self) -> Option<i32> {
        let now = self.now();
        let position = self.epochs.lock().as_mut()?.position(now);
        i32::try_from(position.epoch).ok()
    }
}

impl Leasing {
    /// Where the chain is; `None` until a node has said so once.
    pub fn epoch(&self) -> Option<EpochView> {
        let now = self.0.now();
        let mut clock = self.0.epochs.lock();
        let clock = clock.as_mut()?;
        Some(EpochView {
            position: clock.position(now),
            ends_at: clock.epoch_end(now),
            silence: clock.silence(now),
            standstill: clock.standstill(now),
        })
    }
}

impl EpochWatch {
    /// A watch over the epochs of a market.
    pub fn new(leasing: Leasing) -> Self {
        Self {
            leasing,
            stakes_of: None,
        }
    }

    /// Looks once: takes up where the chain is, completes the leases whose
    /// epochs are over by what the node says, and refreshes stakes.
    pub async fn round(&mut self) -> Result<(), Fault> {
        let inner = &*self.leasing.0;
        let client = inner.nodes.client()?;
        let position = client.epoch_position().await.map_err(Fault::Solana)?;
        inner.epochs.observe(position, inner.now());
        inner.complete_leases(position.epoch).await?;
        let told = inner.votes().await?;
        if self.stakes_of != Some(told.at) {
            inner
                .refresh_stakes(|identity| stake_row(&told, identity))
                .await?;
            self.stakes_of = Some(told.at);
        }
        Ok(())
    }
}

impl Inner {
    async fn complete_leases(&self, epoch: u64) -> Result<(), Fault> {
        // Epochs beyond what leases count end all of them.
        let until = i32::try_from(epoch).unwrap_or(i32::MAX);
        for _ in 0..MAX_BATCHES {
            let over = self.store.ledger().leases_over(until, BATCH).await?;
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
        let Ok(completed) = lease.complete(epoch, self.now()) else {
            return Ok(());
        };
        let mut tx = self.store.ledger().begin().await?;
        if !tx.update_lease(lease, &completed).await? {
            // Somebody else ended it.
            return Ok(());
        }
        let what = Subject::new("lease", &lease.id);
        self.audit(&mut tx, Actor::System, "lease.completed", what, &json!({}))
            .await?;
        Ok(tx.commit().await?)
    }

    async fn refresh_stakes(
        &self,
        stake_of: impl Fn(PublicKey) -> Option<StakeRow>,
    ) -> Result<(), Fault> {
        let mut after: Option<Ulid> = None;
        for _ in 0..MAX_BATCHES {
            let rows = self.store.ledger().validators(after, BATCH).await?;
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
        let mut tx = self.store.ledger().begin().await?;
        for (id, stake) in &changed {
            tx.update_stake(*id, stake).await?;
        }
        tx.commit().await?;
        self.pages.forget();
        Ok(())
    }
}
