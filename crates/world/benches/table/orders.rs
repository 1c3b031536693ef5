//! Recurring orders: a page of them over HTTP, their events taken up, and what a
//! keeper costs beside what it cannot leave out.

use crate::{
    Goal, Row,
    http::{Extras, Server, asking},
    median,
};
use chain::StarkSigner;
use market::following::Following;
use primitives::{Address, Clock, Felt, SignedDuration, Timestamp, U256, selector, short_string};
use serde::Deserialize;
use services::{
    IndexerOptions, Keeper, OrderFeed, RecurringOrders, Rehearsals, STRK, Sender, SenderOptions,
    SenderPool,
};
use simnet::{History, StarknetConfig, StarknetNode};
use std::{
    fmt::Write as _,
    hint::black_box,
    path::Path,
    sync::{Arc, mpsc},
    time::Duration,
};
use store::SendingAccount;
use tempfile::TempDir;
use tokio::{runtime::Runtime, time::Instant};
use trading::recurring::{
    BuyBounds, Mark, NewOrder, Now, OrderBook, RawOrderEvent, deployed_selector, order_calls,
};
use world::{Engine, Station, TestDatabase, World, exchange_terms, sale};

const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const USDC: &str = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";

const TURNS: usize = 7;

/// Orders in all, of one trader, and cycles of each.
const ORDERS: u64 = 100_000;
const OWN: u64 = 1_000;
const CYCLES: u64 = 24;
const HOUR: u64 = 3_600;

/// Requests of each connection in a turn.
const PAGES: usize = 40;

/// Orders that a keeper executes in a turn.
const KEPT: usize = 24;

/// Blocks after which a keeper looks at what it sent, at one in two seconds.
const ROUNDS_PER_FOLLOW: usize = 4;

/// The name of the node's threads.
const NODE: &str = "node";

/// Blocks of a history in which all exchanges have opened.
const OPENING: usize = 120;

/// Blocks after which arbitrageurs have brought prices together.
const SETTLING: u32 = 12;

pub(crate) fn rows() -> Vec<Row> {
    let (page, taken_up) = runtime().block_on(page());
    vec![page, taken_up, keeper()]
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

fn token(text: &str) -> Address {
    text.parse().unwrap()
}

/// An event as it is followed.
struct Event {
    contract: Address,
    mark: Mark,
    keys: Vec<Felt>,
    data: Vec<Felt>,
}

impl Event {
    fn told(&self) -> RawOrderEvent<'_> {
        RawOrderEvent {
            learned: self.mark.block,
            mark: self.mark,
            contract: self.contract,
            keys: &self.keys,
            data: &self.data,
        }
    }

    /// As a node tells it.
    fn json(&self) -> String {
        let list = |felts: &[Felt]| {
            let mut text = String::new();
            for felt in felts {
                let comma = if text.is_empty() { "" } else { "," };
                write!(text, "{comma}\"{felt:#x}\"").unwrap();
            }
            text
        };
        format!(
            r#"{{"from_address":"{}","keys":[{}],"data":[{}],"block_number":{},"transaction_hash":"{:#x}"}}"#,
            self.contract,
            list(&self.keys),
            list(&self.data),
            self.mark.block,
            self.mark.transaction,
        )
    }
}

/// What a node tells, as far as it matters.
#[derive(Deserialize)]
#[expect(dead_code, reason = "reading it is what is measured")]
struct ToldByNode<'a> {
    from_address: &'a str,
    keys: Vec<&'a str>,
    data: Vec<&'a str>,
    block_number: u64,
    transaction_hash: &'a str,
}

/// An order and its executed cycles, an hour apart until `now`.
fn life(number: u64, factory: Address, now: Timestamp) -> Vec<Event> {
    let start = u64::try_from(now.as_second()).unwrap() - CYCLES * HOUR;
    let order = Address::new(Felt::from(number + 1_000_000));
    let is_mine = number.is_multiple_of(ORDERS / OWN);
    let trader = if is_mine {
        Felt::ONE
    } else {
        Felt::from(number + 2)
    };
    let mark = |block: u64, second: u64| Mark {
        block,
        time: Timestamp::from_second(i64::try_from(second).unwrap()).unwrap(),
        transaction: Felt::from(number * CYCLES + block),
    };
    let (part, zero) = (Felt::from(10_u64.pow(16)), Felt::ZERO);
    let amount = Felt::from(10_u64.pow(16) * CYCLES);
    let most = Felt::from(u128::MAX);
    let mut events = vec![Event {
        contract: factory,
        mark: mark(1, start),
        keys: vec![deployed_selector(), order.felt(), trader],
        data: vec![
            Felt::from(7_u8),
            token(ETH).felt(),
            amount,
            zero,
            part,
            zero,
            token(USDC).felt(),
            zero,
            Felt::from(HOUR),
            Felt::from(start),
            zero,
            zero,
            most,
            most,
            Felt::from(start + CYCLES * HOUR),
        ],
    }];
    events.extend((0..CYCLES).map(|cycle| Event {
        contract: order,
        mark: mark(cycle + 2, start + cycle * HOUR),
        keys: vec![selector("CycleExecuted"), Felt::from(cycle)],
        data: vec![part, zero, Felt::from(25_000_000_u64 + cycle), zero],
    }));
    events
}

