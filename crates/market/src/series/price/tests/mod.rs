//! Prices over random chains of blocks, held against a computation that keeps
//! every step of every price.

mod keeping;
mod quoting;
mod reading;

use super::*;
use crate::series::{Bucket, Span, TrackPage};
use proptest::prelude::*;

/// Monday, 30 September 2024, 00:00 UTC: a week, and soon a month, begins.
const MONDAY: i64 = 1_727_654_400;

/// The first tokens are hubs.
const HUBS: u32 = 3;
const TOKENS: u32 = 7;

#[derive(Debug, Clone)]
struct Block {
    time: i64,
    quotes: Vec<(TokenId, Quote)>,
}

fn tokens() -> impl Iterator<Item = TokenId> {
    (0..TOKENS).map(TokenId)
}

fn ratios() -> impl Strategy<Value = f64> {
    prop_oneof![
        // Few values, so that some are met again.
        1 => (1_u32..5).prop_map(f64::from),
        4 => 0.5_f64..2.0,
        1 => 1e-12_f64..1e12,
    ]
}

fn quotes() -> impl Strategy<Value = (TokenId, Quote)> {
    let hub = (0..HUBS, ratios()).prop_map(|(token, ratio)| {
        let hub = Hub::Usd;
        (TokenId(token), Quote { hub, ratio })
    });
    let hubs = prop_oneof![
        1 => Just(Hub::Usd),
        6 => (0..HUBS).prop_map(|hub| Hub::Token(TokenId(hub))),
    ];
    let other = (HUBS..TOKENS, hubs, ratios())
        .prop_map(|(token, hub, ratio)| (TokenId(token), Quote { hub, ratio }));
    prop_oneof![3 => hub, 2 => other]
}

/// Seconds between blocks; several blocks may share one.
fn gaps() -> impl Strategy<Value = i64> {
    prop_oneof![
        2 => Just(0),
        6 => 1_i64..10,
        4 => 10_i64..400,
        2 => 400_i64..30_000,
        1 => 30_000_i64..400_000,
        2 => (0_usize..7).prop_map(|index| Resolution::STORED[index].opens(1) - Resolution::STORED[index].opens(0)),
    ]
}

/// Up to so many blocks from around a Monday on.
fn chains(blocks: usize) -> impl Strategy<Value = Vec<Block>> {
    let start = prop_oneof![Just(MONDAY), MONDAY - 90_000..MONDAY + 90_000];
    let changes = prop::collection::vec(quotes(), 0..5);
    let steps = prop::collection::vec((gaps(), changes), 1..blocks);
    (start, steps).prop_map(|(start, steps)| {
        let mut time = start;
        let block = |(gap, changes): (i64, Vec<_>)| {
            time += gap;
            // Each token once.
            let quotes: BTreeMap<TokenId, Quote> = changes.into_iter().collect();
            let quotes = quotes.into_iter().collect();
            Block { time, quotes }
        };
        steps.into_iter().map(block).collect()
    })
}

fn apply(board: &mut PriceBoard, blocks: &[Block]) {
    for block in blocks {
        board.block(block.time, &block.quotes);
    }
}

fn board(blocks: &[Block]) -> PriceBoard {
    let mut board = PriceBoard::default();
    apply(&mut board, blocks);
    board
}

/// Every price after every block.
struct Steps(Vec<(i64, Vec<Option<f64>>)>);

impl Steps {
    fn new(blocks: &[Block]) -> Self {
        let mut known: BTreeMap<TokenId, Quote> = BTreeMap::new();
        let step = |block: &Block| {
            let is_hub = |quote: &Quote| quote.hub == Hub::Usd;
            let (hubs, others): (Vec<_>, Vec<_>) = block
                .quotes
                .iter()
                .copied()
                .partition(|(_, quote)| is_hub(quote));
            known.extend(hubs);
            for (token, quote) in others {
                if usd(&known, quote).is_some() {
                    known.insert(token, quote);
                }
            }
            let prices = tokens().map(|token| usd(&known, *known.get(&token)?));
            (block.time, prices.collect())
        };
        Self(blocks.iter().map(step).collect())
    }

    fn price(&self, index: usize, token: TokenId) -> Option<f64> {
        self.0[index].1[token.index()]
    }

    /// The candle of one bucket.
    fn candle(&self, token: TokenId, resolution: Resolution, bucket: Bucket) -> Option<Ohlc> {
        let time = |bucket| {
            let opens = resolution.opens(bucket);
            self.0.partition_point(|(time, _)| *time < opens)
        };
        let (from, to) = (time(bucket), time(bucket + 1));
        let before = from.checked_sub(1).and_then(|at| self.price(at, token));
        let within = (from..to).filter_map(|at| self.price(at, token));
        let prices: Vec<f64> = before.into_iter().chain(within).collect();
        Some(Ohlc {
            bucket,
            open: *prices.first()?,
            high: prices.iter().copied().reduce(f64::max)?,
            low: prices.iter().copied().reduce(f64::min)?,
            close: *prices.last()?,
        })
    }

    fn candles(&self, token: TokenId, resolution: Resolution, span: Span) -> Vec<Ohlc> {
        let candle = |bucket| self.candle(token, resolution, bucket);
        span.filter_map(candle).collect()
    }
}

fn usd(known: &BTreeMap<TokenId, Quote>, quote: Quote) -> Option<f64> {
    match quote.hub {
        Hub::Usd => Some(quote.ratio),
        Hub::Token(hub) => Some(quote.ratio * known.get(&hub)?.ratio),
    }
}

/// Each token with each of its [`spans`].
fn places(blocks: &[Block], resolution: Resolution) -> Vec<(Span, TokenId)> {
    let spans = spans(blocks, resolution).into_iter();
    spans
        .flat_map(|span| tokens().map(move |token| (span.clone(), token)))
        .collect()
}

/// Spans that show everything around blocks: all of what is coarse, and some
/// buckets at each block of what is fine.
fn spans(blocks: &[Block], resolution: Resolution) -> Vec<Span> {
    let at = |block: &Block| resolution.bucket(block.time);
    let (first, last) = (at(&blocks[0]), at(&blocks[blocks.len() - 1]));
    if last - first < 3_000 {
        return std::iter::once(first - 2..last + 3).collect();
    }
    blocks
        .iter()
        .map(|block| at(block) - 2..at(block) + 3)
        .collect()
}
