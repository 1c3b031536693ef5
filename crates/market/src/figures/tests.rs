//! Figures over random chains: what is taken back leaves no trace, what is kept
//! comes back, and sums are sums.

use super::{
    Appraised, Appraiser, Delta, Figures, Happened, KeptFigures, KeptPage, Taken, Trade,
    delta::Flow,
};
use crate::{TokenReading, admit, price::AnchorList, series::Resolution};
use amm::Side;
use amm::book::{Book, Change, Created, Kind, Movement, PoolId, Registry, Shape, Spot, Venue};
use primitives::{Address, Felt, U256};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Decimals of the tokens: two stables, a hub, a usual one, and two odd ones.
const DECIMALS: [u8; 6] = [6, 18, 18, 18, 0, 36];

/// The pairs of tokens that have a pool, and at which venue.
const POOLS: [(u64, u64, u64); 8] = [
    (0, 1, 0),
    (0, 2, 0),
    (1, 2, 1),
    (2, 3, 0),
    (0, 3, 1),
    (3, 4, 0),
    (2, 5, 1),
    (4, 5, 0),
];

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

fn token(number: u64) -> Address {
    address(100 + number)
}

fn registry() -> Arc<Registry> {
    let venue = |number: u64| Venue {
        name: format!("venue {number}"),
        kind: Kind::JediSwap,
        contract: address(1 + number),
        router: None,
        start_block: 0,
        classes: BTreeMap::new(),
        extensions: BTreeMap::new(),
        enabled: true,
    };
    Arc::new(Registry::new(vec![venue(0), venue(1)]).unwrap())
}

fn anchors() -> AnchorList {
    AnchorList {
        stables: vec![token(0), token(1)],
        hubs: vec![token(2)],
    }
}

/// What happens to a pool in a block.
#[derive(Debug, Clone, Copy)]
struct Event {
    pool: u32,
    /// Reserves in thousandths of whole tokens.
    reserves: [u32; 2],
    /// The same for what is traded before that.
    traded: [u32; 2],
    transaction: u32,
}

#[derive(Debug, Clone)]
struct Block {
    /// Seconds since the block before.
    after: i64,
    events: Vec<Event>,
    /// Tokens that become readable.
    readable: Vec<u64>,
    transfers: Vec<(u64, u64)>,
}

fn block() -> impl Strategy<Value = Block> {
    let event = (
        0..8_u32,
        [0..5_000_000_u32, 0..5_000_000],
        [1..9_999_u32, 1..9_999],
        0..3_u32,
    );
    let event = event.prop_map(|(pool, reserves, traded, transaction)| Event {
        pool,
        reserves,
        traded,
        transaction,
    });
    let after = prop_oneof![0..3_i64, 0..100_i64, 0..10_000_i64, 0..200_000_i64];
    let events = proptest::collection::vec(event, 0..4);
    let readable = proptest::collection::vec(0..6_u64, 0..3);
    let transfers = proptest::collection::vec((0..6_u64, any::<u64>()), 0..3);
    (after, events, readable, transfers).prop_map(|(after, mut events, readable, transfers)| {
        events.sort_by_key(|event| event.transaction);
        Block {
            after,
            events,
            readable,
            transfers,
        }
    })
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    proptest::collection::vec(block(), 1..40)
}

/// Follows blocks as the indexer does.
#[derive(Debug, Clone)]
struct Chain {
    book: Book,
    figures: Figures,
    appraiser: Appraiser,
    time: i64,
    taken: Vec<Taken>,
    /// What trades were worth.
    worths: Vec<u128>,
    numbers: Vec<PoolId>,
}

impl Chain {
    fn new() -> Self {
        let book = Book::new(registry());
        let figures = Figures::default();
        let appraiser = Appraiser::new(anchors(), &figures, book.pools());
        Self {
            book,
            figures,
            appraiser,
            time: 1_700_000_000,
            taken: Vec::new(),
            worths: Vec::new(),
            numbers: Vec::new(),
        }
    }

