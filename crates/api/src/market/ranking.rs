//! Tokens by TVL, and the lists that are made of them, written once for each
//! block.

use super::{
    MarketState,
    json::List,
    pages::{Feed, SeriesKey},
    query::Range,
    reading::View,
    record::Told,
};
use crate::{content::KeptBody, entity_tag::EntityTag};
use arc_swap::ArcSwapOption;
use market::{Token, TokenId};
use primitives::Timestamp;
use services::Snapshot;
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

/// Tokens of a list with price feeds.
const MAX_LISTED: usize = 200;

/// Tokens of the short list.
const MAX_SHORT: usize = 5_000;

/// Seconds after which a list is written again although there was no block:
/// its windows end now, and the aggregator's figures change without blocks.
const KEPT_S: i64 = 10;

/// The newest ranking.
#[derive(Default)]
pub(super) struct Rankings(ArcSwapOption<Ranking>);

/// The tokens of a snapshot that have a price, the largest TVL first.
pub(super) struct Ranking {
    snapshot: Arc<Snapshot>,
    clock: Timestamp,
    now: i64,
    tokens: Vec<(TokenId, Arc<Token>)>,
    places: HashMap<TokenId, usize>,
    lists: [OnceLock<RenderedList>; 3],
}

/// Which list.
#[derive(Debug, Clone, Copy)]
pub(super) enum ListKind {
    V3,
    V1,
    Short,
}

/// A list as it is sent.
pub(super) struct RenderedList {
    pub(super) body: KeptBody,
    pub(super) tag: EntityTag,
}

impl Rankings {
    pub(super) fn of(&self, view: &View) -> Arc<Ranking> {
        let newest = self.0.load();
        let fits = |it: &&Arc<Ranking>| {
            Arc::ptr_eq(&it.snapshot, &view.snapshot)
                && (it.now..it.now + KEPT_S).contains(&view.now)
        };
        if let Some(ranking) = newest.as_ref().filter(fits) {
            return Arc::clone(ranking);
        }
        let ranking = Arc::new(Ranking::new(view));
        self.0.store(Some(Arc::clone(&ranking)));
        ranking
    }
}

impl Ranking {
    fn new(view: &View) -> Self {
        let snapshot = Arc::clone(&view.snapshot);
        let (figures, list) = (&snapshot.figures, &snapshot.tokens);
        let tokens: Vec<_> = figures
            .by_tvl()
            .iter()
            .filter_map(|id| {
                let (_, token) = list.by_address(figures.address(*id)?)?;
                Some((*id, Arc::clone(token)))
            })
            .collect();
        let places = (0..).zip(&tokens).map(|(place, (id, _))| (*id, place));
        Self {
            places: places.collect(),
            tokens,
            clock: view.clock,
            now: view.now,
            lists: Default::default(),
            snapshot,
        }
    }

    /// The place of a token, from 1.
    pub(super) fn position(&self, token: TokenId) -> usize {
        let place = self.places.get(&token).copied();
        place.unwrap_or(self.tokens.len()) + 1
    }

    pub(super) fn list(&self, kind: ListKind, state: &MarketState) -> &RenderedList {
        let [v3, v1, short] = &self.lists;
        let list = match kind {
            ListKind::V3 => v3,
            ListKind::V1 => v1,
            ListKind::Short => short,
        };
        list.get_or_init(|| {
            let body = self.write(kind, state);
            RenderedList {
                tag: EntityTag::of(&body),
                body: KeptBody::new(body),
            }
        })
    }

    fn write(&self, kind: ListKind, state: &MarketState) -> Vec<u8> {
        let most = match kind {
            ListKind::V3 | ListKind::V1 => MAX_LISTED,
            ListKind::Short => MAX_SHORT,
        };
        let view = View {
            snapshot: Arc::clone(&self.snapshot),
            clock: self.clock,
            now: self.now,
        };
        let mut list = List::new();
        for (position, (id, token)) in (1..).zip(&self.tokens).take(most) {
            let Some(told) = view.told(state, *id, token) else {
                continue;
            };
            let feed = |out: &mut Vec<u8>| state.write_week(&view, *id, out);
            match kind {
                ListKind::V3 => told.write_v3(list.item(), state.dialect, feed),
                ListKind::V1 => told.write_v1(list.item(), state.dialect, position, feed),
                ListKind::Short => told.write_short(list.item()),
            }
        }
        list.end()
    }
}

impl View {
    /// What there is to tell of a token; none without a price.
    pub(super) fn told<'a>(
        &self,
        state: &MarketState,
        id: TokenId,
        token: &'a Token,
    ) -> Option<Told<'a>> {
        Some(Told {
            token,
            summary: self.snapshot.figures.summary(id, self.now)?,
            global: state.global_market(token, self.clock),
        })
    }
}

impl MarketState {
    /// A token's prices of the last seven days, in hours.
    pub(super) fn write_week(&self, view: &View, token: TokenId, out: &mut Vec<u8>) {
        let key = SeriesKey {
            token,
            quote: None,
            feed: Feed::Closes,
        };
        let range = Range::week_of_hours(view.now);
        let series = self.pages.series(&view.snapshot.figures, key, &range);
        series.array().write(out);
    }
}
