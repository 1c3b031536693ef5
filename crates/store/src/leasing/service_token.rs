//! Tokens of a validator's gateway.

use super::{LedgerTx, TokenRow, columns, token::StoredToken};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{Timestamp, Ulid};

const TABLE: &str = "service_token";

/// A token of a validator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceTokenRow {
    /// The validator whose gateway reports with it.
    pub validator: Ulid,
    /// The token, of whoever made it.
    pub token: TokenRow,
}

row! {
    struct StoredServiceToken {
        validator_id: String,
        ..token: StoredToken,
    }
}

impl StoredServiceToken {
    fn decode(self) -> Result<ServiceTokenRow, StoreError> {
        Ok(ServiceTokenRow {
            validator: columns(TABLE)("validator_id").id(&self.validator_id)?,
            token: self.token.decode(TABLE)?,
        })
    }
}

impl LedgerTx {
    /// Adds a token. An id that is there already is [`StoreError::Exists`].
    pub async fn insert_service_token(&mut self, row: &ServiceTokenRow) -> Result<(), StoreError> {
        let token = &row.token;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO service_token
                 (id, validator_id, user_id, name, digest, created_at, expires_at, revoked_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            )
            .bind(&token.id)
            .bind(row.validator.to_string())
            .bind(token.user.to_string())
            .bind(&token.name)
            .bind(token.digest.as_slice())
            .bind(token.created_at.as_microsecond())
            .bind(token.expires_at.map(Timestamp::as_microsecond))
            .bind(token.revoked_at.map(Timestamp::as_microsecond))
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
        let row: Option<StoredServiceToken> = on!(reader self.db(), pool =>
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
        row.map(StoredServiceToken::decode).transpose()
    }

    /// The tokens of a validator that a user made, the oldest first.
    pub async fn service_tokens_of(
        &self,
        validator: Ulid,
        user: Ulid,
    ) -> Result<Vec<ServiceTokenRow>, StoreError> {
        let rows: Vec<StoredServiceToken> = on!(reader self.db(), pool =>
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
        rows.into_iter().map(StoredServiceToken::decode).collect()
    }
}
