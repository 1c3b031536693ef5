//! Followed contracts and senders, against what the node itself says of every
//! block.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use crate::in_runtime;
use amm::book::Kind;
use market::following::{
    Birth, ContractEvent, Fee, FeeUnit, FollowedContract, Following, Lead, SentTransaction, Word,
};
use primitives::{Address, Felt, Timestamp, felt_from_hex, felt_to_hex, selector};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};
use services::{Fault, IndexerOptions};
use simnet::FaultKind;
use std::{collections::BTreeMap, sync::Arc};
use tokio_util::sync::CancellationToken;
use world::{
    Engine::{self, Postgres, Sqlite},
    Station, TestDatabase, World,
};

/// Whose transfers lead to whoever receives them.
const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
/// Which fees are paid in, so that every transaction tells of it.
const STRK: &str = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";

/// All that is known of what is followed.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    contracts: Vec<FollowedContract>,
    events: BTreeMap<Address, Vec<ContractEvent>>,
    transactions: BTreeMap<Address, Vec<SentTransaction>>,
}

/// A world that follows a factory with its pairs, a token with those who receive
/// it, a token alone, and whoever sends much.
async fn world(seed: u64) -> World {
    let mut world = World::with_history(seed, 4).await;
    let venues = world.known.venues.venues();
    let factory = venues.iter().find(|venue| venue.kind == Kind::JediSwap);
    let lead = |contract, from_block, births| Lead {
        contract,
        from_block,
        births,
    };
    let birth = |event, named, from_block| Birth {
        event: selector(event),
        named,
        from_block,
    };
    let pairs = birth("PairCreated", Word::Data(2), None);
    let receivers = birth("Transfer", receiver(&world).await, Some(2));
    let leads = vec![
        lead(factory.unwrap().contract, 0, vec![pairs]),
        lead(ETH.parse().unwrap(), 3, vec![receivers]),
        lead(STRK.parse().unwrap(), 0, Vec::new()),
    ];
    let head = world.node.head();
    let senders = world.client.senders(head, 4).await.unwrap();
    assert!(!senders.is_empty());
    world.known.following = Arc::new(Following {
        leads,
        senders: senders.into_iter().collect(),
    });
    world
}

/// Where the token's transfers say who receives.
async fn receiver(world: &World) -> Word {
    let blocks = blocks(world).await;
    let transfer = felt_to_hex(selector("Transfer"));
    let mut events = blocks.iter().flat_map(events_of).map(|(_, _, event)| event);
    let keys = events.find_map(|event| {
        let is_transfer = event["from_address"] == ETH && event["keys"][0] == transfer.as_str();
        is_transfer.then(|| event["keys"].as_array().unwrap().len())
    });
    if keys == Some(1) {
        Word::Data(1)
    } else {
        Word::Key(2)
    }
}

/// Every block, as the node tells it.
async fn blocks(world: &World) -> Vec<Value> {
    let trader = world.trader();
    let mut blocks = Vec::new();
    for number in 0..=world.node.head().number {
        let params = json!({"block_id": {"block_number": number}});
        blocks.push(trader.ask("starknet_getBlockWithReceipts", &params).await);
    }
    blocks
}

/// The events of a block, with their transactions and places.
fn events_of(block: &Value) -> impl Iterator<Item = (u32, u32, &Value)> {
    let transactions = block["transactions"].as_array().unwrap().iter();
    (0..).zip(transactions).flat_map(|(place, transaction)| {
        let events = transaction["receipt"]["events"].as_array().unwrap().iter();
        (0..)
            .zip(events)
            .map(move |(index, event)| (place, index, event))
    })
}

fn felt(value: &Value) -> Felt {
    felt_from_hex(value.as_str().unwrap()).unwrap()
}

fn felts(value: &Value) -> Vec<Felt> {
    value.as_array().unwrap().iter().map(felt).collect()
}

