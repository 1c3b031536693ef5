//! Answers of an aggregator, read with caution: they come from outside.

use super::GlobalMarket;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// What an answer says.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Answer {
    /// Of tokens that have a price, by their names.
    pub(super) markets: HashMap<String, GlobalMarket>,
    /// Items that make no sense.
    pub(super) skipped: usize,
}

#[derive(Deserialize)]
struct Item {
    id: String,
    current_price: Option<f64>,
    market_cap: Option<f64>,
    fully_diluted_valuation: Option<f64>,
    market_cap_change_24h: Option<f64>,
    market_cap_change_percentage_24h: Option<f64>,
}

impl Answer {
    /// Reads a list of items. One that makes no sense is left out; what is no
    /// list says nothing.
    pub(super) fn parse(body: &[u8]) -> serde_json::Result<Self> {
        let items: Vec<&RawValue> = serde_json::from_slice(body)?;
        let mut answer = Self::default();
        for item in items {
            match serde_json::from_str(item.get()).ok().and_then(market) {
                Some((id, Some(market))) => {
                    answer.markets.insert(id, market);
                }
                Some((_, None)) => {}
                None => answer.skipped += 1,
            }
        }
        Ok(answer)
    }
}

/// The token and what is said of it, which is nothing without a price; nothing
/// at all if a number cannot be true.
fn market(item: Item) -> Option<(String, Option<GlobalMarket>)> {
    let amounts = [
        item.current_price,
        item.market_cap,
        item.fully_diluted_valuation,
    ];
    let changes = [
        item.market_cap_change_24h,
        item.market_cap_change_percentage_24h,
    ];
    let is_sound = amounts.iter().flatten().all(|amount| *amount >= 0.0)
        && amounts
            .iter()
            .chain(&changes)
            .flatten()
            .all(|n| n.is_finite());
    if !is_sound {
        return None;
    }
    let market_cap = item.market_cap.unwrap_or_default();
    let market = item.current_price.map(|usd| GlobalMarket {
        usd,
        market_cap,
        fdv: item.fully_diluted_valuation.unwrap_or(market_cap),
        market_cap_change_24h: item.market_cap_change_24h.unwrap_or_default(),
        market_cap_change_percentage_24h: item.market_cap_change_percentage_24h.unwrap_or_default(),
    });
    Some((item.id, market))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(body: &str) -> Answer {
        Answer::parse(body.as_bytes()).unwrap()
    }

    #[test]
    fn an_item_is_read_and_what_else_it_says_is_passed_over() {
        let answer = parse(
            r#"[{"id": "ethereum", "symbol": "eth", "current_price": 3000.5, "market_cap": 9,
                "fully_diluted_valuation": 10, "market_cap_change_24h": -2.5,
                "market_cap_change_percentage_24h": -21.7, "roi": {"times": 1}}]"#,
        );
        let expected = GlobalMarket {
            usd: 3000.5,
            market_cap: 9.0,
            fdv: 10.0,
            market_cap_change_24h: -2.5,
            market_cap_change_percentage_24h: -21.7,
        };
        assert_eq!(answer.markets["ethereum"], expected);
        assert_eq!((answer.markets.len(), answer.skipped), (1, 0));
    }

    #[test]
    fn without_a_price_a_token_is_unknown_and_other_gaps_are_filled() {
        let answer = parse(
            r#"[{"id": "a", "current_price": null, "market_cap": 5},
                {"id": "b", "current_price": 2, "market_cap": 7, "fully_diluted_valuation": null},
                {"id": "c", "current_price": 0}]"#,
        );
        assert_eq!(answer.skipped, 0);
        assert!(!answer.markets.contains_key("a"));
        let bare = |usd, market_cap| GlobalMarket {
            usd,
            market_cap,
            fdv: market_cap,
            market_cap_change_24h: 0.0,
            market_cap_change_percentage_24h: 0.0,
        };
        assert_eq!(answer.markets["b"], bare(2.0, 7.0));
        assert_eq!(answer.markets["c"], bare(0.0, 0.0));
    }

    #[test]
    fn an_item_that_makes_no_sense_costs_no_other() {
        for wrong in [
            "null",
            "3",
            r#"{"current_price": 1}"#,
            r#"{"id": 3, "current_price": 1}"#,
            r#"{"id": "x", "current_price": "1"}"#,
            r#"{"id": "x", "current_price": -1}"#,
            r#"{"id": "x", "current_price": 1e999}"#,
            r#"{"id": "x", "current_price": 1, "market_cap": -0.5}"#,
            r#"{"id": "x", "current_price": 1, "market_cap_change_24h": 1e400}"#,
        ] {
            let answer = parse(&format!(r#"[{wrong}, {{"id": "y", "current_price": 1}}]"#));
            assert_eq!(answer.skipped, 1, "{wrong}");
            assert_eq!(answer.markets.keys().collect::<Vec<_>>(), ["y"], "{wrong}");
        }
    }

    #[test]
    fn what_is_no_list_says_nothing() {
        for body in [
            "",
            "{}",
            "[",
            r#"{"error": "x"}"#,
            "[1,]",
            "<html>",
            "\u{0}",
        ] {
            assert!(Answer::parse(body.as_bytes()).is_err(), "{body}");
        }
        assert!(Answer::parse(b"[\"\xff\"]").is_err());
    }

    proptest! {
        #[test]
        fn every_number_that_is_believed_is_finite(numbers in proptest::array::uniform5(
            proptest::option::of(prop_oneof!["-?[1-9][0-9]{0,3}(e-?[0-9]{1,3})?", "-?0", "null"]),
        )) {
            let names = ["current_price", "market_cap", "fully_diluted_valuation",
                "market_cap_change_24h", "market_cap_change_percentage_24h"];
            let fields = names.iter().zip(&numbers).filter_map(|(name, number)| {
                number.as_ref().map(|number| format!(r#", "{name}": {number}"#))
            });
            let body = format!(r#"[{{"id": "x"{}}}]"#, fields.collect::<String>());
            let Ok(answer) = Answer::parse(body.as_bytes()) else { return Ok(()) };
            for market in answer.markets.values() {
                let amounts = [market.usd, market.market_cap, market.fdv];
                prop_assert!(amounts.iter().all(|amount| amount.is_finite() && *amount >= 0.0));
                prop_assert!(market.market_cap_change_24h.is_finite());
                prop_assert!(market.market_cap_change_percentage_24h.is_finite());
            }
        }
    }
}
