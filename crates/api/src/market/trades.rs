//! `GET /v3/tokens/{tokenAddress}/trades`.

use super::{
    MarketState,
    answer::Frame,
    export::{Format, FormatQuery, WantedFormat, varied},
    query::parse,
    reading::{RequestReader, TokenAddress, TokenPath},
    trade_body::{TradeBody, TradePageBody},
    trade_export,
    trade_query::{TradeQuery, cursor_text},
};
use crate::http::{
    entity_tag::{EntityTag, KnownTags},
    error::{QueryAnswers, Rejection},
};
use axum::{extract::State, http::Uri, response::Response};
use services::TradesAsked;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketState>; 1] {
    [routes!(token_trades)]
}

/// Trades of a token
///
/// Every trade of the token with a pool, newest first: what routers and
/// aggregators do is the trades that they make. `next` goes on with the trades
/// before these, whatever blocks came in between; after a reorganisation the
/// trades are those of the new blocks. A file has all of them from `cursor` on, at
/// most 50,000, whatever `limit` says; `to` asks for those before.
#[utoipa::path(
    get,
    path = "/v3/tokens/{tokenAddress}/trades",
    operation_id = "tokenTrades",
    tag = "Trades",
    params(TokenAddress, TradeQuery, FormatQuery),
    responses(
        (status = 200, description = "The trades.", content(
            (TradePageBody<'static> = "application/json"),
            (String = "text/csv"),
            (String = "application/vnd.apache.parquet"),
        )),
        (status = 304, description = "The caller has them."),
        QueryAnswers,
    ),
)]
async fn token_trades(
    State(state): State<MarketState>,
    TokenPath(asked): TokenPath,
    known: KnownTags,
    wanted: WantedFormat,
    uri: Uri,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(&state);
    let token = reading.token(&asked);
    let query = parse::<TradeQuery>(&uri)?.read(&mut reading.problems);
    let format = wanted.read(&mut reading.problems);
    let (_, ((found, query), format)) = reading.finish(token.zip(query).zip(format))?;
    let asked = TradesAsked {
        token: found.token.address,
        span: query.span,
        before: query.before,
        limit: match format {
            Format::Json => query.limit,
            Format::File(_) => trade_export::PAGE,
        },
    };
    let page = state.trades.page(&asked).await?;
    let page = page.ok_or(Rejection::NoHistory)?;
    let decimals = found.token.metadata.decimals;
    if let Format::File(file) = format {
        let name = format!("{}-trades", asked.token);
        let rows = trade_export::rows(state.trades.clone(), asked, decimals, page);
        return Ok(file.answer(&name, &trade_export::COLUMNS, rows));
    }
    let trades = page.trades.iter();
    let trades = trades.filter_map(|trade| TradeBody::new(trade, decimals, &page.snapshot));
    let body = state.dialect.json(&TradePageBody {
        content: trades.collect(),
        next: page.next.map(cursor_text),
    })?;
    let frame = Frame {
        tag: EntityTag::of(&body),
        ..Frame::default()
    };
    Ok(varied(frame.around(|| body, &known)))
}
