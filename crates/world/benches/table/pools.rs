//! Following pools: decoding and applying their events, taking blocks back,
//! and what a pool weighs.

use crate::{Goal, Row, median};
use amm::book::{Book, Change, Created, Kind, Pin, Registry, Shape, Spot, Venue};
use chain::{Event, pool_event};
use primitives::{Address, Felt, selector};
use serde_json::{Value, json};
use std::{collections::BTreeMap, hint::black_box, sync::Arc};
use tokio::time::Instant;

const TURNS: usize = 5;
const POOLS: u32 = 1_000;
const EVENTS: u32 = 50_000;
const EVENTS_PER_BLOCK: u32 = 25;
const BLOCKS_BACK: u32 = 2_000;
const WEIGHED: u32 = 200_000;

/// Events that one core has to decode and apply in a second.
const EVENTS_PER_SECOND: f64 = 150_000.0;

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = replay();
    rows.push(rollback());
    rows
}

fn replay() -> Vec<Row> {
    let events: Vec<Event> = (0..EVENTS).map(swap).collect();
    let text = serde_json::to_string(&events.iter().map(to_json).collect::<Vec<_>>()).unwrap();
    let (mut against_parsing, mut per_second) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let start = Instant::now();
        let parsed: Vec<Value> = serde_json::from_str(black_box(&text)).unwrap();
        let parsing = start.elapsed();
        assert_eq!(parsed.len(), events.len());
        let mut book = book(POOLS);
        let start = Instant::now();
        for (number, block) in (1..).zip(blocks(&events)) {
            follow(&mut book, number, block);
        }
        let following = start.elapsed();
        against_parsing.push(parsing.as_secs_f64() / following.as_secs_f64());
        per_second.push(f64::from(EVENTS) / following.as_secs_f64());
    }
    vec![
        Row {
            what: "swap events, decoded and applied",
            baseline: "parsing the same JSON alone, speed",
            ratio: median(against_parsing),
            goal: Goal::AtLeast(1.0),
        },
        Row {
            what: "swap events per core and second",
            baseline: "150,000",
            ratio: median(per_second) / EVENTS_PER_SECOND,
            goal: Goal::AtLeast(1.0),
        },
    ]
}

fn rollback() -> Row {
    let events: Vec<Event> = (0..EVENTS).map(swap).collect();
    let mut shares = Vec::new();
    for _ in 0..TURNS {
        let mut book = book(POOLS);
        let start = Instant::now();
        for (number, block) in (1..).zip(blocks(&events)) {
            follow(&mut book, number, block);
        }
        let forth = start.elapsed();
        let start = Instant::now();
        book.rollback(Some(0)).unwrap();
        shares.push(start.elapsed().as_secs_f64() / forth.as_secs_f64());
    }
    assert_eq!(EVENTS, BLOCKS_BACK * EVENTS_PER_BLOCK);
    Row {
        what: "taking back 2,000 blocks of pools, time",
        baseline: "applying them again",
        ratio: median(shares),
        goal: Goal::AtMost(0.5),
    }
}

pub(crate) fn weight() -> Row {
    let before = resident_bytes();
    let book = book(WEIGHED);
    let grown = resident_bytes() - before;
    assert_eq!(u32::try_from(book.pools().len()), Ok(WEIGHED));
    Row {
        what: "bytes of a pool without ticks",
        baseline: "400",
        ratio: grown / f64::from(WEIGHED) / 400.0,
        goal: Goal::AtMost(1.0),
    }
}

fn resident_bytes() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: f64 = text.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4_096.0
}

/// The events, block by block.
fn blocks(events: &[Event]) -> impl Iterator<Item = &[Event]> {
    events.chunks(usize::try_from(EVENTS_PER_BLOCK).unwrap())
}

fn follow(book: &mut Book, number: u64, events: &[Event]) {
    book.begin(number);
    for event in events {
        let speaker = book.speaker(event.from).unwrap();
        let told = pool_event(Kind::Ekubo, event).unwrap();
        let change = book.change(speaker, &told).unwrap();
        book.apply(&change);
    }
}

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

/// The core of an exchange with so many pools.
fn book(pools: u32) -> Book {
    let venue = Venue {
        name: "core".to_owned(),
        kind: Kind::Ekubo,
        contract: address(1),
        router: None,
        start_block: 0,
        classes: BTreeMap::from([(address(2), Pin::EkuboExact)]),
        extensions: BTreeMap::new(),
        enabled: true,
    };
    let mut book = Book::new(Arc::new(Registry::new(vec![venue]).unwrap()));
    book.begin(0);
    for pool in 0..pools {
        let venue = address(1);
        book.apply(&Change::Created {
            venue,
            pool: created(pool),
        });
    }
    // Closed, so that later blocks do not weigh on it.
    book.begin(0);
    book
}

/// Pools of about half as many tokens.
fn created(pool: u32) -> Created {
    Created {
        tokens: [100, 101].map(|first| address(u64::from(first + pool / 2))),
        spot: Spot::Keyed {
            fee: u128::from(pool % 2),
            tick_spacing: 10,
            extension: address(0),
        },
        shape: Shape::Usual,
        price: None,
    }
}

/// A swap of some pool, as Ekubo tells it.
fn swap(number: u32) -> Event {
    let pool = number.wrapping_mul(0x9e37_79b9) % POOLS;
    let Created { tokens, .. } = created(pool);
    let mut data = vec![Felt::from(7), tokens[0].felt(), tokens[1].felt()];
    let rest = [pool % 2, 10, 0, 50, 0, 1, 3, 0, 100, 40, 0, 50, 0];
    data.extend(rest.map(Felt::from));
    data.extend([
        Felt::from(u128::MAX),
        Felt::from(number),
        Felt::from(6),
        Felt::ONE,
    ]);
    data.push(Felt::from(1_000_000_000_000_u64 + u64::from(number)));
    Event {
        transaction: 0,
        from: address(1),
        keys: vec![selector("Swapped")],
        data,
    }
}

fn to_json(event: &Event) -> Value {
    let hex = |felts: &[Felt]| felts.iter().map(Felt::to_hex_string).collect::<Vec<_>>();
    json!({
        "from_address": event.from.to_string(),
        "keys": hex(&event.keys),
        "data": hex(&event.data),
    })
}
