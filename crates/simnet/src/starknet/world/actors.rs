//! What happens by itself: holders who pay each other, and those who trade.

use super::market::{self, Deed, Scene};
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

/// An actor's transaction has fewer events than this on average.
pub(crate) const ACTOR_EVENTS: usize = 10;

/// A transaction makes at most so many payments.
const MAX_PAYMENTS: usize = 3;

/// An actor whose purse turns out to be empty is replaced this often.
const ATTEMPTS: usize = 4;

/// What a block's actors go by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// The block's own randomness.
    pub(crate) seed: Felt,
    pub(crate) time: u64,
    /// Transactions, on average.
    pub(crate) mean: u32,
}

/// Puts about `mean` transactions of actors into a block, after those that open
/// the exchanges.
pub(crate) fn act(
    world: &World,
    builder: &mut BlockBuilder<'_>,
    rng: &mut ChaCha8Rng,
    moment: Moment,
) {
    let mut index = 0;
    let mut include = |builder: &mut BlockBuilder<'_>, deed: &Deed| {
        let hash = digest("INVOKE", &[moment.seed, Felt::from(index)]);
        index += 1;
        if let Err(error) = builder.act(hash, deed, Charge::Fee) {
            tracing::warn!(%error, "a simulated actor cannot pay the fee");
        }
    };
    for pool in market::opening(world, builder.open.number) {
        if let Some(deed) = market::open(scene(world, builder, moment), pool, rng) {
            include(builder, &deed);
        }
    }
    let count = rng.random_range(0..=u64::from(moment.mean) * 2);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut made = 0;
    // Somebody may have nothing to do, and an attack is several transactions.
    for _ in 0..count {
        if made >= count {
            break;
        }
        let deeds = (0..ATTEMPTS).find_map(|_| plan(scene(world, builder, moment), rng));
        let deeds = deeds.unwrap_or_default();
        made += deeds.len();
        for deed in deeds {
            include(builder, &deed);
        }
    }
}

fn scene<'a>(world: &'a World, builder: &'a BlockBuilder<'_>, moment: Moment) -> Scene<'a> {
    Scene {
        world,
        view: builder.view(),
        time: moment.time,
    }
}

/// Somebody and what they want to do, if they can afford it.
fn plan(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Vec<Deed>> {
    if rng.random_range(0..100) < scene.world.market.share() {
        return market::plan(scene, rng);
    }
    payments(scene, rng).map(|deed| vec![deed])
}

fn payments(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let token = popular(&scene.world.tokens, rng)?;
    let sender = *token.community.choose(rng)?;
    let owned = |token| scene.view.read(&balance_key(token, sender));
    let balance = owned(token.address);
    if owned(STRK) < whole(1, 18) || balance.is_zero() {
        return None;
    }
    let calls = match rng.random_range(0..64) {
        // One who is mistaken about their balance: the transaction reverts.
        0 => vec![payment(token, balance + U256::ONE, rng)?],
        1..6 => vec![approve_call(
            token.address,
            *scene.world.holders.choose(rng)?,
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
    Some(Deed::plain(sender, calls))
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
