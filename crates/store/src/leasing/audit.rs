//! What happened, and who did it. Rows are added and never changed.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{Timestamp, Ulid};
use sqlx::QueryBuilder;

const TABLE: &str = "audit_log";

/// Who did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// A user, by their public id.
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

impl Actor {
    /// Its kind, and the user's id.
    pub fn parts(self) -> (&'static str, Option<Ulid>) {
        match self {
            Self::User(id) => ("user", Some(id)),
            Self::Operator => ("operator", None),
            Self::System => ("system", None),
        }
    }
}

/// Which rows are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditQuery<'a> {
    /// Those of this user: what they did, and what was done to them, to their
    /// leases and to their validators with their leases. All without it.
    pub of: Option<Ulid>,
    /// Rows with exactly this action; with any without it.
    pub action: Option<&'a str>,
    /// Of the thing with this id.
    pub subject: Option<&'a str>,
    /// From this time on.
    pub since: Option<Timestamp>,
    /// Before this time.
    pub until: Option<Timestamp>,
    /// Older than this row.
    pub before: Option<Ulid>,
    /// At most so many.
    pub limit: u16,
}

/// The rows of a user, whose id follows each of these.
const OF_USER: [&str; 5] = [
    "SELECT id FROM audit_log WHERE actor_id = ",
    " UNION SELECT id FROM audit_log WHERE subject_kind = 'user' AND subject_id = ",
    " UNION SELECT a.id FROM lease AS l
      JOIN audit_log AS a ON a.subject_kind = 'lease' AND a.subject_id = l.id
      WHERE l.trader_id = ",
    " UNION SELECT a.id FROM validator AS v
      JOIN audit_log AS a ON a.subject_kind = 'validator' AND a.subject_id = v.id
      WHERE v.owner_id = ",
    " UNION SELECT a.id FROM validator AS v JOIN lease AS l ON l.validator_id = v.id
      JOIN audit_log AS a ON a.subject_kind = 'lease' AND a.subject_id = l.id
      WHERE v.owner_id = ",
];

row! {
    pub(super) struct StoredAudit {
        id: String,
        at: i64,
        actor_kind: String,
        actor_id: Option<String>,
        action: String,
        subject_kind: String,
        subject_id: String,
        detail: String,
    }
}

impl StoredAudit {
    pub(super) fn decode(self) -> Result<AuditRow, StoreError> {
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
        let (kind, id) = row.actor.parts();
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO audit_log
                 (id, at, actor_kind, actor_id, action, subject_kind, subject_id, detail)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind(row.id.to_string())
            .bind(row.at.as_microsecond())
            .bind(kind)
            .bind(id.map(|id| id.to_string()))
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
    /// What happened, the newest first.
    pub async fn audit_log(&self, query: &AuditQuery<'_>) -> Result<Vec<AuditRow>, StoreError> {
        let rows: Vec<StoredAudit> = on!(reader self.db(), pool => {
            let mut select = QueryBuilder::new("SELECT * FROM audit_log WHERE 1 = 1");
            if let Some(user) = query.of {
                select.push(" AND id IN (");
                for rows in OF_USER {
                    select.push(rows).push_bind(user.to_string());
                }
                select.push(")");
            }
            if let Some(action) = query.action {
                select.push(" AND action = ").push_bind(action);
            }
            if let Some(subject) = query.subject {
                select.push(" AND subject_id = ").push_bind(subject);
            }
            if let Some(since) = query.since {
                select.push(" AND at >= ").push_bind(since.as_microsecond());
            }
            if let Some(until) = query.until {
                select.push(" AND at < ").push_bind(until.as_microsecond());
            }
            if let Some(before) = query.before {
                select.push(" AND id < ").push_bind(before.to_string());
            }
            select.push(" ORDER BY id DESC LIMIT ").push_bind(i64::from(query.limit));
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredAudit::decode).collect()
    }

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
