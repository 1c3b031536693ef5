//! `…/prices/line`, `…/prices/candle` and `…/volumes/line`, of both versions.

use super::{
    MarketState,
    answer::Frame,
    date::Time,
    decimal::Decimal,
    pages::{Feed, SeriesKey},
    points::{Candle, PricePoint, VolumePoint},
    query::{QuoteQuery, Range, RangeQuery},
    reading::{Currency, RequestReader, TokenAddress, TokenPath},
    series::Series,
    view::View,
};
use crate::http::{
    compression::WantsGzip,
    entity_tag::{EntityTag, KnownTags},
    error::{QueryAnswers, Rejection},
};
use axum::{extract::State, http::Uri, response::Response};
use market::series::Bucket;
use std::sync::Arc;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketState>; 3] {
    [
        routes!(price_line),
        routes!(price_candles),
        routes!(volume_line),
    ]
}

/// Prices over time
///
/// One price for every bucket of the range from the token's first price on: its
/// candle's close. Ascending, without gaps.
#[utoipa::path(
    get,
    path = "/{version}/tokens/{tokenAddress}/prices/line",
    operation_id = "priceLine",
    tag = "Prices",
    params(TokenAddress, QuoteQuery, RangeQuery),
    responses(
        (status = 200, description = "The prices.", body = Vec<PricePoint>),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn price_line(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    wants: WantsGzip,
    uri: Uri,
) -> Result<Response, Rejection> {
    feed(&state, Feed::Closes, &asked, (&known, wants), &uri)
}

/// Candles
///
/// One candle for every bucket of the range from the token's first price on.
/// Each opens where the one before closed. Ascending, without gaps.
#[utoipa::path(
    get,
    path = "/{version}/tokens/{tokenAddress}/prices/candle",
    operation_id = "priceCandles",
    tag = "Prices",
    params(TokenAddress, QuoteQuery, RangeQuery),
    responses(
        (status = 200, description = "The candles.", body = Vec<Candle>),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn price_candles(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    wants: WantsGzip,
    uri: Uri,
) -> Result<Response, Rejection> {
    feed(&state, Feed::Candles, &asked, (&known, wants), &uri)
}

fn feed(
    state: &MarketState,
    feed: Feed,
    asked: &str,
    (known, wants): (&KnownTags, WantsGzip),
    uri: &Uri,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(state);
    let token = reading.token(asked);
    let currency = reading.currency(uri);
    let range = reading.range(uri);
    let (view, ((token, currency), range)) = reading.finish(token.zip(currency).zip(range))?;
    let quote = match currency {
        Currency::Usd => Some(None),
        Currency::Token(quote) => quote.map(Some),
    };
    let series = match token.id.zip(quote) {
        Some((token, quote)) => {
            let key = SeriesKey { token, quote, feed };
            state.series.of(&*view.snapshot, key, &range)
        }
        None => Arc::new(Series::empty()),
    };
    let frame = view.frame(series.tag, &range, series.newest);
    Ok(frame.around(|| series.body.content(wants), known))
}

/// Transferred volume over time
///
/// What was transferred of the token, in trades or not; one amount for every
/// bucket of the range from its first transfer on. Ascending, without gaps.
#[utoipa::path(
    get,
    path = "/{version}/tokens/{tokenAddress}/volumes/line",
    operation_id = "volumeLine",
    tag = "Volumes",
    params(TokenAddress, RangeQuery),
    responses(
        (status = 200, description = "The volumes.", body = Vec<VolumePoint>),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn volume_line(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, Rejection> {
    let (view, token, range) = RequestReader::new(&state).ranged(&asked, &uri)?;
    let decimals = token.token.metadata.decimals;
    let amounts = token.id.map(|id| {
        let figures = &view.snapshot.figures;
        figures.transferred(id, range.resolution, range.span.clone())
    });
    let amounts = amounts.unwrap_or_default();
    let points = amounts.iter().map(|(bucket, amount)| VolumePoint {
        date: Time(range.resolution.opens(*bucket)),
        value: Decimal {
            units: amount.units,
            decimals,
        },
        value_usd: Decimal::usd(amount.usd),
    });
    let body = state.dialect.json(&points.collect::<Vec<_>>())?;
    let newest = amounts.last().map(|(bucket, _)| *bucket);
    Ok(view.series(body, &range, newest, &known))
}

impl View {
    /// Whether a range has ended before the newest block.
    fn is_settled(&self, range: &Range) -> bool {
        let head = range.resolution.bucket(self.snapshot.figures.head_time());
        !range.span.is_empty() && range.span.end <= head
    }

    /// An answer with items of a range, the last of which is of bucket `newest`.
    pub(super) fn series(
        &self,
        body: Vec<u8>,
        range: &Range,
        newest: Option<Bucket>,
        known: &KnownTags,
    ) -> Response {
        let frame = self.frame(EntityTag::of(&body), range, newest);
        frame.around(|| body, known)
    }

    /// What surrounds them.
    fn frame(&self, tag: EntityTag, range: &Range, newest: Option<Bucket>) -> Frame {
        let partial = range.partial.filter(|it| newest == Some(*it));
        Frame {
            tag,
            is_settled: self.is_settled(range),
            partial: partial.map(|it| range.resolution.opens(it)),
        }
    }
}
