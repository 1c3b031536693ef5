//! Classes that nobody named: what their contracts do proves them, or refutes
//! them in that very block.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use amm::book::{Kind, Off, Pin, PoolId, Registry, Venue, Verdict};
use primitives::{Address, Felt, felt_to_hex, selector};
use serde_json::{Value, json};
use services::{IndexerOptions, Known, Nodes, Snapshot};
use simnet::{History, StarknetConfig};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use world::{Log, Relay, Station, World};

/// Blocks within which the busy venues of a small world trade often enough, and
/// within which all of them do.
const ENOUGH: u32 = 150;
const PLENTY: u32 = 300;

/// What the list of a world says after a change of every venue.
fn with_venues(known: &Known, change: impl Fn(&mut Venue)) -> Known {
    let mut venues = known.venues.venues().to_vec();
    venues.iter_mut().for_each(change);
    Known {
        venues: Arc::new(Registry::new(venues).unwrap()),
        ..known.clone()
    }
}

/// A world of some blocks in which nobody named a class.
async fn unnamed(seed: u64, blocks: u32) -> World {
    let mut world = World::with_history(seed, 1).await;
    world.node.mine(blocks).unwrap();
    forget_classes(&mut world);
    world
}

/// Leaves it to contracts to prove their classes.
pub(crate) fn forget_classes(world: &mut World) {
    world.known = with_venues(&world.known, |venue| venue.classes.clear());
}

async fn synced(world: &World, name: &str) -> Station {
    let mut station = world.station(name).await;
    station.sync().await;
    station
}

fn snapshot(station: &Station) -> Arc<Snapshot> {
    station.snapshots.load().unwrap()
}

/// The verdict on every class of a kind.
fn verdicts(snapshot: &Snapshot) -> BTreeMap<String, Vec<Verdict>> {
    let venues = snapshot.standing.venues.iter();
    let verdict = |venue: &amm::book::VenueStanding| {
        let classes = venue.classes.iter();
        classes.map(|class| class.verdict).collect()
    };
    venues
        .map(|venue| (venue.name.clone(), verdict(venue)))
        .collect()
}

fn offs(snapshot: &Snapshot) -> Vec<(PoolId, Option<Off>)> {
    let pools = snapshot.pools.iter();
    pools.map(|view| (view.id, view.off())).collect()
}

#[tokio::test]
async fn swaps_prove_every_venue_and_what_was_off_is_as_if_it_had_been_named() {
    let mut world = unnamed(1, 0).await;
    let mut station = synced(&world, "store").await;
    while snapshot(&station).standing.pools() < 20 {
        world.node.mine(1).unwrap();
        station.sync().await;
    }
    let before = snapshot(&station);
    assert_eq!(before.standing.tradable(), 0);
    let text = before.standing.to_string();
    assert!(text.starts_with("0 of "), "{text}");
    assert!(text.contains("too few swaps were seen"), "{text}");
    world.node.mine(PLENTY).unwrap();
    station.sync().await;
    let after = snapshot(&station);
    for (venue, verdicts) in verdicts(&after) {
        let [verdict] = verdicts.as_slice() else {
            panic!("{venue} has one class, not {verdicts:?}")
        };
        assert!(
            matches!(verdict, Verdict::Learned(_)),
            "{venue} {verdict:?}"
        );
    }
    assert!(after.standing.tradable() >= 15, "{}", after.standing);
    // A restart changes nothing, and who comes later finds the same.
    let contents = station.contents().await;
    station.store.close().await;
    let reopened = world.station("store").await;
    assert_eq!(offs(&snapshot(&reopened)), offs(&after));
    let other = synced(&world, "other").await;
    assert_eq!(other.contents().await, contents);
    assert_eq!(snapshot(&other).standing, after.standing);
    // The same as if somebody had named the classes.
    world.known.venues = Arc::new(world::venues());
    let named = synced(&world, "named").await;
    assert_eq!(named.contents().await, contents);
    assert_eq!(offs(&snapshot(&named)), offs(&after));
}

#[tokio::test]
async fn what_was_learned_goes_with_the_blocks_that_taught_it() {
    let world = unnamed(2, 40).await;
    let mut station = synced(&world, "store").await;
    let before = snapshot(&station);
    world.node.mine(60).unwrap();
    station.sync().await;
    let learned = snapshot(&station).standing.tradable();
    assert!(learned > before.standing.tradable());
    world.node.reorg(60).unwrap();
    station.sync().await;
    let other = synced(&world, "other").await;
    let (ours, theirs) = (snapshot(&station), snapshot(&other));
    assert_eq!(ours.head, theirs.head);
    assert_eq!(ours.standing, theirs.standing);
    assert_eq!(offs(&ours), offs(&theirs));
    assert_eq!(station.contents().await, other.contents().await);
}

/// What the relay says otherwise than the node.
#[derive(Default)]
struct Lies {
    /// The contract whose swaps pay otherwise, from the next one on.
    generous: Option<Felt>,
    /// Where that happened.
    told: Option<Value>,
    /// The contract that runs other code from a block on.
    replaced: Option<(Felt, u64)>,
}

