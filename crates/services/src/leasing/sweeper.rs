//! The sweeper: bookings that nobody paid in time are over.

use super::leases::Leases;
use crate::{fault::Fault, refused::Refused};
use leasing::Lease;
use primitives::Timestamp;
use store::leasing::Actor;

/// Bookings that one statement finds.
const BATCH: u16 = 100;

/// Bookings that one round ends at most, in such batches.
const MAX_BATCHES: usize = 100;

/// Frees what nobody paid for, and forgets what is too old to matter.
#[derive(Debug)]
pub struct Sweeper {
    leases: Leases,
}

impl Sweeper {
    pub(super) fn new(leases: Leases) -> Self {
        Self { leases }
    }

    /// Sweeps once. Returns how many bookings expired.
    pub async fn round(&mut self) -> Result<u32, Fault> {
        let context = &*self.leases.0;
        let grace = context.options.settlement_grace;
        let until = context.now().checked_sub(grace).unwrap_or(Timestamp::MIN);
        let lapse = |lease: &Lease| lease.lapse(grace, context.now());
        let mut expired: u32 = 0;
        for _ in 0..MAX_BATCHES {
            let due = context
                .store
                .ledger()
                .leases_to_pay(until, None, BATCH)
                .await?;
            for lease in &due {
                let ended = self
                    .leases
                    .end(lease, Actor::System, "lease.expired", lapse);
                match ended.await {
                    Ok(_) => expired = expired.saturating_add(1),
                    // It was paid meanwhile, or another replica ended it.
                    Err(Refused::Rejected(_)) => {}
                    Err(Refused::Fault(fault)) => return Err(fault),
                }
            }
            if due.len() < usize::from(BATCH) {
                break;
            }
        }
        let mut tx = context.store.ledger().begin().await?;
        tx.forget_expired(context.now()).await?;
        tx.commit().await?;
        Ok(expired)
    }
}
