//! Prices of now: `POST /v3/tokens/prices`, and `GET` and `POST` of
//! `/v1/tokens/prices`.

use super::{
    MarketState,
    answer::json,
    asked_tokens::{AskedToken, TokensBody, addresses},
    json::{List, Record, write_float},
    query::parse,
    reading::{Reading, View},
    schema::{TokenAddresses, TokenPrice, TokenPriceV1},
};
use crate::{
    error::{BodyAnswers, Problems, QueryAnswers, Rejection},
    json::JsonBody,
};
use arc_swap::ArcSwapOption;
use axum::{extract::State, http::Uri, response::Response};
use market::{Token, TokenList};
use primitives::{Address, U256};
use serde::Deserialize;
use services::Snapshot;
use std::sync::{Arc, OnceLock};
use utoipa::IntoParams;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// Tokens in one request.
const MAX_TOKENS: usize = 50;
const MAX_TOKENS_V1: usize = 10;

/// Bytes of a token's price, roughly.
const PRICE_BYTES: usize = 192;

const WEI_PER_ETH: f64 = 1e18;

pub(super) fn routes() -> [UtoipaMethodRouter<MarketState>; 2] {
    [routes!(token_prices), prices_v1()]
}

/// The path that clients also look for where the token list is.
pub(super) fn prices_v1() -> UtoipaMethodRouter<MarketState> {
    routes!(token_prices_v1, post_token_prices_v1)
}

/// Prices of now
///
/// In the order in which the tokens are asked for. Tokens that are not known,
/// or have no price, are left out.
#[utoipa::path(
    post,
    path = "/v3/tokens/prices",
    operation_id = "tokenPrices",
    tag = "Prices",
    request_body = TokenAddresses,
    responses(
        (status = 200, description = "The prices.", body = Vec<TokenPrice>),
        BodyAnswers,
    ),
)]
async fn token_prices(
    State(state): State<MarketState>,
    JsonBody(body): JsonBody<TokensBody>,
) -> Result<Response, Rejection> {
    let mut problems = Problems::default();
    let asked = addresses("tokens", body.tokens, MAX_TOKENS, &mut problems);
    problems.none()?;
    let snapshot = state.snapshots.load().ok_or(Rejection::NotReady)?;
    let beginnings = state.beginnings.of(&snapshot.tokens);
    let names = Names {
        network: format!(",\"{}\":", state.dialect.word("networkMarket")),
        global: format!(",\"{}\":", state.dialect.word("globalMarket")),
        absent_is_null: state.dialect.absent_is_null(),
    };
    let clock = state.clock.now();
    let mut body = Vec::with_capacity(asked.len() * PRICE_BYTES);
    body.push(b'[');
    for address in asked {
        let Some((place, token)) = snapshot.tokens.by_address(address) else {
            continue;
        };
        let network = snapshot.usd(address);
        if network.is_none() && !names.absent_is_null {
            continue;
        }
        if body.len() > 1 {
            body.push(b',');
        }
        body.extend_from_slice(beginnings.of(place, token));
        let global = state.global_market(token, clock).map(|it| it.usd);
        names.write(&mut body, &names.network, network);
        names.write(&mut body, &names.global, global);
        body.push(b'}');
    }
    body.push(b']');
    Ok(json(body))
}

/// What the parts of a price are called.
struct Names {
    network: String,
    global: String,
    absent_is_null: bool,
}

impl Names {
    fn write(&self, out: &mut Vec<u8>, key: &str, usd: Option<f64>) {
        match usd {
            Some(usd) => {
                out.extend_from_slice(key.as_bytes());
                out.extend_from_slice(b"{\"usd\":");
                write_float(out, usd);
                out.push(b'}');
            }
            None if self.absent_is_null => {
                out.extend_from_slice(key.as_bytes());
                out.extend_from_slice(b"null");
            }
            None => {}
        }
    }
}

/// The tokens whose prices are asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct TokensQuery {
    /// A token's address; repeat it for several tokens, at most 10.
    #[param(
        value_type = Vec<String>, style = Form, explode, min_items = 1, max_items = 10,
        example = json!(["0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"])
    )]
    token: Vec<String>,
}

