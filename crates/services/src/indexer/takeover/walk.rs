//! Reads the events of long ranges of blocks, in a few walks at once.
//!
//! How many calls that takes depends on the events and not on the blocks: a range
//! is divided into as many parts as there are walks, and each is read page by page.

use super::gathered::Gathered;
use crate::fault::Fault;
use amm::book::Kind;
use chain::{MAX_EVENT_PAGES, RpcError, StarknetClient};
use futures_util::{StreamExt, TryStreamExt, stream};
use primitives::{Address, Felt};
use std::{ops::RangeInclusive, sync::Arc};

/// Parts of a range that are read apart from each other.
pub(super) const PARTS: u64 = 16;

/// Walks under way at once, each of which reads one page after the other.
const WALKS: usize = 8;

/// Ranges of liquidity that are remembered: each takes some 200 bytes.
const MAX_RANGES: usize = 4_000_000;

/// Events that are wanted of a contract.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) kind: Kind,
    pub(super) contract: Address,
    /// Selectors of the events' names: the node is asked for these alone.
    pub(super) names: Arc<[Felt]>,
    pub(super) range: RangeInclusive<u64>,
}

impl Wanted {
    /// The same in at most [`PARTS`] parts, one after the other.
    pub(super) fn parts(&self) -> Vec<Self> {
        let (first, last) = (*self.range.start(), *self.range.end());
        let count = last.saturating_add(1).saturating_sub(first);
        let size = count.div_ceil(PARTS).max(1);
        let begins = (0..count.div_ceil(size)).map(|part| first + part * size);
        let part = |begin: u64| Self {
            range: begin..=last.min(begin + (size - 1)),
            ..self.clone()
        };
        begins.map(part).collect()
    }
}

/// What all that is wanted leaves, in its order; `passed` hears of each that is
/// read.
pub(super) async fn walk(
    node: &StarknetClient,
    wanted: Vec<Wanted>,
    mut passed: impl FnMut(),
) -> Result<Gathered, Fault> {
    let walks: Vec<_> = wanted
        .into_iter()
        .map(|wanted| one_walk(node.clone(), wanted))
        .collect();
    let mut walks = stream::iter(walks).buffered(WALKS);
    let mut whole = Gathered::default();
    while let Some(part) = walks.try_next().await? {
        whole.merge(part);
        check_size(&whole)?;
        passed();
    }
    Ok(whole)
}

async fn one_walk(node: StarknetClient, wanted: Wanted) -> Result<Gathered, Fault> {
    let Wanted {
        kind,
        contract,
        names,
        range,
    } = wanted;
    let mut gathered = Gathered::default();
    let mut next: Option<String> = None;
    for _ in 0..MAX_EVENT_PAGES {
        let page = node.event_page(contract, &names, &range, next.as_deref());
        let page = page.await?;
        for past in &page.events {
            gathered.take(kind, past);
        }
        check_size(&gathered)?;
        next = page.next;
        if next.is_none() {
            return Ok(gathered);
        }
    }
    Err(Fault::Node(RpcError::LongPast {
        contract: contract.felt(),
        limit: MAX_EVENT_PAGES,
    }))
}

fn check_size(gathered: &Gathered) -> Result<(), Fault> {
    if gathered.len() > MAX_RANGES {
        return Err(Fault::ManyPositions { limit: MAX_RANGES });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_range_without_gaps_and_are_few() {
        let parts = |first: u64, last: u64| -> Vec<RangeInclusive<u64>> {
            let wanted = Wanted {
                kind: Kind::Ekubo,
                contract: Address::new(Felt::ONE),
                names: Arc::default(),
                range: first..=last,
            };
            wanted.parts().into_iter().map(|part| part.range).collect()
        };
        assert_eq!(parts(5, 5), [5..=5]);
        assert_eq!(parts(5, 7), [5..=5, 6..=6, 7..=7]);
        assert_eq!(parts(5, 4), []);
        for (first, last) in [(0, 15), (0, 16), (3, 1_000), (7, 10_000_000)] {
            let parts = parts(first, last);
            assert!(parts.len() <= usize::try_from(PARTS).unwrap_or(0));
            assert_eq!(parts.first().map(|part| *part.start()), Some(first));
            assert_eq!(parts.last().map(|part| *part.end()), Some(last));
            assert!(parts.windows(2).all(|two| match two {
                [one, next] => one.end() + 1 == *next.start(),
                _ => false,
            }));
        }
    }
}
