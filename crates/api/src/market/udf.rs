//! `/udf`: the data feed that `TradingView`'s charting library asks for bars, in
//! its own words. A chart is pointed at it as it is.

use super::{
    MarketState,
    answer::Frame,
    decimal::Decimal,
    query::parse,
    reading::RequestReader,
    udf_body::{EXCHANGE, KIND, UdfConfig, UdfFound, UdfHistory, UdfSymbol},
    udf_query::{Bars, HistoryQuery, SearchQuery, SymbolQuery},
    view::View,
};
use crate::http::{
    entity_tag::{EntityTag, KnownTags},
    error::{PlainAnswers, Problems, QueryAnswers, Rejection, shown},
    json_answer::Json,
    retry_after,
};
use axum::{
    extract::State,
    http::{Uri, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use market::{Token, TokenId, TokenQuery};
use primitives::{Address, Impossible};
use serde::Serialize;
use std::{num::NonZeroU64, sync::Arc};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketState>; 5] {
    [
        routes!(udf_config),
        routes!(udf_symbols),
        routes!(udf_search),
        routes!(udf_history),
        routes!(udf_time),
    ]
}

/// A refusal, in both languages: charts read `s` and `errmsg`.
struct UdfRefusal(Rejection);

#[derive(Serialize)]
struct UdfRefusalBody {
    s: &'static str,
    errmsg: String,
    messages: Vec<String>,
}

impl From<Rejection> for UdfRefusal {
    fn from(rejection: Rejection) -> Self {
        Self(rejection)
    }
}

impl From<Impossible> for UdfRefusal {
    fn from(impossible: Impossible) -> Self {
        Self(impossible.into())
    }
}

impl IntoResponse for UdfRefusal {
    fn into_response(self) -> Response {
        let Self(rejection) = self;
        let (status, retry_after_s) = (rejection.status(), rejection.retry_after_s());
        let messages = rejection.into_messages();
        let body = Json(UdfRefusalBody {
            s: "error",
            errmsg: messages.join("; "),
            messages,
        });
        let mut response = (status, body).into_response();
        retry_after::write(retry_after_s, response.headers_mut());
        response
    }
}

/// What the feed of charts can do
///
/// In the words of `TradingView`'s UDF, as all of `/udf`: refusals have `s` and
/// `errmsg` beside their messages.
#[utoipa::path(
    get,
    path = "/udf/config",
    operation_id = "udfConfig",
    tag = "Charts",
    responses(
        (status = 200, description = "What it can do.", body = UdfConfig),
        (status = 304, description = "The caller has it."),
        PlainAnswers,
    ),
)]
async fn udf_config(
    State(state): State<MarketState>,
    known: KnownTags,
) -> Result<Response, UdfRefusal> {
    RequestReader::new(&state).finish(Some(()))?;
    answer(&state, &UdfConfig::new(), &known)
}

