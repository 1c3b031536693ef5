//! What people say of the chain: lists that are built in, or files.

use crate::{config::Config, exchange::order_factory, network::Network, staking::pools};
use amm::book::{Registry, Venue};
use anyhow::{Context as _, anyhow};
use market::{Listings, following::Following, price::AnchorList};
use primitives::Address;
use serde::Deserialize;
use services::{GlobalFeed, Known, RecurringOrders, Staking};
use simnet::StarknetNode;
use std::{fs, path::Path, sync::Arc};

/// No list is larger.
const MAX_LIST_BYTES: u64 = 64 * 1024 * 1024;

const MAINNET_VENUES: &str = include_str!("../venues/mainnet.json");
const MAINNET_ANCHORS: &str = include_str!("../anchors/mainnet.json");
const SEPOLIA_VENUES: &str = include_str!("../venues/sepolia.json");
const SEPOLIA_ANCHORS: &str = include_str!("../anchors/sepolia.json");

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
        anchors: Arc::new(anchors(config, network)?),
        following: Arc::new(following(config, network)),
        global: GlobalFeed::default(),
    })
}

/// What is followed beside venues: the factory of recurring orders, and them; the
/// pools of the staker.
fn following(config: &Config, network: Network) -> Following {
    let factory = order_factory(config, network);
    let mut leads = Staking::leads(pools(config, network), config.staking.pools_from);
    leads.extend(factory.map(RecurringOrders::lead));
    Following {
        leads,
        ..Following::default()
    }
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

/// The list of exchanges as it was written; none where none is known.
pub(crate) fn venue_list(config: &Config, network: Network) -> anyhow::Result<Option<String>> {
    Ok(listed_venues(config, network)?.map(|list| list.text))
}

fn listed_venues(config: &Config, network: Network) -> anyhow::Result<Option<List>> {
    let built_in = built_in(
        network,
        StarknetNode::venues,
        [MAINNET_VENUES, SEPOLIA_VENUES],
    );
    list(
        "list of venues",
        config.starknet.venues.as_deref(),
        built_in,
    )
}

/// The exchanges that are followed.
fn venues(config: &Config, network: Network) -> anyhow::Result<Registry> {
    let Some(List { text, origin }) = listed_venues(config, network)? else {
        return Ok(Registry::default());
    };
    parse(&text, network.is_simulated()).with_context(|| format!("cannot use {origin}"))
}

/// The tokens that prices hang on.
fn anchors(config: &Config, network: Network) -> anyhow::Result<AnchorList> {
    let built_in = built_in(
        network,
        StarknetNode::anchors,
        [MAINNET_ANCHORS, SEPOLIA_ANCHORS],
    );
    let list = list(
        "list of anchors",
        config.starknet.anchors.as_deref(),
        built_in,
    )?;
    let Some(List { text, origin }) = list else {
        return Ok(AnchorList::default());
    };
    AnchorList::parse(&text).with_context(|| format!("cannot use {origin}"))
}

/// The list that comes with the program, where it has one for the network.
fn built_in(
    network: Network,
    simulated: fn() -> String,
    [mainnet, sepolia]: [&str; 2],
) -> Option<String> {
    if network.is_simulated() {
        Some(simulated())
    } else if network.is_mainnet() {
        Some(mainnet.to_owned())
    } else {
        network.is_sepolia().then(|| sepolia.to_owned())
    }
}

/// What an operator has to name before anything can be traded here, if anything.
pub(crate) fn lacking(known: &Known, exchange: Option<Address>) -> Vec<&'static str> {
    let mut lacking = Vec::new();
    if known.venues.venues().is_empty() {
        lacking.push("no exchange is known here: name a list in starknet.venues");
    }
    if known.anchors.stables.is_empty() {
        lacking.push("no dollar is known here: name a list in starknet.anchors");
    }
    if exchange.is_none() {
        lacking.push("no contract that executes swaps is known here: name it in swap.exchange");
    }
    lacking
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

/// What a list says of whether a venue is traded with, if it says so.
#[derive(Deserialize)]
struct Choice {
    enabled: Option<bool>,
}

/// The venues of a list. On a real network those whose rule is our own are only
/// watched unless the list says otherwise.
fn parse(text: &str, is_simulated: bool) -> anyhow::Result<Registry> {
    let mut venues: Vec<Venue> = serde_json::from_str(text).context("not a list of venues")?;
    let choices: Vec<Choice> = serde_json::from_str(text).context("not a list of venues")?;
    for (venue, choice) in venues.iter_mut().zip(choices) {
        let is_trusted = is_simulated || !venue.kind.has_own_rule();
        venue.enabled = choice.enabled.unwrap_or(is_trusted);
    }
    Ok(Registry::new(venues)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::Felt;

    #[test]
    fn the_built_in_lists_are_well_formed() {
        for text in [MAINNET_VENUES, SEPOLIA_VENUES, &StarknetNode::venues()] {
            assert!(!parse(text, true).unwrap().venues().is_empty());
        }
        for (text, counts) in [
            (MAINNET_ANCHORS, (3, 3)),
            (SEPOLIA_ANCHORS, (2, 2)),
            (&StarknetNode::anchors(), (3, 3)),
        ] {
            let anchors = AnchorList::parse(text).unwrap();
            assert_eq!((anchors.stables.len(), anchors.hubs.len()), counts);
        }
    }

    #[test]
    fn what_a_network_lacks_is_said() {
        let nothing = Known::default();
        assert_eq!(lacking(&nothing, None).len(), 3);
        let sepolia = Known {
            venues: Arc::new(parse(SEPOLIA_VENUES, false).unwrap()),
            anchors: Arc::new(AnchorList::parse(SEPOLIA_ANCHORS).unwrap()),
            ..Known::default()
        };
        assert!(lacking(&sepolia, Some(Address::new(Felt::ONE))).is_empty());
        let [text] = lacking(&sepolia, None)[..] else {
            panic!("one thing is missing")
        };
        assert!(text.ends_with("swap.exchange"), "{text}");
    }

    #[test]
    fn a_rule_of_our_own_is_off_on_a_real_network_unless_a_list_says_otherwise() {
        for (kind, has_own_rule) in [
            ("jedi_swap", false),
            ("10k_swap", false),
            ("ekubo", false),
            ("jedi_swap_v2", false),
            ("sith_swap", true),
            ("stark_defi", true),
            ("nostra", true),
            ("my_swap", true),
            ("endur", true),
        ] {
            let list = |rest: &str| {
                format!(r#"[{{"name": "a", "kind": "{kind}", "contract": "0x1"{rest}}}]"#)
            };
            let is_on = |rest, is_simulated| {
                let registry = parse(&list(rest), is_simulated).unwrap();
                registry.venues().iter().all(|venue| venue.enabled)
            };
            assert_eq!(is_on("", false), !has_own_rule, "{kind}");
            assert!(is_on("", true), "{kind}");
            assert!(is_on(r#", "enabled": true"#, false), "{kind}");
            assert!(!is_on(r#", "enabled": false"#, true), "{kind}");
        }
    }

    #[test]
    fn on_a_real_network_no_venue_is_traded_with_whose_rules_are_not_public() {
        let registry = parse(MAINNET_VENUES, false).unwrap();
        let enabled = registry.venues().iter().filter(|venue| venue.enabled);
        let names: Vec<_> = enabled.map(|venue| venue.name.as_str()).collect();
        assert_eq!(names, ["Ekubo", "JediSwap", "10kSwap", "JediSwap v2"]);
    }

    #[test]
    fn a_wrong_list_is_refused_with_the_place() {
        let error = parse(r#"[{"name": "x", "kind": "ekubo"}]"#, false).unwrap_err();
        assert!(
            format!("{error:#}").contains("missing field `contract`"),
            "{error:#}"
        );
        let error = parse(
            r#"[{"name": "x", "kind": "uniswap", "contract": "0x1"}]"#,
            false,
        )
        .unwrap_err();
        assert!(
            format!("{error:#}").contains("unknown variant `uniswap`"),
            "{error:#}"
        );
    }
}
