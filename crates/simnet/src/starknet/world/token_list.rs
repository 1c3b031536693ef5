//! What curators would say about the network's tokens.

use super::tokens::tail::{self, TAIL};
use super::tokens::well_known::WELL_KNOWN;
use crate::starknet::network::CHAIN_ID;
use primitives::{Address, Felt, felt_to_hex, short_string};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const PLATFORM: [&str; 2] = ["AGORA", "ΣΤΟΑ"];
const COMMUNITY: [&str; 8] = ["DRM", "OBOL", "OWL", "LYC", "TRI", "PRHS", "OLIVE", "黄金"];
const UNRUGGABLE: [&str; 4] = ["ZENO", "MINO", "GLAUX", "ROCKET"];

/// Listed tokens that have no picture.
const WITHOUT_LOGO: [&str; 4] = ["UNO", "LUSD", "TRI", "GLAUX"];

/// The list as JSON in the token-lists convention.
pub(crate) fn render() -> String {
    let mut tokens: Vec<Value> = WELL_KNOWN
        .iter()
        .map(|known| {
            let metadata = (known.name, known.symbol, known.decimals);
            entry(known.address, metadata, &["Verified"], known.aggregator_id)
        })
        .collect();
    tokens.extend(
        TAIL.iter()
            .enumerate()
            .filter_map(|(index, (name, symbol, decimals, _))| {
                let tags = tags(symbol)?;
                Some(entry(
                    tail::address(index),
                    (name, symbol, *decimals),
                    tags,
                    None,
                ))
            }),
    );
    json!({
        "name": "Stoa simulated network",
        "timestamp": "2026-01-01T00:00:00+00:00",
        "version": {"major": 1, "minor": 0, "patch": 0},
        "tags": {
            "Verified": {"name": "Verified", "description": "Checked by hand"},
            "Community": {"name": "Community", "description": "Vouched for by users"},
            "Unruggable": {"name": "Unruggable", "description": "Launched with locked liquidity"},
            "PLATFORM": {"name": "Platform", "description": "Of this service's own ecosystem"},
        },
        "tokens": tokens,
    })
    .to_string()
}

fn tags(symbol: &str) -> Option<&'static [&'static str]> {
    if PLATFORM.contains(&symbol) {
        Some(&["PLATFORM", "Verified"])
    } else if COMMUNITY.contains(&symbol) {
        Some(&["Community"])
    } else if UNRUGGABLE.contains(&symbol) {
        Some(&["Unruggable"])
    } else {
        None
    }
}

fn entry(
    address: Felt,
    (name, symbol, decimals): (&str, &str, u32),
    tags: &[&str],
    aggregator_id: Option<&str>,
) -> Value {
    let extensions: BTreeMap<&str, &str> = aggregator_id
        .map(|id| ("aggregatorId", id))
        .into_iter()
        .collect();
    let logo = (symbol.is_ascii() && !WITHOUT_LOGO.contains(&symbol)).then(|| {
        let file = symbol.to_ascii_lowercase();
        format!("https://tokens.stoa.example/{file}.svg")
    });
    let mut entry = json!({
        "chainId": felt_to_hex(short_string(CHAIN_ID)),
        "address": Address::new(address).to_padded_hex(),
        "name": name,
        "symbol": symbol,
        "decimals": decimals,
        "tags": tags,
        "extensions": extensions,
    });
    if let (Some(logo), Some(fields)) = (logo, entry.as_object_mut()) {
        fields.insert("logoURI".to_owned(), logo.into());
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tag_is_used_and_look_alikes_are_not_listed() {
        let list: Value = serde_json::from_str(&render()).unwrap();
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        let tokens = list["tokens"].as_array().unwrap();
        for tag in tokens
            .iter()
            .flat_map(|token| token["tags"].as_array().unwrap())
        {
            *uses.entry(tag.as_str().unwrap()).or_default() += 1;
        }
        let expected = [
            ("Community", 8),
            ("PLATFORM", 2),
            ("Unruggable", 4),
            ("Verified", 19),
        ];
        assert_eq!(uses, BTreeMap::from(expected));
        assert!(list["tags"].as_object().unwrap().len() == uses.len());
        let usdc = tokens.iter().filter(|token| token["symbol"] == "USDC");
        assert_eq!(usdc.count(), 1);
        assert!(tokens.iter().any(|token| token.get("logoURI").is_none()));
    }
}
