//! Reads the query of the list of pools. Everything wrong with it is told at
//! once.

use super::table_query::{DEFAULT_SIZE, MAX_PAGE, MAX_SIZE};
use crate::http::{
    error::{Problems, shown},
    query_values::{once, read_number, read_truth},
};
use primitives::Address;
use serde::Deserialize;
use utoipa::IntoParams;

/// Tokens of a pool.
const MAX_TOKENS: usize = 2;

/// The query as it is sent; only `token` may be repeated.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct PoolQuery {
    /// Pools with this token; repeat it for pools between two.
    #[param(
        value_type = Option<Vec<String>>, style = Form, explode, max_items = 2,
        example = json!(["0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"])
    )]
    token: Vec<String>,
    /// Pools of the venue of this name, in any case.
    #[param(value_type = Option<String>, example = "Ekubo")]
    venue: Vec<String>,
    /// `true` for pools that routes pass, `false` for the others.
    #[param(value_type = Option<bool>, example = true)]
    tradable: Vec<String>,
    /// `tvl`: the largest first. Volumes are counted by venue and not by pool, so
    /// that there is no order by them.
    #[param(value_type = Option<String>, default = "tvl", pattern = "^tvl$", example = "tvl")]
    sort: Vec<String>,
    /// The page, from 0.
    #[param(value_type = Option<u64>, minimum = 0, maximum = 1_000_000_000, default = 0, example = 0)]
    page: Vec<String>,
    /// Pools on a page.
    #[param(value_type = Option<u64>, minimum = 1, maximum = 100, default = 20, example = 20)]
    size: Vec<String>,
}

/// Which pools are asked for.
#[derive(Debug, Default)]
pub(super) struct PoolRequest {
    pub(super) tokens: Vec<Address>,
    /// In lower case.
    pub(super) venue: Option<String>,
    pub(super) tradable: Option<bool>,
    pub(super) page: u64,
    pub(super) size: u64,
}

impl PoolQuery {
    pub(super) fn read(&self, problems: &mut Problems) -> PoolRequest {
        if let Some(sort) = once("sort", &self.sort, problems)
            && sort != "tvl"
        {
            problems.add(format!("sort must be tvl, not {}", shown(sort)));
        }
        let page = read_number("page", &self.page, 0..=MAX_PAGE, problems);
        let size = read_number("size", &self.size, 1..=MAX_SIZE, problems);
        PoolRequest {
            tokens: read_tokens(&self.token, problems),
            venue: once("venue", &self.venue, problems).map(str::to_lowercase),
            tradable: read_truth("tradable", &self.tradable, problems),
            page: page.unwrap_or(0),
            size: size.unwrap_or(DEFAULT_SIZE),
        }
    }
}

fn read_tokens(given: &[String], problems: &mut Problems) -> Vec<Address> {
    if given.len() > MAX_TOKENS {
        problems.add(format!("token may be given at most {MAX_TOKENS} times"));
        return Vec::new();
    }
    let mut tokens = Vec::new();
    for text in given {
        match text.parse() {
            Ok(token) => tokens.push(token),
            Err(error) => problems.add(format!("token {} {error}", shown(text))),
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::super::query::parse;
    use super::*;

    fn problems(query: &str) -> Problems {
        let uri = format!("http://stoa/?{query}").parse().unwrap();
        let mut problems = Problems::default();
        parse::<PoolQuery>(&uri).unwrap().read(&mut problems);
        problems
    }

    #[test]
    fn everything_wrong_is_told() {
        for right in ["", "token=0x1&token=0x2", "venue=ekubo&sort=tvl&size=100"] {
            assert!(problems(right).is_empty(), "{right}");
        }
        for wrong in [
            "token=0x1&token=0x2&token=0x3",
            "token=ETH",
            "tradable=yes",
            "sort=volume",
            "venue=a&venue=b",
            "size=0",
        ] {
            assert!(!problems(wrong).is_empty(), "{wrong}");
        }
    }
}
