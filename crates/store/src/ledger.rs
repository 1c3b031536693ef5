//! What cannot be read from the chain again.

use crate::{
    column::Column,
    db::{Db, Tx, on},
    error::{StoreError, in_table},
    fence::Fence,
    half::Half,
    identity,
    row::row,
};
use primitives::Timestamp;

const API_KEY: &str = "api_key";

const fn column(name: &'static str) -> Column {
    Column {
        table: API_KEY,
        name,
    }
}

/// What cannot be read from the chain again. Whatever it acknowledges survives
/// a power cut.
#[derive(Debug, Clone)]
pub struct LedgerStore(Half);

/// The key of an API client. The key itself is not kept, only its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKeyRow {
    /// The public id by which operators name it.
    pub id: String,
    /// Whose it is.
    pub name: String,
    /// What the presented key must hash to. No two keys share it.
    pub digest: [u8; 32],
    /// Kept to the microsecond.
    pub created_at: Timestamp,
    /// When it ceased to be valid.
    pub revoked_at: Option<Timestamp>,
}

row! {
    struct StoredKey {
        id: String,
        name: String,
        digest: Vec<u8>,
        created_at: i64,
        revoked_at: Option<i64>,
    }
}

impl StoredKey {
    fn decode(self) -> Result<ApiKeyRow, StoreError> {
        Ok(ApiKeyRow {
            id: self.id,
            name: self.name,
            digest: column("digest").bytes(&self.digest)?,
            created_at: column("created_at").time(self.created_at)?,
            revoked_at: self
                .revoked_at
                .map(|time| column("revoked_at").time(time))
                .transpose()?,
        })
    }
}

impl LedgerStore {
    pub(crate) fn new(db: Db) -> Self {
        Self(Half::new(db))
    }

    pub(crate) fn db(&self) -> &Db {
        self.0.db()
    }

    /// A duty of writing here, which nobody has taken yet.
    pub fn fence(&self, duty: &'static str) -> Fence {
        self.0.fence(duty)
    }

    /// The same, whose transactions need a duty to be held.
    pub(crate) fn fenced(&self, fence: &Fence) -> Self {
        Self(self.0.fenced(fence))
    }

    /// Begins a transaction.
    pub(crate) async fn begin_tx(&self) -> Result<Tx, StoreError> {
        let mut tx = self.db().begin().await?;
        self.0.check(&mut tx).await?;
        Ok(tx)
    }

    /// Tries whether it can be written to.
    pub async fn probe(&self) -> Result<(), StoreError> {
        identity::try_write(self.db()).await
    }

    /// Adds a key. An id or a digest that is there already is
    /// [`StoreError::Exists`].
    pub async fn insert_key(&self, key: &ApiKeyRow) -> Result<(), StoreError> {
        on!(writer self.db(), pool =>
            sqlx::query(
                "INSERT INTO api_key (id, name, digest, created_at, revoked_at)
                 VALUES ($1, $2, $3, $4, $5)",
            )
            .bind(&key.id)
            .bind(&key.name)
            .bind(key.digest.as_slice())
            .bind(key.created_at.as_microsecond())
            .bind(key.revoked_at.map(Timestamp::as_microsecond))
            .execute(pool)
            .await
            .map(drop)
        )
        .map_err(in_table(API_KEY))
    }

    /// The key of a digest, revoked or not.
    pub async fn find_key(&self, digest: &[u8; 32]) -> Result<Option<ApiKeyRow>, StoreError> {
        let key: Option<StoredKey> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT id, name, digest, created_at, revoked_at FROM api_key WHERE digest = $1",
            )
            .bind(digest.as_slice())
            .fetch_optional(pool)
            .await
        )
        .map_err(in_table(API_KEY))?;
        key.map(StoredKey::decode).transpose()
    }

    /// All keys, the oldest first.
    pub async fn list_keys(&self) -> Result<Vec<ApiKeyRow>, StoreError> {
        let keys: Vec<StoredKey> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT id, name, digest, created_at, revoked_at FROM api_key
                 ORDER BY created_at, id",
            )
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(API_KEY))?;
        keys.into_iter().map(StoredKey::decode).collect()
    }

    /// Ends a key. `false` when there is none of this id that is still valid.
    pub async fn revoke_key(&self, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        let revoked = on!(writer self.db(), pool =>
            sqlx::query("UPDATE api_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL")
                .bind(id)
                .bind(at.as_microsecond())
                .execute(pool)
                .await
                .map(|done| done.rows_affected())
        )
        .map_err(in_table(API_KEY))?;
        Ok(revoked == 1)
    }
}
