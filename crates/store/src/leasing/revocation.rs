//! Leases that were revoked, for gateways that still see their tokens.

use super::columns;
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::LeaseState;
use primitives::{PublicKey, Timestamp, Ulid};
use sqlx::QueryBuilder;

const TABLE: &str = "lease";

/// A lease that was revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RevocationRow {
    /// When, and which.
    pub place: RevocationPlace,
    /// The identity of its validator.
    pub identity: PublicKey,
}

/// A place in the list of revocations, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RevocationPlace {
    /// When.
    pub at: Timestamp,
    /// The lease; its id decides among those of one moment.
    pub lease: Ulid,
}

row! {
    struct StoredRevocation {
        id: String,
        ended_at: i64,
        identity: Vec<u8>,
    }
}

impl StoredRevocation {
    fn decode(self) -> Result<RevocationRow, StoreError> {
        let column = columns(TABLE);
        Ok(RevocationRow {
            place: RevocationPlace {
                at: column("ended_at").time(self.ended_at)?,
                lease: column("id").id(&self.id)?,
            },
            identity: columns("validator")("identity").key(&self.identity)?,
        })
    }
}

impl LedgerStore {
    /// The leases, of all validators or one, that were revoked at or after a
    /// time, the oldest first.
    pub async fn revocations(
        &self,
        since: Timestamp,
        identity: Option<PublicKey>,
        after: Option<RevocationPlace>,
        limit: u16,
    ) -> Result<Vec<RevocationRow>, StoreError> {
        // A word of the text, not a value: there is an index of these alone.
        let revoked = LeaseState::Revoked;
        let rows: Vec<StoredRevocation> = on!(reader self.db(), pool => {
            let mut select = QueryBuilder::new(format!(
                "SELECT l.id, l.ended_at, v.identity
                 FROM lease AS l JOIN validator AS v ON v.id = l.validator_id
                 WHERE l.state = '{revoked}' AND l.ended_at >= "
            ));
            select.push_bind(since.as_microsecond());
            if let Some(identity) = &identity {
                select.push(" AND v.identity = ").push_bind(identity.as_bytes().as_slice());
            }
            if let Some(place) = after {
                select.push(" AND (l.ended_at, l.id) > (");
                select.push_bind(place.at.as_microsecond()).push(", ");
                select.push_bind(place.lease.to_string()).push(")");
            }
            select.push(" ORDER BY l.ended_at, l.id LIMIT ").push_bind(i64::from(limit));
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredRevocation::decode).collect()
    }
}
