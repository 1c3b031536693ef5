//! What executed cycles of recurring orders are measured against.

use super::page::MAX_PAGE;
use crate::{
    block_table::{ChainStore, NUMBER, find_block},
    bulk,
    column::Column,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{Address, BlockRef, U256};
use sqlx::QueryBuilder;

const TABLE: &str = "cycle_benchmark";

const fn column(name: &'static str) -> Column {
    Column { table: TABLE, name }
}

/// What a cycle could have bought at best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CycleBenchmark {
    /// The height of the block that it was executed in. An order has one cycle in
    /// a block at most.
    pub block: u64,
    /// The order's contract.
    pub order: Address,
    /// What the best route would have bought, on the pools before that block.
    pub bought: U256,
}

/// Where a benchmark is among all: its block and its order.
pub type BenchmarkPlace = (u64, Address);

row! {
    struct BenchmarkRow {
        block_number: i64,
        contract: Vec<u8>,
        bought: Vec<u8>,
    }
}

impl BenchmarkRow {
    fn decode(&self) -> Result<CycleBenchmark, StoreError> {
        Ok(CycleBenchmark {
            block: column("block_number").counter(self.block_number)?,
            order: column("contract").address(&self.contract)?,
            bought: U256::from_be_bytes(column("bought").bytes(&self.bought)?),
        })
    }
}

impl CycleBenchmark {
    /// Where it is among all.
    #[must_use]
    pub const fn place(&self) -> BenchmarkPlace {
        (self.block, self.order)
    }
}

impl ChainStore {
    /// Keeps benchmarks of cycles until a block, each once. False, and nothing is
    /// kept, when the block is not stored any more.
    pub async fn keep_benchmarks(
        &self,
        benchmarks: &[CycleBenchmark],
        at: BlockRef,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin_writing().await?;
        if find_block(&mut tx, at).await?.is_none() {
            return Ok(false);
        }
        let rows = benchmarks
            .iter()
            .map(|it| Ok((it, NUMBER.to_stored(it.block)?)));
        let rows = rows.collect::<Result<Vec<_>, StoreError>>()?;
        for portion in bulk::portions(&rows, |_| 0) {
            on!(tx &mut tx, connection => {
                let mut insert = QueryBuilder::new(
                    "INSERT INTO cycle_benchmark (block_number, contract, bought) ",
                );
                insert.push_values(portion, |mut row, (it, number)| {
                    row.push_bind(*number)
                        .push_bind(it.order.to_bytes().to_vec())
                        .push_bind(it.bought.to_be_bytes::<32>().to_vec());
                });
                insert.push(" ON CONFLICT (block_number, contract) DO NOTHING");
                insert.build().persistent(false).execute(connection).await.map(drop)
            })
            .map_err(in_table(TABLE))?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// The next benchmarks `after` a place, in the order of blocks, as many as
    /// asked for and at most 1,000.
    pub async fn benchmarks(
        &self,
        after: BenchmarkPlace,
        limit: u32,
    ) -> Result<Vec<CycleBenchmark>, StoreError> {
        let (block, order) = (NUMBER.to_stored(after.0)?, after.1.to_bytes());
        let rows: Vec<BenchmarkRow> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT block_number, contract, bought FROM cycle_benchmark
                 WHERE (block_number, contract) > ($1, $2)
                 ORDER BY block_number, contract LIMIT $3",
            )
            .bind(block)
            .bind(order.as_slice())
            .bind(i64::from(limit.min(MAX_PAGE)))
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.iter().map(BenchmarkRow::decode).collect()
    }
}
