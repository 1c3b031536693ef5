//! Accounts that this service sends from, and what they have sent.
//!
//! A nonce is given out and its transaction is written in one step under the
//! account's lock, so that any number of processes send from one account
//! without colliding, and whatever was sent can be found by its row. Several
//! with one nonce are rivals: at most one of them lands, and one at a time speaks
//! for what they are for.

mod paid;
mod row;

pub use paid::PaidFees;
pub use row::{SendReceipt, SendRow, SendState, SendingAccount, TakenNonce};

use crate::{
    LedgerStore,
    db::{Tx, on},
    error::{StoreError, in_table},
    leasing::LedgerTx,
};
use primitives::Felt;
use row::{SEND, StoredNonce, StoredSend, column, state_columns};

const ACCOUNT: &str = "sending_account";

/// Sends of one account that are read at once; far more than it may have open.
const MAX_ROWS: i64 = 4_096;

/// Attempts for one purpose that are read at once; far more than there may be.
const MAX_ATTEMPTS: i64 = 64;

impl LedgerTx {
    /// Keeps others from sending from an account until the transaction ends.
    pub async fn lock_sender(&mut self, account: SendingAccount) -> Result<(), StoreError> {
        let locked = match &mut self.0 {
            // The transaction has the write lock already.
            Tx::Sqlite(_) => return Ok(()),
            Tx::Postgres(connection) => {
                sqlx::query(
                    "INSERT INTO sending_account (chain_id, address) VALUES ($1, $2)
                     ON CONFLICT (chain_id, address) DO UPDATE SET address = excluded.address",
                )
                .bind(account.chain_id.to_bytes_be().as_slice())
                .bind(account.address.felt().to_bytes_be().as_slice())
                .execute(&mut **connection)
                .await
            }
        };
        locked.map(drop).map_err(in_table(ACCOUNT))
    }

    /// The nonces from this one on that an account has given out, in order, without
    /// those of what is lost.
    pub async fn taken_nonces(
        &mut self,
        account: SendingAccount,
        from: u64,
    ) -> Result<Vec<TakenNonce>, StoreError> {
        let rows: Vec<StoredNonce> = on!(tx &mut self.0, connection =>
            sqlx::query_as(
                "SELECT nonce, max_fee, block_number FROM send
                 WHERE chain_id = $1 AND account = $2 AND nonce >= $3 AND state <> 'lost'
                 ORDER BY nonce, attempt LIMIT $4",
            )
            .bind(account.chain_id.to_bytes_be().as_slice())
            .bind(account.address.felt().to_bytes_be().as_slice())
            .bind(column("nonce").to_stored(from)?)
            .bind(MAX_ROWS)
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(SEND))?;
        rows.into_iter().map(StoredNonce::decode).collect()
    }