/// What must be known of what is followed, by reading every block from the
/// first to the last.
async fn expected(world: &World) -> Seen {
    let blocks = blocks(world).await;
    let following = &world.known.following;
    let mut contracts: BTreeMap<Address, (Address, u64)> = BTreeMap::new();
    for lead in &following.leads {
        contracts.insert(lead.contract, (lead.contract, lead.from_block));
    }
    let mut all = Vec::new();
    let mut transactions = BTreeMap::new();
    for sender in &following.senders {
        transactions.insert(*sender, Vec::new());
    }
    for block in &blocks {
        let number = block["block_number"].as_u64().unwrap();
        let time = Timestamp::from_second(block["timestamp"].as_i64().unwrap()).unwrap();
        for (place, transaction) in (0..).zip(block["transactions"].as_array().unwrap()) {
            let sender = transaction["transaction"]["sender_address"].as_str();
            let Some(sender) = sender.map(|sender| sender.parse().unwrap()) else {
                continue;
            };
            if let Some(sent) = transactions.get_mut(&sender) {
                sent.push(sent_transaction(sender, number, time, place, transaction));
            }
        }
        for (place, index, event) in events_of(block) {
            let transaction = &block["transactions"][usize::try_from(place).unwrap()];
            let sender = transaction["transaction"]["sender_address"].as_str();
            let event = ContractEvent {
                contract: Address::new(felt(&event["from_address"])),
                block: number,
                time,
                transaction: place,
                index,
                transaction_hash: felt(&transaction["receipt"]["transaction_hash"]),
                sender: sender.map(|sender| sender.parse().unwrap()),
                fee: Some(fee(&transaction["receipt"])),
                keys: felts(&event["keys"]),
                data: felts(&event["data"]),
            };
            for lead in &following.leads {
                if lead.contract != event.contract || number < lead.from_block {
                    continue;
                }
                for birth in lead
                    .births
                    .iter()
                    .filter(|it| event.keys.first() == Some(&it.event))
                {
                    let named = match birth.named {
                        Word::Key(place) => event.keys[place],
                        Word::Data(place) => event.data[place],
                    };
                    let from = birth.from_block.unwrap_or(number).min(number);
                    let entry = contracts.entry(Address::new(named));
                    entry.or_insert((lead.contract, from));
                }
            }
            all.push(event);
        }
    }
    let head = world.node.head().number;
    contracts.retain(|_, (_, from)| *from <= head);
    let mut seen = Seen {
        transactions,
        ..Seen::default()
    };
    for (address, (lead, from_block)) in contracts {
        seen.contracts.push(FollowedContract {
            address,
            lead,
            from_block,
        });
        let of_it = |event: &&ContractEvent| event.contract == address && event.block >= from_block;
        let events = all.iter().filter(of_it).cloned().collect();
        seen.events.insert(address, events);
    }
    seen
}

fn sent_transaction(
    sender: Address,
    block: u64,
    time: Timestamp,
    transaction: u32,
    told: &Value,
) -> SentTransaction {
    let receipt = &told["receipt"];
    let reason = receipt["revert_reason"].as_str();
    assert_eq!(receipt["execution_status"] == "REVERTED", reason.is_some());
    SentTransaction {
        sender,
        block,
        time,
        transaction,
        hash: felt(&receipt["transaction_hash"]),
        fee: fee(receipt),
        revert_reason: reason.map(|reason| reason.chars().take(300).collect()),
    }
}

fn fee(receipt: &Value) -> Fee {
    let fee = &receipt["actual_fee"];
    assert_eq!(fee["unit"], "FRI");
    let digits = fee["amount"].as_str().unwrap().trim_start_matches("0x");
    Fee {
        amount: u128::from_str_radix(digits, 16).unwrap(),
        unit: FeeUnit::Fri,
    }
}

/// What the store says, page by page.
async fn seen(world: &World, station: &Station) -> Seen {
    const PAGE: u32 = 40;
    let chain = station.store.chain();
    let at = station.snapshots.load().unwrap().head;
    let mut contracts: Vec<_> = chain.contents().await.unwrap().followed;
    contracts.sort_by_key(|(_, contract)| contract.address);
    let mut seen = Seen {
        contracts: contracts.iter().map(|(_, contract)| *contract).collect(),
        ..Seen::default()
    };
    for contract in &seen.contracts {
        let events = seen.events.entry(contract.address).or_default();
        loop {
            let after = events.last().map(ContractEvent::place);
            let page = chain
                .events_of(contract.address, None, at, after, PAGE)
                .await;
            let page = page.unwrap().unwrap();
            let ended = page.len() < PAGE as usize;
            events.extend(page);
            if ended {
                break;
            }
        }
    }
    for sender in &world.known.following.senders {
        let sent = seen.transactions.entry(*sender).or_default();
        loop {
            let after = sent
                .last()
                .map(|sent: &SentTransaction| (sent.block, sent.transaction));
            let page = chain.transactions_of(*sender, at, after, PAGE).await;
            let page = page.unwrap().unwrap();
            let ended = page.len() < PAGE as usize;
            sent.extend(page);
            if ended {
                break;
            }
        }
    }
    seen
}

