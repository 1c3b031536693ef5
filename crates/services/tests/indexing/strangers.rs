//! What strangers can make contracts say: it hurts nobody but themselves.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use amm::book::{Flaw, Kind, Off, PoolView, Pools, Spot, State};
use market::figures::Summary;
use primitives::{Address, Felt};
use services::{IndexerOptions, Nodes};
use std::collections::BTreeMap;
use tracing::instrument::WithSubscriber as _;
use world::{Log, Relay, Station, World, relay::add_event};

const MOST: u128 = u128::MAX;

/// The block in which a stranger acts.
const ACT: u64 = 20;

fn core(world: &World) -> Address {
    let venues = world.known.venues.venues();
    let ekubo = venues.iter().find(|venue| venue.kind == Kind::Ekubo);
    ekubo.unwrap().contract
}

/// A station whose node says in block [`ACT`] that the core emitted these events.
async fn after(world: &World, name: &str, events: Vec<(&'static str, Vec<Felt>)>) -> Station {
    let core = core(world);
    let relay = Relay::start(&world.node, move |method, params, answer| {
        let number = params["block_id"]["block_number"].as_u64();
        if method == "starknet_getBlockWithReceipts" && number == Some(ACT) {
            for (name, data) in &events {
                add_event(answer, core, name, data);
            }
        }
    });
    let relay = relay.await;
    let nodes = Nodes::new(vec![relay.client(&world.entropy)], 1);
    let store = world.store(name).await;
    let options = IndexerOptions {
        batch: 5,
        ..IndexerOptions::default()
    };
    let mut station = world.station_with(store, nodes, options).await;
    station.sync().await;
    station
}

type Key = (Address, [Address; 2], String);

fn pools(pools: &Pools) -> BTreeMap<Key, (State, Option<Off>)> {
    let key = |view: &PoolView<'_>| {
        let spot = format!("{:?}", view.spot());
        (view.venue.contract, view.tokens(), spot)
    };
    let seen = |view: &PoolView<'_>| (view.pool.state().clone(), view.off());
    pools.iter().map(|view| (key(&view), seen(&view))).collect()
}

fn figures(station: &Station) -> BTreeMap<Address, Option<Summary>> {
    let snapshot = station.snapshots.load().unwrap();
    let figures = &snapshot.figures;
    let tokens = snapshot.tokens.tokens().iter();
    let summary = |address| figures.summary(figures.token(address)?, figures.head_time());
    tokens
        .map(|token| (token.address, summary(token.address)))
        .collect()
}

fn seen(station: &Station) -> BTreeMap<Key, (State, Option<Off>)> {
    pools(&station.snapshots.load().unwrap().pools)
}

/// The key of a pool of two tokens, as events have it.
fn key([token0, token1]: [Address; 2]) -> Vec<Felt> {
    let terms = [Felt::from(MOST), Felt::from(354_892_u32), Felt::ZERO];
    [vec![token0.felt(), token1.felt()], terms.to_vec()].concat()
}

fn felts(numbers: &[u128]) -> Vec<Felt> {
    numbers.iter().copied().map(Felt::from).collect()
}

/// Every event of a pool, each amount as large as the protocol lets it be.
fn extremes(tokens: [Address; 2]) -> Vec<(&'static str, Vec<Felt>)> {
    let key = key(tokens);
    let of = |before: &[u128], after: &[u128]| [felts(before), key.clone(), felts(after)].concat();
    let (tick, sign) = (88_722_883, 1);
    let ratio = [MOST, (1 << 64) - 1];
    let position = [7, tick, sign, tick, 0];
    let swapped = |delta: [u128; 4]| {
        let asked = [MOST, 1, 1, ratio[0], ratio[1], MOST];
        let after = [ratio[0], ratio[1], tick, 0, MOST];
        of(&[9], &[&asked[..], &delta, &after].concat())
    };
    vec![
        ("PoolInitialized", of(&[], &[tick, 0, ratio[0], ratio[1]])),
        ("FeesAccumulated", of(&[], &[MOST, MOST])),
        ("Swapped", swapped([MOST, 1, MOST, 1])),
        ("Swapped", swapped([MOST, 0, MOST, 0])),
        (
            "PositionFeesCollected",
            of(&[], &[7, 9, tick, 1, tick, 0, MOST, 1, MOST, 1]),
        ),
        (
            "PositionUpdated",
            of(
                &[9],
                &[&position[..], &[MOST, 0, MOST, 0, MOST, 0]].concat(),
            ),
        ),
        ("Swapped", swapped([MOST, 0, MOST, 1])),
        ("FeesAccumulated", of(&[], &[MOST, MOST])),
    ]
}

