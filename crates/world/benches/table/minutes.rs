//! A market of ten million minutes: a hundred tokens, each traded in every one
//! of 100,000 minutes. Its figures are made as the indexer makes them, block by
//! block.

use amm::Side;
use amm::book::{Book, Change, Created, Kind, Movement, PoolId, Registry, Shape, Spot, Venue};
use market::figures::{Appraiser, Figures, Happened, Trade};
use market::following::FollowedEffects;
use market::{BlockEffects, TokenId, TokenReading, admit};
use market::{price::AnchorList, series::Resolution, series::Span};
use primitives::{Address, BlockRef, Felt, Timestamp};
use std::{collections::BTreeMap, sync::Arc};

/// Tokens beside the stable one, which is the first of all.
pub(crate) const TOKENS: u32 = 100;

/// Minutes in which each of them was traded.
pub(crate) const MINUTES: i64 = 100_000;

/// Candles of one query.
pub(crate) const ASKED: i64 = 1_000;

/// So that prices also move within a minute.
const BLOCKS_PER_MINUTE: i64 = 2;

/// When the first block is, at the beginning of a minute.
const START_S: i64 = 1_793_999_940;

/// Whole tokens in each pool at first, of 18 and of 6 decimals.
const RESERVES: [u128; 2] = [10_u128.pow(24), 10_u128.pow(12)];

/// A trade is of at most so many parts of a million of what a pool holds.
const LARGEST_TRADE: u64 = 1_000;

/// What there is after some minutes.
#[derive(Clone)]
pub(crate) struct Minutes {
    pub(crate) figures: Figures,
    book: Book,
    appraiser: Appraiser,
    pools: Vec<(PoolId, [u128; 2])>,
    passed: i64,
    dice: Dice,
}

impl Minutes {
    /// Before the first minute.
    pub(crate) fn new() -> Self {
        let mut book = Book::new(venues());
        book.begin(0);
        for change in &created() {
            book.apply(change);
        }
        let pools = book.pools().iter().map(|view| (view.id, RESERVES));
        let pools = pools.collect();
        let mut figures = Figures::default();
        let mut appraiser = Appraiser::new(anchors(), &figures, book.pools());
        let happened = Happened {
            time: START_S,
            readings: &readings(),
            pools: book.pools(),
            touched: &book.pools().iter().map(|view| view.id).collect(),
            trades: &[],
            transfers: &[],
            supplies: &[],
        };
        appraiser.take_up(&mut figures, &happened);
        Self {
            figures,
            book,
            appraiser,
            pools,
            passed: 0,
            dice: Dice(1),
        }
    }

    /// Trades until so many minutes have passed.
    pub(crate) fn trade_until(&mut self, minutes: i64) {
        for minute in self.passed..minutes {
            for block in 0..BLOCKS_PER_MINUTE {
                self.block(START_S + 60 * minute + block * 60 / BLOCKS_PER_MINUTE);
            }
        }
        self.passed = minutes;
    }

    /// A block in which every token is traded.
    fn block(&mut self, time: i64) {
        self.book.begin(u64::try_from(time).unwrap());
        let mut trades = Vec::with_capacity(self.pools.len());
        for (transaction, (pool, reserves)) in (0..).zip(&mut self.pools) {
            let movement = self.dice.trade(reserves);
            trades.extend(Trade::of(transaction, *pool, &movement));
            let movement = Movement::Reserves(*reserves);
            let pool = *pool;
            self.book.apply(&Change::Moved { pool, movement });
        }
        let happened = Happened {
            time,
            readings: &[],
            pools: self.book.pools(),
            touched: &self.pools.iter().map(|(pool, _)| *pool).collect(),
            trades: &trades,
            transfers: &[],
            supplies: &[],
        };
        self.appraiser.take_up(&mut self.figures, &happened);
    }

    /// Everything as the effects of one block.
    pub(crate) fn effects(&mut self) -> BlockEffects {
        let reserves = self.pools.iter().map(|&(pool, reserves)| Change::Moved {
            pool,
            movement: Movement::Reserves(reserves),
        });
        BlockEffects {
            block: BlockRef {
                number: 1,
                hash: Felt::TWO,
            },
            parent_hash: Felt::ONE,
            time: Timestamp::from_second(self.figures.head_time()).unwrap(),
            state_root: None,
            readings: readings(),
            pools: created().into_iter().chain(reserves).collect(),
            checkpoint: None,
            figures: Vec::new(),
            trades: Vec::new(),
            pages: Some(self.figures.keep()),
            followed: FollowedEffects::NONE,
        }
    }
}

/// Seeded randomness that costs next to nothing.
#[derive(Clone)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below a limit.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 27) % limit
    }

    /// A token and a thousand of the first `minutes`.
    pub(crate) fn query(&mut self, minutes: i64) -> (TokenId, Span) {
        let token = 1 + self.below(u64::from(TOKENS));
        let offset = self.below(u64::try_from(minutes - ASKED).unwrap());
        let first = Resolution::Minute.bucket(START_S) + i64::try_from(offset).unwrap();
        (TokenId(token.try_into().unwrap()), first..first + ASKED)
    }

    /// Somebody sells some of either token.
    fn trade(&mut self, reserves: &mut [u128; 2]) -> Movement {
        let [first, second] = *reserves;
        let (side, from, to) = match self.below(2) {
            0 => (Side::Token0, first, second),
            _ => (Side::Token1, second, first),
        };
        let sold = from * u128::from(1 + self.below(LARGEST_TRADE)) / 1_000_000;
        let bought = to - from * to / (from + sold);
        *reserves = match side {
            Side::Token0 => [first + sold, second - bought],
            Side::Token1 => [first - bought, second + sold],
        };
        Movement::Traded {
            sold: side,
            amounts: [sold, bought],
        }
    }
}

pub(crate) fn address(token: u32) -> Address {
    Address::new(Felt::from(1_000_000 + u64::from(token)))
}

/// One exchange of pairs.
pub(crate) fn venues() -> Arc<Registry> {
    let venue = Venue {
        name: "pairs".to_owned(),
        kind: Kind::JediSwap,
        contract: Address::new(Felt::ONE),
        router: None,
        start_block: 0,
        classes: BTreeMap::new(),
        extensions: BTreeMap::new(),
        enabled: true,
    };
    Arc::new(Registry::new(vec![venue]).unwrap())
}

pub(crate) fn anchors() -> AnchorList {
    AnchorList {
        stables: vec![address(0)],
        hubs: Vec::new(),
    }
}

/// A pool of each token with the stable one.
fn created() -> Vec<Change> {
    let pool = |token| Change::Created {
        venue: Address::new(Felt::ONE),
        pool: Created {
            tokens: [address(token), address(0)],
            spot: Spot::Contract(Address::new(Felt::from(1_000 + token))),
            shape: Shape::Usual,
            price: None,
        },
    };
    (1..=TOKENS).map(pool).collect()
}

fn readings() -> Vec<(Address, TokenReading)> {
    let reading = |token| {
        let decimals = if token == 0 { 6 } else { 18 };
        let symbol = format!("T{token}");
        (
            address(token),
            admit(&symbol, &symbol, Felt::from(decimals)),
        )
    };
    (0..=TOKENS).map(reading).collect()
}
