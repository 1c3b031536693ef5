//! The exchanges of the network, for those who follow them.

use crate::starknet::contracts::ekubo::Rounding;
use crate::starknet::contracts::pairs::{
    JEDISWAP, NOSTRA, SITHSWAP, STARKDEFI, TEN_K_SWAP, Venue, my_swap,
};
use crate::starknet::contracts::{ekubo, jediswap_v2, vault};
use primitives::{Address, Felt, felt_to_hex};
use serde_json::{Map, Value, json};

/// The venues that are made of pairs, with the names of their kinds.
static PAIRS: [(&str, &Venue); 5] = [
    ("jedi_swap", &JEDISWAP),
    ("10k_swap", &TEN_K_SWAP),
    ("sith_swap", &SITHSWAP),
    ("stark_defi", &STARKDEFI),
    ("nostra", &NOSTRA),
];

/// The list as JSON.
pub(crate) fn render() -> String {
    let mut venues: Vec<Value> = PAIRS
        .iter()
        .map(|(kind, venue)| {
            let classes = [(venue.pair_class_hash(), "usual")];
            let rules = &venue.rules;
            let venue = entry((rules.name, kind), rules.factory, &classes, &[]);
            routed(venue, rules.router)
        })
        .collect();
    let classes = [(my_swap::class_hash(), "usual")];
    let venue = entry(("mySwap", "my_swap"), my_swap::MY_SWAP, &classes, &[]);
    venues.push(routed(venue, my_swap::MY_SWAP));
    let classes = [(jediswap_v2::pool_class_hash(), "usual")];
    let name = ("JediSwap v2", "jedi_swap_v2");
    venues.push(entry(name, jediswap_v2::FACTORY, &classes, &[]));
    let classes = [
        (ekubo::core_class_hash(Rounding::Older), "ekubo_older"),
        (ekubo::core_class_hash(Rounding::Exact), "ekubo_exact"),
    ];
    let extensions = [(ekubo::ORACLE, "oracle")];
    let venue = entry(("Ekubo", "ekubo"), ekubo::CORE, &classes, &extensions);
    venues.push(routed(venue, ekubo::CORE));
    let classes = [(vault::class_hash(), "usual")];
    let venue = entry(("Endur", "endur"), vault::STAKED_STRK, &classes, &[]);
    venues.push(routed(venue, vault::STAKED_STRK));
    Value::from(venues).to_string()
}

/// The venue with the address by which the exchange contract knows it.
fn routed(mut venue: Value, router: Felt) -> Value {
    if let Some(fields) = venue.as_object_mut() {
        fields.insert("router".to_owned(), address(router).into());
    }
    venue
}

fn address(felt: Felt) -> String {
    Address::new(felt).to_padded_hex()
}

fn entry(
    (name, kind): (&str, &str),
    contract: Felt,
    classes: &[(Felt, &str)],
    extensions: &[(Felt, &str)],
) -> Value {
    let named = |key: fn(Felt) -> String, list: &[(Felt, &str)]| -> Map<String, Value> {
        let entries = list.iter().map(|(felt, name)| (key(*felt), (*name).into()));
        entries.collect()
    };
    json!({
        "name": name,
        "kind": kind,
        "contract": address(contract),
        "startBlock": 0,
        "classes": named(felt_to_hex, classes),
        "extensions": named(address, extensions),
        "enabled": true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_venue_is_listed_once_with_its_classes() {
        let list: Value = serde_json::from_str(&render()).unwrap();
        let venues = list.as_array().unwrap();
        let kinds: BTreeSet<&str> = venues
            .iter()
            .map(|venue| venue["kind"].as_str().unwrap())
            .collect();
        let contracts: BTreeSet<&str> = venues
            .iter()
            .map(|venue| venue["contract"].as_str().unwrap())
            .collect();
        assert_eq!((kinds.len(), contracts.len()), (9, 9));
        for venue in venues {
            let classes = venue["classes"].as_object().unwrap().len();
            let ranges = venue["kind"] == "ekubo";
            assert_eq!(classes, if ranges { 2 } else { 1 });
            let extensions = venue["extensions"].as_object().unwrap().len();
            assert_eq!(extensions, usize::from(ranges));
            // The exchange contract has no adapter for one of them.
            let routed = usize::from(venue["kind"] != "jedi_swap_v2");
            assert_eq!(venue.as_object().unwrap().len(), 7 + routed);
        }
    }
}
