//! Who is on the chains: some with funds, some at the edges, some with nothing.

use ed25519_dalek::SigningKey;
use primitives::PublicKey;
use rand::{Rng, RngExt as _};
use svm::Pair;

pub(crate) const MINIMUM: u64 = 890_880;
pub(crate) const FEE: u64 = 5_000;
const SOL: u64 = 1_000_000_000;

/// What the first ones hold; the others have nothing.
const FUNDS: [u64; 8] = [
    1_000 * SOL,
    100 * SOL,
    10 * SOL,
    SOL,
    MINIMUM,
    MINIMUM + FEE,
    MINIMUM + 2 * FEE + 1,
    2 * MINIMUM,
];
const PENNILESS: usize = 40;

/// Key pairs by their places.
pub(crate) struct People(pub(crate) Vec<SigningKey>);

impl People {
    pub(crate) fn new(rng: &mut impl Rng, pair: &mut Pair) -> Self {
        let mut pairs = Vec::new();
        for _ in 0..FUNDS.len() + PENNILESS {
            pairs.push(SigningKey::from_bytes(&rng.random()));
        }
        let people = Self(pairs);
        for (place, lamports) in FUNDS.iter().enumerate() {
            pair.fund(people.key(place), *lamports);
        }
        people
    }

    fn key(&self, place: usize) -> PublicKey {
        PublicKey::from_bytes(self.0[place].verifying_key().to_bytes())
    }

    /// Somebody, more often with much than with little.
    pub(crate) fn somebody(&self, rng: &mut impl Rng) -> PublicKey {
        let place = match rng.random_range(0..10) {
            0..5 => rng.random_range(0..3),
            5..9 => rng.random_range(0..FUNDS.len()),
            _ => rng.random_range(0..self.0.len()),
        };
        self.key(place)
    }

    /// Somebody who began with nothing, mostly.
    pub(crate) fn newcomer(&self, rng: &mut impl Rng) -> PublicKey {
        let first = if rng.random_bool(0.98) {
            FUNDS.len()
        } else {
            3
        };
        self.key(rng.random_range(first..self.0.len()))
    }

    /// Makes up for what those with much have paid.
    pub(crate) fn refresh(&self, pair: &mut Pair) {
        for (place, lamports) in FUNDS.iter().enumerate().take(3) {
            pair.fund(self.key(place), *lamports);
        }
    }
}
