//! What tokens are worth outside of the chain, at any time.
//!
//! A price is a pure function of the seed and the time, as of a market that does
//! not care what happens on the chain: nothing has to be kept, and a restart or
//! a reorg changes nothing. It is a sum of slow and fast waves of random height,
//! so that it has trends and noise at every scale. In a wild world prices jump
//! besides, and dollars leave their peg.

use crate::starknet::world::durations::{DAY, HOUR, MINUTE};
use crate::starknet::world::tokens::snares::{self, SNARES};
use crate::starknet::world::tokens::tail::{self, TAIL};
use crate::starknet::world::tokens::well_known::WELL_KNOWN;
use primitives::{Felt, U256};

/// How long a wave takes, and the logarithm of its height. Heights grow with the
/// root of the length, as those of a random walk: about half a per cent an hour.
const WAVES: [(u64, f64); 8] = [
    (30 * DAY, 0.12),
    (8 * DAY, 0.065),
    (2 * DAY, 0.035),
    (12 * HOUR, 0.018),
    (3 * HOUR, 0.009),
    (45 * MINUTE, 0.004_5),
    (10 * MINUTE, 0.002),
    (MINUTE, 0.000_5),
];

/// The waves that a small token has are at least so long: nobody trades it from
/// minute to minute.
const SLOW_WAVE: u64 = 2 * DAY;

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
    /// All the time, so many times as far as others.
    Free(f64),
    /// Slowly, so many times as far.
    Small(f64),
    /// Hardly at all.
    Steady,
    /// With another asset, hardly moving against it.
    Follows(usize),
    /// Not at all: nobody outside wants it.
    Snare,
}

/// How far the price of something that stands for something else moves against
/// that: dollars by less than two hundredths of a per cent, so that even pools
/// that begin at one are right, and others by less than a quarter of a per cent.
const STEADY: f64 = 0.000_6;
const FOLLOWING: f64 = 0.012;

/// Prices of the well-known tokens, in their order.
const KNOWN: [(f64, Nature); 17] = [
    (3_000.0, Nature::Free(1.0)),
    (0.4, Nature::Free(1.3)),
    (1.0, Nature::Steady),
    (1.0, Nature::Steady),
    (90_000.0, Nature::Free(0.8)),
    (3_550.0, Nature::Follows(0)),
    (1.0, Nature::Steady),
    (0.04, Nature::Small(1.6)),
    (4.0, Nature::Small(1.5)),
    (0.44, Nature::Follows(1)),
    (0.03, Nature::Small(1.6)),
    (0.02, Nature::Small(1.8)),
    (0.000_9, Nature::Small(2.0)),
    (0.000_4, Nature::Small(1.6)),
    (89_500.0, Nature::Follows(4)),
    (0.012, Nature::Small(1.8)),
    (1.0, Nature::Steady),
];

/// Prices of those tokens of the tail that pretend to be others: absurd ones.
const ABSURD: [(&str, f64); 3] = [("USDC", 0.000_002), ("ETH", 740_000.0), ("STRK", 55.0)];

/// A smallest unit that is worth more than this, in dollars, is a large one.
const COARSE_USD: f64 = 0.001;

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
                Nature::Small(1.8),
            )
        });
    let snares = SNARES.iter().enumerate();
    let snares = snares.map(|(index, (_, _, supply, usd))| {
        let address = snares::address(index);
        asset(address, snares::DECIMALS, *supply, *usd, Nature::Snare)
    });
    known.chain(tail).chain(snares).collect()
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

/// The outside prices of one world.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prices<'a> {
    pub(super) assets: &'a [Asset],
    pub(super) seed: u64,
    /// Whether prices jump, and dollars leave their peg.
    pub(super) wild: bool,
}

impl Prices<'_> {
    /// The price of an asset in dollars.
    pub(super) fn usd(self, index: usize, time: u64) -> Option<f64> {
        let asset = self.assets.get(index)?;
        let leading = match asset.nature {
            Nature::Follows(leader) => {
                let leading = self.assets.get(leader)?;
                self.motion(leader, leading, time)
            }
            _ => 0.0,
        };
        Some(asset.usd * (leading + self.motion(index, asset, time)).exp())
    }

    /// How far a price is from the usual one by itself, as a logarithm.
    fn motion(self, index: usize, asset: &Asset, time: u64) -> f64 {
        let (scale, shortest) = match asset.nature {
            Nature::Free(scale) => (scale, 0),
            Nature::Small(scale) => (scale, SLOW_WAVE),
            Nature::Steady | Nature::Follows(_) if self.wild => (FOLLOWING, 0),
            Nature::Steady => (STEADY, 0),
            Nature::Follows(_) => (FOLLOWING, SLOW_WAVE),
            Nature::Snare => (0.0, SLOW_WAVE),
        };
        let index = u64::try_from(index).unwrap_or_default();
        let shortest = if self.wild { 0 } else { shortest };
        let waves = WAVES.iter().zip(0..);
        let waves = waves.filter(|((period, _), _)| *period >= shortest);
        let motion: f64 = waves
            .map(|((period, height), wave)| {
                height * level(&[self.seed, index, wave], time, *period)
            })
            .sum();
        let jump = if self.wild {
            jump(index, self.seed, time)
        } else {
            0.0
        };
        scale * (motion + jump)
    }
}

