//! Blocks and what they change, append-only.
//!
//! The stored blocks are always one unbroken fork: each names the one before it
//! as its parent. The highest is the cursor, and a write succeeds only from the
//! cursor that its caller saw.

use crate::{
    block_table::{BLOCK, ChainStore, HASH, NUMBER, STATE_ROOT, TIME, find_block},
    bulk,
    column::Column,
    commits,
    db::{Tx, on},
    error::{StoreError, in_table},
    figures::{self, FigureHistory},
    following,
    pools::{self, PoolHistory},
    reading::{self, ReadingRow},
    row::row,
};
use amm::book::changes_to_bytes;
use market::{BlockEffects, TokenReading, figures::CutFigures, following::FollowedContract};
use primitives::{Address, BlockRef, Felt, Timestamp};
use sqlx::QueryBuilder;

const IDENTITY: &str = "chain_identity";

const TIP: &str = "SELECT number, hash FROM block ORDER BY number DESC LIMIT 1";

const TIP_TIME: &str = "SELECT time FROM block ORDER BY number DESC LIMIT 1";

/// The newest blocks that are read with everything else.
pub const RECENT_BLOCKS: usize = 128;

/// Everything that was stored at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChainContents {
    /// The newest blocks with the times in their headers, the cursor's last.
    pub recent: Vec<(BlockRef, Timestamp)>,
    /// Every reading with the height of its block, by address and then by block.
    pub readings: Vec<(Address, u64, TokenReading)>,
    /// Where the pools can be made from.
    pub pools: PoolHistory,
    /// Where the market figures can be made from.
    pub figures: FigureHistory,
    /// The followed contracts with the blocks that made them so, in the order of
    /// these.
    pub followed: Vec<(u64, FollowedContract)>,
}

/// A stored block with what tells it from others beside its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkedBlock {
    /// Height and hash.
    pub block: BlockRef,
    /// The time in its header.
    pub time: Timestamp,
    /// The root of the state after it; unknown of blocks that were stored before
    /// this was kept.
    pub state_root: Option<Felt>,
}

row! {
    struct MarkedRow {
        number: i64,
        hash: Vec<u8>,
        time: i64,
        state_root: Option<Vec<u8>>,
    }
}

impl MarkedRow {
    fn decode(self) -> Result<MarkedBlock, StoreError> {
        let Self { number, hash, .. } = self;
        let root = self.state_root.as_deref();
        Ok(MarkedBlock {
            block: BlockRow { number, hash }.decode()?,
            time: TIME.time(self.time)?,
            state_root: root.map(|root| STATE_ROOT.felt(root)).transpose()?,
        })
    }
}

row! {
    struct BlockRow {
        number: i64,
        hash: Vec<u8>,
    }
}

impl BlockRow {
    fn decode(self) -> Result<BlockRef, StoreError> {
        Ok(BlockRef {
            number: NUMBER.counter(self.number)?,
            hash: HASH.felt(&self.hash)?,
        })
    }
}

impl ChainContents {
    /// The cursor's block with the time in its header.
    pub fn tip(&self) -> Option<(BlockRef, Timestamp)> {
        self.recent.last().copied()
    }
}

impl ChainStore {
    /// Ties the store to a network, the first time; afterwards another network
    /// is [`StoreError::OtherChain`].
    pub async fn bind_chain(&self, chain_id: Felt) -> Result<(), StoreError> {
        let bytes = chain_id.to_bytes_be();
        on!(writer self.db(), pool =>
            sqlx::query("INSERT INTO chain_identity (id, chain_id) VALUES (1, $1) ON CONFLICT (id) DO NOTHING")
                .bind(bytes.as_slice())
                .execute(pool)
                .await
                .map(drop)
        )
        .map_err(in_table(IDENTITY))?;
        match self
            .bound_chain()
            .await?
            .filter(|stored| *stored != chain_id)
        {
            Some(stored) => Err(StoreError::OtherChain {
                stored,
                given: chain_id,
            }),
            None => Ok(()),
        }
    }

