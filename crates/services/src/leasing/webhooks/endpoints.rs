//! The webhooks of people.

use crate::{
    fault::Fault,
    leasing::{audit::Subject, context::Context, names::is_name},
    refused::Refused,
};
use leasing::{DisabledReason, TargetError, WebhookEvents, WebhookSecret, WebhookTarget};
use primitives::{SignedDuration, Ulid};
use serde_json::{Value, json};
use std::sync::Arc;
use store::leasing::{Actor, LedgerTx, User, WebhookRow};

/// Webhooks that a user may have.
const MAX_WEBHOOKS: u64 = 10;

/// How long deliveries are signed with a secret that was replaced, too.
const PREVIOUS_FOR: SignedDuration = SignedDuration::from_hours(24);

/// The webhooks of people. Clones share everything.
#[derive(Debug, Clone)]
pub struct Webhooks(pub(in crate::leasing) Arc<Context>);

/// A webhook that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookWish {
    /// Where deliveries go.
    pub url: String,
    /// What they tell of.
    pub events: WebhookEvents,
    /// What its user says of it.
    pub description: Option<String>,
}

/// What somebody wants to be otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookChange {
    /// Where deliveries go.
    pub url: Option<String>,
    /// What they tell of.
    pub events: Option<WebhookEvents>,
    /// What its user says of it, or nothing.
    pub description: Option<Option<String>>,
    /// Whether anything is sent.
    pub enabled: Option<bool>,
}

/// Why nothing was done with a webhook, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookError {
    /// Nothing may be sent to its address.
    Target(TargetError),
    /// Its description is none.
    Description,
    /// The user has no such webhook, or it has no such delivery.
    NotFound,
    /// The user has as many as one may have.
    TooMany,
    /// Nothing is sent to it.
    Disabled,
    /// Too much waits for it.
    Flooded,
}

impl Webhooks {
    /// Makes a webhook.
    pub async fn create(
        &self,
        user: &User,
        wish: WebhookWish,
    ) -> Result<WebhookRow, Refused<WebhookError>> {
        let url = self.target(&wish.url)?;
        let row = WebhookRow {
            id: self.0.new_id(),
            user: user.id,
            url,
            events: wish.events,
            description: described(wish.description)?,
            secret: WebhookSecret::from_bytes(self.0.entropy.bytes()),
            previous: None,
            created_at: self.0.now(),
            failing_since: None,
            disabled: None,
        };
        let mut tx = self.0.store.ledger().begin().await?;
        if tx.count_webhooks(user.id).await? >= MAX_WEBHOOKS {
            return Err(Refused::Rejected(WebhookError::TooMany));
        }
        tx.insert_webhook(&row).await?;
        self.note(&mut tx, &row, "webhook.created", &shown(&row))
            .await?;
        tx.commit().await?;
        Ok(row)
    }

    /// The webhooks of a user, the oldest first.
    pub async fn list(&self, user: &User) -> Result<Vec<WebhookRow>, Fault> {
        Ok(self.0.store.ledger().webhooks_of(user.id).await?)
    }

    /// A webhook of a user.
    pub async fn get(&self, user: &User, id: Ulid) -> Result<WebhookRow, Refused<WebhookError>> {
        own(user, self.0.store.ledger().webhook(id).await?)
    }

    /// Changes a webhook. Enabled again, it begins anew: what ended stays so.
    pub async fn change(
        &self,
        user: &User,
        id: Ulid,
        change: WebhookChange,
    ) -> Result<WebhookRow, Refused<WebhookError>> {
        let url = change.url.map(|url| self.target(&url)).transpose()?;
        let description = change.description.map(described).transpose()?;
        let (mut tx, mut row) = self.lock(user, id).await?;
        row.url = url.unwrap_or(row.url);
        row.events = change.events.unwrap_or(row.events);
        row.description = description.unwrap_or(row.description);
        if change.enabled == Some(true) {
            row.disabled = None;
            row.failing_since = None;
        }
        tx.update_webhook(&row).await?;
        if change.enabled == Some(false) && row.disabled.is_none() {
            let reason = DisabledReason::Asked;
            self.0.disable_webhook(&mut tx, &mut row, reason).await?;
        }
        self.note(&mut tx, &row, "webhook.changed", &shown(&row))
            .await?;
        tx.commit().await?;
        Ok(row)
    }

    /// Gives a webhook another secret. For a day deliveries are signed with the
    /// one before as well.
    pub async fn replace_secret(
        &self,
        user: &User,
        id: Ulid,
    ) -> Result<WebhookRow, Refused<WebhookError>> {
        let (mut tx, mut row) = self.lock(user, id).await?;
        row.previous = Some((row.secret, self.0.in_future(PREVIOUS_FOR)));
        row.secret = WebhookSecret::from_bytes(self.0.entropy.bytes());
        tx.update_webhook(&row).await?;
        let detail = json!({"webhook": row.id});
        self.note(&mut tx, &row, "webhook.secret_replaced", &detail)
            .await?;
        tx.commit().await?;
        Ok(row)
    }

    /// Removes a webhook, with its deliveries.
    pub async fn delete(&self, user: &User, id: Ulid) -> Result<(), Refused<WebhookError>> {
        let (mut tx, row) = self.lock(user, id).await?;
        tx.delete_webhook(id).await?;
        let detail = json!({"webhook": row.id});
        self.note(&mut tx, &row, "webhook.deleted", &detail).await?;
        Ok(tx.commit().await?)
    }

    /// A webhook of a user, which nobody else changes.
    pub(super) async fn lock(
        &self,
        user: &User,
        id: Ulid,
    ) -> Result<(LedgerTx, WebhookRow), Refused<WebhookError>> {
        let mut tx = self.0.store.ledger().begin().await?;
        let row = own(user, tx.lock_webhook(id).await?)?;
        Ok((tx, row))
    }

    fn target(&self, url: &str) -> Result<String, Refused<WebhookError>> {
        let target = WebhookTarget::new(url, self.0.options.webhooks.networks);
        let target = target.map_err(|error| Refused::Rejected(WebhookError::Target(error)))?;
        Ok(target.url().to_string())
    }

    async fn note(
        &self,
        tx: &mut LedgerTx,
        row: &WebhookRow,
        action: &str,
        detail: &Value,
    ) -> Result<(), Fault> {
        let (actor, what) = (Actor::User(row.user), Subject::new("user", &row.user));
        self.0.audit(tx, actor, action, what, detail).await
    }
}

/// A webhook, if it is the user's.
fn own(user: &User, row: Option<WebhookRow>) -> Result<WebhookRow, Refused<WebhookError>> {
    row.filter(|row| row.user == user.id)
        .ok_or(Refused::Rejected(WebhookError::NotFound))
}

fn described(text: Option<String>) -> Result<Option<String>, Refused<WebhookError>> {
    match text {
        Some(text) if !is_name(&text) => Err(Refused::Rejected(WebhookError::Description)),
        text => Ok(text.map(|text| text.trim().to_owned())),
    }
}

/// What the audit log tells of a webhook. Addresses may have secrets in them.
fn shown(row: &WebhookRow) -> Value {
    json!({
        "webhook": row.id,
        "events": row.events.words(),
        "enabled": row.disabled.is_none(),
    })
}
