//! The market API: prices, candles, volumes and TVL of tokens, answered from
//! the figures of the newest block.

mod answer;
mod asked_tokens;
mod current;
mod date;
mod decimal;
mod exchanges;
mod export;
mod items;
mod kept_answers;
mod kept_pages;
mod lists;
mod logo;
mod pages;
mod points;
mod pool_board;
mod pool_body;
mod pool_id;
mod pool_query;
mod pools;
mod prices;
mod query;
mod ranking;
mod reading;
mod record;
mod resolution;
mod rounded;
mod series;
mod series_export;
mod state;
mod stream;
mod table;
mod table_query;
mod token_price;
mod tokens;
mod trade_body;
mod trade_export;
mod trade_query;
mod trades;
mod udf;
mod udf_body;
mod udf_query;
mod view;

use crate::http::error::ErrorBody;
use axum::Router;
pub(crate) use state::MarketState;
use utoipa::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Stoa: market data",
        description = "Prices, candles, volumes and TVL of the tokens of a Starknet network, as \
            of the newest block. There is one price of a token at a time; candles are its course. \
            All times are UTC: a bucket begins with its `date` and ends before the next one. \
            Weeks begin on Monday. Series are ascending and without gaps, and the last point may \
            be a bucket that has not ended yet, which the header `X-Partial-Bucket` says. \
            Amounts and USD volumes are exact decimals. Addresses are hexadecimal, padded or not. \
            Unknown query parameters are ignored. Every refusal is `{\"messages\": [...]}`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    tags(
        (name = "Tokens", description = "Tokens and their markets."),
        (name = "Prices", description = "Prices of now and over time."),
        (name = "Volumes", description = "What was transferred and traded."),
        (name = "Trades", description = "Every trade of a token."),
        (name = "TVL", description = "What lies in pools."),
        (name = "Stream", description = "What is new, as it happens."),
        (name = "Pools", description = "Pools and their depth, and the exchanges that they belong to."),
        (name = "Charts", description = "The data feed that TradingView's charting library asks for bars."),
    ),
    components(schemas(ErrorBody, resolution::ResolutionName)),
)]
struct Description;

/// Schemas and their properties that may be absent, or null, as the dialect
/// has it.
pub(crate) const ABSENT: [(&str, &str); 3] = [
    ("TokenMarket", "global"),
    ("TokenPrice", "globalMarket"),
    ("TokenPrice", "networkMarket"),
];

/// Schemas and their properties that no published API has.
pub(crate) const ADDED: [(&str, &str); 2] = [
    ("NetworkFigures", "usdTvlUncounted"),
    ("MarketV1", "networkTvlUncounted"),
];

/// Series that have the same shape in both versions.
const VERSIONS: [&str; 2] = ["v3", "v1"];

pub(crate) fn routes() -> OpenApiRouter<MarketState> {
    let series = VERSIONS.into_iter().flat_map(|version| {
        let series = prices::routes().into_iter().chain(exchanges::routes());
        series.map(move |route| at_version(route, version))
    });
    current::routes()
        .into_iter()
        .chain(tokens::routes())
        .chain(table::routes())
        .chain(pools::routes())
        .chain(trades::routes())
        .chain(udf::routes())
        .chain(exchanges::own_routes())
        .chain(stream::routes())
        .chain(series)
        .fold(
            OpenApiRouter::with_openapi(Description::openapi()),
            OpenApiRouter::routes,
        )
}

/// Pictures of tokens: a page shows dozens of them, so that no limit counts them.
pub(crate) fn pictures() -> OpenApiRouter<MarketState> {
    OpenApiRouter::new().routes(logo::route())
}

/// Prices of now, which clients also look for where the token list is.
pub(crate) fn trade_routes() -> Router<MarketState> {
    OpenApiRouter::new().routes(current::prices_v1()).into()
}

/// Puts a version where the path has `{version}`, and into the operation's id.
fn at_version<S>(
    (schemas, mut paths, methods): UtoipaMethodRouter<S>,
    version: &str,
) -> UtoipaMethodRouter<S> {
    let named = paths.paths.into_iter().map(|(path, mut item)| {
        if let (Some(operation), "v1") = (&mut item.get, version) {
            operation.operation_id = operation.operation_id.take().map(|id| id + "V1");
        }
        (path.replace("{version}", version), item)
    });
    paths.paths = named.collect();
    (schemas, paths, methods)
}
