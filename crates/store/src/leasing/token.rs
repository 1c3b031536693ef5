//! API tokens.

use super::{LedgerTx, User, columns, user::StoredUser};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{Timestamp, Ulid};

const TABLE: &str = "bearer_token";

/// A token of a user. Its secret is not kept, only its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// The public part.
    pub id: String,
    /// Whose it is.
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

impl TokenRow {
    /// Whether it is good at a time: neither revoked nor expired.
    pub fn is_living(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|until| now < until)
    }
}

row! {
    pub(super) struct StoredToken {
        id: String,
        user_id: String,
        name: String,
        digest: Vec<u8>,
        created_at: i64,
        expires_at: Option<i64>,
        revoked_at: Option<i64>,
    }
}

impl StoredToken {
    /// The row that it is of in a table.
    pub(super) fn decode(self, table: &'static str) -> Result<TokenRow, StoreError> {
        let column = columns(table);
        Ok(TokenRow {
            id: self.id,
            user: column("user_id").id(&self.user_id)?,
            name: self.name,
            digest: column("digest").bytes(&self.digest)?,
            created_at: column("created_at").time(self.created_at)?,
            expires_at: column("expires_at").times(self.expires_at)?,
            revoked_at: column("revoked_at").times(self.revoked_at)?,
        })
    }
}

row! {
    /// A token together with its user.
    struct StoredBearer {
        name: String,
        digest: Vec<u8>,
        since: i64,
        expires_at: Option<i64>,
        revoked_at: Option<i64>,
        ..user: StoredUser,
    }
}

impl StoredBearer {
    fn decode(self, id: &str) -> Result<(TokenRow, User), StoreError> {
        let column = columns(TABLE);
        let user = self.user.decode()?;
        let token = TokenRow {
            id: id.to_owned(),
            user: user.id,
            name: self.name,
            digest: column("digest").bytes(&self.digest)?,
            created_at: column("created_at").time(self.since)?,
            expires_at: column("expires_at").times(self.expires_at)?,
            revoked_at: column("revoked_at").times(self.revoked_at)?,
        };
        Ok((token, user))
    }
}

impl LedgerTx {
    /// Adds a token. An id that is there already is [`StoreError::Exists`].
    pub async fn insert_token(&mut self, token: &TokenRow) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO bearer_token
                 (id, user_id, name, digest, created_at, expires_at, revoked_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(&token.id)
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

    /// Ends a token. `false` when there is none of this id that is not revoked.
    pub async fn revoke_token(&mut self, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        let revoked = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE bearer_token SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL",
            )
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
    /// The token of an id, living or not, with its user.
    pub async fn token(&self, id: &str) -> Result<Option<(TokenRow, User)>, StoreError> {
        let bearer: Option<StoredBearer> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT u.*, t.name, t.digest, t.created_at AS since, t.expires_at, t.revoked_at
                 FROM bearer_token AS t JOIN lease_user AS u ON u.id = t.user_id
                 WHERE t.id = $1",
            )
            .bind(id)
            .fetch_optional(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        bearer.map(|bearer| bearer.decode(id)).transpose()
    }

    /// The tokens of a user, the oldest first.
    pub async fn tokens_of(&self, user: Ulid) -> Result<Vec<TokenRow>, StoreError> {
        let tokens: Vec<StoredToken> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM bearer_token WHERE user_id = $1 ORDER BY created_at, id",
            )
            .bind(user.to_string())
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        let decode = |token: StoredToken| token.decode(TABLE);
        tokens.into_iter().map(decode).collect()
    }
}
