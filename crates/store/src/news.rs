//! What became of the chain since a block, for those who follow the store.

use crate::{
    block_table::{BLOCK, ChainStore, HASH, NUMBER, STATE_ROOT, TIME, find_block},
    column::Column,
    db::{Tx, on},
    error::{StoreError, in_table},
    following, pools,
    reading::{self, ReadingRow},
    row::row,
};
use market::{
    BlockEffects, TokenReading,
    following::{FollowedContract, FollowedEffects},
};
use primitives::{Address, BlockRef};
use std::ops::RangeInclusive;

/// Blocks that are read at a time.
const BLOCKS: i64 = 1_024;

/// What followers read of blocks, and all that a row has.
const NEWS: &str = "SELECT number, hash, parent_hash, time, pools, figures,
     NULL AS state_root, NULL AS trades FROM block
     WHERE number > $1 AND number <= $2 ORDER BY number LIMIT $3";
const WHOLE: &str =
    "SELECT number, hash, parent_hash, time, pools, figures, state_root, trades FROM block
     WHERE number > $1 AND number <= $2 ORDER BY number LIMIT $3";

const PARENT_HASH: Column = Column {
    table: BLOCK,
    name: "parent_hash",
};

row! {
    struct EffectsRow {
        number: i64,
        hash: Vec<u8>,
        parent_hash: Vec<u8>,
        time: i64,
        pools: Option<Vec<u8>>,
        figures: Option<Vec<u8>>,
        state_root: Option<Vec<u8>>,
        trades: Option<Vec<u8>>,
    }
}

impl EffectsRow {
    fn decode(self) -> Result<BlockEffects, StoreError> {
        Ok(BlockEffects {
            block: BlockRef {
                number: NUMBER.counter(self.number)?,
                hash: HASH.felt(&self.hash)?,
            },
            parent_hash: PARENT_HASH.felt(&self.parent_hash)?,
            time: TIME.time(self.time)?,
            state_root: match self.state_root {
                Some(root) => Some(STATE_ROOT.felt(&root)?),
                None => None,
            },
            readings: Vec::new(),
            pools: match self.pools {
                Some(bytes) => pools::decode_changes(&bytes)?,
                None => Vec::new(),
            },
            checkpoint: None,
            figures: self.figures.unwrap_or_default(),
            trades: self.trades.unwrap_or_default(),
            pages: None,
            followed: FollowedEffects::NONE,
        })
    }
}

impl ChainStore {
    /// The blocks after `tip` in order, read at one moment; the first 1,024 if
    /// there are more. They are as they were appended, without checkpoints and
    /// pages, which only repeat what blocks before them did, and without trades and
    /// state roots, and events and transactions of what is followed, which are read by
    /// themselves. None when `tip` is not among the stored blocks any more.
    pub async fn since(&self, tip: BlockRef) -> Result<Option<Vec<BlockEffects>>, StoreError> {
        let mut tx = self.db().begin_reading().await?;
        let blocks = match find_block(&mut tx, tip).await? {
            Some(number) => Some(blocks_between(&mut tx, NEWS, number, i64::MAX).await?),
            None => None,
        };
        tx.commit().await?;
        Ok(blocks)
    }

    /// The stored ones of these blocks in order, the first 1,024 if there are more, as
    /// they were appended, with their trades and state roots.
    pub async fn recorded(
        &self,
        blocks: RangeInclusive<u64>,
    ) -> Result<Vec<BlockEffects>, StoreError> {
        let after = NUMBER.to_stored(*blocks.start())?.saturating_sub(1);
        let last = NUMBER.to_stored(*blocks.end())?;
        let mut tx = self.db().begin_reading().await?;
        let recorded = blocks_between(&mut tx, WHOLE, after, last).await?;
        tx.commit().await?;
        Ok(recorded)
    }
}

async fn blocks_between(
    tx: &mut Tx,
    sql: &'static str,
    number: i64,
    last: i64,
) -> Result<Vec<BlockEffects>, StoreError> {
    let rows: Vec<EffectsRow> = on!(tx &mut *tx, connection =>
        sqlx::query_as(sql)
            .bind(number)
            .bind(last)
            .bind(BLOCKS)
            .fetch_all(connection)
            .await
    )
    .map_err(in_table(BLOCK))?;
    let Some(last) = rows.last().map(|row| row.number) else {
        return Ok(Vec::new());
    };
    let readings: Vec<ReadingRow> = on!(tx &mut *tx, connection =>
        sqlx::query_as(
            "SELECT address, block_number, outcome, name, symbol, decimals FROM token_reading
             WHERE block_number > $1 AND block_number <= $2 ORDER BY block_number, address",
        )
        .bind(number)
        .bind(last)
        .fetch_all(connection)
        .await
    )
    .map_err(in_table(reading::TABLE))?;
    let readings = readings.into_iter().map(ReadingRow::decode);
    let readings = readings.collect::<Result<_, _>>()?;
    join(rows, readings, following::between(tx, number, last).await?)
}

/// Gives each block its readings and the contracts that it made followed; all are
/// in the order of heights.
fn join(
    rows: Vec<EffectsRow>,
    readings: Vec<(Address, u64, TokenReading)>,
    contracts: Vec<(u64, FollowedContract)>,
) -> Result<Vec<BlockEffects>, StoreError> {
    let mut readings = readings.into_iter().peekable();
    let mut contracts = contracts.into_iter().peekable();
    let mut blocks = Vec::with_capacity(rows.len());
    for row in rows {
        let mut effects = row.decode()?;
        let number = effects.block.number;
        while let Some((address, _, reading)) = readings.next_if(|(_, of, _)| *of == number) {
            effects.readings.push((address, reading));
        }
        while let Some((_, contract)) = contracts.next_if(|(of, _)| *of == number) {
            effects.followed.contracts.push(contract);
        }
        blocks.push(effects);
    }
    Ok(blocks)
}
