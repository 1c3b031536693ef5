//! Code that changes in blocks that are long settled: found without the state update
//! of each of them, in the very block.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use amm::book::{Change, Kind};
use primitives::{Address, Felt, felt_from_hex, felt_to_hex, selector};
use serde_json::{Value, json};
use services::{IndexerOptions, Nodes};
use std::collections::{BTreeMap, HashMap};
use world::{Contents, Relay, World};

/// A class that only forwards.
const FORWARDER: u64 = 0xf0;

/// What contracts run from which blocks on, and the heights of blocks.
#[derive(Clone, Default)]
struct Story {
    heights: HashMap<String, u64>,
    /// By contract: blocks with what is run from there on.
    classes: BTreeMap<String, BTreeMap<u64, Felt>>,
    /// Contracts that forward to it.
    forwarders: Vec<String>,
}

impl Story {
    async fn of(world: &World) -> Self {
        let numbers: Vec<u64> = (0..=world.node.head().number).collect();
        let marks = world.client.block_marks(&numbers).await.unwrap();
        let heights = marks.into_iter().flatten();
        Self {
            heights: heights
                .map(|mark| (felt_to_hex(mark.at.hash), mark.at.number))
                .collect(),
            ..Self::default()
        }
    }

    fn recode(&mut self, contract: Address, from: u64, class: u64) {
        let classes = self.classes.entry(felt_to_hex(contract.felt()));
        classes.or_default().insert(from, Felt::from(class));
    }

    fn tell(&self, method: &str, params: &Value, answer: &mut Value) {
        let of = |params: &Value| params["contract_address"].as_str().map(str::to_owned);
        let at = params["block_id"]["block_hash"].as_str();
        let height = at.and_then(|hash| self.heights.get(hash)).copied();
        let running = |contract: &str| {
            let classes = self.classes.get(contract)?;
            classes
                .range(..=height?)
                .next_back()
                .map(|(_, class)| felt_to_hex(*class))
        };
        match method {
            "starknet_getClassHashAt" => {
                let contract = of(params).unwrap();
                if self.forwarders.contains(&contract) {
                    answer["result"] = json!(felt_to_hex(Felt::from(FORWARDER)));
                } else if let Some(class) = running(&contract) {
                    answer["result"] = json!(class);
                }
            }
            "starknet_getStorageAt" => {
                let contract = of(params).unwrap();
                answer["result"] = json!(running(&contract).unwrap_or_else(|| "0x1".to_owned()));
            }
            "starknet_getClass" if answer.get("error").is_some() => {
                let forwards = params["class_hash"] == json!(felt_to_hex(Felt::from(FORWARDER)));
                let entries = if forwards {
                    json!([{"selector": "0x0", "offset": "0x3a"}])
                } else {
                    json!([])
                };
                answer.as_object_mut().unwrap().remove("error");
                answer["result"] = json!({"entry_points_by_type": {"EXTERNAL": entries}});
            }
            "starknet_getStateUpdate" => {
                let hash = answer["result"]["block_hash"].as_str().unwrap();
                let height = self.heights[&felt_to_hex(felt_from_hex(hash).unwrap())];
                let diff = &mut answer["result"]["state_diff"];
                for (contract, classes) in &self.classes {
                    if !classes.contains_key(&height) {
                        continue;
                    }
                    let (list, entry) = if self.forwarders.contains(contract) {
                        let key = felt_to_hex(selector("Proxy_implementation_hash"));
                        let entries = json!([{"key": key, "value": "0x1"}]);
                        let entry = json!({"address": contract, "storage_entries": entries});
                        ("storage_diffs", entry)
                    } else {
                        let entry = json!({"contract_address": contract, "class_hash": "0x1"});
                        ("replaced_classes", entry)
                    };
                    diff[list].as_array_mut().unwrap().push(entry);
                }
            }
            _ => {}
        }
    }
}

/// What a store holds after following a node with a story, and the node's calls.
async fn followed(
    world: &World,
    story: &Story,
    name: &str,
    unsettled: u64,
) -> (Contents, BTreeMap<String, usize>) {
    let story = story.clone();
    let relay = Relay::start(&world.node, move |method, params, answer| {
        story.tell(method, params, answer);
    });
    let relay = relay.await;
    let nodes = Nodes::new(vec![relay.client(&world.entropy)], 1);
    let options = IndexerOptions {
        batch: 5,
        unsettled,
        ..IndexerOptions::default()
    };
    let stored = world.store(name).await;
    let mut station = world.station_with(stored, nodes, options).await;
    station.sync().await;
    (station.contents().await, relay.calls())
}

/// The blocks at which contracts got a class, beside the first.
fn changes(contents: &Contents) -> Vec<(u64, Address, Felt)> {
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for (block, changes) in &contents.2.changes {
        for change in changes {
            if let Change::Class { contract, class } = change {
                if seen.contains(contract) {
                    found.push((*block, *contract, *class));
                }
                seen.push(*contract);
            }
        }
    }
    found
}

#[tokio::test]
async fn code_that_changed_long_ago_is_found_in_its_very_block() {
    let world = World::with_history(1, 160).await;
    let mut station = world.station("plain").await;
    station.sync().await;
    let pools = station.snapshots.load().unwrap().pools.clone();
    let contracts = |kind: Kind| -> Vec<Address> {
        let of_kind = pools.iter().filter(|view| view.venue.kind == kind);
        of_kind.map(|view| view.contract()).collect()
    };
    let mut story = Story::of(&world).await;
    let (pairs, core) = (contracts(Kind::JediSwap), contracts(Kind::Ekubo)[0]);
    // One twice, one together with the core, and one behind a forwarder.
    for (contract, block, class) in [
        (pairs[0], 70, 0xa1),
        (pairs[0], 71, 0xa2),
        (pairs[1], 90, 0xb1),
        (core, 90, 0xc1),
        (pairs[2], 0, 0xd0),
        (pairs[2], 133, 0xd1),
    ] {
        story.recode(contract, block, class);
    }
    story.forwarders.push(felt_to_hex(pairs[2].felt()));
    let (whole, calls_before) = followed(&world, &story, "whole", u64::MAX).await;
    let (seldom, calls) = followed(&world, &story, "seldom", 20).await;
    let mut expected = vec![
        (70, pairs[0], Felt::from(0xa1)),
        (71, pairs[0], Felt::from(0xa2)),
        (90, pairs[1], Felt::from(0xb1)),
        (90, core, Felt::from(0xc1)),
        (133, pairs[2], Felt::from(0xd1)),
    ];
    expected.sort_unstable_by_key(|(block, contract, _)| (*block, *contract));
    let mut found = changes(&seldom);
    found.sort_unstable_by_key(|(block, contract, _)| (*block, *contract));
    assert_eq!(found, expected);
    assert_eq!(whole, seldom);
    let updates = "starknet_getStateUpdate";
    let blocks = usize::try_from(world.node.head().number).unwrap() + 1;
    assert_eq!(calls_before[updates], blocks);
    assert!(calls[updates] <= 20 + 5, "{calls:?}");
    let all = |calls: &BTreeMap<String, usize>| calls.values().sum::<usize>();
    println!(
        "{} calls, before {}: {calls:?}",
        all(&calls),
        all(&calls_before)
    );
}
