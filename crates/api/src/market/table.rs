//! `GET /v3/tokens/table`: what a table of tokens shows, in few bytes.

use super::{
    MarketState,
    query::parse,
    ranking::Ranking,
    reading::RequestReader,
    rounded::rounded,
    table_query::{Figure, TableQuery, TableRequest},
    token_price::ETH,
    view::View,
};
use crate::{
    dialect::Dialect,
    http::{
        compression::WantsGzip,
        entity_tag::KnownTags,
        error::{QueryAnswers, Rejection},
    },
    trade::TagName,
};
use axum::{extract::State, http::Uri, response::Response};
use market::{Direction, Token, TokenId, series::Resolution};
use primitives::{Address, Impossible};
use serde::Serialize;
use std::{cmp::Ordering, sync::Arc};
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// Points of a sparkline.
const HOURS: i64 = 24;

/// Significant digits of what is only looked at: of a sparkline's points, of
/// amounts, and of changes.
const POINT_DIGITS: usize = 5;
const AMOUNT_DIGITS: usize = 4;
const CHANGE_DIGITS: usize = 3;

pub(super) fn routes() -> [UtoipaMethodRouter<MarketState>; 1] {
    [routes!(token_table)]
}

/// A row of a table of tokens.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TokenRow<'a> {
    /// Its contract, hexadecimal without padding.
    #[schema(value_type = String, example = json!(ETH))]
    address: Address,
    #[schema(example = "ETH", max_length = 32)]
    symbol: &'a str,
    #[schema(example = "Ether", max_length = 64)]
    name: &'a str,
    /// Address of a picture, or null; `/logo/{address}.svg` always has one.
    #[schema(required, example = "https://logo.example/eth.svg")]
    logo_uri: Option<&'a str>,
    /// Who vouches for it.
    #[schema(value_type = Vec<TagName>)]
    tags: Vec<&'static str>,
    /// Whether the operator has verified it.
    verified: bool,
    /// Null if it has no price yet, as everything that follows.
    #[schema(required, example = 3_500.25)]
    price_usd: Option<f64>,
    /// Per cent, to three digits; null if there was no price a day ago.
    #[schema(required, example = -0.58)]
    change_24h: Option<f64>,
    /// Every leg of every trade of the last 24 hours, to four digits.
    #[schema(required, example = 812_300.0)]
    volume_usd_24h: Option<f64>,
    /// What lies of it in pools, to four digits.
    #[schema(required, example = 1_250_000.0)]
    tvl_usd: Option<f64>,
    /// The prices at the ends of the last 24 hours, the last one now, to five
    /// digits; null before the first price.
    #[schema(min_items = 24, max_items = 24, example = json!([3490.1, 3495.2, 3500.3, 3502.7, 3498.4, 3499.1, 3503.8, 3510.2, 3507.5, 3505.1, 3511.4, 3515.9, 3513.3, 3508.6, 3506.2, 3509.7, 3514.8, 3519.5, 3521.1, 3518.3, 3516.9, 3520.4, 3524.6, 3527.2]))]
    sparkline: Vec<Option<f64>>,
}

/// A page of a table of tokens.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TokenTable<'a> {
    /// The tokens of this page.
    content: Vec<TokenRow<'a>>,
    /// Tokens on a full page.
    #[schema(example = 20)]
    size: u64,
    /// This page, from 0.
    #[schema(example = 0)]
    number: u64,
    /// Matching tokens on all pages.
    #[schema(example = 61)]
    total_elements: u64,
    /// Pages that have content.
    #[schema(example = 4)]
    total_pages: u64,
}

/// A table of tokens
///
/// A page of the tokens that match, with what a table shows of each: a hundred of
/// them are less than 15 kB of gzip. A page past the end is empty.
#[utoipa::path(
    get,
    path = "/v3/tokens/table",
    operation_id = "tokenTable",
    tag = "Tokens",
    params(TableQuery),
    responses(
        (status = 200, description = "A page of tokens.", body = TokenTable<'static>),
        (status = 304, description = "The caller has it."),
        QueryAnswers,
    ),
)]
async fn token_table(
    State(state): State<MarketState>,
    known: KnownTags,
    wants: WantsGzip,
    uri: Uri,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(&state);
    let asked = parse::<TableQuery>(&uri)?.read(state.dialect, &mut reading.problems);
    let (view, asked) = reading.finish(Some(asked))?;
    let ranking = state.rankings.of(&view);
    let text = uri.query().unwrap_or_default();
    let page = match ranking.pages.find(text) {
        Some(page) => page,
        None => ranking
            .pages
            .keep(text, || ranking.table(&asked, state.dialect))?,
    };
    Ok(page.answer(&known, wants))
}

