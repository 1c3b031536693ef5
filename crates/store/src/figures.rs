//! Market figures: what each block did to them is in its own row; now and then
//! they are kept whole, in pages and a state.
//!
//! The pages tell of exactly one block, that of the state, and never of blocks
//! that are gone.

use crate::{
    block_table::{BLOCK, ChainStore, NUMBER, TIME},
    bulk,
    column::Column,
    db::{Tx, on},
    error::{StoreError, in_table},
    row::row,
};
use market::{
    BlockEffects,
    figures::{CutFigures, KeptFigures, KeptPage},
};
use primitives::{BlockRef, Timestamp};
use sqlx::QueryBuilder;
use std::ops::RangeInclusive;

const PAGE: &str = "figure_page";
const STATE: &str = "figure_state";

/// Where the figures of a store can be made from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FigureHistory {
    /// Figures after a block, with all pages in the order of series, resolution
    /// and page; none while the first are not due yet.
    pub kept: Option<(u64, KeptFigures)>,
    /// What later blocks did, in order; those that did nothing are left out.
    pub deltas: Vec<(u64, Timestamp, Vec<u8>)>,
}

row! {
    struct StateRow {
        block_number: i64,
        bytes: Vec<u8>,
    }
}

row! {
    struct PageRow {
        series: i64,
        resolution: i16,
        page: i64,
        bytes: Vec<u8>,
    }
}

row! {
    struct DeltaRow {
        number: i64,
        time: i64,
        figures: Option<Vec<u8>>,
    }
}

impl PageRow {
    fn decode(self) -> Result<KeptPage, StoreError> {
        let corrupt = |name| Column { table: PAGE, name }.corrupt();
        Ok(KeptPage {
            series: self.series.try_into().map_err(|_| corrupt("series"))?,
            resolution: self
                .resolution
                .try_into()
                .map_err(|_| corrupt("resolution"))?,
            page: self.page.try_into().map_err(|_| corrupt("page"))?,
            bytes: self.bytes,
        })
    }
}

impl DeltaRow {
    fn decode(self) -> Result<(u64, Timestamp, Option<Vec<u8>>), StoreError> {
        let number = NUMBER.counter(self.number)?;
        Ok((number, TIME.time(self.time)?, self.figures))
    }
}

impl ChainStore {
    /// What the stored ones of these blocks did to figures: each with its time,
    /// in order.
    pub async fn figures(
        &self,
        blocks: RangeInclusive<u64>,
    ) -> Result<Vec<(u64, Timestamp, Option<Vec<u8>>)>, StoreError> {
        let first = NUMBER.to_stored(*blocks.start())?;
        let last = NUMBER.to_stored(*blocks.end())?;
        let rows: Vec<DeltaRow> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT number, time, figures FROM block
                 WHERE number BETWEEN $1 AND $2 ORDER BY number",
            )
            .bind(first)
            .bind(last)
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(BLOCK))?;
        rows.into_iter().map(DeltaRow::decode).collect()
    }

    /// The block that the kept pages tell of, if there are any.
    pub async fn kept_figures(&self) -> Result<Option<u64>, StoreError> {
        let number: Option<i64> = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT block_number FROM figure_state")
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(STATE))?;
        number.map(|number| NUMBER.counter(number)).transpose()
    }

    /// Where the figures can be made from, at the moment of `tx`, as of a block unless
    /// they were kept later.
    pub(crate) async fn figure_history(
        tx: &mut Tx,
        last: i64,
    ) -> Result<FigureHistory, StoreError> {
        let state: Option<StateRow> = on!(tx &mut *tx, connection =>
            sqlx::query_as("SELECT block_number, bytes FROM figure_state")
                .fetch_optional(connection)
                .await
        )
        .map_err(in_table(STATE))?;
        let after = state.as_ref().map_or(-1, |state| state.block_number);
        let kept = match state {
            Some(state) => {
                let number = NUMBER.counter(state.block_number)?;
                let pages = pages(tx).await?;
                let state = state.bytes;
                Some((number, KeptFigures { state, pages }))
            }
            None => None,
        };
        let rows: Vec<DeltaRow> = on!(tx &mut *tx, connection =>
            sqlx::query_as(
                "SELECT number, time, figures FROM block
                 WHERE number > $1 AND number <= $2 AND figures IS NOT NULL ORDER BY number",
            )
            .bind(after)
            .bind(last)
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(BLOCK))?;
        let mut deltas = Vec::with_capacity(rows.len());
        for row in rows {
            if let (number, time, Some(figures)) = row.decode()? {
                deltas.push((number, time, figures));
            }
        }
        Ok(FigureHistory { kept, deltas })
    }
}

/// All pages in order. They are read as they lie and sorted here: in the order
/// of the index the engine would look up each of them by itself.
async fn pages(tx: &mut Tx) -> Result<Vec<KeptPage>, StoreError> {
    let rows: Vec<PageRow> = on!(tx &mut *tx, connection =>
        sqlx::query_as("SELECT series, resolution, page, bytes FROM figure_page")
            .fetch_all(connection)
            .await
    )
    .map_err(in_table(PAGE))?;
    let pages = rows.into_iter().map(PageRow::decode);
    let mut pages = pages.collect::<Result<Vec<_>, _>>()?;
    pages.sort_unstable_by_key(|page| (page.series, page.resolution, page.page));
    Ok(pages)
}

