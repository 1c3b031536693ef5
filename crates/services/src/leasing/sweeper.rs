//! The sweeper: bookings and extensions that nobody paid in time are over.

use super::leases::Leases;
use crate::{fault::Fault, refused::Refused};
use leasing::{Lease, PaymentKind, REPORTS_REMEMBERED};
use primitives::{SignedDuration, Timestamp};
use store::leasing::{Actor, NamedPayment};

/// Payments that one statement finds.
const BATCH: u16 = 100;

/// Payments that one round ends at most, in such batches.
const MAX_BATCHES: usize = 100;

/// How long deliveries to webhooks are kept once they have ended.
const DELIVERIES_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Deliveries, and reports of usage, that one round forgets at most.
const FORGOTTEN: u16 = 5_000;

/// Frees what nobody paid for, and forgets what is too old to matter.
#[derive(Debug)]
pub struct Sweeper {
    leases: Leases,
}

impl Sweeper {
    pub(super) fn new(leases: Leases) -> Self {
        Self { leases }
    }

    /// Sweeps once. Returns how many bookings and extensions expired.
    pub async fn round(&mut self) -> Result<u32, Fault> {
        let context = &*self.leases.0;
        let grace = context.options.settlement_grace;
        let until = context.now().checked_sub(grace).unwrap_or(Timestamp::MIN);
        let mut expired: u32 = 0;
        for _ in 0..MAX_BATCHES {
            let due = context
                .store
                .ledger()
                .payments_open(until, None, BATCH)
                .await?;
            for named in &due {
                let is_over = match named.kind {
                    PaymentKind::Booking => self.lapse_booking(named).await?,
                    PaymentKind::Extension => self.leases.lapse_extension(named).await?,
                    // What is owed does not lapse.
                    PaymentKind::Refund => false,
                };
                expired = expired.saturating_add(is_over.into());
            }
            if due.len() < usize::from(BATCH) {
                break;
            }
        }
        let mut tx = context.store.ledger().begin().await?;
        tx.forget_expired(context.now()).await?;
        let ago = |time| context.now().checked_sub(time).unwrap_or(Timestamp::MIN);
        tx.forget_deliveries(ago(DELIVERIES_KEPT), FORGOTTEN)
            .await?;
        tx.forget_reports(ago(REPORTS_REMEMBERED), FORGOTTEN)
            .await?;
        tx.commit().await?;
        Ok(expired)
    }
    /// Ends a booking. `false` if it was paid meanwhile, or another replica
    /// ended it.
    async fn lapse_booking(&self, named: &NamedPayment) -> Result<bool, Fault> {
        let context = &*self.leases.0;
        let Some(lease) = context.store.ledger().lease(named.lease).await? else {
            return Ok(false);
        };
        let grace = context.options.settlement_grace;
        let lapse = |lease: &Lease| lease.lapse(grace, context.now());
        let ended = self
            .leases
            .end(&lease, Actor::System, "lease.expired", lapse);
        match ended.await {
            Ok(_) => Ok(true),
            Err(Refused::Rejected(_)) => Ok(false),
            Err(Refused::Fault(fault)) => Err(fault),
        }
    }
}
