//! What people say of the chain: lists that are built in, or files.

use crate::{config::Config, network::Network};
use amm::book::{Registry, Venue};
use anyhow::{Context as _, anyhow};
use market::Listings;
use services::Known;
use simnet::StarknetNode;
use std::{fs, path::Path, sync::Arc};

/// No list is larger.
const MAX_LIST_BYTES: u64 = 64 * 1024 * 1024;

const MAINNET: &str = include_str!("../venues/mainnet.json");

/// A list and what to call it when it is wrong.
struct List {
    text: String,
    origin: String,
}

/// Everything that curators say.
pub(crate) fn known(config: &Config, network: Network) -> anyhow::Result<Known> {
    Ok(Known {
        listings: Arc::new(listings(config, network)?),
        venues: Arc::new(venues(config, network)?),
    })
}

/// What is said of tokens.
fn listings(config: &Config, network: Network) -> anyhow::Result<Listings> {
    let built_in = network.is_simulated().then(StarknetNode::token_list);
    let list = list(
        "token list",
        config.starknet.token_list.as_deref(),
        built_in,
    )?;
    let Some(List { text, origin }) = list else {
        return Ok(Listings::default());
    };
    Listings::parse(&text, network.chain_id()).with_context(|| format!("cannot use {origin}"))
}

/// The exchanges that are followed.
fn venues(config: &Config, network: Network) -> anyhow::Result<Registry> {
    let built_in = if network.is_simulated() {
        Some(StarknetNode::venues())
    } else {
        network.is_mainnet().then(|| MAINNET.to_owned())
    };
    let list = list(
        "list of venues",
        config.starknet.venues.as_deref(),
        built_in,
    )?;
    let Some(List { text, origin }) = list else {
        return Ok(Registry::default());
    };
    parse(&text).with_context(|| format!("cannot use {origin}"))
}

/// The list in the file, if one is given, otherwise the built-in one.
fn list(what: &str, file: Option<&Path>, built_in: Option<String>) -> anyhow::Result<Option<List>> {
    let Some(path) = file else {
        let origin = format!("the built-in {what}");
        return Ok(built_in.map(|text| List { text, origin }));
    };
    let origin = format!("the {what} {}", path.display());
    let cannot = || format!("cannot read {origin}");
    if fs::metadata(path).with_context(cannot)?.len() > MAX_LIST_BYTES {
        return Err(anyhow!("{origin} is larger than {MAX_LIST_BYTES} bytes"));
    }
    let text = fs::read_to_string(path).with_context(cannot)?;
    Ok(Some(List { text, origin }))
}

fn parse(text: &str) -> anyhow::Result<Registry> {
    let venues: Vec<Venue> = serde_json::from_str(text).context("not a list of venues")?;
    Ok(Registry::new(venues)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_lists_are_well_formed() {
        for text in [MAINNET.to_owned(), StarknetNode::venues()] {
            assert!(!parse(&text).unwrap().venues().is_empty());
        }
    }

    #[test]
    fn on_a_real_network_no_venue_is_traded_with_whose_rules_are_not_public() {
        let registry = parse(MAINNET).unwrap();
        let enabled = registry.venues().iter().filter(|venue| venue.enabled);
        let names: Vec<_> = enabled.map(|venue| venue.name.as_str()).collect();
        assert_eq!(names, ["Ekubo", "JediSwap", "10kSwap", "JediSwap v2"]);
    }

    #[test]
    fn a_wrong_list_is_refused_with_the_place() {
        let error = parse(r#"[{"name": "x", "kind": "ekubo"}]"#).unwrap_err();
        assert!(
            format!("{error:#}").contains("missing field `contract`"),
            "{error:#}"
        );
        let error = parse(r#"[{"name": "x", "kind": "uniswap", "contract": "0x1"}]"#).unwrap_err();
        assert!(
            format!("{error:#}").contains("unknown variant `uniswap`"),
            "{error:#}"
        );
    }
}
