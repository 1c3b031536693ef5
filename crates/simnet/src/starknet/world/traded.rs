//! A token with those who pass it around among themselves.

use crate::starknet::network::STRK;
use primitives::{Felt, U256};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// A token and its holders.
#[derive(Debug)]
pub(crate) struct Traded {
    pub(crate) address: Felt,
    pub(crate) supply: U256,
    pub(crate) community: Vec<Felt>,
}

/// Popular tokens have many holders; STRK, which pays fees, has all of them.
pub(super) fn community(
    token: Felt,
    rank: usize,
    holders: &[Felt],
    rng: &mut ChaCha8Rng,
) -> Vec<Felt> {
    let size = match rank {
        _ if token == STRK => holders.len(),
        0..8 => 120,
        8..24 => 48,
        _ => rng.random_range(8_usize..=24),
    };
    let mut members = holders.to_vec();
    members.partial_shuffle(rng, size).0.to_vec()
}