#[tokio::test]
async fn amounts_as_large_as_can_be_hurt_only_the_pool_of_whoever_made_them() {
    let world = World::with_history(1, 40).await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    let trusted = {
        let snapshot = alone.snapshots.load().unwrap();
        let by_tvl = snapshot.figures.by_tvl().to_vec();
        snapshot.figures.address(by_tvl[0]).unwrap()
    };
    let worthless = Address::new(Felt::ONE);
    let before = (seen(&alone), figures(&alone));
    // With another worthless token, and with the one that most lies of in pools.
    for other in [Address::new(Felt::TWO), trusted] {
        let events = extremes([worthless, other]);
        for count in 1..=events.len() {
            let name = format!("{other}-{count}");
            let station = after(&world, &name, events[..count].to_vec()).await;
            let mut after = seen(&station);
            let own = after
                .keys()
                .find(|(_, [token0, _], _)| *token0 == worthless);
            let own = own.cloned().unwrap();
            let (state, off) = after.remove(&own).unwrap();
            assert_eq!(after, before.0, "{count} events with {other}");
            if count < 6 {
                assert!(matches!(state, State::Concentrated(_)));
                assert!(!matches!(off, Some(Off::Flaw(_))), "{count}: {off:?}");
            } else {
                assert_eq!(off, Some(Off::Flaw(Flaw::Unbalanced)));
            }
        }
        let station = after(&world, &format!("{other}-all"), events).await;
        if other != trusted {
            assert_eq!(figures(&station), before.1);
        }
    }
}

#[tokio::test]
async fn a_trade_of_more_than_there_is_counts_for_what_there_is() {
    let world = World::with_history(1, 40).await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    let snapshot = alone.snapshots.load().unwrap();
    let trusted = snapshot.figures.by_tvl()[0];
    let address = snapshot.figures.address(trusted).unwrap();
    let now = snapshot.figures.head_time();
    let before = snapshot.figures.summary(trusted, now).unwrap();
    let events = extremes([Address::new(Felt::ONE), address])[..4].to_vec();
    let station = after(&world, "store", events).await;
    let after = station.snapshots.load().unwrap();
    let after = after.figures.summary(trusted, now).unwrap();
    let decimals = i32::from(snapshot.figures.decimals(trusted).unwrap());
    #[expect(clippy::cast_precision_loss, reason = "a bound, not an amount")]
    let (supply, volume) = (before.supply.unwrap() as f64, after.volume_24h as f64 / 1e8);
    let all = supply / 10_f64.powi(decimals) * before.usd;
    assert!(volume < 3.0 * all, "{volume} of {all}");
    assert_eq!((after.usd, after.supply), (before.usd, before.supply));
}

#[tokio::test]
async fn an_event_that_cannot_be_read_flaws_the_pool_that_its_key_names_and_no_other() {
    let world = World::with_history(2, 40).await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    let snapshot = alone.snapshots.load().unwrap();
    let mut all = snapshot.pools.iter();
    let victim = all.find(|view| view.venue.kind == Kind::Ekubo && view.off().is_none());
    let victim = victim.unwrap();
    let Spot::Keyed {
        fee,
        tick_spacing,
        extension,
    } = victim.spot()
    else {
        panic!("a keyed pool");
    };
    let tokens = victim.tokens().map(Address::felt);
    let terms = [fee.into(), tick_spacing.into(), extension.felt()];
    let cut_short = [vec![Felt::ONE], tokens.to_vec(), terms.to_vec()].concat();
    let station = after(&world, "store", vec![("Swapped", cut_short)]).await;
    let (mut before, mut after) = (seen(&alone), seen(&station));
    let is_victim = |key: &Key| key.1 == victim.tokens() && key.2 == format!("{:?}", victim.spot());
    let key = after.keys().find(|key| is_victim(key)).cloned().unwrap();
    let (_, off) = after.remove(&key).unwrap();
    assert_eq!(off, Some(Off::Flaw(Flaw::Malformed)));
    before.remove(&key).unwrap();
    assert_eq!(after, before);
}

#[tokio::test]
async fn events_that_name_no_pool_flaw_none_and_are_logged_once_a_minute() {
    let world = World::with_history(3, 40).await;
    let mut alone = world.station("alone").await;
    alone.sync().await;
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).finish();
    let unknown = [Address::new(Felt::ONE), Address::new(Felt::TWO)];
    let cut_short = [vec![Felt::ONE], key(unknown)].concat();
    let mut events = vec![("Swapped", felts(&[1, 2])), ("PoolInitialized", vec![])];
    events.extend((0..50).map(|_| ("Swapped", cut_short.clone())));
    let station = after(&world, "store", events)
        .with_subscriber(subscriber)
        .await;
    assert_eq!(seen(&station), seen(&alone));
    assert_eq!(figures(&station), figures(&alone));
    assert_eq!(log.text().matches("a malformed event").count(), 1);
}
