//! Contracts that get other code, with or without a word: their pools are off from
//! that very block on unless the code is known.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use amm::book::{Kind, Off, PoolId};
use primitives::{Address, Felt, felt_to_hex, selector};
use serde_json::{Value, json};
use services::{IndexerOptions, Nodes};
use std::sync::{Arc, Mutex};
use world::{Relay, Station, World};

/// Code that nobody vouches for.
const UNKNOWN: u64 = 0xdead;

/// A class that only forwards.
const FORWARDER: u64 = 0xf0;

/// What the relay says otherwise than the node.
#[derive(Default)]
struct Lies {
    /// The contract whose code it lies about.
    contract: Felt,
    /// Its class in every block.
    class: Option<u64>,
    /// What is behind it, before and from `replaced` on.
    implementations: Option<[Felt; 2]>,
    /// The block in which it gets other code.
    replaced: Option<Felt>,
}

impl Lies {
    fn tell(&self, method: &str, params: &Value, answer: &mut Value) {
        let contract = felt_to_hex(self.contract);
        let at = params["block_id"]["block_hash"].as_str();
        let replaced = self.replaced.map(felt_to_hex);
        let is_after = at.is_some() && at == replaced.as_deref();
        match method {
            "starknet_getStateUpdate" => {
                if answer["result"]["block_hash"].as_str() != replaced.as_deref() {
                    return;
                }
                let diff = &mut answer["result"]["state_diff"];
                if self.implementations.is_some() {
                    let key = felt_to_hex(selector("Proxy_implementation_hash"));
                    let entries = json!([{"key": key, "value": "0x1"}]);
                    let diffs = diff["storage_diffs"].as_array_mut().unwrap();
                    diffs.push(json!({"address": contract, "storage_entries": entries}));
                } else {
                    diff["replaced_classes"] =
                        json!([{"contract_address": contract, "class_hash": "0x1"}]);
                }
            }
            "starknet_getClassHashAt" if params["contract_address"].as_str() == Some(&contract) => {
                if let Some(class) = self.class {
                    answer["result"] = json!(felt_to_hex(Felt::from(class)));
                } else if is_after {
                    answer["result"] = json!(felt_to_hex(Felt::from(UNKNOWN)));
                }
            }
            "starknet_getStorageAt" => {
                let [before, after] = self.implementations.unwrap();
                answer["result"] = json!(felt_to_hex(if is_after { after } else { before }));
            }
            "starknet_getClass" if answer.get("error").is_some() => {
                let forwarder = felt_to_hex(Felt::from(FORWARDER));
                let entries = if params["class_hash"].as_str() == Some(&forwarder) {
                    json!([{"selector": "0x0", "offset": "0x3a"}])
                } else {
                    json!([])
                };
                answer.as_object_mut().unwrap().remove("error");
                answer["result"] = json!({"entry_points_by_type": {"EXTERNAL": entries}});
            }
            _ => {}
        }
    }
}

struct Stage {
    world: World,
    relay: Relay,
    station: Station,
    lies: Arc<Mutex<Lies>>,
}

impl Stage {
    /// A station that follows a node with these lies, and is at its head.
    async fn new(world: World, lies: Lies) -> Self {
        let lies = Arc::new(Mutex::new(lies));
        let told = Arc::clone(&lies);
        let relay = Relay::start(&world.node, move |method, params, answer| {
            told.lock().unwrap().tell(method, params, answer);
        });
        let relay = relay.await;
        let nodes = Nodes::new(vec![relay.client(&world.entropy)], 1);
        let options = IndexerOptions {
            batch: 5,
            ..IndexerOptions::default()
        };
        let store = world.store("store").await;
        let mut station = world.station_with(store, nodes, options).await;
        station.sync().await;
        Self {
            world,
            relay,
            station,
            lies,
        }
    }

    /// Mines a block in which the contract gets other code, and follows.
    async fn replace(&mut self) {
        self.world.node.mine(1).unwrap();
        self.lies.lock().unwrap().replaced = Some(self.world.node.head().hash);
        self.station.sync().await;
    }

    fn off(&self, is_meant: impl Fn(Address) -> bool) -> Vec<(PoolId, Option<Off>)> {
        let snapshot = self.station.snapshots.load().unwrap();
        assert_eq!(snapshot.head, self.world.node.head());
        let pools = snapshot.pools.iter();
        let meant = pools.filter(|view| is_meant(view.contract()));
        meant.map(|view| (view.id, view.off())).collect()
    }
}

/// A contract of pools of a kind that are on, and the class that it runs.
async fn contract(world: &World, kind: Kind) -> (Address, Felt) {
    let mut station = world.station("alone").await;
    station.sync().await;
    let snapshot = station.snapshots.load().unwrap();
    let mut pools = snapshot.pools.iter();
    let pool = pools.find(|view| view.venue.kind == kind && view.off().is_none());
    let pool = pool.unwrap();
    (pool.contract(), pool.class().unwrap())
}

#[tokio::test]
async fn a_silent_replacement_switches_pools_off_in_its_block_and_a_fork_takes_it_back() {
    for kind in [Kind::JediSwap, Kind::Ekubo, Kind::JediSwapV2] {
        let world = World::with_history(1, 30).await;
        let (contract, _) = contract(&world, kind).await;
        let lies = Lies {
            contract: contract.felt(),
            ..Lies::default()
        };
        let mut stage = Stage::new(world, lies).await;
        let is_it = |other| other == contract;
        let (before, others) = (stage.off(is_it), stage.off(|other| other != contract));
        assert!(before.iter().any(|(_, off)| off.is_none()));
        stage.replace().await;
        let after = stage.off(is_it);
        assert_eq!(after.len(), before.len());
        assert!(
            after.iter().all(|(_, off)| *off == Some(Off::Class)),
            "{after:?}"
        );
        assert_eq!(stage.off(|other| other != contract), others);
        // It stays so.
        stage.world.node.mine(3).unwrap();
        stage.station.sync().await;
        assert_eq!(stage.off(is_it), after);
        stage.world.node.reorg(4).unwrap();
        stage.station.sync().await;
        assert_eq!(stage.off(is_it), before);
    }
}

#[tokio::test]
async fn a_contract_that_forwards_is_what_it_forwards_to() {
    let world = World::with_history(2, 30).await;
    let (contract, class) = contract(&world, Kind::JediSwap).await;
    let lies = Lies {
        contract: contract.felt(),
        class: Some(FORWARDER),
        implementations: Some([class, Felt::from(UNKNOWN)]),
        replaced: None,
    };
    let mut stage = Stage::new(world, lies).await;
    let is_it = |other| other == contract;
    assert!(stage.off(is_it).iter().all(|(_, off)| off.is_none()));
    stage.replace().await;
    let off = stage.off(is_it);
    assert!(
        off.iter().all(|(_, off)| *off == Some(Off::Class)),
        "{off:?}"
    );
}

#[tokio::test]
async fn every_block_is_read_once_and_so_is_its_state_update() {
    let world = World::with_history(3, 40).await;
    let mut stage = Stage::new(world, Lies::default()).await;
    let [blocks, updates] = ["starknet_getBlockWithReceipts", "starknet_getStateUpdate"];
    let head = usize::try_from(stage.world.node.head().number).unwrap();
    let calls = stage.relay.calls();
    assert_eq!((calls[blocks], calls[updates]), (head + 1, head + 1));
    stage.world.node.mine(1).unwrap();
    stage.station.sync().await;
    let after = stage.relay.calls();
    assert_eq!((after[blocks], after[updates]), (head + 2, head + 2));
}