impl Ranking {
    fn table(&self, asked: &TableRequest, dialect: Dialect) -> Result<Vec<u8>, Impossible> {
        let view = self.view();
        let tokens = self.sorted(asked, &view);
        let size = asked.size.get();
        let skipped = usize::try_from(asked.page.saturating_mul(size)).unwrap_or(usize::MAX);
        let shown = tokens.iter().skip(skipped);
        let shown = shown.take(usize::try_from(size).unwrap_or(usize::MAX));
        let total = tokens.len() as u64;
        dialect.json(&TokenTable {
            content: shown.map(|token| view.row(token, dialect)).collect(),
            size,
            number: asked.page,
            total_elements: total,
            total_pages: total.div_ceil(size),
        })
    }

    /// All tokens that match, in order.
    fn sorted(&self, asked: &TableRequest, view: &View) -> Vec<Arc<Token>> {
        let found = self.snapshot.tokens.page(&asked.list).content;
        let tokens = found.into_iter().map(|(_, token)| token);
        let Some((figure, direction)) = asked.figure else {
            return tokens.collect();
        };
        let mut keyed: Vec<_> = tokens
            .map(|token| (self.key(figure, &token, view), token))
            .collect();
        // Stable: equals keep the list's order.
        keyed.sort_by(|(a, _), (b, _)| order(*a, *b, direction));
        keyed.into_iter().map(|(_, token)| token).collect()
    }

    fn key(&self, figure: Figure, token: &Token, view: &View) -> Option<f64> {
        let figures = &self.snapshot.figures;
        let id = figures.token(token.address)?;
        match figure {
            Figure::Price => figures.price(id).map(|price| price.usd),
            Figure::Change => figures.change_24h(id, view.now).percentage,
            Figure::Volume => figures.price(id).map(|_| token.daily_volume_usd),
            Figure::Tvl => figures.price(id).and_then(|_| figures.tvl(id)),
        }
    }
}

/// What is not known comes last, whichever way it goes.
fn order(a: Option<f64>, b: Option<f64>, direction: Direction) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => match direction {
            Direction::Ascending => a.total_cmp(&b),
            Direction::Descending => b.total_cmp(&a),
        },
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

impl View {
    fn row<'a>(&self, token: &'a Token, dialect: Dialect) -> TokenRow<'a> {
        let figures = &self.snapshot.figures;
        let id = figures.token(token.address);
        let summary = id.and_then(|id| figures.summary(id, self.now));
        let listing = &token.listing;
        let amount = |number: f64| rounded(number, AMOUNT_DIGITS);
        let change = summary.and_then(|it| it.change_24h.percentage);
        TokenRow {
            address: token.address,
            symbol: &token.metadata.symbol,
            name: &token.metadata.name,
            logo_uri: listing.logo_uri.as_deref(),
            tags: listing.tags.iter().map(|tag| dialect.tag(*tag)).collect(),
            verified: token.is_verified(),
            price_usd: summary.map(|it| it.usd),
            change_24h: change.map(|change| rounded(change, CHANGE_DIGITS)),
            volume_usd_24h: summary.map(|_| amount(token.daily_volume_usd)),
            tvl_usd: summary.map(|it| amount(it.tvl_usd)),
            sparkline: self.sparkline(id),
        }
    }

    fn sparkline(&self, token: Option<TokenId>) -> Vec<Option<f64>> {
        let hour = Resolution::Hour;
        let current = hour.bucket(self.now);
        let span = current + 1 - HOURS..current + 1;
        let figures = &self.snapshot.figures;
        let closes = token.map(|token| figures.closes(token, None, hour, span.clone()));
        let closes = closes.unwrap_or_default();
        span.map(|bucket| {
            closes
                .get(bucket)
                .map(|close| rounded(*close, POINT_DIGITS))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Direction::{Ascending, Descending};

    #[test]
    fn what_is_not_known_comes_last() {
        let sorted = |direction| {
            let mut keys = [Some(1.0), None, Some(3.0), Some(2.0)];
            keys.sort_by(|a, b| order(*a, *b, direction));
            keys
        };
        assert_eq!(sorted(Ascending), [Some(1.0), Some(2.0), Some(3.0), None]);
        assert_eq!(sorted(Descending), [Some(3.0), Some(2.0), Some(1.0), None]);
    }
}
