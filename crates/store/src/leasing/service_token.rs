//! Tokens of a validator's gateway.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
};
use primitives::{Timestamp, Ulid};
use sqlx::FromRow;

const TABLE: &str = "service_token";

/// A token of a validator. Its secret is not kept, only its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceTokenRow {
    /// The public part.
    pub id: String,
    /// Of which validator.
    pub validator: Ulid,
    /// Who made it.
    pub user: Ulid,
    /// What they call it.
    pub name: String,
    /// What the token must hash to.
    pub digest: [u8; 32],
    /// Since when.
    pub created_at: Timestamp,
    /// Until when, if not for ever.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

#[derive(FromRow)]
struct StoredToken {
    id: String,
    validator_id: String,
    user_id: String,
    name: String,
    digest: Vec<u8>,
    created_at: i64,
    expires_at: Option<i64>,
    revoked_at: Option<i64>,
}

impl StoredToken {
    fn decode(self) -> Result<ServiceTokenRow, StoreError> {
        let column = columns(TABLE);
        Ok(ServiceTokenRow {
            id: self.id,
            validator: column("validator_id").id(&self.validator_id)?,
            user: column("user_id").id(&self.user_id)?,
            name: self.name,
            digest: column("digest").bytes(&self.digest)?,
            created_at: column("created_at").time(self.created_at)?,
            expires_at: column("expires_at").times(self.expires_at)?,
            revoked_at: column("revoked_at").times(self.revoked_at)?,
        })
    }
}

impl LedgerTx {
    /// Adds a token. An id that is there already is [`StoreError::Exists`].
    pub async fn insert_service_token(&mut self, row: &ServiceTokenRow) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO service_token
                 (id, validator_id, user_id, name, digest, created_at, expires_at, revoked_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind(&row.id)
            .bind(row.validator.to_string())
            .bind(row.user.to_string())
            .bind(&row.name)
            .bind(row.digest.as_slice())
            .bind(row.created_at.as_microsecond())
            .bind(row.expires_at.map(Timestamp::as_microsecond))
            .bind(row.revoked_at.map(Timestamp::as_microsecond))
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// Ends a token of a validator. `false` when it has none of this id that is
    /// not revoked.
    pub async fn revoke_service_token(
        &mut self,
        validator: Ulid,
        id: &str,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let revoked = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE service_token SET revoked_at = $3
                 WHERE validator_id = $1 AND id = $2 AND revoked_at IS NULL",
            )
            .bind(validator.to_string())
            .bind(id)
            .bind(at.as_microsecond())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(revoked == 1)
    }
}

impl LedgerStore {
    /// The token of an id, living or not, if whoever made it owns its validator.
    pub async fn service_token(&self, id: &str) -> Result<Option<ServiceTokenRow>, StoreError> {
        let row: Option<StoredToken> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT t.* FROM service_token AS t
                 JOIN validator AS v ON v.id = t.validator_id AND v.owner_id = t.user_id
                 WHERE t.id = $1",
            )
            .bind(id)
            .fetch_optional(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredToken::decode).transpose()
    }

    /// The tokens of a validator that a user made, the oldest first.
    pub async fn service_tokens_of(
        &self,
        validator: Ulid,
        user: Ulid,
    ) -> Result<Vec<ServiceTokenRow>, StoreError> {
        let rows: Vec<StoredToken> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM service_token WHERE validator_id = $1 AND user_id = $2
                 ORDER BY created_at, id",
            )
            .bind(validator.to_string())
            .bind(user.to_string())
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredToken::decode).collect()
    }
}
