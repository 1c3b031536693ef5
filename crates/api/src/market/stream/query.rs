//! What a stream is asked for.

use super::super::{query::parse, resolution};
use crate::http::error::{Problems, Rejection, shown};
use axum::http::Uri;
use market::series::Resolution;
use primitives::Address;
use serde::Deserialize;
use std::str::FromStr;
use utoipa::IntoParams;

/// Tokens and series of one stream at most.
const MAX_TOKENS: usize = 50;
const MAX_SERIES: usize = 8;

/// What is told beside blocks and reorganisations, which always are.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct StreamQuery {
    /// A token whose price is told; repeat it for several, at most 50. One that is
    /// not known or has no price is told once it has one.
    #[param(
        value_type = Option<Vec<String>>, style = Form, explode, max_items = 50,
        example = json!(["0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"])
    )]
    tokens: Vec<String>,
    /// A token and a resolution, with a colon between them, whose newest candles in
    /// USD are told; repeat it for several, at most 8.
    #[param(
        value_type = Option<Vec<String>>, style = Form, explode, max_items = 8,
        example = json!(["0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7:1H"])
    )]
    series: Vec<String>,
    /// An account; it is told when something about its recurring orders changes.
    #[param(value_type = Option<String>, example = "0x64b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691")]
    trader: Vec<String>,
}

/// What a stream tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) tokens: Vec<Address>,
    pub(super) series: Vec<WantedSeries>,
    pub(super) trader: Option<Address>,
}

/// The candles of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WantedSeries {
    pub(super) token: Address,
    pub(super) resolution: Resolution,
}

impl Wanted {
    pub(super) fn of(uri: &Uri) -> Result<Self, Rejection> {
        let query: StreamQuery = parse(uri)?;
        let mut problems = Problems::default();
        let tokens = distinct("tokens", &query.tokens, MAX_TOKENS, &mut problems, address);
        let series = distinct("series", &query.series, MAX_SERIES, &mut problems, series);
        let trader = distinct("trader", &query.trader, 1, &mut problems, address);
        problems.none()?;
        Ok(Self {
            tokens,
            series,
            trader: trader.first().copied(),
        })
    }
}

/// What a parameter names, each once, in the order in which they first appear.
fn distinct<T: PartialEq>(
    name: &str,
    given: &[String],
    most: usize,
    problems: &mut Problems,
    read: impl Fn(&str, &str, &mut Problems) -> Option<T>,
) -> Vec<T> {
    if given.len() > most {
        let (times, count) = match most {
            1 => ("once".to_owned(), given.len()),
            _ => (format!("{most} times"), given.len()),
        };
        problems.add(format!("{name} may be given {times}, not {count}"));
        return Vec::new();
    }
    let mut all = Vec::with_capacity(given.len());
    for text in given {
        let read = read(name, text, problems);
        all.extend(read.filter(|it| !all.contains(it)));
    }
    all
}

fn address(name: &str, text: &str, problems: &mut Problems) -> Option<Address> {
    let read = Address::from_str(text);
    if let Err(error) = &read {
        problems.add(format!("{name}: {} {error}", shown(text)));
    }
    read.ok()
}

fn series(name: &str, text: &str, problems: &mut Problems) -> Option<WantedSeries> {
    let Some((token, resolution)) = text.split_once(':') else {
        problems.add(format!(
            "{name}: {} must be a token's address, a colon and a resolution",
            shown(text)
        ));
        return None;
    };
    let token = address(name, token, problems);
    let resolution = resolution::read(resolution, problems);
    let (token, resolution) = token.zip(resolution)?;
    Some(WantedSeries { token, resolution })
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::Felt;
    use proptest::prelude::*;

    fn read(query: &str) -> Result<Wanted, Vec<String>> {
        let uri = format!("http://stoa/?{query}").parse().unwrap();
        Wanted::of(&uri).map_err(Rejection::into_messages)
    }

    fn token(number: u64) -> Address {
        Address::new(Felt::from(number))
    }

    #[test]
    fn everything_is_optional_and_told_once() {
        assert_eq!(read("utm=1"), Ok(Wanted::default()));
        let wanted = read("tokens=0x1&tokens=0x02&tokens=0x1&series=0x1:1H&trader=0x7").unwrap();
        assert_eq!(wanted.tokens, [token(1), token(2)]);
        let series = WantedSeries {
            token: token(1),
            resolution: Resolution::Hour,
        };
        assert_eq!(wanted.series, [series]);
        assert_eq!(wanted.trader, Some(token(7)));
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once() {
        let messages =
            read("tokens=ETH&series=0x1&series=0x1:2H&trader=0x1&trader=0x2").unwrap_err();
        assert_eq!(messages.len(), 4, "{messages:?}");
        assert!(messages[0].starts_with("tokens: \"ETH\" "), "{messages:?}");
        let colon = "series: \"0x1\" must be a token's address, a colon and a resolution";
        assert_eq!(messages[1], colon);
        assert_eq!(
            messages[2],
            "resolution must be one of 1, 5, 15, 1H, 4H, 1D, 1W, 1M, 1Y, not \"2H\""
        );
        assert_eq!(messages[3], "trader may be given once, not 2");
        let many = "tokens=0x1&".repeat(51);
        let expected = ["tokens may be given 50 times, not 51".to_owned()];
        assert_eq!(read(&many).unwrap_err(), expected);
    }

    proptest! {
        #[test]
        fn no_query_makes_it_panic(query in "((tokens|series|trader)=[0-9a-fx:1HZ%]{0,12}&?){0,5}") {
            if let Ok(uri) = format!("http://stoa/?{query}").parse() {
                let _ = Wanted::of(&uri);
            }
        }
    }
}
