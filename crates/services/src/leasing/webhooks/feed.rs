//! The feed: rows of the audit log become deliveries.
//!
//! A round reads the links of the log's chain after the cursor, and writes what
//! they are to be told as together with the cursor: cut off anywhere or made by
//! two replicas at once, everything is told once.

use super::message::{delivery, told_of_lease};
use crate::{fault::Fault, leasing::context::Context};
use leasing::{DisabledReason, WebhookEvent};
use primitives::Ulid;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};
use store::leasing::{AuditRow, DeliveryRow, LedgerTx};

/// Links that are looked at at once.
const BATCH: u16 = 500;

/// Such batches of a round, at most.
const MAX_BATCHES: usize = 200;

/// Deliveries of one webhook that may be pending. With more it is disabled.
pub(super) const MAX_PENDING: u64 = 10_000;

/// Makes deliveries of what happened.
#[derive(Debug)]
pub struct WebhookFeed(Arc<Context>);

impl WebhookFeed {
    pub(in crate::leasing) fn new(context: Arc<Context>) -> Self {
        Self(context)
    }

    /// Looks once at what happened since the last round. Returns how many
    /// deliveries it made.
    pub async fn round(&mut self) -> Result<usize, Fault> {
        let ledger = self.0.store.ledger();
        let mut made: usize = 0;
        for _ in 0..MAX_BATCHES {
            let from = ledger.webhook_cursor().await?;
            let links = ledger.audit_links(from, BATCH).await?;
            let Some(last) = links.last() else {
                break;
            };
            let rows = ledger.linked_audit(from, last.position).await?;
            let rows: HashMap<Ulid, AuditRow> = rows.into_iter().map(|row| (row.id, row)).collect();
            let mut deliveries = Vec::new();
            for row in links.iter().filter_map(|link| rows.get(&link.row)) {
                deliveries.extend(self.deliveries_of(row).await?);
            }
            if !self.write(&deliveries, from, last.position).await? {
                break;
            }
            made = made.saturating_add(deliveries.len());
            if links.len() < usize::from(BATCH) {
                break;
            }
        }
        Ok(made)
    }

    /// Whom something is to be told that happened: the lease's trader, the owner
    /// of its validator, and staff where it is for them.
    async fn deliveries_of(&self, row: &AuditRow) -> Result<Vec<DeliveryRow>, Fault> {
        let ledger = self.0.store.ledger();
        let Some(event) = WebhookEvent::of_action(&row.action) else {
            return Ok(Vec::new());
        };
        let Ok(lease) = row.subject.parse() else {
            return Ok(Vec::new());
        };
        let Some(lease) = ledger.lease(lease).await? else {
            return Ok(Vec::new());
        };
        let parties = [lease.trader, lease.owner];
        let webhooks = ledger.webhooks_told(parties, event.is_for_staff()).await?;
        let wanted = webhooks
            .iter()
            // What happened before somebody wanted to be told is not told.
            .filter(|webhook| webhook.events.has(event) && webhook.created_at <= row.at);
        let data = told_of_lease(&lease, row);
        let deliveries = wanted.map(|webhook| {
            let (id, now) = (self.0.new_id(), self.0.now());
            delivery(id, webhook.id, event, (row.id, row.at), &data, now)
        });
        Ok(deliveries.collect())
    }

    /// Writes deliveries with the cursor. `false` if another replica was faster.
    async fn write(&self, deliveries: &[DeliveryRow], from: u64, to: u64) -> Result<bool, Fault> {
        let mut tx = self.0.store.ledger().begin().await?;
        if !tx.advance_webhooks(from, to).await? {
            tx.rollback().await?;
            return Ok(false);
        }
        let webhooks: BTreeSet<Ulid> = deliveries.iter().map(|row| row.webhook).collect();
        let mut open = BTreeSet::new();
        for webhook in webhooks {
            if self.is_open(&mut tx, webhook).await? {
                open.insert(webhook);
            }
        }
        for row in deliveries.iter().filter(|row| open.contains(&row.webhook)) {
            tx.insert_delivery(row).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Whether a webhook is still there and takes more. One for which too much
    /// waits is disabled.
    async fn is_open(&self, tx: &mut LedgerTx, webhook: Ulid) -> Result<bool, Fault> {
        let row = tx.lock_webhook(webhook).await?;
        let Some(mut row) = row.filter(|row| row.disabled.is_none()) else {
            return Ok(false);
        };
        if tx.count_pending(webhook, MAX_PENDING).await? < MAX_PENDING {
            return Ok(true);
        }
        let reason = DisabledReason::Flooded;
        self.0.disable_webhook(tx, &mut row, reason).await?;
        Ok(false)
    }
}