    /// The network that the store is tied to.
    pub async fn bound_chain(&self) -> Result<Option<Felt>, StoreError> {
        let stored: Option<Vec<u8>> = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT chain_id FROM chain_identity")
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(IDENTITY))?;
        let column = Column {
            table: IDENTITY,
            name: "chain_id",
        };
        stored.map(|bytes| column.felt(&bytes)).transpose()
    }

    /// The cursor: the highest stored block.
    pub async fn tip(&self) -> Result<Option<BlockRef>, StoreError> {
        self.block(TIP).await
    }

    /// The lowest stored block.
    pub async fn first_block(&self) -> Result<Option<BlockRef>, StoreError> {
        self.block("SELECT number, hash FROM block ORDER BY number LIMIT 1")
            .await
    }

    /// The time in the header of the cursor's block.
    pub async fn tip_time(&self) -> Result<Option<Timestamp>, StoreError> {
        let time: Option<i64> = on!(reader self.db(), pool =>
            sqlx::query_scalar(TIP_TIME).fetch_optional(pool).await
        )
        .map_err(in_table(BLOCK))?;
        time.map(|time| TIME.time(time)).transpose()
    }

    /// The last stored block that was there at a time.
    pub async fn block_by(&self, time: Timestamp) -> Result<Option<BlockRef>, StoreError> {
        let row: Option<BlockRow> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT number, hash FROM block WHERE time <= $1 ORDER BY number DESC LIMIT 1",
            )
            .bind(time.as_microsecond())
            .fetch_optional(pool)
            .await
        )
        .map_err(in_table(BLOCK))?;
        row.map(BlockRow::decode).transpose()
    }

    /// The hash of the stored block at this height.
    pub async fn block_hash(&self, number: u64) -> Result<Option<Felt>, StoreError> {
        let number = NUMBER.to_stored(number)?;
        let hash: Option<Vec<u8>> = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT hash FROM block WHERE number = $1")
                .bind(number)
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(BLOCK))?;
        hash.map(|hash| HASH.felt(&hash)).transpose()
    }

    /// The stored ones of the blocks at these heights, with what else tells them
    /// from others.
    pub async fn marked_blocks_at(&self, numbers: &[u64]) -> Result<Vec<MarkedBlock>, StoreError> {
        let numbers = numbers.iter().map(|number| NUMBER.to_stored(*number));
        let numbers = numbers.collect::<Result<Vec<i64>, _>>()?;
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<MarkedRow> = on!(reader self.db(), pool => {
            let mut select = QueryBuilder::new(
                "SELECT number, hash, time, state_root FROM block WHERE number IN (",
            );
            let mut list = select.separated(", ");
            for number in numbers {
                list.push_bind(number);
            }
            select.push(")");
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(BLOCK))?;
        rows.into_iter().map(MarkedRow::decode).collect()
    }

    /// The stored ones of the blocks at these heights.
    pub async fn blocks_at(&self, numbers: &[u64]) -> Result<Vec<BlockRef>, StoreError> {
        let marked = self.marked_blocks_at(numbers).await?;
        Ok(marked.into_iter().map(|marked| marked.block).collect())
    }

    /// Everything that is stored, read at one moment.
    pub async fn contents(&self) -> Result<ChainContents, StoreError> {
        self.contents_until(i64::MAX).await
    }

    /// What was stored when the block of this height was the newest. Only kept figures
    /// are as they are now: they may tell of later blocks.
    pub async fn contents_at(&self, last: u64) -> Result<ChainContents, StoreError> {
        self.contents_until(NUMBER.to_stored(last)?).await
    }

    async fn contents_until(&self, last: i64) -> Result<ChainContents, StoreError> {
        let mut tx = self.db().begin_reading().await?;
        let recent: Vec<MarkedRow> = on!(tx &mut tx, connection =>
            sqlx::query_as(
                "SELECT number, hash, time, state_root FROM block WHERE number <= $2
                 ORDER BY number DESC LIMIT $1",
            )
            .bind(i64::try_from(RECENT_BLOCKS).unwrap_or(i64::MAX))
            .bind(last)
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(BLOCK))?;
        let rows: Vec<ReadingRow> = on!(tx &mut tx, connection =>
            sqlx::query_as(
                "SELECT address, block_number, outcome, name, symbol, decimals
                 FROM token_reading WHERE block_number <= $1 ORDER BY address, block_number",
            )
            .bind(last)
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(reading::TABLE))?;
        let pools = Self::pool_history(&mut tx, last).await?;
        let figures = Self::figure_history(&mut tx, last).await?;
        let followed = following::between(&mut tx, -1, last).await?;
        tx.commit().await?;
        let readings = rows.into_iter().map(ReadingRow::decode);
        let readings = readings.collect::<Result<_, _>>()?;
        let recent = recent.into_iter().rev().map(MarkedRow::decode);
        let recent = recent.map(|block| block.map(|it| (it.block, it.time)));
        Ok(ChainContents {
            recent: recent.collect::<Result<_, _>>()?,
            readings,
            pools,
            figures,
            followed,
        })
    }

    /// Adds blocks on top of `after`, all or none of them. Blocks that do not
    /// follow each other are [`StoreError::NotLinked`]; a cursor that is not at
    /// `after` is [`StoreError::CursorMoved`]. An empty store takes any first
    /// block.
    pub async fn append(
        &self,
        after: Option<BlockRef>,
        effects: &[BlockEffects],
    ) -> Result<(), StoreError> {
        check_links(after, effects)?;
        let mut tx = self.begin_at(after).await?;
        insert_blocks(&mut tx, effects).await?;
        insert_readings(&mut tx, effects).await?;
        pools::insert_checkpoints(&mut tx, effects).await?;
        figures::keep_due(&mut tx, effects).await?;
        following::insert(&mut tx, effects).await?;
        commits::announce(&mut tx).await?;
        tx.commit().await
    }

    /// Takes back the blocks above `to`, or all of them, with everything they
    /// changed. The cursor must be at `from_tip`, and `to` among the stored
    /// blocks ([`StoreError::NotStored`]). If the kept market figures tell of
    /// blocks above `to`, `cut` must say what becomes of them
    /// ([`StoreError::FiguresAbove`]).
    pub async fn rollback(
        &self,
        from_tip: BlockRef,
        to: Option<BlockRef>,
        cut: Option<&CutFigures>,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_at(Some(from_tip)).await?;
        let keep = match to {
            Some(block) => find_block(&mut tx, block)
                .await?
                .ok_or(StoreError::NotStored { block })?,
            None => -1,
        };
        figures::take_back(&mut tx, to, cut).await?;
        on!(tx &mut tx, connection =>
            sqlx::query("DELETE FROM block WHERE number > $1")
                .bind(keep)
                .execute(connection)
                .await
                .map(drop)
        )
        .map_err(in_table(BLOCK))?;
        commits::announce(&mut tx).await?;
        tx.commit().await
    }

    async fn block(&self, sql: &'static str) -> Result<Option<BlockRef>, StoreError> {
        let row: Option<BlockRow> = on!(reader self.db(), pool =>
            sqlx::query_as(sql).fetch_optional(pool).await
        )
        .map_err(in_table(BLOCK))?;
        row.map(BlockRow::decode).transpose()
    }

    /// Begins a write from the cursor that the caller saw.
    async fn begin_at(&self, expected: Option<BlockRef>) -> Result<Tx, StoreError> {
        let mut tx = self.begin_writing().await?;
        let tip: Option<BlockRow> = on!(tx &mut tx, connection =>
            sqlx::query_as(TIP).fetch_optional(connection).await
        )
        .map_err(in_table(BLOCK))?;
        let found = tip.map(BlockRow::decode).transpose()?;
        if found != expected {
            return Err(StoreError::CursorMoved { expected, found });
        }
        Ok(tx)
    }
}

