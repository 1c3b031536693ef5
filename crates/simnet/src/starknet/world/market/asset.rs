//! What tokens are worth outside of the chain, at any time.
//!
//! A price is a pure function of the seed and the time, as of a market that does
//! not care what happens on the chain: nothing has to be kept, and a restart or
//! a reorg changes nothing. It is a sum of slow and fast waves of random height,
//! so that it has trends and noise at every scale, and of rare jumps.

use super::super::tail::{self, TAIL};
use super::super::well_known::WELL_KNOWN;
use super::{HOUR, MINUTE};
use primitives::{Felt, U256};

const DAY: u64 = 24 * HOUR;

/// How long a wave takes, and the logarithm of its height.
const WAVES: [(u64, f64); 7] = [
    (30 * DAY, 0.18),
    (8 * DAY, 0.07),
    (2 * DAY, 0.02),
    (12 * HOUR, 0.007),
    (3 * HOUR, 0.0025),
    (45 * MINUTE, 0.001),
    (10 * MINUTE, 0.0005),
];

/// Jumps begin within periods of this length, and end with them.
const JUMP_PERIOD: u64 = 36 * HOUR;

/// One period in so many has a jump.
const JUMP_ODDS: u64 = 8;

/// A token that has a price.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asset {
    pub(super) address: Felt,
    /// Units in a whole token.
    pub(super) whole: f64,
    /// What holders have of it, in dollars.
    pub(super) capital: f64,
    /// The usual price in dollars.
    usd: f64,
    nature: Nature,
}

/// How a price moves.
#[derive(Debug, Clone, Copy)]
enum Nature {
    /// Like others, so many times as far.
    Free(f64),
    /// Hardly at all.
    Steady,
    /// With another asset, hardly moving against it.
    Follows(usize),
}

/// How far steady prices move, against free ones.
const STEADY: f64 = 0.012;

/// Prices of the well-known tokens, in their order.
const KNOWN: [(f64, Nature); 17] = [
    (3_000.0, Nature::Free(1.0)),
    (0.4, Nature::Free(1.3)),
    (1.0, Nature::Steady),
    (1.0, Nature::Steady),
    (90_000.0, Nature::Free(0.8)),
    (3_550.0, Nature::Follows(0)),
    (1.0, Nature::Steady),
    (0.04, Nature::Free(1.6)),
    (4.0, Nature::Free(1.5)),
    (0.44, Nature::Follows(1)),
    (0.03, Nature::Free(1.6)),
    (0.02, Nature::Free(1.8)),
    (0.000_9, Nature::Free(2.0)),
    (0.000_4, Nature::Free(1.6)),
    (89_500.0, Nature::Follows(4)),
    (0.012, Nature::Free(1.8)),
    (1.0, Nature::Steady),
];

/// Prices of those tokens of the tail that pretend to be others: absurd ones.
const ABSURD: [(&str, f64); 3] = [("USDC", 0.000_002), ("ETH", 740_000.0), ("STRK", 55.0)];

/// All assets, in the order of the world's tokens.
pub(super) fn all() -> Vec<Asset> {
    let known = WELL_KNOWN.iter().zip(KNOWN).map(|(token, (usd, nature))| {
        asset(token.address, token.decimals, token.supply, usd, nature)
    });
    let tail = TAIL
        .iter()
        .enumerate()
        .map(|(index, (_, symbol, decimals, supply))| {
            let absurd = ABSURD.iter().find(|(name, _)| name == symbol);
            let usd = absurd.map_or_else(|| modest(index, *supply), |(_, usd)| *usd);
            asset(
                tail::address(index),
                *decimals,
                *supply,
                usd,
                Nature::Free(1.8),
            )
        });
    known.chain(tail).collect()
}

fn asset(address: Felt, decimals: u32, supply: u64, usd: f64, nature: Nature) -> Asset {
    Asset {
        address,
        whole: 10_f64.powf(decimals.into()),
        capital: f64::from(U256::from(supply)) * usd,
        usd,
        nature,
    }
}

/// The price at which all of a small token is worth between fifty thousand and
/// ten million dollars.
fn modest(index: usize, supply: u64) -> f64 {
    let index = u64::try_from(index).unwrap_or_default();
    let capital = 10_f64.powf(5.85 + 1.15 * random(&[index]));
    capital / f64::from(U256::from(supply.max(1)))
}

/// The price of an asset in dollars.
pub(super) fn price(assets: &[Asset], index: usize, seed: u64, time: u64) -> Option<f64> {
    let asset = assets.get(index)?;
    let (usd, scale) = match asset.nature {
        Nature::Free(scale) => (asset.usd, scale),
        Nature::Steady => (asset.usd, STEADY),
        Nature::Follows(leader) => {
            let leading = assets.get(leader)?;
            let now = leading.usd * motion(leader, seed, time, leading.scale()).exp();
            (asset.usd / leading.usd * now, STEADY)
        }
    };
    Some(usd * motion(index, seed, time, scale).exp())
}

