//! Keys of lease tokens.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::{TokenKey, TokenSecret};
use primitives::Timestamp;

const TABLE: &str = "token_key";

/// A key of lease tokens.
#[derive(Debug, Clone)]
pub struct TokenKeyRow {
    /// The public half.
    pub key: TokenKey,
    /// The secret half; `None` if it is kept elsewhere.
    pub secret: Option<TokenSecret>,
    /// Since when it is known.
    pub created_at: Timestamp,
    /// From when it signs.
    pub signs_from: Timestamp,
    /// Until when it is published; `None` if nothing has replaced it.
    pub published_until: Option<Timestamp>,
}

row! {
    struct StoredKey {
        kid: String,
        point: Vec<u8>,
        secret: Option<Vec<u8>>,
        created_at: i64,
        signs_from: i64,
        published_until: Option<i64>,
    }
}

impl StoredKey {
    fn decode(self) -> Result<TokenKeyRow, StoreError> {
        let column = columns(TABLE);
        let point = self.point.as_slice().try_into();
        let point = point.map_err(|_| column("point").corrupt())?;
        let key = TokenKey::from_point(point).map_err(|_| column("point").corrupt())?;
        let secret = self.secret.map(|secret| {
            let bytes = column("secret").bytes(&secret)?;
            TokenSecret::from_bytes(&bytes).map_err(|_| column("secret").corrupt())
        });
        if key.kid() != self.kid {
            return Err(column("kid").corrupt());
        }
        Ok(TokenKeyRow {
            key,
            secret: secret.transpose()?,
            created_at: column("created_at").time(self.created_at)?,
            signs_from: column("signs_from").time(self.signs_from)?,
            published_until: column("published_until").times(self.published_until)?,
        })
    }
}

impl LedgerTx {
    /// Adds a key that is kept here and that nothing has replaced. If there is
    /// one already, [`StoreError::Exists`].
    pub async fn insert_newest_token_key(&mut self, row: &TokenKeyRow) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO token_key
                 (kid, point, secret, created_at, signs_from, published_until, newest)
                 VALUES ($1, $2, $3, $4, $5, NULL, 1)",
            )
            .bind(row.key.kid())
            .bind(row.key.point().as_slice())
            .bind(row.secret.as_ref().map(|secret| secret.to_bytes().to_vec()))
            .bind(row.created_at.as_microsecond())
            .bind(row.signs_from.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// Lets the newest key be replaced: it is published until a time. `false` if
    /// it is not the newest any more.
    pub async fn retire_token_key(
        &mut self,
        kid: &str,
        until: Timestamp,
    ) -> Result<bool, StoreError> {
        let retired = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE token_key SET newest = NULL, published_until = $2
                 WHERE kid = $1 AND newest = 1",
            )
            .bind(kid)
            .bind(until.as_microsecond())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(retired == 1)
    }

    /// Publishes a key that is kept elsewhere, until a time; one that is
    /// published already, until that time from now on.
    pub async fn publish_token_key(
        &mut self,
        key: &TokenKey,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO token_key (kid, point, created_at, signs_from, published_until)
                 VALUES ($1, $2, $3, $3, $4)
                 ON CONFLICT (kid) DO UPDATE SET published_until = excluded.published_until
                 WHERE token_key.newest IS NULL",
            )
            .bind(key.kid())
            .bind(key.point().as_slice())
            .bind(now.as_microsecond())
            .bind(until.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }
}

impl LedgerStore {
    /// The keys that are published, from the one that signs first.
    pub async fn token_keys(&self, now: Timestamp) -> Result<Vec<TokenKeyRow>, StoreError> {
        let rows: Vec<StoredKey> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT kid, point, secret, created_at, signs_from, published_until FROM token_key
                 WHERE published_until IS NULL OR published_until > $1
                 ORDER BY signs_from, kid LIMIT 1000",
            )
            .bind(now.as_microsecond())
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredKey::decode).collect()
    }
}
