//! Computing stored blocks anew from a node, and comparing: what they did to pools,
//! which trades there were, what that means for candles and volumes, which tokens were
//! read. Nothing is written.
//!
//! What a block means depends on those before it: these are taken from the store,
//! unless it is the first one, and then from what was computed anew.

use super::{
    Indexer, IndexerOptions, Nodes, Progress, State, log_limiter::LogLimiter, outlook::Outlook,
    round::check_links,
};
use crate::{fault::Fault, known::Known, snapshot::Snapshots};
use market::{BlockEffects, figures::KeptFigures};
use primitives::Clock;
use std::{collections::BTreeMap, fmt, ops::RangeInclusive, sync::Arc};
use store::Store;

/// Something stored that is not what the node's block means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    /// The height that was compared.
    pub block: u64,
    /// What differs there, in words for people.
    pub what: &'static str,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {}: {}", self.block, self.what)
    }
}

/// Pages by series, resolution and place.
type Pages = BTreeMap<(u32, u8, u32), Vec<u8>>;

/// Compares a range of stored blocks with what a node's blocks mean.
#[derive(Debug)]
pub struct Verifier {
    indexer: Indexer,
    blocks: RangeInclusive<u64>,
    /// The figures that are kept now, and of which block.
    kept: Option<(u64, KeptFigures)>,
    /// Whether nothing at all is taken from the store.
    is_whole: bool,
    /// The pages that were computed so far.
    pages: Pages,
}

impl Verifier {
    /// Begins before the first of some stored blocks, which were indexed with these
    /// options.
    pub async fn open(
        nodes: Nodes,
        store: Store,
        known: Known,
        clock: Arc<dyn Clock>,
        options: IndexerOptions,
        blocks: RangeInclusive<u64>,
    ) -> Result<Self, Fault> {
        let known = Known {
            // Who follows what changes nothing of the rest.
            following: Arc::default(),
            ..known
        };
        let stored = store.chain().first_block().await?;
        let first = stored.map_or(options.start_block, |stored| stored.number);
        let is_whole = *blocks.start() <= first;
        let state = match blocks.start().checked_sub(1) {
            Some(before) => State::load_at(&store, &known, before).await?,
            None => State::empty(&known)?,
        };
        let kept = store.chain().contents().await?.figures.kept;
        let indexer = Indexer {
            nodes,
            judged: store.clone(),
            first,
            serves: false,
            store,
            known,
            snapshots: Snapshots::default(),
            progress: Progress::default(),
            clock,
            options,
            state,
            tenure: None,
            forgotten: None,
            looked_behind: None,
            malformed: LogLimiter::default(),
            outlook: Outlook::default(),
        };
        Ok(Self {
            indexer,
            blocks,
            kept,
            is_whole,
            pages: Pages::new(),
        })
    }

    /// Compares block by block, and tells of every difference.
    pub async fn run(mut self, mut tell: impl FnMut(Difference)) -> Result<(), Fault> {
        let indexer = &mut self.indexer;
        let chosen = indexer.nodes.survey(indexer.clock.now()).await?;
        let node = chosen.client;
        let code_from = indexer.known.code_from();
        let settled = chosen.head.number.saturating_sub(indexer.options.unsettled);
        let (mut next, last) = (*self.blocks.start(), *self.blocks.end());
        while next <= last {
            let indexer = &mut self.indexer;
            let end = last.min(next.saturating_add(indexer.options.batch - 1));
            let watch = Arc::clone(indexer.state.roster.watch());
            let coded = code_from.filter(|_| end > settled);
            let blocks = node.blocks_with_code(next..=end, &watch, coded).await?;
            check_links(&blocks)?;
            if code_from.is_some() {
                indexer.look_out(&node, &blocks, settled).await?;
            }
            let computed = indexer.effects(&node, &blocks).await?;
            let stored = indexer.store.chain().recorded(next..=end).await?;
            for effects in &computed {
                let stored = stored
                    .iter()
                    .find(|it| it.block.number == effects.block.number);
                compare(effects, stored, &mut tell);
                self.compare_pages(effects, &mut tell);
            }
            let indexer = &mut self.indexer;
            indexer.state.commit(&computed, &indexer.known);
            next = end.saturating_add(1);
        }
        Ok(())
    }

    /// Kept pages are as of one block, and can be compared there.
    fn compare_pages(&mut self, computed: &BlockEffects, tell: &mut impl FnMut(Difference)) {
        let Some(pages) = &computed.pages else { return };
        let block = computed.block.number;
        self.pages.extend(by_place(pages));
        let Some((_, kept)) = self.kept.as_ref().filter(|(of, _)| *of == block) else {
            return;
        };
        let kept: Pages = by_place(kept).collect();
        let is_complete = !self.is_whole || self.pages.len() == kept.len();
        let mut computed = self.pages.iter();
        if !is_complete || !computed.all(|(place, bytes)| kept.get(place) == Some(bytes)) {
            let what = "the pages of candles that are kept of it and all before";
            tell(Difference { block, what });
        }
    }
}

fn by_place(kept: &KeptFigures) -> impl Iterator<Item = ((u32, u8, u32), Vec<u8>)> {
    let pages = kept.pages.iter();
    pages.map(|page| {
        (
            (page.series, page.resolution, page.page),
            page.bytes.clone(),
        )
    })
}

/// Tells what a stored block has otherwise than the node says.
fn compare(
    computed: &BlockEffects,
    stored: Option<&BlockEffects>,
    tell: &mut impl FnMut(Difference),
) {
    let block = computed.block.number;
    let mut differs = |what| tell(Difference { block, what });
    let Some(stored) = stored else {
        return differs("it is not stored");
    };
    let root = stored.state_root.or(computed.state_root);
    if stored.block != computed.block
        || stored.parent_hash != computed.parent_hash
        || stored.time != computed.time
        || root != computed.state_root
    {
        differs("the node has another block");
    }
    let sorted = |effects: &BlockEffects| {
        let mut readings = effects.readings.clone();
        readings.sort_unstable_by_key(|(address, _)| *address);
        readings
    };
    for (is_same, what) in [
        (stored.pools == computed.pools, "what happened to pools"),
        (stored.trades == computed.trades, "trades"),
        (
            stored.figures == computed.figures,
            "candles, volumes and prices",
        ),
        (
            sorted(stored) == sorted(computed),
            "what tokens say of themselves",
        ),
    ] {
        if !is_same {
            differs(what);
        }
    }
}
