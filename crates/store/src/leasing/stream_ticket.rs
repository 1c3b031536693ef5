//! What opens a stream once.

use super::{LedgerTx, columns};
use crate::{
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{Timestamp, Ulid};

const TABLE: &str = "stream_ticket";

/// What opens a stream once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamTicketRow {
    /// What the ticket hashes to.
    pub digest: [u8; 32],
    /// Whose it is.
    pub user: Ulid,
    /// Until when it can be used.
    pub expires_at: Timestamp,
}

row! {
    struct StoredTicket {
        digest: Vec<u8>,
        user_id: String,
        expires_at: i64,
    }
}

impl StoredTicket {
    fn decode(self) -> Result<StreamTicketRow, StoreError> {
        let column = columns(TABLE);
        Ok(StreamTicketRow {
            digest: column("digest").bytes(&self.digest)?,
            user: column("user_id").id(&self.user_id)?,
            expires_at: column("expires_at").time(self.expires_at)?,
        })
    }
}

impl LedgerTx {
    /// Keeps a ticket.
    pub async fn insert_stream_ticket(&mut self, row: &StreamTicketRow) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO stream_ticket (digest, user_id, expires_at) VALUES ($1, $2, $3)",
            )
            .bind(row.digest.as_slice())
            .bind(row.user.to_string())
            .bind(row.expires_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// Uses a ticket up: of several who do so at once, one gets it.
    pub async fn take_stream_ticket(
        &mut self,
        digest: &[u8; 32],
    ) -> Result<Option<StreamTicketRow>, StoreError> {
        let taken: Option<StoredTicket> = on!(tx &mut self.0, connection =>
            sqlx::query_as("DELETE FROM stream_ticket WHERE digest = $1 RETURNING *")
                .bind(digest.as_slice())
                .fetch_optional(connection)
                .await
        )
        .map_err(in_table(TABLE))?;
        taken.map(StoredTicket::decode).transpose()
    }
}
