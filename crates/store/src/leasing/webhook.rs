//! Where people want to be told of what happens.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::{Tx, on},
    error::{StoreError, in_table},
    row::row,
};
use leasing::{DisabledReason, WebhookEvents, WebhookSecret};
use primitives::{Timestamp, Ulid};

const TABLE: &str = "webhook";

/// Where somebody wants to be told of what happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRow {
    /// The public id.
    pub id: Ulid,
    /// Whose it is.
    pub user: Ulid,
    /// The address.
    pub url: String,
    /// What they want to be told.
    pub events: WebhookEvents,
    /// What they say of it.
    pub description: Option<String>,
    /// What deliveries are signed with.
    pub secret: WebhookSecret,
    /// The secret before, and until when deliveries are signed with it as well.
    pub previous: Option<(WebhookSecret, Timestamp)>,
    /// Since when it is there.
    pub created_at: Timestamp,
    /// Since when it has failed and taken nothing.
    pub failing_since: Option<Timestamp>,
    /// Why nothing is sent, and since when.
    pub disabled: Option<(DisabledReason, Timestamp)>,
}

row! {
    struct StoredWebhook {
        id: String,
        user_id: String,
        url: String,
        events: String,
        description: Option<String>,
        secret: Vec<u8>,
        previous_secret: Option<Vec<u8>>,
        previous_until: Option<i64>,
        created_at: i64,
        failing_since: Option<i64>,
        disabled_at: Option<i64>,
        disabled_reason: Option<String>,
    }
}

impl StoredWebhook {
    fn decode(self) -> Result<WebhookRow, StoreError> {
        let column = columns(TABLE);
        let secret = |name, bytes: &[u8]| column(name).bytes(bytes).map(WebhookSecret::from_bytes);
        let previous = match (self.previous_secret, self.previous_until) {
            (Some(bytes), Some(until)) => Some((
                secret("previous_secret", &bytes)?,
                column("previous_until").time(until)?,
            )),
            (None, None) => None,
            _ => return Err(column("previous_until").corrupt()),
        };
        let disabled = match (self.disabled_reason, self.disabled_at) {
            (Some(reason), Some(at)) => Some((
                column("disabled_reason").word(&reason)?,
                column("disabled_at").time(at)?,
            )),
            (None, None) => None,
            _ => return Err(column("disabled_at").corrupt()),
        };
        Ok(WebhookRow {
            id: column("id").id(&self.id)?,
            user: column("user_id").id(&self.user_id)?,
            url: self.url,
            events: column("events").word(&self.events)?,
            description: self.description,
            secret: secret("secret", &self.secret)?,
            previous,
            created_at: column("created_at").time(self.created_at)?,
            failing_since: column("failing_since").times(self.failing_since)?,
            disabled,
        })
    }
}

impl LedgerTx {
    /// Keeps others from adding webhooks of a user until the transaction ends,
    /// and counts those that there are.
    pub async fn count_webhooks(&mut self, user: Ulid) -> Result<u64, StoreError> {
        let id = user.to_string();
        if let Tx::Postgres(connection) = &mut self.0 {
            // On SQLite the transaction has the write lock already.
            sqlx::query("SELECT id FROM lease_user WHERE id = $1 FOR NO KEY UPDATE")
                .bind(&id)
                .execute(&mut **connection)
                .await
                .map_err(in_table("lease_user"))?;
        }
        let count: i64 = on!(tx &mut self.0, connection =>
            sqlx::query_scalar("SELECT COUNT(*) FROM webhook WHERE user_id = $1")
                .bind(id)
                .fetch_one(connection)
                .await
        )
        .map_err(in_table(TABLE))?;
        columns(TABLE)("id").counter(count)
    }

    /// Adds a webhook.
    pub async fn insert_webhook(&mut self, row: &WebhookRow) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO webhook (id, user_id, url, events, description, secret, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(row.id.to_string())
            .bind(row.user.to_string())
            .bind(&row.url)
            .bind(row.events.to_string())
            .bind(&row.description)
            .bind(row.secret.as_bytes().as_slice())
            .bind(row.created_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// The webhook of an id, which nobody else changes until the transaction
    /// ends.
    pub async fn lock_webhook(&mut self, id: Ulid) -> Result<Option<WebhookRow>, StoreError> {
        let id = id.to_string();
        let row: Option<StoredWebhook> = match &mut self.0 {
            // The transaction has the write lock already.
            Tx::Sqlite(connection) => {
                sqlx::query_as("SELECT * FROM webhook WHERE id = $1")
                    .bind(id)
                    .fetch_optional(&mut **connection)
                    .await
            }
            Tx::Postgres(connection) => {
                sqlx::query_as("SELECT * FROM webhook WHERE id = $1 FOR NO KEY UPDATE")
                    .bind(id)
                    .fetch_optional(&mut **connection)
                    .await
            }
        }
        .map_err(in_table(TABLE))?;
        row.map(StoredWebhook::decode).transpose()
    }

    /// Writes whatever may change of a webhook.
    pub async fn update_webhook(&mut self, row: &WebhookRow) -> Result<(), StoreError> {
        let previous = row.previous.as_ref();
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE webhook
                 SET url = $2, events = $3, description = $4, secret = $5, previous_secret = $6,
                     previous_until = $7, failing_since = $8, disabled_at = $9,
                     disabled_reason = $10
                 WHERE id = $1",
            )
            .bind(row.id.to_string())
            .bind(&row.url)
            .bind(row.events.to_string())
            .bind(&row.description)
            .bind(row.secret.as_bytes().as_slice())
            .bind(previous.map(|(secret, _)| secret.as_bytes().as_slice()))
            .bind(previous.map(|(_, until)| until.as_microsecond()))
            .bind(row.failing_since.map(Timestamp::as_microsecond))
            .bind(row.disabled.map(|(_, at)| at.as_microsecond()))
            .bind(row.disabled.map(|(reason, _)| reason.as_str()))
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// Removes a webhook with all its deliveries.
    pub async fn delete_webhook(&mut self, id: Ulid) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query("DELETE FROM webhook WHERE id = $1")
                .bind(id.to_string())
                .execute(connection)
                .await
                .map(drop)
        )
        .map_err(in_table(TABLE))
    }
}

impl LedgerStore {
    /// The webhook of an id.
    pub async fn webhook(&self, id: Ulid) -> Result<Option<WebhookRow>, StoreError> {
        let row: Option<StoredWebhook> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM webhook WHERE id = $1")
                .bind(id.to_string())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredWebhook::decode).transpose()
    }

    /// The webhooks of a user, the oldest first.
    pub async fn webhooks_of(&self, user: Ulid) -> Result<Vec<WebhookRow>, StoreError> {
        let rows: Vec<StoredWebhook> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM webhook WHERE user_id = $1 ORDER BY id")
                .bind(user.to_string())
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredWebhook::decode).collect()
    }

    /// The webhooks that are not disabled, of these users and, if `staff`, of
    /// everybody of the staff.
    pub async fn webhooks_told(
        &self,
        users: [Ulid; 2],
        staff: bool,
    ) -> Result<Vec<WebhookRow>, StoreError> {
        let [first, second] = users.map(|user| user.to_string());
        let rows: Vec<StoredWebhook> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT w.* FROM webhook AS w JOIN lease_user AS u ON u.id = w.user_id
                 WHERE w.disabled_at IS NULL
                   AND (w.user_id IN ($1, $2) OR ($3 = 1 AND u.staff = 1))
                 ORDER BY w.id",
            )
            .bind(first)
            .bind(second)
            .bind(i64::from(staff))
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredWebhook::decode).collect()
    }
}
