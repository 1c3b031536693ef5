//! Keys of leases.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{Timestamp, Ulid};

const TABLE: &str = "lease_key";

/// The key of a lease. Its secret is not kept, only what it hashes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseKeyRow {
    /// Whose.
    pub lease: Ulid,
    /// The public part.
    pub id: String,
    /// What it was hashed with.
    pub salt: [u8; 16],
    /// What it hashes to.
    pub digest: [u8; 32],
    /// The memory of the hash, in KiB.
    pub memory_kib: u32,
    /// Its passes over that memory.
    pub passes: u32,
    /// Rises with every new key, from 1.
    pub version: u64,
    /// Since when.
    pub created_at: Timestamp,
}

row! {
    struct StoredKey {
        lease_id: String,
        id: String,
        salt: Vec<u8>,
        digest: Vec<u8>,
        memory_kib: i64,
        passes: i64,
        version: i64,
        created_at: i64,
    }
}

impl StoredKey {
    fn decode(self) -> Result<LeaseKeyRow, StoreError> {
        let column = columns(TABLE);
        let salt = self.salt.try_into();
        Ok(LeaseKeyRow {
            lease: column("lease_id").id(&self.lease_id)?,
            id: self.id,
            salt: salt.map_err(|_| column("salt").corrupt())?,
            digest: column("digest").bytes(&self.digest)?,
            memory_kib: column("memory_kib").narrow(self.memory_kib)?,
            passes: column("passes").narrow(self.passes)?,
            version: column("version").counter(self.version)?,
            created_at: column("created_at").time(self.created_at)?,
        })
    }
}

impl LedgerTx {
    /// Gives a lease a key in the place of the one of the version before; the
    /// first one has none before it. `false` if that is not the one it has.
    pub async fn put_lease_key(&mut self, row: &LeaseKeyRow) -> Result<bool, StoreError> {
        let version = columns(TABLE)("version").to_stored(row.version)?;
        // One list of values for both: the first key finds no other.
        let put = if row.version == 1 {
            "INSERT INTO lease_key
             (lease_id, id, salt, digest, memory_kib, passes, version, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (lease_id) DO NOTHING"
        } else {
            "UPDATE lease_key SET id = $2, salt = $3, digest = $4, memory_kib = $5, passes = $6,
                                  version = $7, created_at = $8
             WHERE lease_id = $1 AND version = $7 - 1"
        };
        let changed = on!(tx &mut self.0, connection =>
            sqlx::query(put)
                .bind(row.lease.to_string())
                .bind(&row.id)
                .bind(row.salt.as_slice())
                .bind(row.digest.as_slice())
                .bind(i64::from(row.memory_kib))
                .bind(i64::from(row.passes))
                .bind(version)
                .bind(row.created_at.as_microsecond())
                .execute(connection)
                .await
                .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(changed == 1)
    }
}

impl LedgerStore {
    /// The key of a public part.
    pub async fn lease_key(&self, id: &str) -> Result<Option<LeaseKeyRow>, StoreError> {
        let row: Option<StoredKey> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM lease_key WHERE id = $1")
                .bind(id)
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredKey::decode).transpose()
    }

    /// The version of the key of a lease; 0 if it has none.
    pub async fn lease_key_version(&self, lease: Ulid) -> Result<u64, StoreError> {
        let version: Option<i64> = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT version FROM lease_key WHERE lease_id = $1")
                .bind(lease.to_string())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        columns(TABLE)("version").counter(version.unwrap_or(0))
    }
}
