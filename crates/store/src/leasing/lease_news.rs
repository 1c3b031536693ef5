//! What happened to leases, by its place in the audit log's chain.

use super::columns;
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{Timestamp, Ulid};
use sqlx::QueryBuilder;

const TABLE: &str = "audit_link";

/// Something that happened to a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseNewsRow {
    /// Its place in the chain.
    pub position: u64,
    /// The lease that it happened to.
    pub lease: Ulid,
    /// What happened, e.g. `lease.activated`.
    pub action: String,
    /// When.
    pub at: Timestamp,
}

/// Which rows are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseNewsQuery {
    /// Of leases of this user, and of this user's validators. All without it.
    pub of: Option<Ulid>,
    /// After this position.
    pub after: u64,
    /// Up to this one.
    pub to: u64,
    /// At most so many.
    pub limit: u16,
}

row! {
    struct StoredNews {
        position: i64,
        subject_id: String,
        action: String,
        at: i64,
    }
}

impl StoredNews {
    fn decode(self) -> Result<LeaseNewsRow, StoreError> {
        let column = columns(TABLE);
        Ok(LeaseNewsRow {
            position: column("position").counter(self.position)?,
            lease: column("subject_id").id(&self.subject_id)?,
            action: self.action,
            at: column("at").time(self.at)?,
        })
    }
}

impl LedgerStore {
    /// What happened to leases, in the order of the chain.
    pub async fn lease_news(
        &self,
        query: &LeaseNewsQuery,
    ) -> Result<Vec<LeaseNewsRow>, StoreError> {
        let column = columns(TABLE)("position");
        let (after, to) = (column.to_stored(query.after)?, column.to_stored(query.to)?);
        let rows: Vec<StoredNews> = on!(reader self.db(), pool => {
            let mut select = QueryBuilder::new(
                "SELECT l.position, a.subject_id, a.action, a.at
                 FROM audit_link AS l JOIN audit_log AS a ON a.id = l.row_id
                 JOIN lease AS e ON e.id = a.subject_id
                 JOIN validator AS v ON v.id = e.validator_id
                 WHERE l.position > ",
            );
            select.push_bind(after).push(" AND l.position <= ").push_bind(to);
            if let Some(user) = query.of {
                let user = user.to_string();
                select.push(" AND (e.trader_id = ").push_bind(user.clone());
                select.push(" OR v.owner_id = ").push_bind(user).push(")");
            }
            select.push(" ORDER BY l.position LIMIT ").push_bind(i64::from(query.limit));
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredNews::decode).collect()
    }

    /// The last position of the audit log's chain; 0 if it has none.
    pub async fn audit_head(&self) -> Result<u64, StoreError> {
        let position: Option<i64> = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT MAX(position) FROM audit_link").fetch_one(pool).await
        )
        .map_err(in_table(TABLE))?;
        columns(TABLE)("position").counter(position.unwrap_or(0))
    }
}
