//! What happened, and who did it. Rows are added and never changed.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
};
use primitives::{Timestamp, Ulid};
use sqlx::FromRow;

const TABLE: &str = "audit_log";

/// Who did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// A user.
    User(Ulid),
    /// Somebody at the command line.
    Operator,
    /// The program itself.
    System,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Rows sort by it.
    pub id: Ulid,
    /// When.
    pub at: Timestamp,
    /// Who did it.
    pub actor: Actor,
    /// What, e.g. `lease.booked`.
    pub action: String,
    /// The kind of what it was done to, e.g. `lease`.
    pub subject_kind: String,
    /// Its public id.
    pub subject: String,
    /// More, as a JSON object.
    pub detail: String,
}

#[derive(FromRow)]
struct StoredAudit {
    id: String,
    at: i64,
    actor_kind: String,
    actor_id: Option<String>,
    action: String,
    subject_kind: String,
    subject_id: String,
    detail: String,
}

impl StoredAudit {
    fn decode(self) -> Result<AuditRow, StoreError> {
        let column = columns(TABLE);
        let id = column("actor_id").ids(self.actor_id.as_deref())?;
        Ok(AuditRow {
            id: column("id").id(&self.id)?,
            at: column("at").time(self.at)?,
            actor: match (self.actor_kind.as_str(), id) {
                ("user", Some(id)) => Actor::User(id),
                ("operator", None) => Actor::Operator,
                ("system", None) => Actor::System,
                _ => return Err(column("actor_kind").corrupt()),
            },
            action: self.action,
            subject_kind: self.subject_kind,
            subject: self.subject_id,
            detail: self.detail,
        })
    }
}

impl LedgerTx {
    /// Writes down what happened.
    pub async fn audit(&mut self, row: &AuditRow) -> Result<(), StoreError> {
        let (kind, id) = match row.actor {
            Actor::User(id) => ("user", Some(id.to_string())),
            Actor::Operator => ("operator", None),
            Actor::System => ("system", None),
        };
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO audit_log
                 (id, at, actor_kind, actor_id, action, subject_kind, subject_id, detail)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind(row.id.to_string())
            .bind(row.at.as_microsecond())
            .bind(kind)
            .bind(id)
            .bind(&row.action)
            .bind(&row.subject_kind)
            .bind(&row.subject)
            .bind(&row.detail)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }
}

impl LedgerStore {
    /// What happened to something, the oldest first.
    pub async fn audit_of(
        &self,
        subject_kind: &str,
        subject: &str,
        limit: u16,
    ) -> Result<Vec<AuditRow>, StoreError> {
        let rows: Vec<StoredAudit> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM audit_log WHERE subject_kind = $1 AND subject_id = $2
                 ORDER BY id LIMIT $3",
            )
            .bind(subject_kind)
            .bind(subject)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredAudit::decode).collect()
    }
}
