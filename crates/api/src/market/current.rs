//! Prices of now: `POST /v3/tokens/prices`, and `GET` and `POST` of
//! `/v1/tokens/prices`.

use super::{
    MarketState,
    answer::json,
    asked_tokens::{TokensBody, each_once},
    query::parse,
    reading::RequestReader,
    token_price::{TokenPrice, TokenPriceV1, UsdPrice},
    view::View,
};
use crate::http::{
    compression::WantsGzip,
    content::KeptBody,
    error::{BodyAnswers, Problems, QueryAnswers, Rejection},
    json::JsonText,
};
use axum::{extract::State, http::Uri, response::Response};
use market::Token;
use primitives::{Address, Impossible, U256};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// Tokens in one request.
const MAX_TOKENS: usize = 50;
const MAX_TOKENS_V1: usize = 10;

const WEI_PER_ETH: f64 = 1e18;

pub(super) fn routes() -> [UtoipaMethodRouter<MarketState>; 2] {
    [routes!(token_prices), prices_v1()]
}

/// The path that clients also look for where the token list is.
pub(super) fn prices_v1() -> UtoipaMethodRouter<MarketState> {
    routes!(token_prices_v1, post_token_prices_v1)
}

/// Current prices
///
/// In the order in which the tokens are asked for. Tokens that are not known,
/// or have no price, are left out.
#[utoipa::path(
    post,
    path = "/v3/tokens/prices",
    operation_id = "tokenPrices",
    tag = "Prices",
    request_body = TokensBody<'static>,
    responses(
        (status = 200, description = "The prices.", body = Vec<TokenPrice>),
        BodyAnswers,
    ),
)]
async fn token_prices(
    State(state): State<MarketState>,
    wants: WantsGzip,
    body: JsonText,
) -> Result<Response, Rejection> {
    let (snapshot, second) = (state.snapshots.load(), state.clock.now().as_second());
    let kept = snapshot.and_then(|snapshot| state.answers.find(&snapshot, second, &body));
    if let Some(answer) = kept {
        return Ok(json(answer.content(wants)));
    }
    let asked: TokensBody<'_> = body.parse()?;
    let (view, asked) = read(&state, "tokens", &asked.texts(), MAX_TOKENS)?;
    let answer = KeptBody::new(told(&state, &view, asked)?);
    state.answers.keep(&view, &body, &answer);
    Ok(json(answer.content(wants)))
}

/// The prices of tokens, as far as there are any.
fn told(state: &MarketState, view: &View, asked: Vec<Address>) -> Result<Vec<u8>, Impossible> {
    let dialect = state.dialect;
    let prices = asked.into_iter().filter_map(|address| {
        let (_, token) = view.snapshot.tokens.by_address(address)?;
        let network_market = dialect.optional(view.usd(token).map(UsdPrice::new));
        let global = state.global_market(token, view.snapshot.head, view.clock);
        (!network_market.is_absent()).then(|| TokenPrice {
            address,
            decimals: token.metadata.decimals,
            network_market,
            global_market: dialect.optional(global.map(|it| UsdPrice::new(it.usd))),
        })
    });
    dialect.json(&prices.collect::<Vec<_>>())
}

/// The tokens that a request names.
fn read(
    state: &MarketState,
    name: &str,
    asked: &[&str],
    most: usize,
) -> Result<(View, Vec<Address>), Rejection> {
    let mut reading = RequestReader::new(state);
    let mut problems = Problems::default();
    let asked = each_once(name, asked, most, &mut problems);
    reading.problems = problems;
    reading.finish(Some(asked))
}

/// The tokens whose prices are asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct TokensQuery {
    /// A token's address; repeat it for several tokens, at most 10.
    #[param(
        value_type = Vec<String>, required = true, style = Form, explode, min_items = 1, max_items = 10,
        example = json!(["0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"])
    )]
    token: Vec<String>,
}

/// Current prices in USD and ETH
///
/// In the order in which the tokens are asked for. Tokens that are not known,
/// or have no price, are left out.
#[utoipa::path(
    get,
    path = "/v1/tokens/prices",
    operation_id = "tokenPricesV1",
    tag = "Prices",
    params(TokensQuery),
    responses(
        (status = 200, description = "The prices.", body = Vec<TokenPriceV1>),
        QueryAnswers,
    ),
)]
async fn token_prices_v1(
    State(state): State<MarketState>,
    uri: Uri,
) -> Result<Response, Rejection> {
    let query = parse::<TokensQuery>(&uri)?;
    let asked: Vec<&str> = query.token.iter().map(String::as_str).collect();
    prices_in_eth(&state, "token", &asked, MAX_TOKENS_V1)
}

/// Current prices in USD and ETH
///
/// As the `GET` of this path, for up to 50 tokens.
#[utoipa::path(
    post,
    path = "/v1/tokens/prices",
    operation_id = "postTokenPricesV1",
    tag = "Prices",
    request_body = TokensBody<'static>,
    responses(
        (status = 200, description = "The prices.", body = Vec<TokenPriceV1>),
        BodyAnswers,
    ),
)]
async fn post_token_prices_v1(
    State(state): State<MarketState>,
    body: JsonText,
) -> Result<Response, Rejection> {
    let body: TokensBody<'_> = body.parse()?;
    prices_in_eth(&state, "tokens", &body.texts(), MAX_TOKENS)
}

fn prices_in_eth(
    state: &MarketState,
    name: &str,
    asked: &[&str],
    most: usize,
) -> Result<Response, Rejection> {
    let (view, asked) = read(state, name, asked, most)?;
    let eth = view.eth();
    let prices = asked.into_iter().filter_map(|address| {
        let (_, token) = view.snapshot.tokens.by_address(address)?;
        let usd = view.usd(token)?;
        let price_in_eth = eth.map(|eth| usd / eth);
        Some(TokenPriceV1 {
            address,
            decimals: token.metadata.decimals,
            usd_price: usd,
            price_in_usd: usd,
            price_in_usd_number: usd,
            price_in_eth: price_in_eth.map(|price| format!("{:#x}", wei(price))),
            price_in_eth_number: price_in_eth,
        })
    });
    Ok(json(state.dialect.json(&prices.collect::<Vec<_>>())?))
}

/// A number of ETH in wei, to the nearest one.
fn wei(eth: f64) -> U256 {
    U256::try_from((eth * WEI_PER_ETH).round()).unwrap_or_default()
}

impl View {
    /// The price of ETH: of the verified token of that symbol.
    fn eth(&self) -> Option<f64> {
        let (_, token) = self.snapshot.tokens.by_symbol("ETH")?;
        let usd = token.is_verified().then(|| self.usd(token))?;
        usd.filter(|usd| *usd > 0.0)
    }

    fn usd(&self, token: &Token) -> Option<f64> {
        let figures = &self.snapshot.figures;
        Some(figures.price(figures.token(token.address)?)?.usd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_in_eth_is_whole_wei() {
        assert_eq!(wei(1.0), U256::from(1_000_000_000_000_000_000_u128));
        assert_eq!(wei(1.4e-18), U256::from(1_u8));
        assert_eq!(format!("{:#x}", wei(0.0)), "0x0");
        assert_eq!(wei(f64::INFINITY), U256::ZERO);
    }
}
