//! What subscribers are told.

use super::{
    events::{News, NewsBody},
    progress::StreamProgress,
    query::{Wanted, WantedSeries},
    source::{OrdersFigure, PriceFigure, Source},
};
use amm::book::Pools;
use market::{
    figures::{Candle, Figures},
    series::{Bucket, Resolution, Span},
};
use primitives::{Address, BlockRef, Felt, Timestamp};
use services::{BlockHead, RecentBlocks, Snapshot, Snapshots, Trail};
use std::{collections::BTreeMap, sync::Arc};

const HOUR: i64 = 3_600;
const TOKEN: Address = Address::new(Felt::ONE);
const OTHER: Address = Address::new(Felt::TWO);

/// A market that is whatever a test wants it to be.
#[derive(Default)]
struct StubMarket {
    recent: RecentBlocks,
    head_time: i64,
    now: i64,
    prices: BTreeMap<Address, f64>,
    candles: BTreeMap<Bucket, f64>,
    orders: Option<OrdersFigure>,
}

impl Source for StubMarket {
    fn recent(&self) -> &RecentBlocks {
        &self.recent
    }

    fn head_time(&self) -> i64 {
        self.head_time
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn price(&self, token: Address) -> Option<PriceFigure> {
        let usd = *self.prices.get(&token)?;
        Some(PriceFigure { usd, change: None })
    }

    fn candles(&self, _: Address, _: Resolution, span: Span) -> Vec<(Bucket, Candle)> {
        let candle = |close| Candle {
            open: 1.0,
            high: 9.0,
            low: 1.0,
            close,
            volume: 0,
        };
        let inside = self.candles.range(span);
        inside.map(|(at, close)| (*at, candle(*close))).collect()
    }

    fn orders(&self, _: Address) -> Option<OrdersFigure> {
        self.orders
    }
}

fn head(number: u64, fork: u64) -> BlockHead {
    BlockHead {
        at: at(number, fork),
        time: Timestamp::from_second(0).unwrap(),
    }
}

fn at(number: u64, fork: u64) -> BlockRef {
    BlockRef {
        number,
        hash: Felt::from(fork * 1_000_000 + number),
    }
}

/// A market whose newest blocks are these, of one fork.
fn market(numbers: std::ops::RangeInclusive<u64>) -> StubMarket {
    StubMarket {
        recent: RecentBlocks::new(numbers.map(|number| head(number, 0))),
        ..StubMarket::default()
    }
}

fn wanting(tokens: &[Address]) -> Wanted {
    Wanted {
        tokens: tokens.to_vec(),
        ..Wanted::default()
    }
}

/// Events in short: what and of which block.
fn short(news: &[News]) -> Vec<String> {
    let short = |news: &News| match &news.body {
        NewsBody::Block(it) => {
            assert_eq!((it.number, it.hash.0), (news.block.number, news.block.hash));
            format!("block {}", it.number)
        }
        NewsBody::Reorganisation(it) => format!("back {} to {}", it.depth, it.number),
        NewsBody::Prices(it) => {
            let prices = it.prices.iter();
            let prices = prices.map(|it| format!("{}={:?}", it.address, it.price_usd));
            prices.collect::<Vec<_>>().join(" ")
        }
        NewsBody::Candle(it) => {
            let candle = serde_json::to_value(&it.candle).unwrap();
            format!("{} {}", candle["date"].as_str().unwrap(), candle["close"])
        }
        NewsBody::Orders(it) => format!("orders {}", it.block_number),
        NewsBody::Lagging(it) => format!("lagging {}", it.missed),
    };
    news.iter().map(short).collect()
}

#[test]
fn who_comes_new_is_told_the_newest_block_and_then_each_one() {
    let mut progress = StreamProgress::new(Wanted::default(), None);
    assert_eq!(short(&progress.next(&StubMarket::default())), [""; 0]);
    assert_eq!(short(&progress.next(&market(1..=5))), ["block 5"]);
    assert_eq!(short(&progress.next(&market(1..=5))), [""; 0]);
    assert_eq!(
        short(&progress.next(&market(1..=7))),
        ["block 6", "block 7"]
    );
}

#[test]
fn who_knows_a_block_goes_on_from_there() {
    let resume =
        |known| short(&StreamProgress::new(Wanted::default(), Some(known)).next(&market(1..=5)));
    assert_eq!(resume(at(3, 0)), ["block 4", "block 5"]);
    assert_eq!(resume(at(5, 0)), [""; 0]);
    // Of another chain, or of the future.
    assert_eq!(resume(at(3, 9)), ["block 5"]);
    assert_eq!(resume(at(9, 0)), ["block 5"]);
}

#[test]
fn a_reorganisation_comes_before_the_blocks_that_follow() {
    let before: Vec<BlockHead> = (1..=5).map(|number| head(number, 0)).collect();
    let fork = |to: u64| {
        [head(4, 1), head(5, 1), head(6, 1)]
            .into_iter()
            .filter(move |it| it.at.number <= to)
    };
    let kept = || before.iter().copied().take(3);
    let mut progress = hourly();
    let mut market = market(1..=5);
    market.candles = BTreeMap::from([(0, 2.0)]);
    assert_eq!(short(&progress.next(&market)), ["1970-01-01T00:00:00Z 2.0"]);
    // The open candle is told again, though it looks the same.
    market.recent = shown([before.clone(), kept().chain(fork(6)).collect()]);
    let news = progress.next(&market);
    let expected = [
        "back 2 to 3",
        "block 4",
        "block 5",
        "block 6",
        "1970-01-01T00:00:00Z 2.0",
    ];
    assert_eq!(short(&news), expected);
    assert_eq!(news[0].block, at(3, 0));
    assert_eq!(news[1].block, at(4, 1));
    // Whoever comes back with a block that is gone hears the same.
    let resume = |known| short(&StreamProgress::new(Wanted::default(), Some(known)).next(&market));
    assert_eq!(
        resume(at(4, 0)),
        ["back 1 to 3", "block 4", "block 5", "block 6"]
    );
    assert_eq!(resume(at(3, 0)), ["block 4", "block 5", "block 6"]);
    // A chain that only went back is told at once.
    let mut progress = StreamProgress::new(Wanted::default(), Some(at(5, 0)));
    market.recent = shown([before.clone(), kept().collect()]);
    assert_eq!(short(&progress.next(&market)), ["back 2 to 3"]);
    market.recent = shown([
        before.clone(),
        kept().collect(),
        kept().chain(fork(4)).collect(),
    ]);
    assert_eq!(short(&progress.next(&market)), ["block 4"]);
}

/// What is remembered after these chains were published, one after the other.
fn shown<const N: usize>(chains: [Vec<BlockHead>; N]) -> RecentBlocks {
    let snapshots = Snapshots::default();
    for chain in chains {
        let newest = *chain.last().unwrap();
        snapshots.publish(Snapshot {
            head: newest.at,
            head_time: newest.time,
            tokens: Arc::default(),
            pools: Pools::default(),
            graph: Arc::default(),
            trail: Trail::default(),
            recent: RecentBlocks::new(chain),
            figures: Figures::default(),
            shunned: Arc::default(),
            standing: Arc::default(),
            provisional: false,
        });
    }
    snapshots.load().unwrap().recent.clone()
}

#[test]
fn only_prices_that_changed_are_told() {
    let mut progress = StreamProgress::new(wanting(&[TOKEN, OTHER]), None);
    let mut market = market(1..=5);
    market.prices.insert(TOKEN, 1.5);
    assert_eq!(short(&progress.next(&market)), ["block 5", "0x1=Some(1.5)"]);
    market.prices.insert(OTHER, 3.0);
    assert_eq!(short(&progress.next(&market)), ["0x2=Some(3.0)"]);
    assert_eq!(short(&progress.next(&market)), [""; 0]);
    market.prices = BTreeMap::from([(TOKEN, 2.0)]);
    assert_eq!(short(&progress.next(&market)), ["0x1=Some(2.0) 0x2=None"]);
}

#[test]
fn orders_are_told_at_first_and_when_they_change() {
    let wanted = Wanted {
        trader: Some(OTHER),
        ..Wanted::default()
    };
    let mut progress = StreamProgress::new(wanted, Some(at(5, 0)));
    let mut market = market(1..=5);
    assert_eq!(short(&progress.next(&market)), [""; 0]);
    let mut orders = OrdersFigure {
        block: 4,
        imprint: 7,
    };
    market.orders = Some(orders);
    assert_eq!(short(&progress.next(&market)), ["orders 4"]);
    orders.block = 5;
    market.orders = Some(orders);
    assert_eq!(short(&progress.next(&market)), [""; 0]);
    orders.imprint = 8;
    market.orders = Some(orders);
    assert_eq!(short(&progress.next(&market)), ["orders 5"]);
}

/// A subscriber of hours that knows the newest block.
fn hourly() -> StreamProgress {
    let series = WantedSeries {
        token: TOKEN,
        resolution: Resolution::Hour,
    };
    let wanted = Wanted {
        series: vec![series],
        ..Wanted::default()
    };
    StreamProgress::new(wanted, Some(at(5, 0)))
}

#[test]
fn a_candle_is_told_whenever_it_changed_and_once_it_has_ended() {
    let mut progress = hourly();
    let mut market = market(1..=5);
    (market.head_time, market.now) = (10 * HOUR + 5, 10 * HOUR + 7);
    market.candles = BTreeMap::from([(9, 1.0), (10, 2.0)]);
    assert_eq!(short(&progress.next(&market)), ["1970-01-01T10:00:00Z 2.0"]);
    assert_eq!(short(&progress.next(&market)), [""; 0]);
    market.candles.insert(10, 2.5);
    assert_eq!(short(&progress.next(&market)), ["1970-01-01T10:00:00Z 2.5"]);
    // The clock is an hour ahead of the chain, which still changes the hour before.
    market.now = 11 * HOUR;
    market.candles.insert(10, 3.0);
    market.candles.insert(11, 3.0);
    let both = ["1970-01-01T10:00:00Z 3.0", "1970-01-01T11:00:00Z 3.0"];
    assert_eq!(short(&progress.next(&market)), both);
    market.candles.insert(10, 4.0);
    assert_eq!(short(&progress.next(&market)), ["1970-01-01T10:00:00Z 4.0"]);
    // With the next block, the last word about it.
    market.head_time = 11 * HOUR + 1;
    market.candles.insert(10, 5.0);
    assert_eq!(short(&progress.next(&market)), ["1970-01-01T10:00:00Z 5.0"]);
    market.candles.insert(10, 6.0);
    assert_eq!(short(&progress.next(&market)), [""; 0]);
}

#[test]
fn a_chain_that_is_far_behind_the_clock_has_few_candles_told() {
    let mut progress = hourly();
    let mut market = market(1..=5);
    (market.head_time, market.now) = (10 * HOUR, 1_000 * HOUR);
    market.candles = (0..=1_000).map(|bucket| (bucket, 1.0)).collect();
    assert_eq!(progress.next(&market).len(), 64);
    assert_eq!(progress.next(&market).len(), 0);
}

#[test]
fn who_is_far_behind_is_told_so_and_everything_anew() {
    let mut progress = hourly();
    let mut market = market(1..=5);
    market.candles = BTreeMap::from([(0, 2.0)]);
    assert_eq!(short(&progress.next(&market)), ["1970-01-01T00:00:00Z 2.0"]);
    market.recent = RecentBlocks::new((900..=1_000).map(|number| head(number, 0)));
    let anew = ["lagging 995", "block 1000", "1970-01-01T00:00:00Z 2.0"];
    assert_eq!(short(&progress.next(&market)), anew);
}
