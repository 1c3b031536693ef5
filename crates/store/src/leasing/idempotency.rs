//! Keys of requests that may be repeated, and their answers.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
};
use primitives::{Timestamp, Ulid};
use sqlx::FromRow;

const TABLE: &str = "idempotency_key";

/// How often a key is asked for that others free meanwhile.
const CLAIM_ATTEMPTS: usize = 3;

/// An answer that is kept, to be given again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The HTTP status, 200 or 201.
    pub status: u16,
    /// What the body is.
    pub content_type: String,
    /// The body, byte for byte.
    pub body: Vec<u8>,
}

/// Which key it is: of whom and for what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName {
    /// Whose.
    pub user: Ulid,
    /// For which method.
    pub method: String,
    /// For which path.
    pub path: String,
    /// The key.
    pub key: Ulid,
}

/// What a key is to a request that wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyClaim {
    /// It holds it now.
    Taken,
    /// It was answered before.
    Answered(StoredAnswer),
    /// Another request with the same body holds it.
    Held,
    /// It belongs to a request with another body.
    OtherBody,
}

#[derive(FromRow)]
struct StoredKey {
    body: Vec<u8>,
    holder: Vec<u8>,
    claimed_at: i64,
    status: Option<i64>,
    content_type: Option<String>,
    answer: Option<Vec<u8>>,
    expires_at: i64,
}

impl StoredKey {
    fn answer(self) -> Result<Option<StoredAnswer>, StoreError> {
        let (Some(status), Some(content_type), Some(body)) =
            (self.status, self.content_type, self.answer)
        else {
            return Ok(None);
        };
        Ok(Some(StoredAnswer {
            status: columns(TABLE)("status").narrow(status)?,
            content_type,
            body,
        }))
    }
}

impl LedgerStore {
    /// Takes a key for a request, unless it is another's. One whose holder
    /// took it before `abandoned` and never answered may be taken over, and so
    /// may one whose answer has expired.
    pub async fn claim_key(
        &self,
        name: &KeyName,
        body: &[u8; 32],
        holder: &[u8; 16],
        now: Timestamp,
        abandoned: Timestamp,
        expires_at: Timestamp,
    ) -> Result<KeyClaim, StoreError> {
        let mut tx = self.begin().await?;
        let mut found = None;
        for _ in 0..CLAIM_ATTEMPTS {
            if tx.insert_key(name, body, holder, now, expires_at).await? {
                tx.commit().await?;
                return Ok(KeyClaim::Taken);
            }
            found = tx.key(name).await?;
            if found.is_some() {
                break;
            }
            // Freed between the two statements.
        }
        let Some(found) = found else {
            return Ok(KeyClaim::Held);
        };
        let over = found.expires_at <= now.as_microsecond();
        let dead = found.status.is_none() && found.claimed_at <= abandoned.as_microsecond();
        if over || dead {
            tx.delete_key(name, &found.holder, now).await?;
            let taken = tx.insert_key(name, body, holder, now, expires_at).await?;
            tx.commit().await?;
            return Ok(if taken {
                KeyClaim::Taken
            } else {
                KeyClaim::Held
            });
        }
        if found.body != body {
            return Ok(KeyClaim::OtherBody);
        }
        Ok(found.answer()?.map_or(KeyClaim::Held, KeyClaim::Answered))
    }

    /// Frees a key that its holder did not answer.
    pub async fn free_key(&self, name: &KeyName, holder: &[u8; 16]) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        on!(tx &mut tx.0, connection =>
            sqlx::query(
                "DELETE FROM idempotency_key
                 WHERE user_id = $1 AND method = $2 AND path = $3 AND key = $4
                   AND holder = $5 AND status IS NULL",
            )
            .bind(name.user.to_string())
            .bind(&name.method)
            .bind(&name.path)
            .bind(name.key.to_string())
            .bind(holder.as_slice())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))?;
        tx.commit().await
    }
}

impl LedgerTx {
    /// Keeps the answer of a key. `false` if the holder lost it meanwhile; the
    /// transaction must be given up then.
    pub async fn answer_key(
        &mut self,
        name: &KeyName,
        holder: &[u8; 16],
        answer: &StoredAnswer,
    ) -> Result<bool, StoreError> {
        let kept = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE idempotency_key SET status = $6, content_type = $7, answer = $8
                 WHERE user_id = $1 AND method = $2 AND path = $3 AND key = $4
                   AND holder = $5 AND status IS NULL",
            )
            .bind(name.user.to_string())
            .bind(&name.method)
            .bind(&name.path)
            .bind(name.key.to_string())
            .bind(holder.as_slice())
            .bind(i64::from(answer.status))
            .bind(&answer.content_type)
            .bind(answer.body.as_slice())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(kept == 1)
    }

    async fn insert_key(
        &mut self,
        name: &KeyName,
        body: &[u8; 32],
        holder: &[u8; 16],
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Result<bool, StoreError> {
        let added = on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO idempotency_key
                 (user_id, method, path, key, body, holder, claimed_at, expires_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                 ON CONFLICT (user_id, method, path, key) DO NOTHING",
            )
            .bind(name.user.to_string())
            .bind(&name.method)
            .bind(&name.path)
            .bind(name.key.to_string())
            .bind(body.as_slice())
            .bind(holder.as_slice())
            .bind(now.as_microsecond())
            .bind(expires_at.as_microsecond())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(added == 1)
    }

    async fn key(&mut self, name: &KeyName) -> Result<Option<StoredKey>, StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query_as(
                "SELECT body, holder, claimed_at, status, content_type, answer, expires_at
                 FROM idempotency_key
                 WHERE user_id = $1 AND method = $2 AND path = $3 AND key = $4",
            )
            .bind(name.user.to_string())
            .bind(&name.method)
            .bind(&name.path)
            .bind(name.key.to_string())
            .fetch_optional(connection)
            .await
        )
        .map_err(in_table(TABLE))
    }

    /// Deletes a key of a holder, unless it was answered meanwhile and the
    /// answer still counts.
    async fn delete_key(
        &mut self,
        name: &KeyName,
        holder: &[u8],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "DELETE FROM idempotency_key
                 WHERE user_id = $1 AND method = $2 AND path = $3 AND key = $4 AND holder = $5
                   AND (status IS NULL OR expires_at <= $6)",
            )
            .bind(name.user.to_string())
            .bind(&name.method)
            .bind(&name.path)
            .bind(name.key.to_string())
            .bind(holder)
            .bind(now.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }
}
