//! What happens by itself: holders who pay each other, and those who trade.

use super::World;
use super::market::{self, Scene, Watch};
use super::tokens::whole;
use super::traded::Traded;
use crate::starknet::builder::BlockBuilder;
use crate::starknet::contracts::erc20::{approve_call, balance_key, transfer_call};
use crate::starknet::hash::digest;
use crate::starknet::network::STRK;
use crate::starknet::process::Charge;
use crate::starknet::transaction::{Call, Deed};
use primitives::{Felt, U256};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// An actor's transaction has fewer events than this on average.
pub(crate) const ACTOR_EVENTS: usize = 10;

/// Transactions of every block, where there are so many on average: any three
/// blocks have the ten by which wallets estimate tips.
const LEAST_IN_BLOCK: u32 = 4;

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
/// the exchanges and before those of arbitrageurs, of whom there are at most
/// half as many.
pub(crate) fn act(
    world: &World,
    watch: &mut Watch,
    builder: &mut BlockBuilder<'_>,
    rng: &mut ChaCha8Rng,
    moment: Moment,
) {
    let prices = world.market.unit_prices(world.seed, moment.time);
    let now = Now {
        world,
        time: moment.time,
        prices: &prices,
    };
    let mut index = 0;
    let mut include = |builder: &mut BlockBuilder<'_>, deed: &Deed| {
        let hash = digest("INVOKE", &[moment.seed, Felt::from(index)]);
        index += 1;
        if let Err(error) = builder.act(hash, deed, Charge::Fee) {
            tracing::warn!(%error, "a simulated actor cannot pay the fee");
        }
    };
    for pool in market::opening(&world.market, builder.open.number) {
        if let Some(deed) = market::open(now.scene(builder), pool, rng) {
            include(builder, &deed);
        }
    }
    if let Some(deed) = market::saving(&world.market, builder.open.number) {
        include(builder, &deed);
    }
    let count = count(moment.mean, rng);
    let mut made = 0;
    // Somebody may have nothing to do, and an attack is several transactions.
    for _ in 0..count.saturating_mul(2) {
        if made >= count {
            break;
        }
        let deeds = (0..ATTEMPTS).find_map(|_| plan(world, now.scene(builder), rng));
        let deeds = deeds.unwrap_or_default();
        made += deeds.len();
        for deed in deeds {
            include(builder, &deed);
        }
    }
    if world.market.is_settled() {
        let written = builder.open.writes.iter();
        let keys = written.filter_map(|slot| builder.state.key(*slot));
        watch.look(now.scene(builder), keys);
        let most = count.saturating_sub(1) / 2;
        for deed in market::settle(now.scene(builder), watch, most, rng) {
            include(builder, &deed);
        }
    }
}

/// What does not change within a block.
#[derive(Clone, Copy)]
struct Now<'n> {
    world: &'n World,
    time: u64,
    prices: &'n [f64],
}

impl Now<'_> {
    fn scene<'a>(&'a self, builder: &'a BlockBuilder<'_>) -> Scene<'a> {
        Scene {
            market: &self.world.market,
            seed: self.world.seed,
            tokens: &self.world.tokens,
            view: builder.view(),
            time: self.time,
            prices: self.prices,
        }
    }
}

/// How many transactions there are in a block: where there are enough on
/// average, every block has some.
fn count(mean: u32, rng: &mut ChaCha8Rng) -> usize {
    let least = if mean < LEAST_IN_BLOCK {
        0
    } else {
        LEAST_IN_BLOCK
    };
    let most = u64::from(mean) * 2 - u64::from(least);
    let count = rng.random_range(u64::from(least)..=most);
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Somebody and what they want to do, if they can afford it.
fn plan(world: &World, scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Vec<Deed>> {
    if rng.random_range(0..100) < world.market.share() {
        return market::plan(scene, rng);
    }
    payments(world, scene, rng).map(|deed| vec![deed])
}

fn payments(world: &World, scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Deed> {
    let token = popular(scene.tokens, rng)?;
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