    /// Writes what is about to be sent, under the account's lock. A purpose that
    /// is there already and not lost is [`StoreError::Exists`], and so is a nonce
    /// with its attempt.
    pub async fn insert_send(&mut self, row: &SendRow) -> Result<(), StoreError> {
        let paid = row.paid.map(u128::to_be_bytes);
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO send (chain_id, account, nonce, attempt, purpose, hash, broadcast,
                                   max_fee, paid, created_at, head, state)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'open')",
            )
            .bind(row.account.chain_id.to_bytes_be().as_slice())
            .bind(row.account.address.felt().to_bytes_be().as_slice())
            .bind(column("nonce").to_stored(row.nonce)?)
            .bind(i64::from(row.attempt))
            .bind(&row.purpose)
            .bind(row.hash.to_bytes_be().as_slice())
            .bind(row.broadcast.as_slice())
            .bind(row.max_fee.to_be_bytes().as_slice())
            .bind(paid.as_ref().map(<[u8; 16]>::as_slice))
            .bind(row.created_at.as_microsecond())
            .bind(column("head").to_stored(row.head)?)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(SEND))
    }

    /// Writes what does the same as an open send in its place, under the account's
    /// lock, and speaks for its purpose from now on; whether the old one was open
    /// still, and did that.
    pub async fn supersede_send(
        &mut self,
        old: &SendRow,
        new: &SendRow,
    ) -> Result<bool, StoreError> {
        let superseded = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE send SET superseded = 1
                 WHERE chain_id = $1 AND account = $2 AND nonce = $3 AND attempt = $4
                   AND state = 'open' AND superseded = 0",
            )
            .bind(old.account.chain_id.to_bytes_be().as_slice())
            .bind(old.account.address.felt().to_bytes_be().as_slice())
            .bind(column("nonce").to_stored(old.nonce)?)
            .bind(i64::from(old.attempt))
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(SEND))?;
        if superseded == 0 {
            return Ok(false);
        }
        self.insert_send(new).await?;
        Ok(true)
    }

    /// The open sends of an account with one nonce, by attempt.
    pub async fn rivals(
        &mut self,
        account: SendingAccount,
        nonce: u64,
    ) -> Result<Vec<SendRow>, StoreError> {
        let rows: Vec<StoredSend> = on!(tx &mut self.0, connection =>
            sqlx::query_as(
                "SELECT * FROM send
                 WHERE chain_id = $1 AND account = $2 AND nonce = $3 AND state = 'open'
                 ORDER BY attempt LIMIT $4",
            )
            .bind(account.chain_id.to_bytes_be().as_slice())
            .bind(account.address.felt().to_bytes_be().as_slice())
            .bind(column("nonce").to_stored(nonce)?)
            .bind(MAX_ATTEMPTS)
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(SEND))?;
        rows.into_iter().map(StoredSend::decode).collect()
    }

    /// Says what became of an open send, which speaks for its purpose from then on
    /// unless it is lost; whether it was open still. Rivals that did so have to be
    /// lost before.
    pub async fn settle_send(
        &mut self,
        row: &SendRow,
        state: &SendState,
    ) -> Result<bool, StoreError> {
        let (word, at, block, fee, reason) = state_columns(state)?;
        let settled = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE send SET state = $5, settled_at = $6, block_number = $7, fee = $8,
                                 reason = $9, superseded = 0
                 WHERE chain_id = $1 AND account = $2 AND nonce = $3 AND attempt = $4
                   AND state = 'open'",
            )
            .bind(row.account.chain_id.to_bytes_be().as_slice())
            .bind(row.account.address.felt().to_bytes_be().as_slice())
            .bind(column("nonce").to_stored(row.nonce)?)
            .bind(i64::from(row.attempt))
            .bind(word)
            .bind(at)
            .bind(block)
            .bind(fee)
            .bind(reason)
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(SEND))?;
        Ok(settled > 0)
    }
}

impl LedgerStore {
    /// What speaks for a purpose, unless it is lost.
    pub async fn find_send(
        &self,
        chain_id: Felt,
        purpose: &str,
    ) -> Result<Option<SendRow>, StoreError> {
        let row: Option<StoredSend> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM send
                 WHERE chain_id = $1 AND purpose = $2 AND state <> 'lost' AND superseded = 0",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(purpose)
            .fetch_optional(pool)
            .await
        )
        .map_err(in_table(SEND))?;
        row.map(StoredSend::decode).transpose()
    }

    /// Everything that was sent for a purpose, whatever became of it, the newest
    /// first.
    pub async fn attempts(
        &self,
        chain_id: Felt,
        purpose: &str,
    ) -> Result<Vec<SendRow>, StoreError> {
        let rows: Vec<StoredSend> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM send WHERE chain_id = $1 AND purpose = $2
                 ORDER BY created_at DESC, attempt DESC LIMIT $3",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(purpose)
            .bind(MAX_ATTEMPTS)
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(SEND))?;
        rows.into_iter().map(StoredSend::decode).collect()
    }

    /// What was sent with this hash, whatever became of it.
    pub async fn find_send_by_hash(
        &self,
        chain_id: Felt,
        hash: Felt,
    ) -> Result<Option<SendRow>, StoreError> {
        let row: Option<StoredSend> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM send WHERE chain_id = $1 AND hash = $2")
                .bind(chain_id.to_bytes_be().as_slice())
                .bind(hash.to_bytes_be().as_slice())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(SEND))?;
        row.map(StoredSend::decode).transpose()
    }

    /// What an account has sent and nothing final is known of yet, by nonce.
    pub async fn open_sends(&self, account: SendingAccount) -> Result<Vec<SendRow>, StoreError> {
        let rows: Vec<StoredSend> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM send WHERE chain_id = $1 AND account = $2 AND state = 'open'
                 ORDER BY nonce, attempt LIMIT $3",
            )
            .bind(account.chain_id.to_bytes_be().as_slice())
            .bind(account.address.felt().to_bytes_be().as_slice())
            .bind(MAX_ROWS)
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(SEND))?;
        rows.into_iter().map(StoredSend::decode).collect()
    }
}
