//! What is to be sent to webhooks, or was.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::{Tx, on},
    error::{StoreError, in_table},
    row::row,
};
use leasing::{DeliveryProblem, DeliveryStatus, WebhookEvent};
use primitives::{Timestamp, Ulid};
use sqlx::QueryBuilder;

const TABLE: &str = "webhook_delivery";
const CURSOR: &str = "webhook_cursor";

/// Something that is to be sent to a webhook, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRow {
    /// The public id. Rows sort by it.
    pub id: Ulid,
    /// The webhook whose receiver gets it.
    pub webhook: Ulid,
    /// What receivers know it by; a webhook has it once.
    pub event_id: Ulid,
    /// What it tells of.
    pub event: WebhookEvent,
    /// What is sent.
    pub body: String,
    /// Since when.
    pub created_at: Timestamp,
    /// Where it stands.
    pub status: DeliveryStatus,
    /// How often it was tried since it was last asked for.
    pub attempts: u32,
    /// When it is tried next, while it is pending.
    pub due_at: Option<Timestamp>,
    /// When it was tried last.
    pub tried_at: Option<Timestamp>,
    /// The status of the last answer.
    pub answer: Option<u16>,
    /// Why the last attempt failed.
    pub problem: Option<DeliveryProblem>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// Which deliveries of a webhook are looked for, the newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryQuery {
    /// The webhook whose deliveries are told.
    pub webhook: Ulid,
    /// That stand so.
    pub status: Option<DeliveryStatus>,
    /// Older than this one, by id; from the newest on without it.
    pub before: Option<Ulid>,
    /// At most so many.
    pub limit: u16,
}

row! {
    struct StoredDelivery {
        id: String,
        webhook_id: String,
        event_id: String,
        event: String,
        body: String,
        created_at: i64,
        status: String,
        attempts: i64,
        due_at: Option<i64>,
        tried_at: Option<i64>,
        answer: Option<i64>,
        problem: Option<String>,
        ended_at: Option<i64>,
    }
}

impl StoredDelivery {
    fn decode(self) -> Result<DeliveryRow, StoreError> {
        let column = columns(TABLE);
        let problem = self.problem.as_deref();
        Ok(DeliveryRow {
            id: column("id").id(&self.id)?,
            webhook: column("webhook_id").id(&self.webhook_id)?,
            event_id: column("event_id").id(&self.event_id)?,
            event: column("event").word(&self.event)?,
            body: self.body,
            created_at: column("created_at").time(self.created_at)?,
            status: column("status").word(&self.status)?,
            attempts: column("attempts").narrow(self.attempts)?,
            due_at: column("due_at").times(self.due_at)?,
            tried_at: column("tried_at").times(self.tried_at)?,
            answer: self
                .answer
                .map(|answer| column("answer").narrow(answer))
                .transpose()?,
            problem: problem
                .map(|word| column("problem").word(word))
                .transpose()?,
            ended_at: column("ended_at").times(self.ended_at)?,
        })
    }
}

impl LedgerTx {
    /// Adds a pending delivery. `false` if the webhook has its event already.
    pub async fn insert_delivery(&mut self, row: &DeliveryRow) -> Result<bool, StoreError> {
        let added = on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO webhook_delivery
                 (id, webhook_id, event_id, event, body, created_at, status, attempts, due_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                 ON CONFLICT (webhook_id, event_id) DO NOTHING",
            )
            .bind(row.id.to_string())
            .bind(row.webhook.to_string())
            .bind(row.event_id.to_string())
            .bind(row.event.as_str())
            .bind(&row.body)
            .bind(row.created_at.as_microsecond())
            .bind(row.status.as_str())
            .bind(i64::from(row.attempts))
            .bind(row.due_at.map(Timestamp::as_microsecond))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(added == 1)
    }

