//! The use of leases, as validators' gateways report it.

use super::context::Context;
use crate::{fault::Fault, refused::Refused};
use leasing::{Asker, BatchError, LeaseState, Usage as UsageCount, UsageBatch, UsageReport};
use primitives::Ulid;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use store::leasing::UsageDay;

/// Days that are shown of a lease: more than there can be.
const MAX_DAYS: u16 = 400;

/// The use of leases. Clones share everything.
#[derive(Debug, Clone)]
pub struct Usage(pub(super) Arc<Context>);

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ingested {
    /// Reports that count from now on.
    pub accepted: usize,
    /// Reports that counted before, or twice in the batch.
    pub duplicates: usize,
}

/// Why a batch was refused, in the order of the checks. Nothing of it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageError {
    /// It is none that can be.
    Batch(BatchError),
    /// There is no such lease of this validator.
    LeaseNotFound(Ulid),
    /// The lease was never paid.
    NotPaid(Ulid, LeaseState),
    /// The sums of a lease would be more than can be kept.
    Overflow,
}

/// How much a lease was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseUsage {
    /// The public id by which it was asked about.
    pub lease: Ulid,
    /// In all.
    pub total: UsageCount,
    /// By the day, the latest first.
    pub days: Vec<UsageDay>,
}

impl Usage {
    /// Takes the reports of a validator: all of them, or none. One that came
    /// before does not count again, whatever it says now.
    pub async fn ingest(
        &self,
        validator: Ulid,
        reports: Vec<UsageReport>,
    ) -> Result<Ingested, Refused<UsageError>> {
        let context = &*self.0;
        let now = context.now();
        let batch = UsageBatch::new(reports, now)
            .map_err(|error| Refused::Rejected(UsageError::Batch(error)))?;
        self.check_leases(validator, &batch).await?;
        let mut tx = context.store.ledger().begin().await?;
        let new = tx.insert_reports(validator, batch.reports(), now).await?;
        let overflow = Refused::Rejected(UsageError::Overflow);
        let Some(sums) = batch.sums(|id| new.contains(&id)) else {
            tx.rollback().await?;
            return Err(overflow);
        };
        if !tx.add_usage(&sums.leases).await? {
            tx.rollback().await?;
            return Err(overflow);
        }
        tx.add_usage_days(&sums.days).await?;
        tx.commit().await?;
        let known = batch.reports().len().saturating_sub(new.len());
        Ok(Ingested {
            accepted: new.len(),
            duplicates: known.saturating_add(batch.repeated()),
        })
    }

    /// How much a lease was used, for whoever may look at the lease.
    pub async fn of_lease(&self, id: Ulid, asker: Asker) -> Result<Option<LeaseUsage>, Fault> {
        let ledger = self.0.store.ledger();
        let lease = ledger.lease(id).await?;
        if !lease.is_some_and(|lease| lease.is_shown_to(asker)) {
            return Ok(None);
        }
        Ok(Some(LeaseUsage {
            lease: id,
            total: ledger.usage_of(id).await?,
            days: ledger.usage_days(id, MAX_DAYS).await?,
        }))
    }

    /// A lease stays its validator's, and one that was paid stays so: what is
    /// seen here holds for what is written after.
    async fn check_leases(
        &self,
        validator: Ulid,
        batch: &UsageBatch,
    ) -> Result<(), Refused<UsageError>> {
        let ids: BTreeSet<Ulid> = batch.reports().map(|report| report.lease).collect();
        let found = self.0.store.ledger().used_leases(&ids).await?;
        let own = found.iter().filter(|lease| lease.validator == validator);
        let states: BTreeMap<Ulid, LeaseState> = own.map(|lease| (lease.id, lease.state)).collect();
        for id in ids {
            match states.get(&id) {
                None => return Err(Refused::Rejected(UsageError::LeaseNotFound(id))),
                Some(state @ (LeaseState::PendingPayment | LeaseState::Expired)) => {
                    return Err(Refused::Rejected(UsageError::NotPaid(id, *state)));
                }
                Some(LeaseState::Active | LeaseState::Completed | LeaseState::Revoked) => {}
            }
        }
        Ok(())
    }
}