/// A station whose batches are small, so that contracts become followed while
/// later blocks are on their way.
async fn station(world: &World, database: &TestDatabase) -> Station {
    let options = IndexerOptions {
        batch: 3,
        ..IndexerOptions::default()
    };
    world.station_on(database.store().await, options).await
}

/// Holds what the store says against what the node says, and returns it.
async fn assert_followed(world: &World, station: &Station) -> Seen {
    let (seen, expected) = (seen(world, station).await, expected(world).await);
    assert_eq!(seen.contracts, expected.contracts);
    for (contract, events) in &expected.events {
        assert_eq!(seen.events.get(contract), Some(events), "{contract}");
    }
    assert_eq!(seen, expected);
    seen
}

#[rstest]
#[tokio::test]
async fn followed_contracts_and_senders_are_complete(#[values(Sqlite, Postgres)] engine: Engine) {
    let world = world(1).await;
    world.node.mine(8).unwrap();
    let database = TestDatabase::new(engine).await;
    let mut station = station(&world, &database).await;
    station.sync().await;
    let seen = assert_followed(&world, &station).await;
    let eventful = seen.events.values().filter(|events| !events.is_empty());
    assert!(eventful.count() >= 8, "pairs and receivers speak");
    let [factory, eth, strk] = &world.known.following.leads[..] else {
        panic!("three leads")
    };
    let led_by = |lead: &Lead| {
        let contracts = seen.contracts.iter();
        contracts.filter(|it| it.lead == lead.contract).count()
    };
    assert!(led_by(factory) >= 3 && led_by(eth) >= 3 && led_by(strk) == 1);
    assert!(seen.transactions.values().any(|sent| sent.len() >= 2));
}

#[rstest]
#[tokio::test]
async fn what_is_followed_late_equals_what_was_followed_from_the_beginning(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let mut world = world(2).await;
    let mut following = Following::clone(&world.known.following);
    // Of senders nothing is read back.
    following.senders.clear();
    world.known.following = Arc::default();
    let database = TestDatabase::new(engine).await;
    let mut earlier = station(&world, &database).await;
    world.node.mine(5).unwrap();
    earlier.sync().await;
    let before = earlier.contents().await;
    earlier.store.close().await;
    world.known.following = Arc::new(following);
    let mut late = station(&world, &database).await;
    assert_eq!(late.contents().await, before, "nothing is indexed anew");
    world.node.mine(1).unwrap();
    late.sync().await;
    assert_followed(&world, &late).await;
    // A fork over the block that made them followed.
    world.node.reorg(2).unwrap();
    late.sync().await;
    assert_followed(&world, &late).await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    assert_eq!(late.contents().await, alone.contents().await);
}

#[tokio::test]
async fn what_is_configured_otherwise_is_followed_anew_and_the_rest_stays() {
    let mut world = world(3).await;
    let database = TestDatabase::new(Sqlite).await;
    let mut first = station(&world, &database).await;
    first.sync().await;
    let before = first.contents().await;
    first.store.close().await;
    let mut following = Following::clone(&world.known.following);
    following.leads.remove(0);
    following.leads[0].from_block = 1;
    world.known.following = Arc::new(following);
    let second = station(&world, &database).await;
    let strk: Address = STRK.parse().unwrap();
    let kept = second.store.chain().contents().await.unwrap().followed;
    let kept: Vec<Address> = kept.iter().map(|(_, contract)| contract.lead).collect();
    assert_eq!(kept, [strk]);
    assert_eq!(second.contents().await, before);
    let mut second = second;
    world.node.mine(1).unwrap();
    second.sync().await;
    assert_followed(&world, &second).await;
}

