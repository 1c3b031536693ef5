//! What is sent.

use leasing::{DeliveryStatus, Lease, WebhookEvent};
use primitives::{Timestamp, Ulid};
use serde_json::{Value, json};
use store::leasing::{AuditRow, DeliveryRow};

/// The delivery of an event to a webhook, due at once.
pub(super) fn delivery(
    id: Ulid,
    webhook: Ulid,
    event: WebhookEvent,
    (event_id, at): (Ulid, Timestamp),
    data: &Value,
    now: Timestamp,
) -> DeliveryRow {
    let body = json!({
        "id": event_id,
        "type": event.as_str(),
        "created_at": at.to_string(),
        "data": data,
    });
    DeliveryRow {
        id,
        webhook,
        event_id,
        event,
        body: body.to_string(),
        created_at: now,
        status: DeliveryStatus::Pending,
        attempts: 0,
        due_at: Some(now),
        tried_at: None,
        answer: None,
        problem: None,
        ended_at: None,
    }
}

/// What is told of something that happened to a lease.
pub(super) fn told_of_lease(lease: &Lease, row: &AuditRow) -> Value {
    json!({
        "lease_id": lease.id,
        "validator_id": lease.validator,
        "mode": lease.mode.as_str(),
        "epoch_start": lease.window.start(),
        "epoch_end": lease.window.end(),
        "detail": serde_json::from_str::<Value>(&row.detail).unwrap_or_default(),
    })
}