impl Asset {
    /// How much of the supply anybody can trade: all, where a token stands for
    /// something else, and less where its makers keep a part.
    pub(super) fn circulating_share(&self) -> f64 {
        match self.nature {
            Nature::Free(_) | Nature::Small(_) | Nature::Snare => 0.8,
            Nature::Steady | Nature::Follows(_) => 1.0,
        }
    }

    /// Whether it was made to take from those who trade it.
    pub(super) fn is_snare(&self) -> bool {
        matches!(self.nature, Nature::Snare)
    }

    /// Whether its smallest unit is worth so much that hardly any amount of it
    /// is fair.
    pub(super) fn is_coarse(&self) -> bool {
        self.usd / self.whole > COARSE_USD
    }
}

/// A wave of random levels, smooth where it turns.
fn level(wave: &[u64; 3], time: u64, period: u64) -> f64 {
    let [seed, index, number] = *wave;
    let (cell, share) = place(time, period);
    let level = |cell: u64| random(&[seed, index, number, cell]);
    let turn = share * share * (3.0 - 2.0 * share);
    level(cell) * (1.0 - turn) + level(cell + 1) * turn
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

    fn series(index: usize, seed: u64, step: u64, wild: bool) -> Vec<f64> {
        let assets = all();
        let prices = Prices {
            assets: &assets,
            seed,
            wild,
        };
        let times = (0..2_000).map(|number| NOW + number * step);
        times.map(|time| prices.usd(index, time).unwrap()).collect()
    }

    /// How far a price moves from one look to the next.
    fn moves(series: &[f64]) -> Vec<f64> {
        let pairs = series.windows(2);
        pairs.map(|pair| (pair[1] / pair[0]).ln().abs()).collect()
    }

    #[test]
    fn prices_belong_to_their_seed_and_time() {
        assert_eq!(series(0, 1, 600, false), series(0, 1, 600, false));
        assert_ne!(series(0, 1, 600, false), series(0, 2, 600, false));
        assert_ne!(series(0, 1, 600, false), series(1, 1, 600, false));
    }

    #[test]
    fn hubs_move_by_about_half_a_per_cent_an_hour_and_never_jump() {
        for (seed, hub) in (0..4).flat_map(|seed| [0, 1, 4].map(|hub| (seed, hub))) {
            let moves = moves(&series(hub, seed, HOUR, false));
            let sum: f64 = moves.iter().map(|step| step * step).sum();
            let usual = (sum / 1_999.0).sqrt();
            assert!((0.003..0.008).contains(&usual), "{usual}");
            let most = moves.iter().copied().fold(0.0, f64::max);
            assert!(most < 0.035, "{most}");
        }
    }

    #[test]
    fn hubs_move_within_every_minute() {
        let still = moves(&series(0, 1, MINUTE, false));
        let still = still.iter().filter(|step| **step < 0.000_01).count();
        assert!(still < 100, "{still}");
    }

    #[test]
    fn dollars_stay_within_two_hundredths_of_a_per_cent() {
        for dollar in [2, 3, 6, 16] {
            for price in series(dollar, 1, 600, false) {
                assert!((0.999_8..1.000_2).contains(&price), "{price}");
            }
        }
    }

    #[test]
    fn wild_prices_jump_and_wild_dollars_leave_their_peg() {
        let ether = series(0, 1, 600, true);
        let jumps = moves(&ether).iter().filter(|step| **step > 0.02).count();
        assert!((1..20).contains(&jumps), "{jumps}");
        let off = |price: &&f64| (**price - 1.0).abs() > 0.000_5;
        assert!(series(2, 1, 600, true).iter().filter(off).count() > 500);
    }

    #[test]
    fn followers_stay_with_their_leader() {
        let (leader, follower) = (series(0, 3, 3_600, false), series(5, 3, 3_600, false));
        for (leader, follower) in leader.iter().zip(&follower) {
            let ratio = follower / leader;
            assert!((1.16..1.21).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn every_token_of_the_world_has_a_price_but_those_with_hostile_names() {
        let assets = all();
        assert_eq!(assets.len(), WELL_KNOWN.len() + TAIL.len() + SNARES.len());
        let prices = Prices {
            assets: &assets,
            seed: 0,
            wild: false,
        };
        for index in 0..assets.len() {
            assert!(prices.usd(index, NOW).unwrap() > 0.0);
        }
        assert_eq!(prices.usd(assets.len(), NOW), None);
    }
}
