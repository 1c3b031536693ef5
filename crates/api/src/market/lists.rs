//! Lists of tokens by TVL, written once for each block.

use super::{
    MarketState,
    json::List,
    pages::{Feed, SeriesKey},
    query::Range,
    ranking::{ListKind, Ranking, RenderedList},
    record::Told,
    view::View,
};
use crate::http::{content::KeptBody, entity_tag::EntityTag};
use market::{Token, TokenId};
use std::sync::Arc;

/// Tokens of a list with price feeds.
const MAX_LISTED: usize = 200;

/// Tokens of the short list.
const MAX_SHORT: usize = 5_000;

impl Ranking {
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
