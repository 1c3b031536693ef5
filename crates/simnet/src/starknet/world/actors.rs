//! What happens by itself: holders who pay each other.

use super::{STRK, Traded, World, tokens::whole};
use crate::starknet::builder::BlockBuilder;
use crate::starknet::contracts::erc20::{approve_call, balance_key, transfer_call};
use crate::starknet::hash::digest;
use crate::starknet::process::Charge;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// An actor's transaction has at most this many events: its payments and the fee.
pub(crate) const MAX_ACTOR_EVENTS: usize = 4;

const MAX_PAYMENTS: usize = MAX_ACTOR_EVENTS - 1;

/// An actor whose purse turns out to be empty is replaced this often.
const ATTEMPTS: usize = 4;

/// Puts about `mean` transactions of actors into a block.
pub(crate) fn act(
    world: &World,
    builder: &mut BlockBuilder<'_>,
    rng: &mut ChaCha8Rng,
    seed: Felt,
    mean: u32,
) {
    let count = rng.random_range(0..=u64::from(mean) * 2);
    for index in 0..count {
        let Some((sender, calls)) = (0..ATTEMPTS).find_map(|_| plan(world, builder, rng)) else {
            continue;
        };
        let hash = digest("INVOKE", &[seed, Felt::from(index)]);
        if let Err(error) = builder.act(hash, sender, &calls, Charge::Fee) {
            tracing::warn!(%error, "a simulated actor cannot pay the fee");
        }
    }
}

/// Somebody and what they want to do, if they can afford it.
fn plan(
    world: &World,
    builder: &BlockBuilder<'_>,
    rng: &mut ChaCha8Rng,
) -> Option<(Felt, Vec<Call>)> {
    let token = popular(&world.tokens, rng)?;
    let sender = *token.community.choose(rng)?;
    let owned = |token| builder.view().read(&balance_key(token, sender));
    let balance = owned(token.address);
    if owned(STRK) < whole(1, 18) || balance.is_zero() {
        return None;
    }
    let calls = match rng.random_range(0..64) {
        // One who is mistaken about their balance: the transaction reverts.
        0 => vec![payment(token, balance + U256::ONE, rng)?],
        1..6 => vec![approve_call(
            token.address,
            *world.holders.choose(rng)?,
            balance,
        )],
        6..20 => {
            let payments = rng.random_range(2..=MAX_PAYMENTS);
            (0..payments)
                .map(|_| payment(token, portion(balance, rng) / U256::from(payments), rng))
                .collect::<Option<_>>()?
        }
        _ => vec![payment(token, portion(balance, rng), rng)?],
    };
    Some((sender, calls))
}

/// Early tokens in the list are used far more often than late ones.
fn popular<'w>(tokens: &'w [Traded], rng: &mut ChaCha8Rng) -> Option<&'w Traded> {
    let ceiling = rng.random_range(0..tokens.len().max(1));
    tokens.get(rng.random_range(0..=ceiling))
}

fn payment(token: &Traded, amount: U256, rng: &mut ChaCha8Rng) -> Option<Call> {
    let to = *token.community.choose(rng)?;
    Some(transfer_call(token.address, to, amount))
}

/// Between a thousandth and two fifths of a balance, and at least one unit.
fn portion(balance: U256, rng: &mut ChaCha8Rng) -> U256 {
    let permille = U256::from(rng.random_range(1_u32..=400));
    let amount = balance
        .checked_mul(permille)
        .map_or(balance / U256::from(1000), |product| {
            product / U256::from(1000)
        });
    amount.max(U256::ONE)
}
