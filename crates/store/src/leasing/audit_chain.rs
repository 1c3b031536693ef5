//! The links of the audit log.

use super::{
    LedgerTx,
    audit::{AuditRow, StoredAudit},
    columns,
};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::AuditHash;
use primitives::Ulid;
use sqlx::QueryBuilder;

const TABLE: &str = "audit_link";
const UNLINKED: &str = "audit_unlinked";

/// A link of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditLink {
    /// Its place, from 1.
    pub position: u64,
    /// The row of the log that its hash covers.
    pub row: Ulid,
    /// The hash of the row and of the link before.
    pub hash: AuditHash,
}

/// How many rows there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditCounts {
    /// In all.
    pub rows: u64,
    /// That have a link.
    pub linked: u64,
    /// That wait for one.
    pub waiting: u64,
}

row! {
    struct StoredLink {
        position: i64,
        row_id: String,
        hash: Vec<u8>,
    }
}

impl StoredLink {
    fn decode(self) -> Result<AuditLink, StoreError> {
        let column = columns(TABLE);
        Ok(AuditLink {
            position: column("position").counter(self.position)?,
            row: column("row_id").id(&self.row_id)?,
            hash: AuditHash::from_bytes(column("hash").bytes(&self.hash)?),
        })
    }
}

row! {
    struct StoredCounts {
        row_count: i64,
        linked: i64,
        waiting: i64,
    }
}

impl LedgerTx {
    /// The newest link, from which the next one is made; `None` in a new chain.
    pub async fn last_audit_link(&mut self) -> Result<Option<AuditLink>, StoreError> {
        let row: Option<StoredLink> = on!(tx &mut self.0, connection =>
            sqlx::query_as("SELECT * FROM audit_link ORDER BY position DESC LIMIT 1")
                .fetch_optional(connection)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredLink::decode).transpose()
    }

    /// Adds links, whose rows wait no more. One that somebody else added
    /// meanwhile is [`StoreError::Exists`].
    pub async fn insert_audit_links(&mut self, links: &[AuditLink]) -> Result<(), StoreError> {
        if links.is_empty() {
            return Ok(());
        }
        let column = columns(TABLE)("position");
        let stored = |link: &AuditLink| Ok((column.to_stored(link.position)?, *link));
        let rows: Vec<_> = links
            .iter()
            .map(stored)
            .collect::<Result<_, StoreError>>()?;
        on!(tx &mut self.0, connection => {
            let mut insert = QueryBuilder::new("INSERT INTO audit_link (position, row_id, hash) ");
            insert.push_values(&rows, |mut row, (position, link)| {
                row.push_bind(*position)
                    .push_bind(link.row.to_string())
                    .push_bind(link.hash.as_bytes().to_vec());
            });
            insert.build().persistent(false).execute(connection).await.map(drop)
        })
        .map_err(in_table(TABLE))?;
        on!(tx &mut self.0, connection => {
            let mut delete = QueryBuilder::new("DELETE FROM audit_unlinked WHERE row_id IN (");
            let mut list = delete.separated(", ");
            for link in links {
                list.push_bind(link.row.to_string());
            }
            delete.push(")");
            delete.build().persistent(false).execute(connection).await.map(drop)
        })
        .map_err(in_table(UNLINKED))
    }
}

impl LedgerStore {
    /// Rows that wait for their links, the oldest first.
    pub async fn unlinked_audit(&self, limit: u16) -> Result<Vec<AuditRow>, StoreError> {
        let rows: Vec<StoredAudit> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT a.* FROM audit_unlinked AS u JOIN audit_log AS a ON a.id = u.row_id
                 ORDER BY u.row_id LIMIT $1",
            )
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(UNLINKED))?;
        rows.into_iter().map(StoredAudit::decode).collect()
    }

    /// Links after a position, in their order.
    pub async fn audit_links(&self, after: u64, limit: u16) -> Result<Vec<AuditLink>, StoreError> {
        let after = columns(TABLE)("position").to_stored(after)?;
        let rows: Vec<StoredLink> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM audit_link WHERE position > $1 ORDER BY position LIMIT $2",
            )
            .bind(after)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredLink::decode).collect()
    }

    /// The rows of links after a position and up to another, in any order.
    pub async fn linked_audit(&self, after: u64, to: u64) -> Result<Vec<AuditRow>, StoreError> {
        let column = columns(TABLE)("position");
        let (after, to) = (column.to_stored(after)?, column.to_stored(to)?);
        let rows: Vec<StoredAudit> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT a.* FROM audit_link AS l JOIN audit_log AS a ON a.id = l.row_id
                 WHERE l.position > $1 AND l.position <= $2",
            )
            .bind(after)
            .bind(to)
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredAudit::decode).collect()
    }

    /// How many rows there are, at one moment.
    pub async fn audit_counts(&self) -> Result<AuditCounts, StoreError> {
        let row: StoredCounts = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT (SELECT COUNT(*) FROM audit_log) AS row_count,
                        (SELECT COUNT(*) FROM audit_link) AS linked,
                        (SELECT COUNT(*) FROM audit_unlinked) AS waiting",
            )
            .fetch_one(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        let column = columns(TABLE);
        Ok(AuditCounts {
            rows: column("row_count").counter(row.row_count)?,
            linked: column("linked").counter(row.linked)?,
            waiting: column("waiting").counter(row.waiting)?,
        })
    }
}
