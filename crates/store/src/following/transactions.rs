//! Transactions of followed senders.

use super::{fee, page::MAX_PAGE};
use crate::{
    block_table::{ChainStore, NUMBER, find_block},
    bulk,
    column::Column,
    db::{Tx, on},
    error::{StoreError, in_table},
    row::row,
};
use market::{BlockEffects, following::SentTransaction};
use primitives::{Address, BlockRef};
use sqlx::QueryBuilder;

const TABLE: &str = "sent_transaction";

const fn column(name: &'static str) -> Column {
    Column { table: TABLE, name }
}

/// Where a transaction is on the chain: its block, and its place in it.
pub type TransactionPlace = (u64, u32);

row! {
    struct TransactionRow {
        block_number: i64,
        transaction_index: i64,
        time: i64,
        hash: Vec<u8>,
        fee: Vec<u8>,
        fee_unit: String,
        revert_reason: Option<String>,
    }
}

impl TransactionRow {
    fn decode(self, sender: Address) -> Result<SentTransaction, StoreError> {
        Ok(SentTransaction {
            sender,
            block: column("block_number").counter(self.block_number)?,
            time: column("time").time(self.time)?,
            transaction: column("transaction_index").narrow(self.transaction_index)?,
            hash: column("hash").felt(&self.hash)?,
            fee: fee::decode(TABLE, &self.fee, &self.fee_unit)?,
            revert_reason: self.revert_reason,
        })
    }
}

impl ChainStore {
    /// The next transactions of a followed sender `after` a place, or from its
    /// first one on, as of a block: in the order of the chain, as many as asked
    /// for and at most 1,000. None when the block is not stored any more.
    pub async fn transactions_of(
        &self,
        sender: Address,
        at: BlockRef,
        after: Option<TransactionPlace>,
        limit: u32,
    ) -> Result<Option<Vec<SentTransaction>>, StoreError> {
        let mut tx = self.db().begin_reading().await?;
        let sent = match find_block(&mut tx, at).await? {
            Some(at) => Some(page(&mut tx, sender, at, after, limit).await?),
            None => None,
        };
        tx.commit().await?;
        Ok(sent)
    }
}

async fn page(
    tx: &mut Tx,
    sender: Address,
    at: i64,
    after: Option<TransactionPlace>,
    limit: u32,
) -> Result<Vec<SentTransaction>, StoreError> {
    let (block, transaction) = match after {
        Some((block, transaction)) => (NUMBER.to_stored(block)?, transaction.into()),
        None => (-1, 0_i64),
    };
    let address = sender.to_bytes();
    let rows: Vec<TransactionRow> = on!(tx tx, connection =>
        sqlx::query_as(
            "SELECT block_number, transaction_index, time, hash, fee, fee_unit, revert_reason
             FROM sent_transaction
             WHERE sender = $1 AND block_number <= $2
               AND (block_number, transaction_index) > ($3, $4)
             ORDER BY block_number, transaction_index LIMIT $5",
        )
        .bind(address.as_slice())
        .bind(at)
        .bind(block)
        .bind(transaction)
        .bind(i64::from(limit.min(MAX_PAGE)))
        .fetch_all(connection)
        .await
    )
    .map_err(in_table(TABLE))?;
    rows.into_iter().map(|row| row.decode(sender)).collect()
}

pub(super) async fn insert(tx: &mut Tx, effects: &[BlockEffects]) -> Result<(), StoreError> {
    let mut rows = Vec::new();
    for effect in effects {
        for sent in &effect.followed.transactions {
            rows.push((sent, column("block_number").to_stored(sent.block)?));
        }
    }
    for portion in bulk::portions(&rows, |_| 0) {
        on!(tx &mut *tx, connection => {
            let mut insert = QueryBuilder::new(
                "INSERT INTO sent_transaction (sender, block_number, transaction_index, time, hash,
                                               fee, fee_unit, revert_reason) ",
            );
            insert.push_values(portion, |mut row, (sent, number)| {
                row.push_bind(sent.sender.to_bytes().to_vec())
                    .push_bind(*number)
                    .push_bind(i64::from(sent.transaction))
                    .push_bind(sent.time.as_microsecond())
                    .push_bind(sent.hash.to_bytes_be().to_vec())
                    .push_bind(sent.fee.amount.to_be_bytes().to_vec())
                    .push_bind(fee::unit(sent.fee.unit))
                    .push_bind(sent.revert_reason.as_deref());
            });
            insert.build().persistent(false).execute(connection).await.map(drop)
        })
        .map_err(in_table(TABLE))?;
    }
    Ok(())
}
