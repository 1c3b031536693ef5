//! Tokens by TVL, with room for the lists that are made of them.

use super::{
    kept_pages::{KeptPages, RenderedList},
    view::View,
};
use arc_swap::ArcSwapOption;
use market::{Token, TokenId};
use primitives::{Impossible, Timestamp};
use services::Snapshot;
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

/// Seconds after which a list is written again although there was no block:
/// its windows end now, and the aggregator's figures change without blocks.
const KEPT_S: i64 = 10;

/// The newest ranking.
#[derive(Default)]
pub(super) struct Rankings(ArcSwapOption<Ranking>);

/// The tokens of a snapshot that have a price, the largest TVL first.
pub(super) struct Ranking {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) clock: Timestamp,
    pub(super) now: i64,
    pub(super) tokens: Vec<(TokenId, Arc<Token>)>,
    places: HashMap<TokenId, usize>,
    pub(super) lists: [OnceLock<Result<RenderedList, Impossible>>; 3],
    /// Pages of the table, by their queries.
    pub(super) pages: KeptPages,
}

/// The forms of the token list, each of a version of the API.
#[derive(Debug, Clone, Copy)]
pub(super) enum ListKind {
    V3,
    V1,
    Short,
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
            pages: KeptPages::default(),
            snapshot,
        }
    }

    /// The place of a token, from 1.
    pub(super) fn position(&self, token: TokenId) -> usize {
        let place = self.places.get(&token).copied();
        place.unwrap_or(self.tokens.len()) + 1
    }

    /// What a request is answered from that the ranking is of.
    pub(super) fn view(&self) -> View {
        View {
            snapshot: Arc::clone(&self.snapshot),
            clock: self.clock,
            now: self.now,
        }
    }
}