/// Both rows that are about many orders.
async fn page() -> (Row, Row) {
    let world = World::with_spaced_history(1, 26, Duration::from_secs(HOUR)).await;
    let mut station = world.station("bench").await;
    station.sync().await;
    let snapshot = station.snapshots.load().unwrap();
    let now = Now {
        block: snapshot.head.number.max(CYCLES + 3),
        time: snapshot.head_time,
    };
    let mut book = OrderBook::new(StarknetNode::recurring_order_factory());
    let taken_up = taken_up(&mut book, now.time);
    let mine = Address::new(Felt::ONE);
    assert_eq!(book.of_trader(mine).count(), usize::try_from(OWN).unwrap());
    let orders = RecurringOrders::known(book, now);
    let hello = Server::hello();
    let extras = Extras {
        orders: Some(orders),
        ..Extras::default()
    };
    let pages = Server::stoa_with(&world, &station, extras);
    let asked = [asking(&format!("/dca/v3/orders?traderAddress={mine}"))];
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let without = hello.cost_of_hello().await;
        let with = pages.cost(&asked, PAGES).await;
        ratios.push(without / with);
    }
    let page = Row {
        what: "page of 20 orders with 24 trades each",
        baseline: "bare hello, per CPU second of the server",
        ratio: median(ratios),
        goal: Goal::AtLeast(0.05),
    };
    (page, taken_up)
}

/// Fills the book, and compares that with reading the events' JSON.
fn taken_up(book: &mut OrderBook, now: Timestamp) -> Row {
    let portion = ORDERS / u64::try_from(TURNS).unwrap() + 1;
    let mut ratios = Vec::new();
    for turn in 0..u64::try_from(TURNS).unwrap() {
        let numbers = turn * portion..ORDERS.min((turn + 1) * portion);
        let events: Vec<Event> = numbers
            .flat_map(|number| life(number, book.factory(), now))
            .collect();
        let texts: Vec<String> = events.iter().map(Event::json).collect();
        let start = Instant::now();
        for text in &texts {
            black_box(serde_json::from_str::<ToldByNode<'_>>(text).unwrap());
        }
        let parsing = start.elapsed();
        let start = Instant::now();
        for event in &events {
            book.take_up(&event.told()).unwrap();
        }
        ratios.push(parsing.as_secs_f64() / start.elapsed().as_secs_f64());
    }
    Row {
        what: "events of orders, taken up per second",
        baseline: "their JSON, parsed",
        ratio: median(ratios),
        goal: Goal::AtLeast(1.0),
    }
}

/// The processor time of all threads of this process but the node's, in seconds.
fn processor_seconds() -> f64 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let nanoseconds = threads.map(|thread| {
        // A thread may have ended meanwhile.
        let about =
            |what: &str| std::fs::read_to_string(thread.as_ref().unwrap().path().join(what));
        if about("comm").unwrap_or_default().trim_end() == NODE {
            return 0.0;
        }
        let spent = about("schedstat").unwrap_or_default();
        let spent = spent.split(' ').next().and_then(|it| it.parse().ok());
        spent.unwrap_or(0.0)
    });
    nanoseconds.sum::<f64>() / 1e9
}

/// A world with as many pools as the shipped one, whose node has threads of its
/// own, which do not count.
fn world_apart(folder: &Path) -> World {
    let (tell, told) = mpsc::channel();
    let folder = folder.to_owned();
    let config = StarknetConfig {
        block_time: None,
        history: History::blocks(OPENING, Duration::from_secs(2)),
        ..StarknetConfig::default()
    };
    let serve = move || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().thread_name(NODE).build().unwrap();
        runtime.block_on(async move {
            let mut world = World::in_folder(&folder, config).await;
            let factory = StarknetNode::recurring_order_factory();
            world.known.following = Arc::new(Following {
                leads: vec![RecurringOrders::lead(factory)],
                ..Following::default()
            });
            tell.send(world).unwrap();
            std::future::pending::<()>().await;
        });
    };
    let thread = std::thread::Builder::new().name(NODE.to_owned());
    thread.spawn(serve).unwrap();
    told.recv().unwrap()
}

