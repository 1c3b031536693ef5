//! What the wider market says, shared among processes: one asks, all show the same
//! from the same block on.
//!
//! What is new counts from the next block on, and is written between two blocks, as
//! they are: whoever is at a block has found everything that counts there. Only where
//! nothing was known does it count at once.

use crate::{
    block_table::{ChainStore, NUMBER},
    column::Column,
    db::{Tx, on},
    error::{StoreError, in_table},
    row::row,
};
use primitives::Timestamp;

const TABLE: &str = "wider_market";
const UNTIL: Column = Column {
    table: TABLE,
    name: "known_until",
};

/// Blocks for which what was said is kept: processes may be behind.
const KEPT_BLOCKS: i64 = 128;

/// The newest that are told of.
const NEWEST: i64 = 4;

/// What was said, apart from the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saying {
    /// The first block at which it is shown.
    pub from_block: u64,
    /// The last moment at which something of it counts.
    pub known_until: Timestamp,
}

row! {
    struct SayingRow {
        from_block: i64,
        known_until: i64,
    }
}

impl SayingRow {
    fn decode(self) -> Result<Saying, StoreError> {
        Ok(Saying {
            from_block: NUMBER.counter(self.from_block)?,
            known_until: UNTIL.time(self.known_until)?,
        })
    }
}

impl ChainStore {
    /// Shows something from the next block on, or from now on if nothing counts at
    /// this moment.
    pub async fn say(
        &self,
        answers: &[u8],
        until: Timestamp,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_writing().await?;
        let tip: Option<i64> = on!(tx &mut tx, connection =>
            sqlx::query_scalar("SELECT MAX(number) FROM block").fetch_one(connection).await
        )
        .map_err(in_table(TABLE))?;
        let tip = tip.unwrap_or(0);
        let shown: Option<i64> = on!(tx &mut tx, connection =>
            sqlx::query_scalar(
                "SELECT known_until FROM wider_market WHERE from_block <= $1
                 ORDER BY from_block DESC LIMIT 1",
            )
            .bind(tip)
            .fetch_optional(connection)
            .await
        )
        .map_err(in_table(TABLE))?;
        let counts = shown.is_some_and(|until| until >= now.as_microsecond());
        let from = if counts { tip.saturating_add(1) } else { tip };
        make_room(&mut tx, tip, from).await?;
        on!(tx &mut tx, connection =>
            sqlx::query(
                "INSERT INTO wider_market (from_block, known_until, answers) VALUES ($1, $2, $3)",
            )
            .bind(from)
            .bind(until.as_microsecond())
            .bind(answers)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))?;
        tx.commit().await
    }

    /// The newest of what was said, the newest first.
    pub async fn sayings(&self) -> Result<Vec<Saying>, StoreError> {
        let rows: Vec<SayingRow> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT from_block, known_until FROM wider_market
                 ORDER BY from_block DESC LIMIT $1",
            )
            .bind(NEWEST)
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(SayingRow::decode).collect()
    }

    /// The words of something that was said, unless something else took its place.
    pub async fn said(&self, saying: Saying) -> Result<Option<Vec<u8>>, StoreError> {
        let from_block = NUMBER.to_stored(saying.from_block)?;
        on!(reader self.db(), pool =>
            sqlx::query_scalar(
                "SELECT answers FROM wider_market WHERE from_block = $1 AND known_until = $2",
            )
            .bind(from_block)
            .bind(saying.known_until.as_microsecond())
            .fetch_optional(pool)
            .await
        )
        .map_err(in_table(TABLE))
    }
}

/// Forgets what is about to be said otherwise, also of blocks that are gone, and what
/// is of long ago.
async fn make_room(tx: &mut Tx, tip: i64, from: i64) -> Result<(), StoreError> {
    on!(tx tx, connection =>
        sqlx::query(
            "DELETE FROM wider_market WHERE from_block >= $1 OR from_block <
                 (SELECT MAX(from_block) FROM wider_market WHERE from_block <= $2)",
        )
        .bind(from)
        .bind(tip.saturating_sub(KEPT_BLOCKS))
        .execute(connection)
        .await
        .map(drop)
    )
    .map_err(in_table(TABLE))
}
