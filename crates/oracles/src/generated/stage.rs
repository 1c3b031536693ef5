//! Pools put into a book the way events would put them there.

use crate::Draws;
use amm::Signed;
use amm::book::{
    Book, Change, Created, Facts, Kind, Movement, Pin, PoolId, Pools, Price, Registry, Shape, Spot,
    State, Venue,
};
use amm::ekubo;
use primitives::{Address, Felt, U256};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The class of every contract.
const CLASS: u64 = 1;

/// Where pools are created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PoolHome {
    /// `x·y = k` in one contract.
    North = 2,
    /// The same in another one.
    South = 3,
    /// Liquidity in ranges.
    Core = 4,
    /// `x³y + y³x = k`.
    Flat = 5,
    /// A stable invariant with an amplification.
    Amplified = 6,
}

impl PoolHome {
    const ALL: [(Self, &str, Kind); 5] = [
        (Self::North, "north", Kind::MySwap),
        (Self::South, "south", Kind::MySwap),
        (Self::Core, "core", Kind::Ekubo),
        (Self::Flat, "flat", Kind::StarkDefi),
        (Self::Amplified, "amplified", Kind::Nostra),
    ];

    fn contract(self) -> Address {
        Address::new(Felt::from(self as u64))
    }

    fn venue(self, name: &str, kind: Kind) -> Venue {
        Venue {
            name: name.to_owned(),
            kind,
            contract: self.contract(),
            router: Some(self.contract()),
            start_block: 0,
            classes: BTreeMap::from([(Address::new(Felt::from(CLASS)), Pin::Usual)]),
            extensions: BTreeMap::new(),
            enabled: true,
        }
    }
}

/// The beginning of what pools with a contract of their own are called.
const PAIRS: u64 = 1 << 32;

/// A book that fills.
pub(super) struct Stage {
    pub(super) book: Book,
    pub(super) ids: Vec<PoolId>,
}

/// A pool with ranges.
pub(super) struct Ranges {
    /// As a fraction of 2^128.
    pub(super) fee: u128,
    pub(super) tick_spacing: u32,
    pub(super) price: Price,
    /// Each from one tick to another, and its liquidity.
    pub(super) positions: Vec<(i32, i32, u128)>,
    /// What lies in it, roughly.
    pub(super) held: [u128; 2],
}

impl Stage {
    /// An empty book, in its first block.
    #[expect(clippy::expect_used, reason = "a market without venues has no pools")]
    pub(super) fn new() -> Self {
        let venues = PoolHome::ALL.map(|(place, name, kind)| place.venue(name, kind));
        let registry = Registry::new(venues.to_vec());
        let registry = registry.expect("the venues here differ");
        let mut book = Book::new(Arc::new(registry));
        book.begin(0);
        for (place, ..) in PoolHome::ALL {
            book.apply(&Change::Class {
                contract: place.contract(),
                class: Felt::from(CLASS),
            });
        }
        Self {
            book,
            ids: Vec::new(),
        }
    }

    /// How many pools there are: what tells the next one from all others.
    fn serial(&self) -> u64 {
        self.ids.len() as u64
    }

    /// A pool `x·y = k` with a fee in units of 100,000.
    pub(super) fn product(
        &mut self,
        place: PoolHome,
        tokens: [Address; 2],
        reserves: [u128; 2],
        fee: u32,
    ) {
        let created = Created {
            tokens,
            spot: Spot::Numbered(self.serial()),
            shape: Shape::Charged { fee },
            price: None,
        };
        self.create(place, created);
        self.moved(Movement::Reserves(reserves));
    }

    /// A pool with ranges.
    pub(super) fn ranges(&mut self, tokens: [Address; 2], pool: &Ranges) {
        let created = Created {
            tokens,
            spot: Spot::Keyed {
                // No two pools may have the same terms.
                fee: pool.fee + u128::from(self.serial()),
                tick_spacing: pool.tick_spacing,
                extension: Address::new(Felt::ZERO),
            },
            shape: Shape::Usual,
            price: Some(pool.price),
        };
        self.create(PoolHome::Core, created);
        self.moved(Movement::Held(pool.held.map(Signed::positive)));
        for (lower, upper, liquidity) in &pool.positions {
            self.moved(Movement::Position {
                lower: *lower,
                upper: *upper,
                liquidity: Signed::positive(*liquidity),
                delta: [Signed::ZERO; 2],
            });
        }
    }

    /// A pool for tokens that are worth the same.
    pub(super) fn stable(
        &mut self,
        place: PoolHome,
        tokens: [Address; 2],
        reserves: [u128; 2],
        facts: Facts,
    ) {
        let contract = Address::new(Felt::from(PAIRS + self.serial()));
        self.book.apply(&Change::Class {
            contract,
            class: Felt::from(CLASS),
        });
        let created = Created {
            tokens,
            spot: Spot::Contract(contract),
            shape: Shape::Stable,
            price: None,
        };
        self.create(place, created);
        if let Some(pool) = self.ids.last().copied() {
            self.book.apply(&Change::Asked { pool, facts });
        }
        self.moved(Movement::Reserves(reserves));
    }

    fn create(&mut self, place: PoolHome, pool: Created) {
        let venue = place.contract();
        self.book.apply(&Change::Created { venue, pool });
        self.ids
            .extend(self.book.pools().newest().map(|pool| pool.id));
    }

    /// What happens to the newest pool.
    fn moved(&mut self, movement: Movement) {
        if let Some(pool) = self.ids.last().copied() {
            self.book.apply(&Change::Moved { pool, movement });
        }
    }
}

/// One of the two places for `x·y = k`.
pub(super) fn somewhere(draws: &Draws) -> PoolHome {
    if draws.happens(0.6) {
        PoolHome::North
    } else {
        PoolHome::South
    }
}

/// The price at a ratio of smallest units.
pub(super) fn price(ratio: f64) -> Option<Price> {
    let sqrt_ratio = U256::try_from(ratio.sqrt() * 128.0_f64.exp2()).ok()?;
    let tick = ekubo::tick_at(sqrt_ratio)?;
    Some(Price { sqrt_ratio, tick })
}

/// A pool's liquidity grown by a part of itself at its price.
pub(super) fn stirred(pools: &Pools, pool: PoolId, part: f64) -> Option<Change> {
    let movement = match pools.get(pool)?.pool.state() {
        State::Reserves(reserves) => Movement::Reserves(reserves.map(|held| grown(held, part))),
        State::Concentrated(ranges) => {
            let lower = ranges.ticks.at_or_below(ranges.tick)?.index;
            let upper = ranges.ticks.above(ranges.tick)?.index;
            let after = grown(ranges.liquidity, part);
            Movement::Position {
                lower,
                upper,
                liquidity: Signed::new(after.abs_diff(ranges.liquidity), after < ranges.liquidity),
                delta: [Signed::ZERO; 2],
            }
        }
        State::Vault(_) => return None,
    };
    Some(Change::Moved { pool, movement })
}

/// An amount and a part of it.
fn grown(amount: u128, part: f64) -> u128 {
    whole(f64::from(U256::from(amount)) * (1.0 + part))
}

/// The whole part of a number.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the whole part is meant; casts of floats stay within bounds"
)]
pub(super) const fn whole(number: f64) -> u128 {
    number as u128
}
