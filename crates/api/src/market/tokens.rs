//! `GET /v3/tokens`, `GET /v1/tokens`, `GET /v1/tokens/short`, and one token of
//! either version.

use super::{
    MarketState,
    answer::Frame,
    query::{FeedQuery, parse},
    ranking::ListKind,
    reading::{Found, RequestReader, TokenAddress, TokenPath},
    record::{RecordFacts, ShortToken, TokenMarket, TokenMarketV1},
    view::View,
};
use crate::http::{
    compression::WantsGzip,
    entity_tag::{EntityTag, KnownTags},
    error::{QueryAnswers, Rejection},
};
use axum::{extract::State, http::Uri, response::Response};
use market::TokenId;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketState>; 5] {
    [
        routes!(market_tokens),
        routes!(market_token),
        routes!(market_tokens_v1),
        routes!(short_tokens_v1),
        routes!(market_token_v1),
    ]
}

/// Tokens with the largest TVL
///
/// At most 200 tokens that have a price, the largest TVL first, each with its
/// prices of the last seven days.
#[utoipa::path(
    get,
    path = "/v3/tokens",
    operation_id = "marketTokens",
    tag = "Tokens",
    responses(
        (status = 200, description = "The tokens.", body = Vec<TokenMarket<'static>>),
        (status = 304, description = "The caller has them."),
        crate::http::error::PlainAnswers,
    ),
)]
async fn market_tokens(
    State(state): State<MarketState>,
    known: KnownTags,
    wants: WantsGzip,
) -> Result<Response, Rejection> {
    list(&state, ListKind::V3, &known, wants)
}

/// Tokens with the largest TVL
///
/// At most 200 tokens that have a price, the largest TVL first, each with its
/// prices of the last seven days.
#[utoipa::path(
    get,
    path = "/v1/tokens",
    operation_id = "marketTokensV1",
    tag = "Tokens",
    responses(
        (status = 200, description = "The tokens.", body = Vec<TokenMarketV1<'static>>),
        (status = 304, description = "The caller has them."),
        crate::http::error::PlainAnswers,
    ),
)]
async fn market_tokens_v1(
    State(state): State<MarketState>,
    known: KnownTags,
    wants: WantsGzip,
) -> Result<Response, Rejection> {
    list(&state, ListKind::V1, &known, wants)
}

/// Tokens with their prices
///
/// At most 5,000 tokens that have a price, the largest TVL first, with their
/// prices in USD and nothing else.
#[utoipa::path(
    get,
    path = "/v1/tokens/short",
    operation_id = "shortTokensV1",
    tag = "Tokens",
    responses(
        (status = 200, description = "The tokens.", body = Vec<ShortToken<'static>>),
        (status = 304, description = "The caller has them."),
        crate::http::error::PlainAnswers,
    ),
)]
async fn short_tokens_v1(
    State(state): State<MarketState>,
    known: KnownTags,
    wants: WantsGzip,
) -> Result<Response, Rejection> {
    list(&state, ListKind::Short, &known, wants)
}

fn list(
    state: &MarketState,
    kind: ListKind,
    known: &KnownTags,
    wants: WantsGzip,
) -> Result<Response, Rejection> {
    let (view, ()) = RequestReader::new(state).finish(Some(()))?;
    let ranking = state.rankings.of(&view);
    Ok(ranking.list(kind, state)?.answer(known, wants))
}

/// A token and its market
///
/// A token that has no price yet is refused, as one that is not known.
#[utoipa::path(
    get,
    path = "/v3/tokens/{tokenAddress}",
    operation_id = "marketToken",
    tag = "Tokens",
    params(TokenAddress, FeedQuery),
    responses(
        (status = 200, description = "The token.", body = TokenMarket<'static>),
        (status = 304, description = "The caller has it."),
        QueryAnswers,
    ),
)]
async fn market_token(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(&state);
    let token = reading.token(&asked);
    let with_feed = parse::<FeedQuery>(&uri)?.read(&mut reading.problems);
    let (view, (found, with_feed)) = reading.finish(token.zip(with_feed))?;
    let (id, told) = told(&state, &view, &found, &asked)?;
    let week = if with_feed { view.week(id) } else { Vec::new() };
    let body = state.dialect.json(&told.v3(state.dialect, week))?;
    Ok(record(body, &known))
}

/// A token and its market
///
/// A token that has no price yet is refused, as one that is not known.
#[utoipa::path(
    get,
    path = "/v1/tokens/{tokenAddress}",
    operation_id = "marketTokenV1",
    tag = "Tokens",
    params(TokenAddress),
    responses(
        (status = 200, description = "The token.", body = TokenMarketV1<'static>),
        (status = 304, description = "The caller has it."),
        QueryAnswers,
    ),
)]
async fn market_token_v1(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(&state);
    let token = reading.token(&asked);
    let (view, found) = reading.finish(token)?;
    let (id, told) = told(&state, &view, &found, &asked)?;
    let position = state.rankings.of(&view).position(id);
    let told = told.v1(state.dialect, position, view.week(id));
    Ok(record(state.dialect.json(&told)?, &known))
}

/// What there is to tell of a token, or why there is nothing.
fn told<'a>(
    state: &MarketState,
    view: &View,
    found: &'a Found,
    asked: &str,
) -> Result<(TokenId, RecordFacts<'a>), Rejection> {
    let told = found.id.and_then(|id| {
        let told = view.told(state, id, &found.token)?;
        Some((id, told))
    });
    told.ok_or_else(|| {
        let asked = asked.to_owned();
        let unpriced = Rejection::UnpricedToken { asked };
        if state.dialect.unknown_token_is_not_found() {
            unpriced
        } else {
            unpriced.into_invalid()
        }
    })
}

fn record(body: Vec<u8>, known: &KnownTags) -> Response {
    let frame = Frame {
        tag: EntityTag::of(&body),
        ..Frame::default()
    };
    frame.around(|| body, known)
}
