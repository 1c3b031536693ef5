//! A simulated aggregator of global market data, which knows the prices that
//! the world's own market follows. It answers as the public ones do.

use super::node::StarknetNode;
use super::world::Outside;
use crate::fault::AGGREGATOR;
use crate::transport::respond;
use axum::Json;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use primitives::Timestamp;
use serde_json::{Value, json};
use std::collections::HashSet;
use url::form_urlencoded;

/// Tokens in one answer.
const MAX_PER_PAGE: usize = 250;

const USUAL_PER_PAGE: usize = 100;

/// What is asked for. Other parameters of the public ones change nothing.
#[derive(Debug, PartialEq)]
struct Question {
    /// All tokens, unless some are named.
    ids: Option<HashSet<String>>,
    per_page: usize,
    /// From 1.
    page: usize,
}

pub(crate) fn router(node: StarknetNode) -> axum::Router {
    axum::Router::new()
        .route("/aggregator/api/v3/coins/markets", get(markets))
        .with_state(node)
}

async fn markets(State(node): State<StarknetNode>, RawQuery(query): RawQuery) -> Response {
    let fault = node.take_fault(AGGREGATOR);
    let question = match Question::parse(query.as_deref().unwrap_or_default()) {
        Ok(question) => question,
        Err(problem) => {
            return (StatusCode::BAD_REQUEST, Json(json!({"error": problem}))).into_response();
        }
    };
    // Blocks in the making hold the chain.
    let answered = tokio::task::spawn_blocking(move || {
        let now = node.now();
        (node.read().world().outside(now), now)
    });
    match answered.await {
        Ok((outside, now)) => {
            let answer = question.answer(&outside, now).to_string();
            respond(Some(answer), fault).await
        }
        Err(error) => {
            tracing::error!(%error, "a request to the simulated aggregator failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

impl Question {
    fn parse(query: &str) -> Result<Self, String> {
        let mut question = Self {
            ids: None,
            per_page: USUAL_PER_PAGE,
            page: 1,
        };
        let mut currency = None;
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match name.as_ref() {
                "vs_currency" => currency = Some(value.to_ascii_lowercase()),
                "ids" => {
                    let ids = value.split(',').map(|id| id.trim().to_owned());
                    question.ids = Some(ids.collect());
                }
                "per_page" => question.per_page = number(&name, &value, MAX_PER_PAGE)?,
                "page" => question.page = number(&name, &value, usize::MAX)?,
                _ => {}
            }
        }
        match currency.as_deref() {
            Some("usd") => Ok(question),
            Some(_) => Err("invalid vs_currency: only usd is simulated".to_owned()),
            None => Err("missing parameter vs_currency".to_owned()),
        }
    }

    /// The page of tokens that is asked for.
    fn answer(&self, outside: &[Outside], now: u64) -> Value {
        let time = i64::try_from(now).ok().map(Timestamp::from_second);
        let time = time.and_then(Result::ok).unwrap_or(Timestamp::MAX);
        let wanted = |token: &Outside| self.ids.as_ref().is_none_or(|ids| ids.contains(token.id));
        outside
            .iter()
            .zip(1_u32..)
            .filter(|(token, _)| wanted(token))
            .skip(self.per_page.saturating_mul(self.page - 1))
            .take(self.per_page)
            .map(|(token, rank)| item(token, rank, time))
            .collect()
    }
}

fn number(name: &str, text: &str, most: usize) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| (1..=most).contains(number))
        .ok_or_else(|| format!("invalid {name}"))
}

fn item(token: &Outside, rank: u32, time: Timestamp) -> Value {
    let before = token.usd_before * token.circulating;
    let change = token.market_cap() - before;
    json!({
        "id": token.id,
        "symbol": token.symbol.to_lowercase(),
        "name": token.name,
        "current_price": token.usd,
        "market_cap": token.market_cap(),
        "market_cap_rank": rank,
        "fully_diluted_valuation": token.usd * token.supply,
        "market_cap_change_24h": change,
        "market_cap_change_percentage_24h": change / before * 100.0,
        "circulating_supply": token.circulating,
        "total_supply": token.supply,
        "last_updated": time.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(id: &'static str) -> Outside {
        Outside {
            id,
            name: "Token",
            symbol: "TKN",
            usd: 3.0,
            usd_before: 4.0,
            supply: 100.0,
            circulating: 50.0,
        }
    }

    fn ids(query: &str) -> Vec<String> {
        let outside = ["a", "b", "c", "d"].map(token);
        let question = Question::parse(query).unwrap();
        let answer = question.answer(&outside, 1_800_000_000);
        let items = answer.as_array().unwrap().iter();
        items
            .map(|item| item["id"].as_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn named_tokens_are_listed_and_unknown_names_left_out() {
        assert_eq!(ids("vs_currency=usd"), ["a", "b", "c", "d"]);
        assert_eq!(ids("vs_currency=USD&ids=c%2Cx,%20a,"), ["a", "c"]);
        assert!(ids("vs_currency=usd&ids=").is_empty());
    }

    #[test]
    fn pages_follow_each_other() {
        assert_eq!(ids("vs_currency=usd&per_page=3"), ["a", "b", "c"]);
        assert_eq!(ids("vs_currency=usd&per_page=3&page=2"), ["d"]);
        let beyond = format!("vs_currency=usd&per_page=250&page={}", usize::MAX);
        assert!(ids(&beyond).is_empty());
    }

    #[test]
    fn a_wrong_question_is_refused_with_the_parameter() {
        for (query, problem) in [
            ("", "missing parameter vs_currency"),
            (
                "vs_currency=eur",
                "invalid vs_currency: only usd is simulated",
            ),
            ("vs_currency=usd&per_page=251", "invalid per_page"),
            ("vs_currency=usd&per_page=0", "invalid per_page"),
            ("vs_currency=usd&page=0", "invalid page"),
            ("vs_currency=usd&page=x", "invalid page"),
        ] {
            assert_eq!(Question::parse(query).unwrap_err(), problem, "{query}");
        }
    }

    #[test]
    fn figures_fit_together() {
        let item = item(&token("a"), 7, Timestamp::UNIX_EPOCH);
        assert_eq!(item["market_cap"], 150.0);
        assert_eq!(item["fully_diluted_valuation"], 300.0);
        assert_eq!(item["market_cap_change_24h"], -50.0);
        assert_eq!(item["market_cap_change_percentage_24h"], -25.0);
        assert_eq!(item["market_cap_rank"], 7);
        assert_eq!(item["last_updated"], "1970-01-01T00:00:00Z");
    }
}
