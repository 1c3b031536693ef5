//! The exchanges as the world uses them: which pools there are, what tokens are
//! worth, and those who trade.
//!
//! Everything that the market needs to know is in the chain's state or follows
//! from the seed and the time. Its agents try their calls out before they send
//! them, as wallets do, so that only those fail that are meant to.

mod arbitrage;
mod asset;
mod exchanges;
mod listing;
mod opening;
mod permille;
mod pool;
mod providing;
mod rehearsal;
mod sandwich;
mod saving;
mod scene;
mod trading;
mod watch;

pub(super) use arbitrage::settle;
pub(super) use exchanges::{AmmMarket, install};
pub(super) use opening::{blocks as opening_blocks, of_block as opening, open};
pub(super) use saving::of_block as saving;
pub(super) use scene::Scene;
pub(crate) use watch::Watch;

use crate::starknet::transaction::Deed;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// What one of the market's agents does next. Who has nothing to do leaves the
/// place to somebody who trades for no reason.
pub(super) fn plan(scene: Scene<'_>, rng: &mut ChaCha8Rng) -> Option<Vec<Deed>> {
    let one = |deed: Option<Deed>| deed.map(|deed| vec![deed]);
    let draw = rng.random_range(0..100);
    let deeds = if scene.market.wild {
        match draw {
            0..46 => one(arbitrage::correct(scene, rng)),
            46..56 => one(trading::trend(scene, rng)),
            56..60 => sandwich::attack(scene, rng),
            60..65 => one(providing::add(scene, rng)),
            65..69 => one(providing::remove(scene, rng)),
            69 => one(providing::open(scene, rng)),
            70 => one(trading::taken_in(scene, rng)),
            _ => None,
        }
    } else {
        match draw {
            0..16 => one(trading::trend(scene, rng)),
            16..23 => one(providing::add(scene, rng)),
            23..29 => one(providing::remove(scene, rng)),
            29 => one(providing::open(scene, rng)),
            30 => one(trading::taken_in(scene, rng)),
            _ => None,
        }
    };
    deeds.or_else(|| one(trading::noise(scene, rng)))
}

#[cfg(test)]
mod tests;