#[tokio::test]
async fn adding_what_is_followed_changes_nothing_about_pools_and_figures() {
    let mut world = world(4).await;
    world.node.mine(6).unwrap();
    let mut following = world.station("following").await;
    following.sync().await;
    world.known.following = Arc::default();
    let mut plain = world.station("plain").await;
    plain.sync().await;
    assert_eq!(following.contents().await, plain.contents().await);
    let figures = |station: &Station| {
        let chain = station.store.chain().clone();
        async move { chain.figures(0..=1_000).await.unwrap() }
    };
    assert_eq!(figures(&following).await, figures(&plain).await);
}

#[tokio::test]
async fn a_second_indexer_knows_the_contracts_that_the_first_has_learned() {
    let world = world(5).await;
    let database = TestDatabase::new(Sqlite).await;
    let mut first = station(&world, &database).await;
    let mut second = station(&world, &database).await;
    for _ in 0..3 {
        world.node.mine(2).unwrap();
        first.sync().await;
        world.node.mine(2).unwrap();
        second.sync().await;
        assert_followed(&world, &second).await;
    }
    world.node.reorg(3).unwrap();
    first.sync().await;
    world.node.mine(1).unwrap();
    second.sync().await;
    assert_followed(&world, &second).await;
}

#[tokio::test]
async fn a_failure_on_the_way_leaves_nothing_half_followed() {
    for method in ["starknet_getEvents", "starknet_getBlockWithReceipts"] {
        let world = world(6).await;
        let database = TestDatabase::new(Sqlite).await;
        let mut station = station(&world, &database).await;
        let stop = CancellationToken::new();
        let mut failures = 0;
        for _ in 0..2 {
            world.node.mine(1).unwrap();
            world
                .node
                .fault(method, FaultKind::Malformed, 1_000)
                .unwrap();
            let round = station.indexer.round(&stop).await;
            failures += u32::from(matches!(round, Err(Fault::Node(_))));
            world.node.clear_faults(method);
        }
        assert!(failures >= 1, "{method}");
        station.sync().await;
        assert_followed(&world, &station).await;
    }
}

/// What happens while the indexer follows.
#[derive(Debug, Clone, Copy)]
enum Happening {
    Mine(u32),
    Reorg(u32),
    Round,
    Restart,
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let happening = prop_oneof![
        3 => (1_u32..5).prop_map(Happening::Mine),
        3 => (1_u32..6).prop_map(Happening::Reorg),
        3 => Just(Happening::Round),
        1 => Just(Happening::Restart),
    ];
    proptest::collection::vec(happening, 1..10)
}

async fn through(engine: Engine, seed: u64, happenings: Vec<Happening>) {
    let world = world(seed).await;
    let database = TestDatabase::new(engine).await;
    let mut followed = station(&world, &database).await;
    let stop = CancellationToken::new();
    for happening in happenings {
        match happening {
            Happening::Mine(blocks) => world.node.mine(blocks).unwrap(),
            Happening::Reorg(depth) => {
                let deepest = u32::try_from(world.node.head().number).unwrap();
                world.node.reorg(depth.min(deepest)).unwrap();
            }
            Happening::Round => {
                followed.indexer.round(&stop).await.unwrap();
            }
            Happening::Restart => {
                followed.store.close().await;
                followed = station(&world, &database).await;
            }
        }
    }
    followed.sync().await;
    let through_all = assert_followed(&world, &followed).await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    assert_eq!(through_all, seen(&world, &alone).await);
    let learned = |station: &Station| {
        let chain = station.store.chain().clone();
        async move { chain.contents().await.unwrap().followed }
    };
    assert_eq!(learned(&followed).await, learned(&alone).await);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn following_contracts_through_forks_and_restarts_equals_a_fresh_follow(
        seed in 0_u64..1_000,
        happenings in happenings(),
    ) {
        in_runtime(through(Sqlite, seed, happenings));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn following_contracts_through_forks_equals_a_fresh_follow_on_postgresql(
        seed in 0_u64..1_000,
        happenings in happenings(),
    ) {
        in_runtime(through(Postgres, seed, happenings));
    }
}