    /// How many deliveries of a webhook are pending, counted no further than
    /// `limit`.
    pub async fn count_pending(&mut self, webhook: Ulid, limit: u64) -> Result<u64, StoreError> {
        let column = columns(TABLE)("id");
        let limit = column.to_stored(limit)?;
        let count: i64 = on!(tx &mut self.0, connection =>
            sqlx::query_scalar(
                "SELECT COUNT(*) FROM (
                     SELECT id FROM webhook_delivery
                     WHERE webhook_id = $1 AND status = 'pending' LIMIT $2) AS counted",
            )
            .bind(webhook.to_string())
            .bind(limit)
            .fetch_one(connection)
            .await
        )
        .map_err(in_table(TABLE))?;
        column.counter(count)
    }

    /// Takes the delivery of a webhook that has been due longest, for an attempt
    /// that is over by `until`: nobody else takes it before. The attempt counts
    /// from now on.
    pub async fn claim_delivery(
        &mut self,
        webhook: Ulid,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<DeliveryRow>, StoreError> {
        // Whoever finds another's claim under way takes the next one.
        let skip = match &self.0 {
            Tx::Sqlite(_) => "",
            Tx::Postgres(_) => " FOR NO KEY UPDATE SKIP LOCKED",
        };
        let row: Option<StoredDelivery> = on!(tx &mut self.0, connection => {
            let mut claim = QueryBuilder::new("UPDATE webhook_delivery SET attempts = attempts + 1, due_at = ");
            claim.push_bind(until.as_microsecond());
            claim.push(", tried_at = ").push_bind(now.as_microsecond());
            claim.push(
                " WHERE id = (SELECT id FROM webhook_delivery
                              WHERE status = 'pending' AND webhook_id = ",
            );
            claim.push_bind(webhook.to_string());
            claim.push(" AND due_at <= ").push_bind(now.as_microsecond());
            claim.push(" ORDER BY due_at, id LIMIT 1").push(skip).push(") RETURNING *");
            claim.build_query_as().fetch_optional(connection).await
        })
        .map_err(in_table(TABLE))?;
        row.map(StoredDelivery::decode).transpose()
    }

    /// Writes where a delivery stands over what it was before. `false` if it was
    /// tried again or has ended meanwhile.
    pub async fn update_delivery(
        &mut self,
        before: &DeliveryRow,
        after: &DeliveryRow,
    ) -> Result<bool, StoreError> {
        let moved = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE webhook_delivery
                 SET status = $4, attempts = $5, due_at = $6, tried_at = $7, answer = $8,
                     problem = $9, ended_at = $10
                 WHERE id = $1 AND status = $2 AND attempts = $3",
            )
            .bind(before.id.to_string())
            .bind(before.status.as_str())
            .bind(i64::from(before.attempts))
            .bind(after.status.as_str())
            .bind(i64::from(after.attempts))
            .bind(after.due_at.map(Timestamp::as_microsecond))
            .bind(after.tried_at.map(Timestamp::as_microsecond))
            .bind(after.answer.map(i64::from))
            .bind(after.problem.map(DeliveryProblem::as_str))
            .bind(after.ended_at.map(Timestamp::as_microsecond))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(moved == 1)
    }

    /// Ends what is pending of a webhook that was disabled. Returns how much.
    pub async fn fail_pending(&mut self, webhook: Ulid, now: Timestamp) -> Result<u64, StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE webhook_delivery
                 SET status = 'failed', due_at = NULL, problem = $3, ended_at = $2
                 WHERE webhook_id = $1 AND status = 'pending'",
            )
            .bind(webhook.to_string())
            .bind(now.as_microsecond())
            .bind(DeliveryProblem::EndpointDisabled.as_str())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))
    }

    /// Moves the cursor from one position of the audit log's chain to another.
    /// `false` if it is no longer there.
    pub async fn advance_webhooks(&mut self, from: u64, to: u64) -> Result<bool, StoreError> {
        let column = columns(CURSOR)("position");
        let (from, to) = (column.to_stored(from)?, column.to_stored(to)?);
        let moved = on!(tx &mut self.0, connection =>
            sqlx::query("UPDATE webhook_cursor SET position = $2 WHERE position = $1")
                .bind(from)
                .bind(to)
                .execute(connection)
                .await
                .map(|done| done.rows_affected())
        )
        .map_err(in_table(CURSOR))?;
        Ok(moved == 1)
    }

    /// Forgets some deliveries that ended before a time. Returns how many.
    pub async fn forget_deliveries(
        &mut self,
        before: Timestamp,
        limit: u16,
    ) -> Result<u64, StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "DELETE FROM webhook_delivery WHERE id IN (
                     SELECT id FROM webhook_delivery
                     WHERE status <> 'pending' AND ended_at < $1 ORDER BY ended_at LIMIT $2)",
            )
            .bind(before.as_microsecond())
            .bind(i64::from(limit))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))
    }
}

impl LedgerStore {
    /// How far the chain of the audit log was made into deliveries.
    pub async fn webhook_cursor(&self) -> Result<u64, StoreError> {
        let position: i64 = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT position FROM webhook_cursor")
                .fetch_one(pool)
                .await
        )
        .map_err(in_table(CURSOR))?;
        columns(CURSOR)("position").counter(position)
    }

    /// Webhooks that something is due for, and how many deliveries are pending in
    /// all.
    pub async fn webhooks_due(
        &self,
        now: Timestamp,
        limit: u16,
    ) -> Result<(Vec<Ulid>, u64), StoreError> {
        let due: Vec<String> = on!(reader self.db(), pool =>
            sqlx::query_scalar(
                "SELECT webhook_id FROM webhook_delivery WHERE status = 'pending' AND due_at <= $1
                 GROUP BY webhook_id ORDER BY MIN(due_at) LIMIT $2",
            )
            .bind(now.as_microsecond())
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        let pending: i64 = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT COUNT(*) FROM webhook_delivery WHERE status = 'pending'")
                .fetch_one(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        let column = columns(TABLE);
        let due = due.iter().map(|id| column("webhook_id").id(id));
        Ok((
            due.collect::<Result<_, _>>()?,
            column("id").counter(pending)?,
        ))
    }

    /// A delivery of a webhook.
    pub async fn delivery(
        &self,
        webhook: Ulid,
        id: Ulid,
    ) -> Result<Option<DeliveryRow>, StoreError> {
        let row: Option<StoredDelivery> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM webhook_delivery WHERE webhook_id = $1 AND id = $2")
                .bind(webhook.to_string())
                .bind(id.to_string())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredDelivery::decode).transpose()
    }

    /// The deliveries of a webhook, the newest first.
    pub async fn deliveries(&self, query: &DeliveryQuery) -> Result<Vec<DeliveryRow>, StoreError> {
        let rows: Vec<StoredDelivery> = on!(reader self.db(), pool => {
            let mut select = QueryBuilder::new("SELECT * FROM webhook_delivery WHERE webhook_id = ");
            select.push_bind(query.webhook.to_string());
            if let Some(status) = query.status {
                select.push(" AND status = ").push_bind(status.as_str());
            }
            if let Some(before) = query.before {
                select.push(" AND id < ").push_bind(before.to_string());
            }
            select.push(" ORDER BY id DESC LIMIT ").push_bind(i64::from(query.limit));
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredDelivery::decode).collect()
    }
}
