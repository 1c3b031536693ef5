//! Small markets for tests.

use amm::Signed;
use amm::book::{
    Book, Change, Created, Kind, Movement, Pin, PoolId, Price, Registry, Shape, Spot, Venue,
};
use amm::ekubo;
use primitives::{Address, Felt};
use std::sync::Arc;

/// The contracts of two venues of numbered pools.
pub(crate) const VENUES: [u64; 2] = [0xe, 0xf];

/// The contract of a venue whose pools have ranges.
const RANGES: u64 = 0x10;

/// The tick spacing of pools with ranges.
pub(crate) const SPACING: i32 = 10_000;

/// One whole token, of 18 digits.
pub(crate) const ONE: u128 = 1_000_000_000_000_000_000;

pub(crate) fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

pub(crate) fn token(number: u64) -> Address {
    address(1_000 + number)
}

/// A pool: its tokens, its reserves, its fee in hundred-thousandths.
pub(crate) type Pool = ([u64; 2], [u128; 2], u32);

/// A market whose pools belong to the first venue.
pub(crate) fn market(pools: &[Pool]) -> Book {
    let venue = |contract| Venue {
        name: format!("venue {contract}"),
        kind: if contract == RANGES {
            Kind::Ekubo
        } else {
            Kind::MySwap
        },
        contract: address(contract),
        router: Some(address(contract)),
        start_block: 0,
        classes: [(address(1), Pin::Usual)].into(),
        extensions: [].into(),
        enabled: true,
    };
    let venues = [VENUES[0], VENUES[1], RANGES];
    let registry = Registry::new(venues.map(venue).into()).unwrap();
    let mut book = Book::new(Arc::new(registry));
    book.begin(1);
    for contract in venues.map(address) {
        let class = Felt::ONE;
        book.apply(&Change::Class { contract, class });
    }
    for pool in pools {
        add(&mut book, VENUES[0], pool);
    }
    book
}

/// Adds a pool to a venue.
pub(crate) fn add(book: &mut Book, venue: u64, (tokens, reserves, fee): &Pool) -> PoolId {
    let number = u64::try_from(book.pools().len()).unwrap();
    book.apply(&Change::Created {
        venue: address(venue),
        pool: Created {
            tokens: tokens.map(token),
            spot: Spot::Numbered(number),
            shape: Shape::Charged { fee: *fee },
            price: None,
        },
    });
    let pool = book.pools().newest().unwrap().id;
    fill(book, pool, *reserves);
    pool
}

/// Changes what lies in a pool.
pub(crate) fn fill(book: &mut Book, pool: PoolId, reserves: [u128; 2]) {
    let movement = Movement::Reserves(reserves);
    book.apply(&Change::Moved { pool, movement });
}

/// Adds an empty pool with ranges, whose price is at a tick.
pub(crate) fn add_ranges(book: &mut Book, tokens: [u64; 2], tick: i32) -> PoolId {
    book.apply(&Change::Created {
        venue: address(RANGES),
        pool: Created {
            tokens: tokens.map(token),
            spot: Spot::Keyed {
                // No two pools may have the same terms.
                fee: u128::try_from(book.pools().len()).unwrap(),
                tick_spacing: SPACING.unsigned_abs(),
                extension: address(0),
            },
            shape: Shape::Usual,
            price: Some(Price {
                sqrt_ratio: ekubo::sqrt_ratio_at(tick).unwrap(),
                tick,
            }),
        },
    });
    book.pools().newest().unwrap().id
}

/// Adds liquidity to a pool with ranges, from one multiple of [`SPACING`] to
/// another.
pub(crate) fn deposit(book: &mut Book, pool: PoolId, [lower, upper]: [i32; 2], liquidity: u128) {
    let movement = Movement::Position {
        lower: lower * SPACING,
        upper: upper * SPACING,
        liquidity: Signed::positive(liquidity),
        delta: [Signed::ZERO; 2],
    };
    book.apply(&Change::Moved { pool, movement });
}
