//! Deliveries, for those whose webhooks they are of.

use super::{
    endpoints::{WebhookError, Webhooks},
    feed::MAX_PENDING,
    message::delivery,
};
use crate::{leasing::page::Page, refused::Refused};
use leasing::{DeliveryStatus, WebhookEvent};
use primitives::Ulid;
use serde_json::json;
use store::leasing::{DeliveryQuery, DeliveryRow, LedgerTx, User, WebhookRow};

impl Webhooks {
    /// What was sent to a webhook, or is to be, the newest first.
    pub async fn deliveries(
        &self,
        user: &User,
        id: Ulid,
        status: Option<DeliveryStatus>,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<DeliveryRow, Ulid>, Refused<WebhookError>> {
        self.get(user, id).await?;
        let query = DeliveryQuery {
            webhook: id,
            status,
            before: after,
            limit: limit.saturating_add(1),
        };
        let rows = self.0.store.ledger().deliveries(&query).await?;
        Ok(Page::new(rows, usize::from(limit), |row| row.id))
    }

    /// Sends an event that tells of nothing.
    pub async fn test(&self, user: &User, id: Ulid) -> Result<DeliveryRow, Refused<WebhookError>> {
        let (mut tx, webhook) = self.lock(user, id).await?;
        has_room(&mut tx, &webhook).await?;
        let (new, now) = (self.0.new_id(), self.0.now());
        let (event, data) = (WebhookEvent::Test, json!({"webhook_id": webhook.id}));
        let row = delivery(new, webhook.id, event, (new, now), &data, now);
        tx.insert_delivery(&row).await?;
        tx.commit().await?;
        Ok(row)
    }

    /// Sends again what was delivered or has failed, as it was and under the same
    /// id. What is pending is left as it is.
    pub async fn redeliver(
        &self,
        user: &User,
        id: Ulid,
        delivery: Ulid,
    ) -> Result<DeliveryRow, Refused<WebhookError>> {
        let (mut tx, webhook) = self.lock(user, id).await?;
        let before = self.0.store.ledger().delivery(id, delivery).await?;
        let before = before.ok_or(Refused::Rejected(WebhookError::NotFound))?;
        if before.status == DeliveryStatus::Pending {
            return Ok(before);
        }
        has_room(&mut tx, &webhook).await?;
        let again = DeliveryRow {
            status: DeliveryStatus::Pending,
            attempts: 0,
            due_at: Some(self.0.now()),
            ended_at: None,
            ..before.clone()
        };
        // Whoever asked at the same time did the same.
        tx.update_delivery(&before, &again).await?;
        tx.commit().await?;
        Ok(again)
    }
}

async fn has_room(tx: &mut LedgerTx, webhook: &WebhookRow) -> Result<(), Refused<WebhookError>> {
    if webhook.disabled.is_some() {
        return Err(Refused::Rejected(WebhookError::Disabled));
    }
    if tx.count_pending(webhook.id, MAX_PENDING).await? >= MAX_PENDING {
        return Err(Refused::Rejected(WebhookError::Flooded));
    }
    Ok(())
}
