//! Figures through any sequence of blocks and cuts, against a model.

use crate::{
    blocks::block,
    figures::{blocks_on, history, kept, page},
};
use market::{
    BlockEffects,
    figures::{CutFigures, KeptFigures},
};
use primitives::BlockRef;
use proptest::prelude::*;
use std::collections::BTreeMap;
use store::{FigureHistory, Store};
use world::{Engine::Sqlite, TestDatabase};

/// What happens to a store.
#[derive(Debug, Clone)]
enum Event {
    /// Blocks are added; the last of them keeps these pages, if any.
    Added(u64, Option<Vec<(u32, u8, u32)>>),
    /// Blocks are taken back, with a cut at this series and page.
    TakenBack(u64, u32, u32),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let pages = prop::collection::btree_set((0_u32..4, 0_u8..3, 0_u32..4), 0..8);
    let pages = prop::option::of(pages.prop_map(|pages| pages.into_iter().collect()));
    let event = prop_oneof![
        2 => (1_u64..5, pages).prop_map(|(count, pages)| Event::Added(count, pages)),
        1 => (1_u64..7, 0_u32..5, 0_u32..4)
            .prop_map(|(depth, series, page)| Event::TakenBack(depth, series, page)),
    ];
    prop::collection::vec(event, 1..14)
}

/// A store as simple as can be.
#[derive(Default)]
struct Model {
    blocks: Vec<BlockEffects>,
    kept: Option<(u64, Vec<u8>)>,
    pages: BTreeMap<(u32, u8, u32), Vec<u8>>,
}

impl Model {
    fn tip(&self) -> Option<BlockRef> {
        self.blocks.last().map(|last| last.block)
    }

    fn keep(&mut self, number: u64, figures: &KeptFigures) {
        self.kept = Some((number, figures.state.clone()));
        for page in &figures.pages {
            let key = (page.series, page.resolution, page.page);
            self.pages.insert(key, page.bytes.clone());
        }
    }

    fn history(&self) -> FigureHistory {
        let kept = self.kept.as_ref().map(|(number, state)| {
            let pages = self.pages.iter();
            let pages = pages.map(|((s, r, p), bytes)| page(*s, *r, *p, bytes));
            let pages: Vec<_> = pages.collect();
            (*number, kept(state, &pages))
        });
        let after = kept.as_ref().map_or(0, |(number, _)| *number);
        let deltas = self
            .blocks
            .iter()
            .filter(|effects| effects.block.number > after && !effects.figures.is_empty())
            .map(|effects| (effects.block.number, effects.time, effects.figures.clone()));
        FigureHistory {
            kept,
            deltas: deltas.collect(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_blocks_and_cuts_is_followed(events in events()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let database = TestDatabase::new(Sqlite).await;
            let store = database.store().await;
            let mut model = Model::default();
            for (round, event) in (1_u64..).zip(events) {
                follow(&store, &mut model, round, event).await;
                assert_eq!(history(&store).await, model.history());
            }
        });
    }
}

/// Lets the same happen to the store and to the model.
async fn follow(store: &Store, model: &mut Model, round: u64, event: Event) {
    let mark = round.to_be_bytes();
    let figures = |pages: &[(u32, u8, u32)]| {
        let pages: Vec<_> = pages
            .iter()
            .map(|(s, r, p)| page(*s, *r, *p, &mark))
            .collect();
        kept(&mark, &pages)
    };
    let tip = model.tip();
    match event {
        Event::Added(count, pages) => {
            let parent = tip.unwrap_or(block(0, 0));
            let last = parent.number + count;
            let keeping = pages.map(|pages| (last, figures(&pages)));
            let added = blocks_on(parent, round, count, keeping.as_slice());
            store.chain().append(tip, &added).await.unwrap();
            model.blocks.extend(added);
            if let Some((number, figures)) = keeping {
                model.keep(number, &figures);
            }
        }
        Event::TakenBack(depth, series, from) => {
            let Some(tip) = tip else { return };
            let left = model.blocks.len().saturating_sub(depth.try_into().unwrap());
            model.blocks.truncate(left);
            let to = model.tip();
            let above = model
                .kept
                .as_ref()
                .is_some_and(|(number, _)| to.is_none_or(|to| to.number < *number));
            let cut = above.then(|| CutFigures {
                series,
                pages_from: vec![(0, from), (2, 3)],
                kept: figures(&[(0, 0, from)]),
            });
            store.chain().rollback(tip, to, cut.as_ref()).await.unwrap();
            match (to, cut) {
                (None, _) => *model = Model::default(),
                (Some(to), Some(cut)) => {
                    model.pages.retain(|(s, resolution, number), _| {
                        let gone = cut
                            .pages_from
                            .iter()
                            .any(|(r, p)| r == resolution && number >= p);
                        *s < cut.series && !gone
                    });
                    model.keep(to.number, &cut.kept);
                }
                _ => {}
            }
        }
    }
}