/// The code that it runs.
const OTHER: u64 = 0xdead;

impl Lies {
    fn tell(&mut self, method: &str, params: &Value, answer: &mut Value) {
        match method {
            "starknet_getBlockWithReceipts" => self.pay_more(answer),
            "starknet_getStateUpdate" => {
                let number = params["block_id"]["block_number"].as_u64();
                if let Some((contract, block)) = self.replaced
                    && number == Some(block)
                {
                    answer["result"]["state_diff"]["replaced_classes"] = json!([{
                        "contract_address": felt_to_hex(contract), "class_hash": "0x1"
                    }]);
                }
            }
            "starknet_getClass" if answer.get("error").is_some() => {
                answer.as_object_mut().unwrap().remove("error");
                answer["result"] = json!({"entry_points_by_type": {"EXTERNAL": []}});
            }
            "starknet_getClassHashAt" => {
                let asked = params["contract_address"].as_str();
                if let Some((contract, _)) = self.replaced
                    && asked == Some(&felt_to_hex(contract))
                {
                    answer["result"] = json!(felt_to_hex(Felt::from(OTHER)));
                }
            }
            _ => {}
        }
    }

    /// Lets a swap of an Ekubo core end at another price.
    fn pay_more(&mut self, answer: &mut Value) {
        let Some(core) = self.generous.map(felt_to_hex) else {
            return;
        };
        let block = answer["result"]["block_number"].clone();
        if self.told.as_ref().is_some_and(|told| *told != block) {
            return;
        }
        let swapped = felt_to_hex(selector("Swapped"));
        let transactions = answer["result"]["transactions"].as_array_mut().unwrap();
        let events = transactions
            .iter_mut()
            .flat_map(|it| it["receipt"]["events"].as_array_mut().unwrap());
        for event in events {
            let is_it =
                event["from_address"] == core.as_str() && event["keys"][0] == swapped.as_str();
            if !is_it || event["data"][5] != "0x0" {
                continue;
            }
            // What comes after the locker, the key, what was asked and both deltas.
            let data = event["data"].as_array_mut().unwrap();
            let price = data[16].as_str().unwrap().trim_start_matches("0x");
            let price = u128::from_str_radix(price, 16).unwrap() ^ 1;
            data[16] = json!(format!("{price:#x}"));
            self.told = Some(block);
            return;
        }
    }
}

struct Stage {
    world: World,
    station: Station,
    lies: Arc<Mutex<Lies>>,
}

impl Stage {
    async fn new(world: World) -> Self {
        let lies = Arc::new(Mutex::new(Lies::default()));
        let told = Arc::clone(&lies);
        let relay = Relay::start(&world.node, move |method, params, answer| {
            told.lock().unwrap().tell(method, params, answer);
        });
        let nodes = Nodes::new(vec![relay.await.client(&world.entropy)], 1);
        let options = IndexerOptions {
            batch: 1,
            ..IndexerOptions::default()
        };
        let store = world.store("store").await;
        let mut station = world.station_with(store, nodes, options).await;
        station.sync().await;
        Self {
            world,
            station,
            lies,
        }
    }

    async fn mine(&mut self, blocks: u32) {
        self.world.node.mine(blocks).unwrap();
        self.station.sync().await;
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        let snapshot = snapshot(&self.station);
        assert_eq!(snapshot.head, self.world.node.head());
        snapshot
    }
}

/// Why the pools of a kind are off, extensions aside.
fn of_kind(snapshot: &Snapshot, kind: Kind) -> Vec<Option<Off>> {
    let pools = snapshot.pools.iter();
    let of_kind = pools.filter(|view| view.venue.kind == kind);
    let offs = of_kind.map(|view| view.off());
    offs.filter(|off| !matches!(off, Some(Off::Extension(_))))
        .collect()
}

fn contract_of(snapshot: &Snapshot, kind: Kind) -> Address {
    let mut venues = snapshot.pools.registry().venues().iter();
    venues.find(|venue| venue.kind == kind).unwrap().contract
}

