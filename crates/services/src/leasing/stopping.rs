//! The emergency stop of a validator: nothing more can be had of it, and what is
//! booked ends. And its end.

use super::{audit::Subject, leases::Leases, validators::Validators};
use crate::{fault::Fault, refused::Refused};
use leasing::{LeaseState, ListingStatus, RevokeError};
use primitives::Ulid;
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, LeaseQuery, User};

/// Leases that one statement finds.
const BATCH: u16 = 100;

/// Such batches that one stop ends at most; it can be repeated.
const MAX_BATCHES: usize = 1_000;

/// A validator that was stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stopped {
    /// Leases that were revoked.
    pub leases: u64,
    /// Refunds that are owed for them.
    pub refunds: u64,
}

/// Why a validator was not stopped, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopError {
    /// The user is not staff.
    Forbidden,
    /// There is no such validator.
    NotFound,
}

/// Why the stop of a validator was not lifted, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiftError {
    /// The user is not staff.
    Forbidden,
    /// There is no such validator.
    NotFound,
    /// Only a stop can be lifted; it has this status.
    NotStopped(ListingStatus),
}

impl Validators {
    /// Lifts the stop of a validator, which is paused then. What was revoked
    /// stays so.
    pub async fn lift_stop(
        &self,
        user: &User,
        id: Ulid,
        reason: &str,
    ) -> Result<ListingStatus, Refused<LiftError>> {
        let reject = |error| Err(Refused::Rejected(error));
        if !user.roles.staff {
            return reject(LiftError::Forbidden);
        }
        let mut tx = self.0.store.ledger().begin().await?;
        let Some(mut row) = tx.lock_validator(id).await? else {
            return reject(LiftError::NotFound);
        };
        let Some(lifted) = row.status.lifted() else {
            return reject(LiftError::NotStopped(row.status));
        };
        row.status = lifted;
        tx.update_validator(&row).await?;
        let (actor, what) = (Actor::User(user.id), Subject::new("validator", &id));
        let detail = json!({"reason": reason});
        self.0
            .audit(&mut tx, actor, "validator.stop_lifted", what, &detail)
            .await?;
        tx.commit().await?;
        self.0.pages.forget();
        Ok(lifted)
    }

    /// Stops a validator until staff lifts that, and revokes its leases, one after the other.
    /// Cut off, it is to be done again: then it goes on.
    pub async fn stop(
        &self,
        user: &User,
        id: Ulid,
        reason: &str,
    ) -> Result<Stopped, Refused<StopError>> {
        if !user.roles.staff {
            return Err(Refused::Rejected(StopError::Forbidden));
        }
        self.unlist(user, id, reason).await?;
        let leases = Leases(Arc::clone(&self.0));
        let mut stopped = Stopped::default();
        // Nobody can book any more: there is an end.
        for state in [LeaseState::PendingPayment, LeaseState::Active] {
            for _ in 0..MAX_BATCHES {
                let query = LeaseQuery {
                    validator: Some(id),
                    state: Some(state),
                    limit: BATCH,
                    ..LeaseQuery::default()
                };
                let found = self.0.store.ledger().leases(&query).await?;
                for lease in &found {
                    let refunds = leases.revoke_one(user, id, lease.id, reason).await?;
                    stopped.leases = stopped.leases.saturating_add(refunds.is_some().into());
                    stopped.refunds = stopped.refunds.saturating_add(refunds.unwrap_or(0));
                }
                if found.len() < usize::from(BATCH) {
                    break;
                }
            }
        }
        self.0.pages.forget();
        Ok(stopped)
    }

    async fn unlist(&self, user: &User, id: Ulid, reason: &str) -> Result<(), Refused<StopError>> {
        let mut tx = self.0.store.ledger().begin().await?;
        let row = tx.lock_validator(id).await?;
        let mut row = row.ok_or(Refused::Rejected(StopError::NotFound))?;
        if row.status == ListingStatus::Stopped {
            return Ok(());
        }
        row.status = ListingStatus::Stopped;
        tx.update_validator(&row).await?;
        let (actor, what) = (Actor::User(user.id), Subject::new("validator", &id));
        let detail = json!({"reason": reason});
        self.0
            .audit(&mut tx, actor, "validator.stopped", what, &detail)
            .await?;
        Ok(tx.commit().await.map_err(Fault::from)?)
    }
}

impl Leases {
    /// Revokes a lease in a transaction of its own. How many refunds that makes
    /// is told; `None` if it has ended meanwhile.
    async fn revoke_one(
        &self,
        user: &User,
        validator: Ulid,
        lease: Ulid,
        reason: &str,
    ) -> Result<Option<u64>, Fault> {
        let mut tx = self.0.store.ledger().begin().await?;
        tx.lock_validator(validator).await?;
        let Some(lease) = tx.lease(lease).await? else {
            return Ok(None);
        };
        match self.revoke_locked(user, &lease, reason, &mut tx).await {
            Ok(revoked) => {
                tx.commit().await?;
                Ok(u64::try_from(revoked.refunds.len()).ok())
            }
            Err(Refused::Rejected(RevokeError::AlreadyRevoked | RevokeError::NotActive(_))) => {
                Ok(None)
            }
            Err(Refused::Rejected(_)) => Err(Fault::LeaseChanged),
            Err(Refused::Fault(fault)) => Err(fault),
        }
    }
}