    fn of(blocks: &[Block]) -> Self {
        let mut chain = Self::new();
        chain.extend(blocks);
        chain
    }

    fn extend(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.mine(block);
        }
    }

    fn mine(&mut self, block: &Block) {
        let number = self.taken.len() as u64;
        self.book.begin(number);
        let mut touched = BTreeSet::new();
        if number == 0 {
            for (place, (first, second, venue)) in (0..).zip(POOLS) {
                self.book.apply(&Change::Created {
                    venue: address(1 + venue),
                    pool: Created {
                        tokens: [token(first), token(second)],
                        spot: Spot::Contract(address(1_000 + place)),
                        shape: Shape::Usual,
                        price: None,
                    },
                });
                let id = self.book.pools().newest().unwrap().id;
                touched.insert(id);
                self.numbers.push(id);
            }
        }
        self.time += block.after;
        let mut trades = Vec::new();
        for event in &block.events {
            let id = self.numbers[event.pool as usize];
            let amounts = |of: [u32; 2]| {
                let (first, second, _) = POOLS[event.pool as usize];
                [(first, of[0]), (second, of[1])].map(|(token, amount)| {
                    let decimals = u32::from(DECIMALS[usize::try_from(token).unwrap()]);
                    u128::from(amount).saturating_mul(10_u128.pow(decimals.min(28))) / 1_000
                })
            };
            let movement = Movement::Traded {
                sold: Side::Token0,
                amounts: amounts(event.traded),
            };
            trades.extend(Trade::of(event.transaction, id, &movement));
            self.book.apply(&Change::Moved {
                pool: id,
                movement: Movement::Reserves(amounts(event.reserves)),
            });
            touched.insert(id);
        }
        let readings: Vec<(Address, TokenReading)> = block
            .readable
            .iter()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(|number| {
                let decimals = DECIMALS[usize::try_from(*number).unwrap()];
                (token(*number), admit("T", "T", Felt::from(decimals)))
            })
            .collect();
        let transfers: Vec<(Address, U256)> = block
            .transfers
            .iter()
            .map(|(number, amount)| (token(*number), U256::from(*amount)))
            .collect();
        let happened = Happened {
            time: self.time,
            readings: &readings,
            pools: self.book.pools(),
            touched: &touched,
            trades: &trades,
            transfers: &transfers,
            supplies: &[],
        };
        let Appraised { delta, worths } = self.appraiser.take_up(&mut self.figures, &happened);
        assert_eq!(worths.len(), trades.len());
        self.worths.extend(worths);
        let time = self.time;
        self.taken.push(Taken { time, delta });
    }

    /// Takes back all blocks but the first `kept`.
    fn rollback(&mut self, kept: usize) {
        let to = self.taken[kept - 1].time;
        let undone: Vec<Taken> = self.taken.drain(kept..).rev().collect();
        let boundary = Figures::boundary(to);
        let rest = self.taken.iter().filter(|block| block.time >= boundary);
        let rest: Vec<Taken> = rest.cloned().collect();
        self.figures.rollback(&undone, to, &rest);
        self.book.rollback(Some(kept as u64 - 1)).unwrap();
        self.appraiser = Appraiser::new(anchors(), &self.figures, self.book.pools());
        self.time = to;
    }
}

fn merge(kept: &mut BTreeMap<(u32, u8, u32), Vec<u8>>, pages: Vec<KeptPage>) {
    for page in pages {
        kept.insert((page.series, page.resolution, page.page), page.bytes);
    }
}

fn pages(kept: &BTreeMap<(u32, u8, u32), Vec<u8>>) -> Vec<KeptPage> {
    let pages = kept.iter();
    pages
        .map(|((series, resolution, page), bytes)| KeptPage {
            series: *series,
            resolution: *resolution,
            page: *page,
            bytes: bytes.clone(),
        })
        .collect()
}

