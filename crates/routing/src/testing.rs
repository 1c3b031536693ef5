//! Small markets for tests.

use amm::book::{
    Book, Change, Created, Kind, Maths, Movement, PoolId, Registry, Shape, Spot, Venue,
};
use primitives::{Address, Felt};
use std::sync::Arc;

/// The contracts of two venues of numbered pools.
pub(crate) const VENUES: [u64; 2] = [0xe, 0xf];

/// One whole token.
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
        kind: Kind::MySwap,
        contract: address(contract),
        router: Some(address(contract)),
        start_block: 0,
        classes: [(address(1), Maths::Usual)].into(),
        extensions: [].into(),
        enabled: true,
    };
    let registry = Registry::new(VENUES.map(venue).into()).unwrap();
    let mut book = Book::new(Arc::new(registry));
    book.begin(1);
    for contract in VENUES.map(address) {
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
