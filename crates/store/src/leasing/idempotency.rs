//! Keys of requests that may be repeated, and their answers.
//!
//! A request takes its key in the transaction of what it does. So a key is
//! there only with its answer, and a request that ends otherwise, or whose
//! process dies, leaves the key as it was. Whoever wants it meanwhile waits.

use super::{LedgerTx, columns};
use crate::{
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{Timestamp, Ulid};

const TABLE: &str = "idempotency_key";

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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyName {
    /// Whose.
    pub user: Ulid,
    /// The HTTP method in capitals.
    pub method: String,
    /// The path of the request, without its query.
    pub path: String,
    /// What the caller sent as the key.
    pub key: Ulid,
}

/// What a key is to a request that wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyClaim {
    /// It has it now, until its transaction ends.
    Taken,
    /// It was answered before.
    Answered(StoredAnswer),
    /// Another request has it, and takes long.
    Held,
    /// It belongs to a request with another body.
    OtherBody,
}

row! {
    struct StoredKey {
        body: Vec<u8>,
        status: Option<i64>,
        content_type: Option<String>,
        answer: Option<Vec<u8>>,
    }
}

impl StoredKey {
    fn answer(self) -> Result<StoredAnswer, StoreError> {
        let column = columns(TABLE);
        let (Some(status), Some(content_type), Some(body)) =
            (self.status, self.content_type, self.answer)
        else {
            return Err(column("answer").corrupt());
        };
        Ok(StoredAnswer {
            status: column("status").narrow(status)?,
            content_type,
            body,
        })
    }
}

impl LedgerTx {
    /// Takes a key for the request that this transaction is of, unless it was
    /// answered before; an answer that has expired does not count. With
    /// anything but [`KeyClaim::Taken`] the transaction must be given up.
    pub async fn claim_key(
        &mut self,
        name: &KeyName,
        body: &[u8; 32],
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Result<KeyClaim, StoreError> {
        match self.take_key(name, body, now, expires_at).await {
            Ok(true) => return Ok(KeyClaim::Taken),
            Ok(false) => {}
            Err(StoreError::Busy(_)) => return Ok(KeyClaim::Held),
            Err(error) => return Err(error),
        }
        match self.key(name).await? {
            Some(found) if found.body != body => Ok(KeyClaim::OtherBody),
            Some(found) => Ok(KeyClaim::Answered(found.answer()?)),
            // It expired and was forgotten between the two statements.
            None => Ok(KeyClaim::Held),
        }
    }

    /// Keeps the answer of a key that this transaction took.
    pub async fn answer_key(
        &mut self,
        name: &KeyName,
        answer: &StoredAnswer,
    ) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE idempotency_key SET status = $5, content_type = $6, answer = $7
                 WHERE user_id = $1 AND method = $2 AND path = $3 AND key = $4",
            )
            .bind(name.user.to_string())
            .bind(&name.method)
            .bind(&name.path)
            .bind(name.key.to_string())
            .bind(i64::from(answer.status))
            .bind(&answer.content_type)
            .bind(answer.body.as_slice())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    async fn take_key(
        &mut self,
        name: &KeyName,
        body: &[u8; 32],
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Result<bool, StoreError> {
        let taken = on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO idempotency_key (user_id, method, path, key, body, expires_at)
                 VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (user_id, method, path, key) DO UPDATE
                 SET body = excluded.body, expires_at = excluded.expires_at,
                     status = NULL, content_type = NULL, answer = NULL
                 WHERE idempotency_key.expires_at <= $7",
            )
            .bind(name.user.to_string())
            .bind(&name.method)
            .bind(&name.path)
            .bind(name.key.to_string())
            .bind(body.as_slice())
            .bind(expires_at.as_microsecond())
            .bind(now.as_microsecond())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(taken == 1)
    }

    async fn key(&mut self, name: &KeyName) -> Result<Option<StoredKey>, StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query_as(
                "SELECT body, status, content_type, answer FROM idempotency_key
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
}
