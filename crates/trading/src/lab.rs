//! A small market for tests: pools of every kind between three tokens.

use crate::{Bps, FeeTerms, Fixed, Integrator, Wanted};
use amm::book::{
    Book, Change, Created, Facts, Kind, Movement, Pin, PoolId, Pools, Price, Registry, Shape, Spot,
    Venue,
};
use amm::ekubo::{Extension, sqrt_ratio_at};
use amm::{Side, Signed};
use primitives::{Address, Felt, U256};
use proptest::prelude::*;
use routing::{Leg, Route, Share, VenueSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Of [`Kind::ALL`], those that routes pass come first.
pub(crate) const ROUTED: usize = 7;

pub(crate) const ORACLE: u64 = 900;
const CLASS: u64 = 901;

pub(crate) fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

pub(crate) fn sold() -> Address {
    address(1)
}

pub(crate) fn bought() -> Address {
    address(2)
}

pub(crate) fn between() -> Address {
    address(3)
}

pub(crate) fn router(kind: usize) -> Address {
    address(200 + u64::try_from(kind).unwrap())
}

/// The two tokens of a pool: each kind has a pool of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PoolTokens {
    /// From the sold token to the bought one.
    Direct,
    /// From the sold token to the one between.
    Out,
    /// From there to the bought one.
    In,
}

impl PoolTokens {
    const ALL: [Self; 3] = [Self::Direct, Self::Out, Self::In];

    /// The tokens in the order of the trade.
    pub(crate) fn tokens(self) -> [Address; 2] {
        match self {
            Self::Direct => [sold(), bought()],
            Self::Out => [sold(), between()],
            Self::In => [between(), bought()],
        }
    }

    /// The places of the tokens in a route.
    const fn places(self) -> (u8, u8) {
        match self {
            Self::Direct => (0, 1),
            Self::Out => (0, 2),
            Self::In => (2, 1),
        }
    }
}

/// Half of the pools have the tokens of a trade the other way around.
const fn turned(kind: usize) -> bool {
    kind % 2 == 1
}

/// How full pools are: thousandths of the usual, for each pool.
pub(crate) type Fullness = [u64; 24];

pub(crate) const USUAL: Fullness = [1_000; 24];

/// Pools that are this full. Those with reserves pay more than other ones, so
/// that sides are never mixed up unnoticed.
pub(crate) fn pools(fullness: &Fullness) -> Pools {
    market(fullness, [10, 11])
}

/// Pools that are this full, all with a price of one.
pub(crate) fn fair_pools(fullness: &Fullness) -> Pools {
    market(fullness, [10, 10])
}

/// Pools with reserves of the sold and the bought token in this ratio.
fn market(fullness: &Fullness, ratio: [u128; 2]) -> Pools {
    let venues = (0..).zip(Kind::ALL).map(|(number, kind)| Venue {
        name: format!("{kind:?}"),
        kind,
        contract: address(100 + number),
        router: Some(address(200 + number)),
        start_block: 0,
        classes: BTreeMap::from([(address(CLASS), Pin::Usual)]),
        extensions: BTreeMap::from([(address(ORACLE), Extension::Oracle)]),
        enabled: true,
    });
    let registry = Registry::new(venues.collect()).unwrap();
    let mut book = Book::new(Arc::new(registry));
    for (number, thousandths) in (0..).zip(fullness) {
        add(&mut book, number, u128::from(*thousandths), ratio);
    }
    book.pools().clone()
}

fn add(book: &mut Book, number: usize, thousandths: u128, mut ratio: [u128; 2]) {
    let (kind, way) = (number / 3, PoolTokens::ALL[number % 3]);
    let number = u64::try_from(number).unwrap();
    let venue = book.pools().registry().venues()[kind].clone();
    let mut tokens = way.tokens();
    if turned(kind) {
        tokens.reverse();
        ratio.reverse();
    }
    let spot = match venue.kind {
        Kind::MySwap => Spot::Numbered(number),
        Kind::Ekubo => Spot::Keyed {
            fee: u128::MAX / 2_000,
            tick_spacing: 1_000,
            extension: address(if way == PoolTokens::Out { ORACLE } else { 0 }),
        },
        _ => Spot::Contract(address(300 + number)),
    };
    let shape = match venue.kind {
        Kind::SithSwap => Shape::Stable,
        Kind::StarkDefi if way == PoolTokens::In => Shape::Stable,
        Kind::MySwap => Shape::Charged { fee: 300 },
        Kind::JediSwapV2 => Shape::Tiered {
            fee: 3_000,
            tick_spacing: 60,
        },
        _ => Shape::Usual,
    };
    let price = venue.kind.is_concentrated().then(|| Price {
        sqrt_ratio: sqrt_ratio_at(0).unwrap(),
        tick: 0,
    });
    let pool = Created {
        tokens,
        spot,
        shape,
        price,
    };
    book.apply(&Change::Created {
        venue: venue.contract,
        pool,
    });
    let view = book.pools().newest().unwrap();
    let (pool, contract) = (view.id, view.contract());
    book.apply(&Change::Class {
        contract,
        class: Felt::from(CLASS),
    });
    let fee = match venue.kind {
        Kind::Nostra => 3_000_000_000_000_000,
        _ => 30,
    };
    let facts = Facts {
        fees: [fee; 2],
        decimals: [18; 2],
        amplification: 0,
    };
    book.apply(&Change::Asked { pool, facts });
    let whole = 1_000_000_000_000_000_000_000 * thousandths;
    let movements: Vec<Movement> = if venue.kind.is_concentrated() {
        [(-20_000, 30_000), (-1_000_000, 1_000_000)]
            .map(|(lower, upper)| Movement::Position {
                lower,
                upper,
                liquidity: Signed::positive(whole),
                delta: [Signed::positive(whole); 2],
            })
            .to_vec()
    } else {
        vec![Movement::Reserves(ratio.map(|part| whole * part))]
    };
    for movement in movements {
        book.apply(&Change::Moved { pool, movement });
    }
}

