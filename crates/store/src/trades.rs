//! The trades of blocks, found by their times.

use crate::{
    block_table::{BLOCK, ChainStore, HASH, NUMBER, TIME, find_block},
    column::Column,
    db::{Tx, on},
    error::{StoreError, in_table},
    pools,
    row::row,
};
use amm::book::Change;
use market::{KeptTrade, trades_from_bytes};
use primitives::{BlockRef, Timestamp};
use std::ops::Range;

/// A block in which something happened to pools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TradedBlock {
    /// Height and hash.
    pub block: BlockRef,
    /// The time in its header.
    pub time: Timestamp,
    /// What happened to pools, in order.
    pub changes: Vec<Change>,
    /// What is kept of the trades among it, in order; none of blocks that were
    /// stored before it was.
    pub trades: Option<Vec<KeptTrade>>,
}

row! {
    struct TradedRow {
        number: i64,
        hash: Vec<u8>,
        time: i64,
        pools: Vec<u8>,
        trades: Option<Vec<u8>>,
    }
}

impl TradedRow {
    fn decode(self) -> Result<TradedBlock, StoreError> {
        let trades = self.trades.as_deref().map(|bytes| {
            let column = Column {
                table: BLOCK,
                name: "trades",
            };
            trades_from_bytes(bytes).map_err(|_| column.corrupt())
        });
        Ok(TradedBlock {
            block: BlockRef {
                number: NUMBER.counter(self.number)?,
                hash: HASH.felt(&self.hash)?,
            },
            time: TIME.time(self.time)?,
            changes: pools::decode_changes(&self.pools)?,
            trades: trades.transpose()?,
        })
    }
}

impl ChainStore {
    /// The blocks of some spans of time, which come newest first and do not
    /// overlap, in which something happened to pools: newest first, up to the one
    /// of height `last`, and at most so many, read at one moment. None when `head`
    /// is not among the stored blocks any more.
    pub async fn traded_blocks(
        &self,
        head: BlockRef,
        last: u64,
        spans: &[Range<Timestamp>],
        most: usize,
    ) -> Result<Option<Vec<TradedBlock>>, StoreError> {
        let mut tx = self.db().begin_reading().await?;
        if find_block(&mut tx, head).await?.is_none() {
            return Ok(None);
        }
        let last = NUMBER.to_stored(last.min(head.number))?;
        let mut blocks = Vec::new();
        for span in spans {
            let left = most.saturating_sub(blocks.len());
            if left == 0 {
                break;
            }
            for row in within(&mut tx, span, last, left).await? {
                blocks.push(row.decode()?);
            }
        }
        tx.commit().await?;
        Ok(Some(blocks))
    }
}

async fn within(
    tx: &mut Tx,
    span: &Range<Timestamp>,
    last: i64,
    most: usize,
) -> Result<Vec<TradedRow>, StoreError> {
    on!(tx &mut *tx, connection =>
        sqlx::query_as(
            "SELECT number, hash, time, pools, trades FROM block
             WHERE time >= $1 AND time < $2 AND number <= $3 AND pools IS NOT NULL
             ORDER BY time DESC, number DESC LIMIT $4",
        )
        .bind(span.start.as_microsecond())
        .bind(span.end.as_microsecond())
        .bind(last)
        .bind(i64::try_from(most).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await
    )
    .map_err(in_table(BLOCK))
}