#[tokio::test]
async fn one_swap_that_is_not_what_the_rule_says_switches_a_class_off_in_its_block() {
    let log = Log::default();
    let writer = tracing_subscriber::fmt().with_writer(log.clone()).finish();
    let _guard = tracing::subscriber::set_default(writer);
    let mut stage = Stage::new(unnamed(3, ENOUGH).await).await;
    let before = stage.snapshot();
    assert!(of_kind(&before, Kind::Ekubo).contains(&None));
    stage.lies.lock().unwrap().generous = Some(contract_of(&before, Kind::Ekubo).felt());
    // Until a swap was altered: the newest block has it.
    for _ in 0..50 {
        if stage.lies.lock().unwrap().told.is_some() {
            break;
        }
        stage.mine(1).await;
    }
    assert!(stage.lies.lock().unwrap().told.is_some());
    let after = stage.snapshot();
    let offs = of_kind(&after, Kind::Ekubo);
    assert!(
        offs.iter().all(|off| *off == Some(Off::Refuted)),
        "{offs:?}"
    );
    for kind in [Kind::JediSwap, Kind::TenKSwap] {
        assert!(of_kind(&after, kind).contains(&None));
    }
    let text = after.standing.to_string();
    assert!(text.contains("was not what its rule says"), "{text}");
    assert!(
        log.text()
            .contains("a swap was not what the rule of its class says")
    );
    // It stays so, whatever comes after.
    stage.lies.lock().unwrap().generous = None;
    stage.mine(20).await;
    let offs = of_kind(&stage.snapshot(), Kind::Ekubo);
    assert!(
        offs.iter().all(|off| *off == Some(Off::Refuted)),
        "{offs:?}"
    );
    // A list that names the class is believed.
    let pools = stage.snapshot().pools.clone();
    let mut ekubo = pools.iter().filter(|view| view.venue.kind == Kind::Ekubo);
    let class = ekubo.find_map(|view| view.class()).unwrap();
    stage.station.store.close().await;
    for (pin, off) in [(Pin::EkuboExact, None), (Pin::Off, Some(Off::Barred))] {
        let mut world = World::with_history(3, 1).await;
        world.known = with_venues(&stage.world.known, |venue| {
            if venue.kind == Kind::Ekubo {
                venue.classes.insert(Address::new(class), pin);
            }
        });
        let store = stage.world.store("store").await;
        let station = world.station_on(store, IndexerOptions::default()).await;
        let offs = of_kind(&snapshot(&station), Kind::Ekubo);
        assert!(offs.iter().all(|it| *it == off), "{offs:?}");
        station.store.close().await;
    }
}

#[tokio::test]
async fn other_code_is_off_in_its_block_and_learned_anew() {
    let mut stage = Stage::new(unnamed(4, ENOUGH).await).await;
    let before = stage.snapshot();
    assert!(of_kind(&before, Kind::Ekubo).contains(&None));
    let core = contract_of(&before, Kind::Ekubo).felt();
    stage.lies.lock().unwrap().replaced = Some((core, before.head.number + 1));
    stage.mine(1).await;
    let offs = of_kind(&stage.snapshot(), Kind::Ekubo);
    assert!(offs.iter().all(|off| *off == Some(Off::Class)), "{offs:?}");
    stage.mine(ENOUGH).await;
    let after = stage.snapshot();
    assert!(of_kind(&after, Kind::Ekubo).contains(&None));
    let venues = after.standing.venues.iter();
    let mut ekubo = venues.filter(|venue| venue.name == "Ekubo");
    let classes = &ekubo.next().unwrap().classes;
    assert_eq!(classes.len(), 2);
    assert!(
        classes
            .iter()
            .all(|it| matches!(it.verdict, Verdict::Learned(_)))
    );
    let running = classes.iter().find(|it| it.pools > 0).unwrap();
    assert_eq!(running.class, Felt::from(OTHER));
}

#[tokio::test]
async fn a_rule_of_our_own_that_is_proven_still_waits_for_the_operator() {
    let mut world = unnamed(5, 0).await;
    world.known = with_venues(&world.known, |venue| {
        venue.enabled = !venue.kind.has_own_rule();
    });
    world.node.mine(ENOUGH).unwrap();
    let station = synced(&world, "store").await;
    let after = snapshot(&station);
    let offs = of_kind(&after, Kind::Nostra);
    assert!(offs.iter().all(|off| *off == Some(Off::Venue)), "{offs:?}");
    let learned = &verdicts(&after)["Nostra"];
    assert!(
        matches!(learned.as_slice(), [Verdict::Learned(_)]),
        "{learned:?}"
    );
    station.store.close().await;
    // Switching it on needs no new index.
    world.known = with_venues(&world.known, |venue| venue.enabled = true);
    let station = world.station("store").await;
    assert!(of_kind(&snapshot(&station), Kind::Nostra).contains(&None));
}

#[tokio::test]
async fn in_a_wild_market_no_contract_is_refuted_that_keeps_to_its_rule() {
    let folder = tempfile::tempdir().unwrap();
    let config = StarknetConfig {
        seed: 6,
        block_time: None,
        history: History::blocks(1, Duration::from_secs(2)),
        transactions_per_block: 20,
        pools: 120,
        wild: true,
        ..StarknetConfig::default()
    };
    let mut world = World::in_folder(folder.path(), config).await;
    world.known = with_venues(&world.known, |venue| venue.classes.clear());
    world.node.mine(ENOUGH).unwrap();
    let station = synced(&world, "store").await;
    for (venue, verdicts) in verdicts(&snapshot(&station)) {
        assert!(!verdicts.contains(&Verdict::Refuted), "{venue}");
    }
    let standing = &snapshot(&station).standing;
    assert!(standing.tradable() >= 60, "{standing}");
}