/// Each block names the one before it as its parent and is one higher.
fn check_links(after: Option<BlockRef>, effects: &[BlockEffects]) -> Result<(), StoreError> {
    let mut parent = after;
    for effect in effects {
        if let Some(parent) = parent
            && (parent.number.checked_add(1) != Some(effect.block.number)
                || parent.hash != effect.parent_hash)
        {
            return Err(StoreError::NotLinked {
                parent,
                block: effect.block,
            });
        }
        parent = Some(effect.block);
    }
    Ok(())
}

async fn insert_blocks(tx: &mut Tx, effects: &[BlockEffects]) -> Result<(), StoreError> {
    let mut rows = Vec::with_capacity(effects.len());
    for effect in effects {
        let changes = &effect.pools;
        let pools = (!changes.is_empty()).then(|| changes_to_bytes(changes));
        rows.push((NUMBER.to_stored(effect.block.number)?, effect, pools));
    }
    let bytes = |(_, effect, pools): &(i64, &BlockEffects, Option<Vec<u8>>)| {
        effect.figures.len() + effect.trades.len() + pools.as_ref().map_or(0, Vec::len)
    };
    for portion in bulk::portions(&rows, bytes) {
        on!(tx &mut *tx, connection => {
            let mut insert = QueryBuilder::new(
                "INSERT INTO block
                     (number, hash, parent_hash, time, state_root, pools, figures, trades) ",
            );
            insert.push_values(portion, |mut row, (number, effect, pools)| {
                row.push_bind(*number)
                    .push_bind(effect.block.hash.to_bytes_be().to_vec())
                    .push_bind(effect.parent_hash.to_bytes_be().to_vec())
                    .push_bind(effect.time.as_microsecond())
                    .push_bind(effect.state_root.map(|root| root.to_bytes_be().to_vec()))
                    .push_bind(pools.as_deref())
                    .push_bind(Some(effect.figures.as_slice()).filter(|bytes| !bytes.is_empty()))
                    .push_bind(Some(effect.trades.as_slice()).filter(|bytes| !bytes.is_empty()));
            });
            insert.build().persistent(false).execute(connection).await.map(drop)
        })
        .map_err(in_table(BLOCK))?;
    }
    Ok(())
}

async fn insert_readings(tx: &mut Tx, effects: &[BlockEffects]) -> Result<(), StoreError> {
    let mut rows = Vec::new();
    for effect in effects {
        let number = NUMBER.to_stored(effect.block.number)?;
        rows.extend(effect.readings.iter().map(|reading| (number, reading)));
    }
    for portion in bulk::portions(&rows, |_| 0) {
        on!(tx &mut *tx, connection => {
            let mut insert = QueryBuilder::new(
                "INSERT INTO token_reading (address, block_number, outcome, name, symbol, decimals) ",
            );
            insert.push_values(portion, |mut row, (number, (address, reading))| {
                let (outcome, name, symbol, decimals) = reading::columns(reading);
                row.push_bind(address.to_bytes().to_vec())
                    .push_bind(*number)
                    .push_bind(outcome)
                    .push_bind(name)
                    .push_bind(symbol)
                    .push_bind(decimals);
            });
            insert.build().persistent(false).execute(connection).await.map(drop)
        })
        .map_err(in_table(reading::TABLE))?;
    }
    Ok(())
}