/// Keeps the figures of the blocks that have them due.
pub(crate) async fn keep_due(tx: &mut Tx, effects: &[BlockEffects]) -> Result<(), StoreError> {
    for effect in effects {
        if let Some(kept) = &effect.pages {
            keep(tx, effect.block, kept).await?;
        }
    }
    Ok(())
}

/// Makes the kept figures tell of no block above `to`, or of none. Must come
/// before those blocks go.
pub(crate) async fn take_back(
    tx: &mut Tx,
    to: Option<BlockRef>,
    cut: Option<&CutFigures>,
) -> Result<(), StoreError> {
    match (to, cut) {
        (None, _) => forget(tx).await,
        (Some(to), Some(cut)) => {
            delete_cut(tx, cut).await?;
            keep(tx, to, &cut.kept).await
        }
        (Some(to), None) => refuse_kept_above(tx, to).await,
    }
}

/// Forgets all kept figures.
pub(crate) async fn forget(tx: &mut Tx) -> Result<(), StoreError> {
    on!(tx &mut *tx, connection =>
        sqlx::query("DELETE FROM figure_state").execute(connection).await.map(drop)
    )
    .map_err(in_table(STATE))?;
    on!(tx &mut *tx, connection =>
        sqlx::query("DELETE FROM figure_page").execute(connection).await.map(drop)
    )
    .map_err(in_table(PAGE))
}

async fn refuse_kept_above(tx: &mut Tx, to: BlockRef) -> Result<(), StoreError> {
    let number: Option<i64> = on!(tx &mut *tx, connection =>
        sqlx::query_scalar("SELECT block_number FROM figure_state")
            .fetch_optional(connection)
            .await
    )
    .map_err(in_table(STATE))?;
    let kept = number.map(|number| NUMBER.counter(number)).transpose()?;
    match kept {
        Some(kept) if kept > to.number => Err(StoreError::FiguresAbove { kept, to }),
        _ => Ok(()),
    }
}

async fn delete_cut(tx: &mut Tx, cut: &CutFigures) -> Result<(), StoreError> {
    on!(tx &mut *tx, connection =>
        sqlx::query("DELETE FROM figure_page WHERE series >= $1")
            .bind(i64::from(cut.series))
            .execute(connection)
            .await
            .map(drop)
    )
    .map_err(in_table(PAGE))?;
    for (resolution, page) in &cut.pages_from {
        // The inner query needs the index alone; a search by anything but the
        // series would otherwise go through all pages.
        on!(tx &mut *tx, connection =>
            sqlx::query(
                "DELETE FROM figure_page WHERE (series, resolution, page) IN
                     (SELECT series, resolution, page FROM figure_page
                      WHERE resolution = $1 AND page >= $2)",
            )
            .bind(i16::from(*resolution))
            .bind(i64::from(*page))
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(PAGE))?;
    }
    Ok(())
}

/// Writes pages over those that are there, and the state of `block`.
async fn keep(tx: &mut Tx, block: BlockRef, kept: &KeptFigures) -> Result<(), StoreError> {
    for portion in bulk::portions(&kept.pages, |page| page.bytes.len()) {
        on!(tx &mut *tx, connection => {
            let mut insert =
                QueryBuilder::new("INSERT INTO figure_page (series, resolution, page, bytes) ");
            insert.push_values(portion, |mut row, page| {
                row.push_bind(i64::from(page.series))
                    .push_bind(i16::from(page.resolution))
                    .push_bind(i64::from(page.page))
                    .push_bind(page.bytes.as_slice());
            });
            insert.push(
                " ON CONFLICT (series, resolution, page) DO UPDATE SET bytes = excluded.bytes",
            );
            insert.build().persistent(false).execute(connection).await.map(drop)
        })
        .map_err(in_table(PAGE))?;
    }
    let number = NUMBER.to_stored(block.number)?;
    on!(tx &mut *tx, connection =>
        sqlx::query(
            "INSERT INTO figure_state (id, block_number, bytes) VALUES (1, $1, $2)
             ON CONFLICT (id) DO UPDATE
             SET block_number = excluded.block_number, bytes = excluded.bytes",
        )
        .bind(number)
        .bind(kept.state.as_slice())
        .execute(connection)
        .await
        .map(drop)
    )
    .map_err(in_table(STATE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_this_program_never_writes_are_corrupt() {
        let page = |series, resolution, page| PageRow {
            series,
            resolution,
            page,
            bytes: Vec::new(),
        };
        assert!(page(u32::MAX.into(), 255, u32::MAX.into()).decode().is_ok());
        for (row, column) in [
            (page(1 << 32, 0, 0), "series"),
            (page(-1, 0, 0), "series"),
            (page(0, 256, 0), "resolution"),
            (page(0, -1, 0), "resolution"),
            (page(0, 0, 1 << 32), "page"),
            (page(0, 0, -1), "page"),
        ] {
            assert_eq!(
                row.decode().unwrap_err().to_string(),
                format!("corrupt data in figure_page.{column}")
            );
        }
    }
}