impl Asset {
    /// How much of the supply anybody can trade: all, where a token stands for
    /// something else, and less where its makers keep a part.
    pub(super) fn circulating_share(&self) -> f64 {
        match self.nature {
            Nature::Free(_) => 0.8,
            Nature::Steady | Nature::Follows(_) => 1.0,
        }
    }

    fn scale(&self) -> f64 {
        match self.nature {
            Nature::Free(scale) => scale,
            Nature::Steady | Nature::Follows(_) => STEADY,
        }
    }
}

/// How far a price is from the usual one, as a logarithm.
fn motion(index: usize, seed: u64, time: u64, scale: f64) -> f64 {
    let index = u64::try_from(index).unwrap_or_default();
    let waves = WAVES.iter().zip(0..).map(|((period, height), wave)| {
        let (cell, share) = place(time, *period);
        let level = |cell: u64| random(&[seed, index, wave, cell]);
        // Smooth at both ends.
        let turn = share * share * (3.0 - 2.0 * share);
        height * (level(cell) * (1.0 - turn) + level(cell + 1) * turn)
    });
    scale * (waves.sum::<f64>() + jump(index, seed, time))
}

fn jump(index: u64, seed: u64, time: u64) -> f64 {
    let (cell, share) = place(time, JUMP_PERIOD);
    let draw = |what| mixed(&[seed, index, what, cell, JUMP_PERIOD]);
    let begun = share >= 0.5 + random(&[draw(1)]) / 2.0;
    if !draw(2).is_multiple_of(JUMP_ODDS) || !begun {
        return 0.0;
    }
    let size = random(&[draw(3)]);
    size.signum() * 0.03 + size * 0.07
}

/// The period that a time is in, and the share of it that is over.
fn place(time: u64, period: u64) -> (u64, f64) {
    let real = |number: u64| f64::from(U256::from(number));
    (time / period, real(time % period) / real(period))
}

/// Between -1 and 1, always the same for the same parts.
fn random(parts: &[u64]) -> f64 {
    let top = u32::try_from(mixed(parts) >> 32).unwrap_or_default();
    f64::from(top) / f64::from(u32::MAX) * 2.0 - 1.0
}

/// Many different bits out of few: the finalizer of a well-known generator.
fn mixed(parts: &[u64]) -> u64 {
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, |state, part| {
        let mut bits = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn series(index: usize, seed: u64, step: u64) -> Vec<f64> {
        let assets = all();
        let times = (0..2_000).map(|number| NOW + number * step);
        times
            .map(|time| price(&assets, index, seed, time).unwrap())
            .collect()
    }

    #[test]
    fn prices_belong_to_their_seed_and_time() {
        assert_eq!(series(0, 1, 600), series(0, 1, 600));
        assert_ne!(series(0, 1, 600), series(0, 2, 600));
        assert_ne!(series(0, 1, 600), series(1, 1, 600));
    }

    #[test]
    fn free_prices_drift_and_jump_and_steady_ones_stay_near_one() {
        let ether = series(0, 1, 600);
        let (low, high) = ether
            .iter()
            .fold((f64::MAX, 0.0_f64), |(low, high), price| {
                (low.min(*price), high.max(*price))
            });
        assert!(low > 1_500.0 && high < 6_000.0, "{low} to {high}");
        assert!(high / low > 1.05, "{low} to {high}");
        let moves: Vec<f64> = ether
            .windows(2)
            .map(|pair| (pair[1] / pair[0]).ln().abs())
            .collect();
        let jumps = moves.iter().filter(|step| **step > 0.02).count();
        assert!((1..20).contains(&jumps), "{jumps}");
        let quiet = moves.iter().filter(|step| **step < 0.005).count();
        assert!(quiet > 1_900, "{quiet}");
        for price in series(2, 1, 600) {
            assert!((0.993..1.007).contains(&price), "{price}");
        }
    }

    #[test]
    fn followers_stay_with_their_leader() {
        let (leader, follower) = (series(0, 3, 3_600), series(5, 3, 3_600));
        for (leader, follower) in leader.iter().zip(&follower) {
            let ratio = follower / leader;
            assert!((1.16..1.21).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn every_token_of_the_world_has_a_price_but_the_hostile_ones() {
        let assets = all();
        assert_eq!(assets.len(), WELL_KNOWN.len() + TAIL.len());
        for index in 0..assets.len() {
            assert!(price(&assets, index, 0, NOW).unwrap() > 0.0);
        }
        assert_eq!(price(&assets, assets.len(), 0, NOW), None);
    }
}