/// A symbol of a chart
///
/// Of several tokens with one symbol a verified one is meant, then the one with
/// the largest volume. One that has no price yet is refused as one that is not
/// known.
#[utoipa::path(
    get,
    path = "/udf/symbols",
    operation_id = "udfSymbols",
    tag = "Charts",
    params(SymbolQuery),
    responses(
        (status = 200, description = "The symbol.", body = UdfSymbol<'static>),
        (status = 304, description = "The caller has it."),
        QueryAnswers,
    ),
)]
async fn udf_symbols(
    State(state): State<MarketState>,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, UdfRefusal> {
    let mut reading = RequestReader::new(&state);
    let symbol = parse::<SymbolQuery>(&uri)?.read(&mut reading.problems);
    let (view, symbol) = reading.finish(symbol)?;
    let (id, token) = view.charted(&symbol)?;
    let price = view.snapshot.figures.price(id);
    let usd = price.map_or(0.0, |price| price.usd);
    let metadata = &token.metadata;
    let ticker = token.address.to_string();
    let body = UdfSymbol::new(&metadata.symbol, &metadata.name, ticker, usd);
    answer(&state, &body, &known)
}

/// Symbols that match
///
/// Tokens that have a price, as the token list finds them.
#[utoipa::path(
    get,
    path = "/udf/search",
    operation_id = "udfSearch",
    tag = "Charts",
    params(SearchQuery),
    responses(
        (status = 200, description = "The symbols.", body = Vec<UdfFound<'static>>),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn udf_search(
    State(state): State<MarketState>,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, UdfRefusal> {
    let mut reading = RequestReader::new(&state);
    let search = parse::<SearchQuery>(&uri)?.read(EXCHANGE, KIND, &mut reading.problems);
    let (view, search) = reading.finish(Some(search))?;
    let page = view.snapshot.tokens.page(&TokenQuery {
        search: search.text,
        tags: Vec::new(),
        sort: Vec::new(),
        page: 0,
        size: NonZeroU64::MAX,
    });
    let tokens = page.content.iter().filter(|_| search.finds);
    let priced = tokens.filter(|(_, token)| view.priced(token.address).is_some());
    let found = priced.take(search.limit).map(|(_, token)| UdfFound {
        symbol: &token.metadata.symbol,
        full_name: format!("{EXCHANGE}:{}", token.metadata.symbol),
        description: &token.metadata.name,
        exchange: EXCHANGE,
        ticker: token.address.to_string(),
        kind: KIND,
    });
    answer(&state, &found.collect::<Vec<_>>(), &known)
}

/// Bars of a chart
///
/// The candles of a token in USD, in columns.
#[utoipa::path(
    get,
    path = "/udf/history",
    operation_id = "udfHistory",
    tag = "Charts",
    params(HistoryQuery),
    responses(
        (status = 200, description = "The bars.", body = UdfHistory),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn udf_history(
    State(state): State<MarketState>,
    known: KnownTags,
    uri: Uri,
) -> Result<Response, UdfRefusal> {
    let mut reading = RequestReader::new(&state);
    let asked = parse::<HistoryQuery>(&uri)?.read(&mut reading.problems);
    let (view, (symbol, bars)) = reading.finish(asked)?;
    let (id, _) = view.charted(&symbol)?;
    answer(&state, &view.history(id, &bars), &known)
}

/// The time of the market
///
/// In whole seconds since 1970 UTC, as text.
#[utoipa::path(
    get,
    path = "/udf/time",
    operation_id = "udfTime",
    tag = "Charts",
    responses(
        (status = 200, description = "The time.", body = String, content_type = "text/plain"),
        PlainAnswers,
    ),
)]
async fn udf_time(State(state): State<MarketState>) -> Result<Response, UdfRefusal> {
    let (view, ()) = RequestReader::new(&state).finish(Some(()))?;
    Ok(([(CONTENT_TYPE, "text/plain")], view.now.to_string()).into_response())
}

fn answer(
    state: &MarketState,
    body: &impl Serialize,
    known: &KnownTags,
) -> Result<Response, UdfRefusal> {
    let body = state.dialect.json(body)?;
    let frame = Frame {
        tag: EntityTag::of(&body),
        ..Frame::default()
    };
    Ok(frame.around(|| body, known))
}

impl View {
    /// The token that a chart means.
    fn charted(&self, symbol: &str) -> Result<(TokenId, &Arc<Token>), Rejection> {
        let tokens = &self.snapshot.tokens;
        let bare = symbol.rsplit(':').next().unwrap_or(symbol);
        let found = match bare.parse::<Address>() {
            Ok(address) if bare.starts_with("0x") => tokens.by_address(address),
            _ => tokens.by_symbol(bare),
        };
        let priced = found.and_then(|(_, token)| Some((self.priced(token.address)?, token)));
        priced.ok_or_else(|| {
            Rejection::Invalid(Problems::from(format!("unknown_symbol {}", shown(symbol))))
        })
    }

    fn priced(&self, address: Address) -> Option<TokenId> {
        let figures = &self.snapshot.figures;
        let id = figures.token(address)?;
        figures.price(id).map(|_| id)
    }

    fn history(&self, token: TokenId, bars: &Bars) -> UdfHistory {
        let resolution = bars.resolution;
        let current = resolution.bucket(self.now);
        let to = bars.to.unwrap_or(i64::MAX).min(self.now + 1);
        let end = resolution.bucket(to - 1) + 1;
        let start = bars.start(end);
        let figures = &self.snapshot.figures;
        let candles = figures.candles(token, None, resolution, start..end.max(start));
        if candles.items().is_empty() {
            let first = figures.first_price(token).map(|it| resolution.bucket(it));
            let is_later = first.is_some_and(|first| first < start);
            let newest = current.min(start - 1);
            return UdfHistory {
                s: "no_data",
                next_time: is_later.then(|| resolution.opens(newest)),
                ..UdfHistory::default()
            };
        }
        let mut history = UdfHistory {
            s: "ok",
            ..UdfHistory::default()
        };
        for (bucket, candle) in candles.iter() {
            history.t.push(resolution.opens(bucket));
            history.o.push(candle.open);
            history.h.push(candle.high);
            history.l.push(candle.low);
            history.c.push(candle.close);
            history.v.push(Decimal::usd(candle.volume));
        }
        history
    }
}
