//! What was learned of contracts' classes, as a list of venues that says it from
//! the first block on.

use crate::{
    config::{ChainId, Config},
    console::say,
    network::Network,
    wiring::{self, Store},
};
use amm::book::{ClassStanding, Standing, Verdict};
use anyhow::Context as _;
use primitives::felt_to_hex;
use serde_json::{Map, Value};

/// Nothing is traded with such a class.
const OFF: &str = "off";

/// Prints the list.
pub(super) async fn print(config: &Config) -> anyhow::Result<()> {
    let store = wiring::existing_store(config).await?;
    let venues = learned(config, &store).await;
    store.close().await;
    say(serde_json::to_string_pretty(&venues?)?);
    Ok(())
}

async fn learned(config: &Config, store: &Store) -> anyhow::Result<Vec<Map<String, Value>>> {
    const EMPTY: &str = "no block is indexed yet";
    let chain_id = store.chain().bound_chain().await?.context(EMPTY)?;
    // Whoever started the service has said that this chain is meant.
    let network = Network::of(chain_id, Some(ChainId(chain_id)))?;
    let standing = wiring::stored_standing(config, network, store).await?;
    let list = wiring::venue_list(config, network)?;
    let list = list.context("no exchange is known here: name a list in starknet.venues")?;
    Ok(pinned(
        serde_json::from_str(&list)?,
        &standing.context(EMPTY)?,
    ))
}

/// The list with every verdict in it. What it says already stays.
fn pinned(mut venues: Vec<Map<String, Value>>, standing: &Standing) -> Vec<Map<String, Value>> {
    for (venue, standing) in venues.iter_mut().zip(&standing.venues) {
        let classes = venue.entry("classes").or_insert_with(|| Map::new().into());
        if let Value::Object(classes) = classes {
            let verdicts = standing.classes.iter().filter(|class| class.pin.is_none());
            let named = verdicts.filter_map(|class| Some((class.class, rule(class)?)));
            classes.extend(named.map(|(class, rule)| (felt_to_hex(class), rule.into())));
        }
    }
    venues
}

/// What a list says of a class; nothing before it is decided.
fn rule(class: &ClassStanding) -> Option<&'static str> {
    match class.verdict {
        Verdict::Undecided => None,
        Verdict::Learned(maths) => Some(maths.word()),
        Verdict::Refuted => Some(OFF),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amm::book::{Kind, Maths, Pin, Venue, VenueStanding};
    use primitives::Felt;
    use std::collections::BTreeMap;

    fn class(number: u64, pin: Option<Pin>, verdict: Verdict) -> ClassStanding {
        ClassStanding {
            class: Felt::from(number),
            pools: 1,
            pin,
            verdict,
            agreed: [0; 2],
        }
    }

    #[test]
    fn a_list_gets_what_was_decided_and_keeps_what_it_says() {
        let standing = Standing {
            venues: vec![VenueStanding {
                name: "Ekubo".to_owned(),
                kind: Kind::Ekubo,
                is_routed: true,
                on: 0,
                off: BTreeMap::new(),
                classes: vec![
                    class(1, None, Verdict::Learned(Maths::EkuboOlder)),
                    class(2, None, Verdict::Refuted),
                    class(3, None, Verdict::Undecided),
                    class(4, Some(Pin::Off), Verdict::Learned(Maths::EkuboExact)),
                ],
            }],
        };
        let list = r#"[{"name": "Ekubo", "kind": "ekubo", "contract": "0x9",
            "classes": {"0x4": "off"}, "enabled": false}]"#;
        let pinned = pinned(serde_json::from_str(list).unwrap(), &standing);
        let [venue]: [Venue; 1] = serde_json::from_value(pinned.into()).unwrap();
        let pins = [1_u64, 2, 3, 4].map(|number| venue.pin(Felt::from(number)));
        let expected = [Some(Pin::EkuboOlder), Some(Pin::Off), None, Some(Pin::Off)];
        assert_eq!(pins, expected);
        assert!(!venue.enabled);
    }

    #[test]
    fn a_list_that_names_no_class_gets_the_field() {
        let standing = Standing {
            venues: vec![VenueStanding {
                name: "JediSwap".to_owned(),
                kind: Kind::JediSwap,
                is_routed: true,
                on: 1,
                off: BTreeMap::new(),
                classes: vec![class(1, None, Verdict::Learned(Maths::Usual))],
            }],
        };
        let list = r#"[{"name": "JediSwap", "kind": "jedi_swap", "contract": "0x9"}]"#;
        let pinned = pinned(serde_json::from_str(list).unwrap(), &standing);
        let [venue]: [Venue; 1] = serde_json::from_value(pinned.into()).unwrap();
        assert_eq!(venue.pin(Felt::ONE), Some(Pin::Usual));
    }
}
