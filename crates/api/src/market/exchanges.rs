//! `…/exchange-volumes`, `…/exchange-tvl` and their lines.

use super::{
    MarketState,
    answer::Frame,
    date::{Day, Time},
    decimal::Decimal,
    points::{ExchangePoint, ExchangeVolume, ExchangeVolumeV1, Worth},
    query::{DaysQuery, MomentQuery, MomentRangeQuery, RangeQuery, parse},
    reading::{RequestReader, TokenAddress, TokenPath},
    view::View,
};
use crate::http::{
    entity_tag::{EntityTag, KnownTags},
    error::{QueryAnswers, Rejection},
};
use amm::book::VenueId;
use axum::{extract::State, http::Uri, response::Response};
use market::series::{Bucket, Resolution, Sum};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// Routes that are the same in both versions.
pub(super) fn routes() -> [UtoipaMethodRouter<MarketState>; 2] {
    [routes!(exchange_volume_line), routes!(exchange_tvl_line)]
}

/// Routes of their own version.
pub(super) fn own_routes() -> [UtoipaMethodRouter<MarketState>; 4] {
    [
        routes!(exchange_volumes),
        routes!(exchange_volumes_v1),
        routes!(exchange_tvl),
        routes!(exchange_tvl_v1),
    ]
}

/// Volume by exchange
///
/// What was traded of the token at each exchange on the days of the range, both
/// ends included.
#[utoipa::path(
    get,
    path = "/v3/tokens/{tokenAddress}/exchange-volumes",
    operation_id = "exchangeVolumes",
    tag = "Volumes",
    params(TokenAddress, DaysQuery),
    responses(
        (status = 200, description = "One record for each exchange.", body = Vec<ExchangeVolume<'static>>),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn exchange_volumes(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, Rejection> {
    volumes(&state, Shape::Range, &asked, &known, &uri)
}

/// Volume by exchange
///
/// What was traded of the token at each exchange on the days of the range, both
/// ends included.
#[utoipa::path(
    get,
    path = "/v1/tokens/{tokenAddress}/exchange-volumes",
    operation_id = "exchangeVolumesV1",
    tag = "Volumes",
    params(TokenAddress, DaysQuery),
    responses(
        (status = 200, description = "One record for each exchange.", body = Vec<ExchangeVolumeV1<'static>>),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn exchange_volumes_v1(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, Rejection> {
    volumes(&state, Shape::DatedRange, &asked, &known, &uri)
}

/// How a record of days says which.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Range,
    /// With a date beside the range.
    DatedRange,
}

fn volumes(
    state: &MarketState,
    shape: Shape,
    asked: &str,
    known: &KnownTags,
    uri: &Uri,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(state);
    let token = reading.token(asked);
    let now = reading.now();
    let days = parse::<DaysQuery>(uri)?.read(now, &mut reading.problems);
    let (view, (token, (days, range))) = reading.finish(token.zip(days))?;
    let decimals = token.token.metadata.decimals;
    let traded = token.id.map(|id| {
        let figures = &view.snapshot.figures;
        figures.traded(id, range.resolution, &range.span)
    });
    let traded = traded.unwrap_or_default();
    let traded_at = traded.iter().filter(|(_, amounts)| !amounts.is_empty());
    let volumes = traded_at.map(|(venue, amounts)| {
        let total = amounts
            .iter()
            .fold(Sum::default(), |sum, (_, amount)| sum.plus(*amount));
        ExchangeVolume {
            value: Decimal {
                units: total.units,
                decimals,
            },
            value_usd: Decimal::usd(total.usd),
            exchange: view.exchange(*venue),
            start_date: Day(days.start),
            end_date: Day(days.end - 1),
        }
    });
    let body = match shape {
        Shape::Range => state.dialect.json(&volumes.collect::<Vec<_>>()),
        Shape::DatedRange => {
            let dated = volumes.map(ExchangeVolumeV1::from);
            state.dialect.json(&dated.collect::<Vec<_>>())
        }
    }?;
    let newest = traded.iter().filter_map(|(_, amounts)| amounts.last());
    let newest = newest.map(|(bucket, _)| *bucket).max();
    Ok(view.series(body, &range, newest, known))
}

/// Volume by exchange over time
///
/// What was traded of the token at each exchange; one amount for every bucket
/// of the range from the first trade there on. Ascending, several exchanges for
/// one date.
#[utoipa::path(
    get,
    path = "/{version}/tokens/{tokenAddress}/exchange-volumes/line",
    operation_id = "exchangeVolumeLine",
    tag = "Volumes",
    params(TokenAddress, RangeQuery),
    responses(
        (status = 200, description = "The volumes.", body = Vec<ExchangePoint<'static>>),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn exchange_volume_line(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, Rejection> {
    let (view, token, range) = RequestReader::new(&state).ranged(&asked, &uri)?;
    let decimals = token.token.metadata.decimals;
    let traded = token.id.map(|id| {
        let figures = &view.snapshot.figures;
        figures.traded(id, range.resolution, &range.span)
    });
    let traded = traded.unwrap_or_default();
    let (points, newest) = view.line(range.resolution, decimals, &traded, |amount| {
        (amount.units, Worth::Exact(Decimal::usd(amount.usd)))
    });
    let body = state.dialect.json(&points)?;
    Ok(view.series(body, &range, newest, &known))
}

/// TVL by exchange over time
///
/// What lay of the token in each exchange's pools at the end of each bucket, or
/// now, from the first that lay there on. Ascending, several exchanges for one
/// date.
#[utoipa::path(
    get,
    path = "/{version}/tokens/{tokenAddress}/exchange-tvl/line",
    operation_id = "exchangeTvlLine",
    tag = "TVL",
    params(TokenAddress, RangeQuery),
    responses(
        (status = 200, description = "What lay in pools.", body = Vec<ExchangePoint<'static>>),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn exchange_tvl_line(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, Rejection> {
    let (view, token, range) = RequestReader::new(&state).ranged(&asked, &uri)?;
    let decimals = token.token.metadata.decimals;
    let locked = token.id.map(|id| {
        let figures = &view.snapshot.figures;
        figures.locked(id, range.resolution, &range.span)
    });
    let locked = locked.unwrap_or_default();
    let (points, newest) = view.line(range.resolution, decimals, &locked, |locked| {
        (locked.units, Worth::Nearest(locked.usd))
    });
    let body = state.dialect.json(&points)?;
    Ok(view.series(body, &range, newest, &known))
}

/// TVL by exchange
///
/// What lay of the token in each exchange's pools at one moment, to the minute.
#[utoipa::path(
    get,
    path = "/v3/tokens/{tokenAddress}/exchange-tvl",
    operation_id = "exchangeTvl",
    tag = "TVL",
    params(TokenAddress, MomentQuery),
    responses(
        (status = 200, description = "One record for each exchange.", body = Vec<ExchangePoint<'static>>),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn exchange_tvl(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(&state);
    let now = reading.now();
    let moment = parse::<MomentQuery>(&uri)?.read(now, &mut reading.problems);
    tvl(&state, reading, &asked, moment, &known)
}

/// TVL by exchange
///
/// What lay of the token in each exchange's pools at one moment, to the minute.
#[utoipa::path(
    get,
    path = "/v1/tokens/{tokenAddress}/exchange-tvl",
    operation_id = "exchangeTvlV1",
    tag = "TVL",
    params(TokenAddress, MomentQuery, MomentRangeQuery),
    responses(
        (status = 200, description = "One record for each exchange.", body = Vec<ExchangePoint<'static>>),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn exchange_tvl_v1(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(&state);
    let now = reading.now();
    let date = parse::<MomentQuery>(&uri)?;
    let range = parse::<MomentRangeQuery>(&uri)?;
    let moment = range.read(&date, now, &mut reading.problems);
    tvl(&state, reading, &asked, moment, &known)
}

fn tvl(
    state: &MarketState,
    mut reading: RequestReader<'_>,
    asked: &str,
    moment: Option<i64>,
    known: &KnownTags,
) -> Result<Response, Rejection> {
    let token = reading.token(asked);
    let (view, (token, moment)) = reading.finish(token.zip(moment))?;
    let figures = &view.snapshot.figures;
    let locked = token.id.map(|id| figures.locked_at(id, moment));
    let locked = locked.unwrap_or_default().into_iter();
    let points = locked.map(|(venue, locked)| ExchangePoint {
        date: Time(moment),
        value: Decimal {
            units: locked.units,
            decimals: token.token.metadata.decimals,
        },
        value_usd: Worth::Nearest(locked.usd),
        exchange: view.exchange(venue),
    });
    let body = state.dialect.json(&points.collect::<Vec<_>>())?;
    let minute = Resolution::Minute;
    let frame = Frame {
        tag: EntityTag::of(&body),
        is_settled: minute.bucket(moment) < minute.bucket(figures.head_time()),
        partial: None,
    };
    Ok(frame.around(|| body, known))
}

impl View {
    fn exchange(&self, venue: VenueId) -> &str {
        let venue = self.snapshot.pools.registry().venue(venue);
        venue.map_or("", |it| it.name.as_str())
    }

    /// The points of several exchanges in one list, by date and then in the
    /// order of exchanges; and the last date's bucket.
    fn line<T>(
        &self,
        resolution: Resolution,
        decimals: u8,
        venues: &[(VenueId, Vec<(Bucket, T)>)],
        told: impl Fn(&T) -> (u128, Worth),
    ) -> (Vec<ExchangePoint<'_>>, Option<Bucket>) {
        let points = venues.iter().flat_map(|(venue, points)| {
            let points = points.iter();
            points.map(|(bucket, point)| (*bucket, *venue, point))
        });
        let mut points: Vec<_> = points.collect();
        // Stable: exchanges stay in their order.
        points.sort_by_key(|(bucket, ..)| *bucket);
        let newest = points.last().map(|(bucket, ..)| *bucket);
        let points = points.into_iter().map(|(bucket, venue, point)| {
            let (units, value_usd) = told(point);
            ExchangePoint {
                date: Time(resolution.opens(bucket)),
                value: Decimal { units, decimals },
                value_usd,
                exchange: self.exchange(venue),
            }
        });
        (points.collect(), newest)
    }
}
