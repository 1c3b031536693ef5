//! `…/prices/line`, `…/prices/candle` and `…/volumes/line`, of both versions.

use super::{
    MarketState,
    answer::Frame,
    date::Time,
    decimal::Decimal,
    export::{Format, FormatQuery, WantedFormat, varied},
    pages::{Feed, SeriesKey},
    points::{Candle, PricePoint, VolumePoint},
    query::{QuoteQuery, Range, RangeQuery},
    reading::{Currency, RequestReader, TokenAddress, TokenPath},
    series::Series,
    series_export,
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
    params(TokenAddress, QuoteQuery, RangeQuery, FormatQuery),
    responses(
        (status = 200, description = "The prices.", content(
            (Vec<PricePoint> = "application/json"),
            (String = "text/csv"),
            (String = "application/vnd.apache.parquet"),
        )),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn price_line(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    wants: WantsGzip,
    wanted: WantedFormat,
    uri: Uri,
) -> Result<Response, Rejection> {
    feed(&state, Feed::Closes, &asked, (&known, wants, &wanted), &uri)
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
    params(TokenAddress, QuoteQuery, RangeQuery, FormatQuery),
    responses(
        (status = 200, description = "The candles.", content(
            (Vec<Candle> = "application/json"),
            (String = "text/csv"),
            (String = "application/vnd.apache.parquet"),
        )),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn price_candles(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    wants: WantsGzip,
    wanted: WantedFormat,
    uri: Uri,
) -> Result<Response, Rejection> {
    feed(
        &state,
        Feed::Candles,
        &asked,
        (&known, wants, &wanted),
        &uri,
    )
}

fn feed(
    state: &MarketState,
    feed: Feed,
    asked: &str,
    (known, wants, wanted): (&KnownTags, WantsGzip, &WantedFormat),
    uri: &Uri,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(state);
    let token = reading.token(asked);
    let currency = reading.currency(uri);
    let range = reading.range(uri);
    let format = wanted.read(&mut reading.problems);
    let read = token.zip(currency).zip(range).zip(format);
    let (view, (((token, currency), range), format)) = reading.finish(read)?;
    let quote = match currency {
        Currency::Usd => Some(None),
        Currency::Token(quote) => quote.map(Some),
    };
    let key = token.id.zip(quote);
    let key = key.map(|(token, quote)| SeriesKey { token, quote, feed });
    if let Format::File(file) = format {
        let name = format!("{}-prices", token.token.address);
        let rows = series_export::prices(view.snapshot, key, range);
        return Ok(file.answer(&name, feed.columns(), rows));
    }
    let series = match key {
        Some(key) => state.series.of(&*view.snapshot, key, &range),
        None => Arc::new(Series::empty()),
    };
    let frame = view.frame(series.tag, &range, series.newest);
    Ok(varied(frame.around(|| series.body.content(wants), known)))
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
    params(TokenAddress, RangeQuery, FormatQuery),
    responses(
        (status = 200, description = "The volumes.", content(
            (Vec<VolumePoint> = "application/json"),
            (String = "text/csv"),
            (String = "application/vnd.apache.parquet"),
        )),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn volume_line(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    wanted: WantedFormat,
    uri: Uri,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(&state);
    let (token, range) = (reading.token(&asked), reading.range(&uri));
    let format = wanted.read(&mut reading.problems);
    let (view, ((token, range), format)) = reading.finish(token.zip(range).zip(format))?;
    let decimals = token.token.metadata.decimals;
    if let Format::File(file) = format {
        let name = format!("{}-volumes", token.token.address);
        let rows = series_export::volumes(view.snapshot, token.id, decimals, range);
        return Ok(file.answer(&name, &series_export::VOLUMES, rows));
    }
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
    Ok(varied(view.series(body, &range, newest, &known)))
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