/// Prices of now in USD and ETH
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
    let asked = query.token.iter().map(|text| AskedToken::read(text));
    prices_in_eth(&state, "token", asked.collect(), MAX_TOKENS_V1)
}

/// Prices of now in USD and ETH
///
/// As the `GET` of this path, for up to 50 tokens.
#[utoipa::path(
    post,
    path = "/v1/tokens/prices",
    operation_id = "postTokenPricesV1",
    tag = "Prices",
    request_body = TokenAddresses,
    responses(
        (status = 200, description = "The prices.", body = Vec<TokenPriceV1>),
        BodyAnswers,
    ),
)]
async fn post_token_prices_v1(
    State(state): State<MarketState>,
    JsonBody(body): JsonBody<TokensBody>,
) -> Result<Response, Rejection> {
    prices_in_eth(&state, "tokens", body.tokens, MAX_TOKENS)
}

fn prices_in_eth(
    state: &MarketState,
    name: &str,
    asked: Vec<AskedToken>,
    most: usize,
) -> Result<Response, Rejection> {
    let mut reading = Reading::new(state);
    let asked = addresses(name, asked, most, &mut reading.problems);
    let (view, asked) = reading.finish(Some(asked))?;
    let eth = view.eth();
    let mut list = List::new();
    for address in asked {
        let token = view.snapshot.tokens.by_address(address);
        let Some(((_, token), usd)) = token.zip(view.snapshot.usd(address)) else {
            continue;
        };
        let mut record = Record::new(list.item());
        record.text("address", &token.address.to_string());
        record.whole("decimals", token.metadata.decimals);
        for key in ["usdPrice", "priceInUSD", "priceInUsd"] {
            record.float(key, usd);
        }
        if let Some(eth) = eth {
            let price = usd / eth;
            record.text("priceInETH", &format!("{:#x}", wei(price)));
            record.float("priceInEth", price);
        }
        record.end();
    }
    Ok(json(list.end()))
}

/// A number of ETH in wei, to the nearest one.
fn wei(eth: f64) -> U256 {
    U256::try_from((eth * WEI_PER_ETH).round()).unwrap_or_default()
}

impl View {
    /// The price of ETH: of the verified token of that symbol.
    fn eth(&self) -> Option<f64> {
        let (_, token) = self.snapshot.tokens.by_symbol("ETH")?;
        let usd = token
            .is_verified()
            .then(|| self.snapshot.usd(token.address))?;
        usd.filter(|usd| *usd > 0.0)
    }
}

/// Prices by address.
trait Priced {
    fn usd(&self, address: Address) -> Option<f64>;
}

impl Priced for Snapshot {
    fn usd(&self, address: Address) -> Option<f64> {
        let token = self.figures.token(address)?;
        Some(self.figures.price(token)?.usd)
    }
}

/// How the record of each token begins, written once for as long as the list
/// stays the same.
#[derive(Default)]
pub(super) struct Beginnings(ArcSwapOption<ListBeginnings>);

struct ListBeginnings {
    list: Arc<TokenList>,
    texts: Box<[OnceLock<Box<[u8]>>]>,
}

impl Beginnings {
    fn of(&self, list: &Arc<TokenList>) -> Arc<ListBeginnings> {
        let newest = self.0.load();
        if let Some(beginnings) = newest.as_ref().filter(|it| Arc::ptr_eq(&it.list, list)) {
            return Arc::clone(beginnings);
        }
        let beginnings = Arc::new(ListBeginnings {
            texts: list.tokens().iter().map(|_| OnceLock::new()).collect(),
            list: Arc::clone(list),
        });
        self.0.store(Some(Arc::clone(&beginnings)));
        beginnings
    }
}

impl ListBeginnings {
    fn of(&self, place: usize, token: &Token) -> &[u8] {
        self.texts.get(place).map_or(b"{", |text| {
            text.get_or_init(|| {
                let (address, decimals) = (token.address, token.metadata.decimals);
                format!("{{\"address\":\"{address}\",\"decimals\":{decimals}")
                    .into_bytes()
                    .into()
            })
        })
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