/// The pool of a kind.
pub(crate) fn pool(pools: &Pools, kind: usize, way: PoolTokens) -> PoolId {
    let place = PoolTokens::ALL
        .iter()
        .position(|other| *other == way)
        .unwrap();
    pools.iter().nth(kind * 3 + place).unwrap().id
}

/// A route of these swaps: kind, tokens, and the share of what is there.
pub(crate) fn route(pools: &Pools, swaps: &[(usize, PoolTokens, f64)]) -> Route {
    let legs = swaps.iter().map(|(kind, way, share)| {
        let (from, to) = way.places();
        Leg {
            pool: pool(pools, *kind, *way),
            side: if turned(*kind) {
                Side::Token1
            } else {
                Side::Token0
            },
            from,
            to,
            share: Share::nearest(*share),
            sold: U256::ZERO,
            bought: U256::ZERO,
            ticks: 0,
        }
    });
    Route {
        tokens: vec![sold(), bought(), between()],
        legs: legs.collect(),
        sold: U256::ZERO,
        bought: U256::ZERO,
        gap: 0.0,
    }
}

/// Swaps of a route: direct ones and ones by the token between, no pool twice,
/// the last that sells a token sells all.
pub(crate) fn swaps() -> impl Strategy<Value = Vec<(usize, PoolTokens, f64)>> {
    let kinds =
        |at_least: usize| prop::sample::subsequence((0..ROUTED).collect::<Vec<_>>(), at_least..4);
    let directs = (kinds(0), kinds(1), kinds(1), prop::bool::weighted(0.3));
    let shares = prop::collection::vec(0.05..0.95_f64, 10);
    (directs, shares).prop_map(|((direct, out, back, only_direct), shares)| {
        let mut shares = shares.into_iter();
        let mut swaps = Vec::new();
        let via = !only_direct || direct.is_empty();
        let mut add = |way, kinds: &[usize], ends: bool| {
            for (place, kind) in kinds.iter().enumerate() {
                let last = ends && place + 1 == kinds.len();
                let share = shares.next().unwrap();
                swaps.push((*kind, way, if last { 1.0 } else { share }));
            }
        };
        if via {
            add(PoolTokens::Out, &out, direct.is_empty());
            add(PoolTokens::In, &back, true);
        }
        add(PoolTokens::Direct, &direct, true);
        swaps
    })
}

/// From a handful of units to more than most pools hold.
pub(crate) fn amount() -> impl Strategy<Value = U256> {
    let bits = prop_oneof![1_u32..84, 74_u32..84];
    (bits, any::<u128>()).prop_map(|(bits, random)| U256::from(random >> (128 - bits)))
}

pub(crate) fn bps(points: u32) -> Bps {
    Bps::new(points).unwrap()
}

pub(crate) fn terms() -> impl Strategy<Value = FeeTerms> {
    let fees = [0_u32..=100, 0..=100, 0..=100];
    let weights = prop::collection::btree_map((1_u64..4).prop_map(address), 0_u32..3, 0..4);
    (fees, weights, any::<bool>()).prop_map(|([one, many, exact_out], weights, waived)| FeeTerms {
        one: bps(one),
        many: bps(many),
        exact_out: bps(exact_out),
        weights,
        waived_for: waived.then_some(integrator_address()).into_iter().collect(),
    })
}

fn integrator_address() -> Address {
    address(77)
}

pub(crate) fn integrator() -> impl Strategy<Value = Option<Integrator>> {
    let named = |fee| Integrator::new(bps(fee), integrator_address(), "somebody".to_owned());
    prop::option::of((0_u32..=500).prop_map(move |fee| named(fee).unwrap()))
}

pub(crate) fn wanted(amount: Fixed, integrator: Option<Integrator>) -> Wanted {
    Wanted {
        sell: sold(),
        buy: bought(),
        amount,
        taker: None,
        integrator,
        direct: false,
        avoid: VenueSet::NONE,
        size: 1,
        max_swaps: 12,
    }
}

/// Terms without fees.
pub(crate) fn free() -> FeeTerms {
    FeeTerms {
        waived_for: BTreeSet::new(),
        ..FeeTerms::default()
    }
}