/// A keeper's processor time for a cycle, without the node's, against that of a
/// quote and a signature; each is the first on its block.
fn keeper() -> Row {
    let folder = TempDir::new().unwrap();
    let world = world_apart(folder.path());
    let ratios = runtime().block_on(async {
        let database = TestDatabase::new(Engine::Sqlite).await;
        let store = database.store().await;
        let mut station = world.station_on(store, IndexerOptions::default()).await;
        station.sync().await;
        shun(&world, &mut station).await;
        let orders = RecurringOrders::new(StarknetNode::recurring_order_factory());
        let (own, snapshots) = (station.store.clone(), station.snapshots.clone());
        let mut feed = OrderFeed::new(orders.clone(), own, snapshots);
        let (sold, bought) = (token(ETH), token(USDC));
        let part = U256::from(10_u64.pow(16));
        for _ in 0..KEPT {
            let now = station.snapshots.load().unwrap().head_time;
            let amount = part * U256::from(TURNS + 1);
            let frequency = "PT1H".parse().unwrap();
            let bounds = BuyBounds::default();
            let order = NewOrder::new(sold, bought, amount, part, frequency, now, bounds, now);
            let calls = order_calls(&order.unwrap(), orders.factory());
            world.execute(&calls).await;
        }
        station.sync().await;
        feed.look().await.unwrap();
        let swaps = world.swaps(&station);
        let signer = StarkSigner::new(StarknetNode::keeper().private_key).unwrap();
        let pool = SenderPool::new(vec![sender(&world, &station.store)]);
        let mut keeper = Keeper::new(orders.clone(), swaps.clone(), pool);
        let watcher = SenderPool::new(vec![sender(&world, &station.store)]);
        let mut ratios = Vec::new();
        for turn in 0..TURNS {
            let (mut bare, mut count, mut kept) = (0.0, 0, 0.0);
            for number in 0..KEPT {
                let before = processor_seconds();
                let fresh = swaps.fresh().unwrap();
                let offers = swaps.quote(sale(sold, bought, part), fresh).await;
                assert!(!black_box(offers).unwrap().is_empty());
                black_box(signer.sign(Felt::from(number)).unwrap());
                bare += processor_seconds() - before;
                next_block(&world, &mut station, &mut feed).await;
                let before = processor_seconds();
                count += keeper.round().await.unwrap();
                if number.is_multiple_of(ROUNDS_PER_FOLLOW) {
                    watcher.follow().await.1.unwrap();
                }
                kept += processor_seconds() - before;
                next_block(&world, &mut station, &mut feed).await;
            }
            assert!(count > KEPT / 2, "{count} of {KEPT} in turn {turn}");
            let per =
                |seconds: f64, count: usize| seconds / f64::from(u32::try_from(count).unwrap());
            ratios.push(per(kept, count) / per(bare, KEPT));
            world.node.advance(HOUR, 1).unwrap();
            world.node.mine(SETTLING).unwrap();
            station.sync().await;
            feed.look().await.unwrap();
        }
        ratios
    });
    Row {
        what: "a keeper's cycle, processor time",
        baseline: "a block's first quote and a signature",
        ratio: median(ratios),
        goal: Goal::AtMost(2.0),
    }
}

async fn next_block(world: &World, station: &mut Station, feed: &mut OrderFeed) {
    world.node.mine(1).unwrap();
    station.sync().await;
    feed.look().await.unwrap();
}

/// Has tokens shunned that do not do what they say, as the service does.
async fn shun(world: &World, station: &mut Station) {
    let node = vec![world.client.clone()];
    let rehearsals = Rehearsals::open(
        node.clone(),
        station.store.clone(),
        station.snapshots.clone(),
        station.progress.clone(),
        exchange_terms(node),
        &world.known.anchors,
    );
    let mut rehearsals = rehearsals.await.unwrap();
    for _ in 0..SETTLING {
        rehearsals.round().await.unwrap();
        world.node.mine(1).unwrap();
        station.sync().await;
    }
}

fn sender(world: &World, store: &store::Store) -> Sender {
    let keeper = StarknetNode::keeper();
    let options = SenderOptions {
        fee_token: STRK,
        max_fee: 10_u128.pow(19),
        reserve: 0,
        in_flight: 1_000,
        room_percent: 50,
        patience: SignedDuration::from_secs(60),
        depth: 0,
        stuck_blocks: 5,
        replacements: 3,
    };
    let account = SendingAccount {
        chain_id: short_string("SN_STOA"),
        address: keeper.address,
    };
    Sender::new(
        store.clone(),
        vec![world.client.clone()],
        account,
        StarkSigner::new(keeper.private_key).unwrap(),
        Arc::clone(&world.clock) as Arc<dyn Clock>,
        options,
    )
}
