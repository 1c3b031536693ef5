//! Lists of tokens by TVL, written once for each block.

use super::{
    MarketState,
    date::Time,
    kept_pages::RenderedList,
    points::PricePoint,
    query::Range,
    ranking::{ListKind, Ranking},
    record::RecordFacts,
    view::View,
};
use market::{Token, TokenId};
use primitives::Impossible;

/// Tokens of a list with price feeds.
const MAX_LISTED: usize = 200;

/// Tokens of the short list.
const MAX_SHORT: usize = 5_000;

impl Ranking {
    pub(super) fn list(
        &self,
        kind: ListKind,
        state: &MarketState,
    ) -> Result<&RenderedList, Impossible> {
        let [v3, v1, short] = &self.lists;
        let list = match kind {
            ListKind::V3 => v3,
            ListKind::V1 => v1,
            ListKind::Short => short,
        };
        list.get_or_init(|| {
            let body = self.write(kind, state)?;
            Ok(RenderedList::new(body))
        })
        .as_ref()
        .map_err(|impossible| *impossible)
    }

    fn write(&self, kind: ListKind, state: &MarketState) -> Result<Vec<u8>, Impossible> {
        let most = match kind {
            ListKind::V3 | ListKind::V1 => MAX_LISTED,
            ListKind::Short => MAX_SHORT,
        };
        let view = self.view();
        let dialect = state.dialect;
        let tokens = (1..)
            .zip(&self.tokens)
            .take(most)
            .filter_map(|(position, (id, token))| {
                let told = view.told(state, *id, token)?;
                Some((position, *id, told))
            });
        match kind {
            ListKind::V3 => {
                let tokens = tokens.map(|(_, id, told)| told.v3(dialect, view.week(id)));
                dialect.json(&tokens.collect::<Vec<_>>())
            }
            ListKind::V1 => {
                let tokens =
                    tokens.map(|(position, id, told)| told.v1(dialect, position, view.week(id)));
                dialect.json(&tokens.collect::<Vec<_>>())
            }
            ListKind::Short => {
                let tokens = tokens.map(|(_, _, told)| told.short());
                dialect.json(&tokens.collect::<Vec<_>>())
            }
        }
    }
}

impl View {
    /// What there is to tell of a token; none without a price.
    pub(super) fn told<'a>(
        &self,
        state: &MarketState,
        id: TokenId,
        token: &'a Token,
    ) -> Option<RecordFacts<'a>> {
        Some(RecordFacts {
            token,
            summary: self.snapshot.figures.summary(id, self.now)?,
            global: state.global_market(token, self.snapshot.head, self.clock),
        })
    }

    /// A token's prices of the last seven days, in hours.
    pub(super) fn week(&self, token: TokenId) -> Vec<PricePoint> {
        let Range {
            resolution, span, ..
        } = Range::week_of_hours(self.now);
        let closes = self.snapshot.figures.closes(token, None, resolution, span);
        let points = closes.iter().map(|(bucket, value)| PricePoint {
            date: Time(resolution.opens(bucket)),
            value: *value,
        });
        points.collect()
    }
}
