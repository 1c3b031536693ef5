//! Figures as they were at an earlier block.

use crate::fault::Fault;
use market::figures::{Delta, DeltaError, Figures, Taken};
use primitives::Timestamp;
use std::ops::RangeInclusive;
use store::Store;

/// Blocks that are read at once when some are taken back: about a minute of them, for
/// which they are read.
const READ_BACK: u64 = 32;

/// The figures before the blocks above `to` came, which are given newest first.
/// The minute of `to` is made again of blocks in the store; none if there are none.
pub(super) async fn figures_before(
    figures: &Figures,
    undone: &[Taken],
    to: u64,
    store: &Store,
) -> Result<Option<Figures>, Fault> {
    let mut rest = Vec::new();
    let mut next = Some(to);
    let mut boundary = None;
    while let Some(last) = next {
        let first = last.saturating_sub(READ_BACK - 1);
        let mut blocks = taken(store, first..=last, Delta::from_bytes).await?;
        blocks.reverse();
        let Some(newest) = blocks.first() else { break };
        let boundary = *boundary.get_or_insert(Figures::boundary(newest.time));
        let enough = blocks.iter().any(|block| block.time < boundary);
        rest.extend(blocks.into_iter().filter(|block| block.time >= boundary));
        next = first.checked_sub(1).filter(|_| !enough);
    }
    rest.reverse();
    let Some(time) = rest.last().map(|block: &Taken| block.time) else {
        return Ok(None);
    };
    let mut figures = figures.clone();
    figures.rollback(undone, time, &rest);
    Ok(Some(figures))
}

/// What the stored ones of these blocks did to figures, the oldest first.
pub(super) async fn taken(
    store: &Store,
    blocks: RangeInclusive<u64>,
    read: impl Fn(&[u8]) -> Result<Delta, DeltaError>,
) -> Result<Vec<Taken>, Fault> {
    let stored = store.chain().figures(blocks).await?;
    let each = stored.into_iter();
    each.map(|(_, time, bytes)| block_taken(time, bytes.as_deref().unwrap_or_default(), &read))
        .collect()
}

/// What one block did to figures, by the bytes that were kept of it.
pub(super) fn block_taken(
    time: Timestamp,
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<Delta, DeltaError>,
) -> Result<Taken, Fault> {
    Ok(Taken {
        time: time.as_second(),
        delta: read(bytes)?,
    })
}