proptest! {
    #[test]
    fn taking_blocks_back_equals_never_having_seen_them(
        blocks in blocks(),
        others in blocks(),
        kept in 1_usize..40,
    ) {
        let kept = kept.min(blocks.len());
        let mut chain = Chain::of(&blocks);
        chain.rollback(kept);
        let mut straight = Chain::of(&blocks[..kept]);
        prop_assert_eq!(chain.figures.everything(), straight.figures.everything());
        chain.extend(&others);
        straight.extend(&others);
        prop_assert_eq!(chain.figures.everything(), straight.figures.everything());
        prop_assert_eq!(chain.taken, straight.taken);
    }

    #[test]
    fn what_is_kept_comes_back_and_goes_on(
        blocks in blocks(),
        every in 1_usize..10,
        stop in 0_usize..40,
    ) {
        let stop = stop.min(blocks.len());
        let (mut chain, mut kept) = (Chain::new(), BTreeMap::new());
        let (mut state, mut since) = (Vec::new(), 0);
        for (number, block) in (1..).zip(&blocks[..stop]) {
            chain.mine(block);
            if number % every == 0 {
                let KeptFigures { state: now, pages } = chain.figures.keep();
                (state, since) = (now, number);
                merge(&mut kept, pages);
            }
        }
        let mut again = if since == 0 {
            Figures::default()
        } else {
            let pages = pages(&kept);
            Figures::from_kept(KeptFigures { state, pages }).unwrap()
        };
        for block in &chain.taken[since..] {
            let delta = Delta::from_bytes(&block.delta.to_bytes()).unwrap();
            again.apply(&Taken { delta, ..*block });
        }
        prop_assert_eq!(again.everything(), chain.figures.everything());
        chain.figures = again;
        chain.appraiser = Appraiser::new(anchors(), &chain.figures, chain.book.pools());
        chain.extend(&blocks[stop..]);
        prop_assert_eq!(chain.figures.everything(), Chain::of(&blocks).figures.everything());
    }

    #[test]
    fn pages_that_tell_of_lost_blocks_are_mended(
        blocks in blocks(),
        kept_at in 0_usize..40,
        kept in 1_usize..40,
    ) {
        let kept_at = kept_at.min(blocks.len());
        let kept = kept.min(kept_at);
        prop_assume!(kept > 0);
        let mut chain = Chain::of(&blocks[..kept_at]);
        let mut stored = BTreeMap::new();
        merge(&mut stored, chain.figures.keep().pages);
        chain.extend(&blocks[kept_at..]);
        chain.rollback(kept);
        let cut = chain.figures.cut_pages();
        stored.retain(|(series, resolution, page), _| {
            *series < cut.series
                && !cut.pages_from.iter().any(|(at, from)| at == resolution && page >= from)
        });
        merge(&mut stored, cut.kept.pages);
        let mended = KeptFigures { state: cut.kept.state, pages: pages(&stored) };
        let mended = Figures::from_kept(mended).unwrap();
        prop_assert_eq!(mended.everything(), Chain::of(&blocks[..kept]).figures.everything());
    }

    #[test]
    fn what_is_remembered_of_pools_equals_looking_at_all_of_them(blocks in blocks()) {
        let chain = Chain::of(&blocks);
        let fresh = Appraiser::new(anchors(), &chain.figures, chain.book.pools());
        prop_assert_eq!(&chain.appraiser.edges, &fresh.edges);
        let locked = |appraiser: &Appraiser| {
            let locked = appraiser.locked.iter().filter(|(_, units)| !units.is_zero());
            locked.map(|(key, units)| (*key, *units)).collect::<BTreeMap<_, _>>()
        };
        prop_assert_eq!(locked(&chain.appraiser), locked(&fresh));
    }

    #[test]
    fn sums_are_sums(blocks in blocks()) {
        let chain = Chain::of(&blocks);
        let figures = &chain.figures;
        let all = Resolution::Week.bucket(0)..Resolution::Week.bucket(chain.time) + 1;
        for (place, token) in (0..).zip(figures.tokens.iter()) {
            let total = token.traded.total(Resolution::Week, all.clone());
            let venues = token.venues.iter();
            let by_venue = venues.map(|at| at.traded.total(Resolution::Week, all.clone()));
            let sum = by_venue.fold((0, 0), |sum, at| (sum.0 + at.units, sum.1 + at.usd));
            prop_assert_eq!((total.units, total.usd), sum);
            let net = token.net.total(Resolution::Week, all.clone());
            prop_assert!(net.units <= total.units && net.usd <= total.usd);
            let id = crate::TokenId(place);
            let lines = figures.traded(id, Resolution::Week, &all);
            let lines = lines.iter().flat_map(|(_, line)| line);
            let line = lines.fold((0, 0), |sum, (_, at)| (sum.0 + at.units, sum.1 + at.usd));
            prop_assert_eq!(line, sum);
        }
        let mut known = 0;
        for block in &chain.taken {
            known += block.delta.tokens.len();
            let traded = block.delta.flows.iter()
                .filter(|point| matches!(point.flow, Flow::Traded(_)));
            let gross: u128 = traded.map(|point| point.usd).sum();
            // Each leg counts for both of its tokens.
            prop_assert!(known < DECIMALS.len() || gross.is_multiple_of(2));
        }
    }

    #[test]
    fn the_minutes_of_trades_are_found_newest_first(
        blocks in blocks(), start in 0..2_000_000_i64, length in 0..3_000_000_i64, most in 0..9_usize,
    ) {
        let chain = Chain::of(&blocks);
        let figures = &chain.figures;
        let start = 1_699_500_000 + start;
        let span = start..start + length;
        for (place, token) in (0..).zip(figures.tokens.iter()) {
            let all = Resolution::Minute.bucket(0)..Resolution::Minute.bucket(chain.time) + 1;
            let minutes = token.traded.range(Resolution::Minute, all);
            let mut expected: Vec<i64> = minutes
                .map(|(minute, _)| Resolution::Minute.opens(minute))
                .filter(|opens| *opens < span.end && opens + 60 > span.start && !span.is_empty())
                .collect();
            expected.reverse();
            expected.truncate(most);
            let found = figures.traded_minutes(crate::TokenId(place), span.clone(), most);
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_trades_were_worth_counts_for_each_known_token(blocks in blocks()) {
        let chain = Chain::of(&blocks);
        let legs: u128 = chain.taken.iter()
            .flat_map(|block| &block.delta.flows)
            .filter(|point| matches!(point.flow, Flow::Traded(_)))
            .map(|point| point.usd)
            .sum();
        let worths: u128 = chain.worths.iter().sum();
        // Where a token is not known yet, only the other one has the trade.
        prop_assert!(worths <= legs && legs <= 2 * worths);
    }

    #[test]
    fn one_price_is_everywhere(blocks in blocks()) {
        let chain = Chain::of(&blocks);
        let figures = chain.figures.with_pools(chain.book.pools());
        for number in 0..6 {
            let Some(id) = figures.token(token(number)) else { continue };
            let Some(price) = figures.price(id) else { continue };
            prop_assert!(price.usd.is_finite() && price.usd > 0.0);
            for resolution in Resolution::ALL {
                let now = resolution.bucket(chain.time);
                let candles = figures.candles(id, None, resolution, now..now + 1);
                prop_assert_eq!(candles.items()[0].close.to_bits(), price.usd.to_bits());
            }
            let summary = figures.summary(id, chain.time).unwrap();
            prop_assert_eq!(summary.usd.to_bits(), price.usd.to_bits());
            prop_assert!(summary.net_volume_24h <= summary.volume_24h);
            prop_assert!(summary.tvl_usd >= 0.0);
            prop_assert!(summary.uncounted_tvl_usd >= 0.0);
            let is_trusted = price.standing.is_trusted;
            prop_assert!(!is_trusted || summary.uncounted_tvl_usd.abs() < f64::MIN_POSITIVE);
            let locked = figures.locked_at(id, chain.time).into_iter();
            let locked: f64 = locked.map(|(_, locked)| locked.usd).sum();
            let told = summary.tvl_usd + summary.uncounted_tvl_usd;
            prop_assert!((locked - told).abs() <= 1e-9 * locked, "{} {}", locked, told);
        }
    }
}
