//! What the execution of a route costs in gas.
//!
//! The cost is a sum: something for the transaction itself, something for each
//! swap by the kind of its venue, for each tick that a price passes and for each
//! pool with an extension. The parts are fitted on what a node estimates for
//! such transactions ([`GasModel::fit`]), or on what trades were seen to cost
//! ([`SeenGas`]).

mod fit;
mod seen;

pub use seen::SeenGas;

use amm::book::{Kind, Pools, Spot};
use primitives::{Felt, OrImpossible as _, U256};
use routing::Leg;
use serde::{Deserialize, Serialize};

/// Gas of all three sorts, as nodes count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Gas {
    /// For what happens on L1.
    pub l1: u64,
    /// For data on L1.
    pub l1_data: u64,
    /// For execution.
    pub l2: u64,
}

impl Gas {
    /// Gas of these sorts.
    #[must_use]
    pub const fn new(l1: u64, l1_data: u64, l2: u64) -> Self {
        Self { l1, l1_data, l2 }
    }

    /// What it costs.
    #[must_use]
    pub fn fee(&self, prices: &GasPrices) -> U256 {
        let cost = |gas: u64, price: u128| U256::from(gas) * U256::from(price);
        cost(self.l1, prices.l1) + cost(self.l1_data, prices.l1_data) + cost(self.l2, prices.l2)
    }

    fn plus(self, count: u32, each: Self) -> Self {
        let add = |sum: u64, gas: u64| sum.saturating_add(gas.saturating_mul(count.into()));
        Self {
            l1: add(self.l1, each.l1),
            l1_data: add(self.l1_data, each.l1_data),
            l2: add(self.l2, each.l2),
        }
    }
}

/// What a unit of gas costs, in the smallest unit of STRK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GasPrices {
    /// For what happens on L1.
    pub l1: u128,
    /// For data on L1.
    pub l1_data: u128,
    /// For execution.
    pub l2: u128,
}

/// Kinds of venues that routes pass.
const KINDS: usize = 8;

/// The place of a kind in lists of costs; none if no route passes it, since the
/// exchange contract has no adapter for it.
const fn place(kind: Kind) -> Option<usize> {
    match kind {
        Kind::JediSwap => Some(0),
        Kind::TenKSwap => Some(1),
        Kind::SithSwap => Some(2),
        Kind::StarkDefi => Some(3),
        Kind::Nostra => Some(4),
        Kind::MySwap => Some(5),
        Kind::Ekubo => Some(6),
        Kind::Endur => Some(7),
        Kind::JediSwapV2 => None,
    }
}

/// What a route does that costs gas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Swaps by kind, by their [`place`]s.
    swaps: [u32; KINDS],
    ticks: u32,
    extensions: u32,
}

impl Work {
    /// So many swaps at venues of these kinds that pass no ticks. Kinds that no
    /// route passes do nothing.
    #[must_use]
    pub fn of_swaps(kinds: impl IntoIterator<Item = Kind>) -> Self {
        let mut work = Self::default();
        for kind in kinds {
            work.count(kind);
        }
        work
    }

    /// What these swaps do. A pool that is not there does nothing.
    #[must_use]
    pub fn of(legs: &[Leg], pools: &Pools) -> Self {
        let mut work = Self::default();
        for leg in legs {
            let Some(view) = pools.get(leg.pool) else {
                continue;
            };
            work.count(view.venue.kind);
            work.ticks = work.ticks.saturating_add(leg.ticks);
            let extended = matches!(view.spot(), Spot::Keyed { extension, .. } if extension.felt() != Felt::ZERO);
            work.extensions += u32::from(extended);
        }
        work
    }

    fn count(&mut self, kind: Kind) {
        let count = place(kind).map(|at| self.swaps.get_mut(at));
        if let Some(Ok(count)) = count.map(|it| it.or_impossible("every place is in the list")) {
            *count += 1;
        }
    }
}

/// What each part of a route costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GasModel {
    /// The transaction itself, with an approval and what the exchange contract
    /// does around the swaps.
    pub base: Gas,
    /// A swap by kind, by their [`place`]s.
    swaps: [Gas; KINDS],
    /// A tick that a price passes.
    pub tick: Gas,
    /// What an extended pool costs beyond others.
    pub extension: Gas,
}

impl GasModel {
    /// What a swap at a venue of this kind costs, ticks left out; nothing where
    /// there are none.
    #[must_use]
    pub fn swap(&self, kind: Kind) -> Gas {
        let Some(at) = place(kind) else {
            return Gas::default();
        };
        let gas = self.swaps.get(at).copied();
        gas.or_impossible("every place is in the list")
            .unwrap_or_default()
    }

    /// What a route costs.
    #[must_use]
    pub fn of(&self, work: &Work) -> Gas {
        let swaps = work.swaps.iter().zip(self.swaps);
        let with_swaps = swaps.fold(self.base, |sum, (count, gas)| sum.plus(*count, gas));
        with_swaps
            .plus(work.ticks, self.tick)
            .plus(work.extensions, self.extension)
    }

    /// The parts that the simulated network's node estimates.
    #[must_use]
    pub const fn simulated() -> Self {
        SIMULATED
    }

    /// What a real network is expected to take before any trade was seen on it:
    /// trades of the public contracts on a devnet cost 1.6 to 2.2 times what they
    /// cost on the simulated network.
    #[must_use]
    pub fn expected() -> Self {
        let larger = |gas: Gas| Gas {
            l2: gas.l2.saturating_mul(185) / 100,
            ..gas
        };
        let Self {
            base,
            swaps,
            tick,
            extension,
        } = SIMULATED;
        Self {
            base: larger(base),
            swaps: swaps.map(larger),
            tick: larger(tick),
            extension: larger(extension),
        }
    }
}

/// What [`GasModel::fit`] finds for the estimates of the simulated node over
/// swaps of every kind, rounded.
const SIMULATED: GasModel = GasModel {
    base: Gas::new(0, 595, 2_870_000),
    swaps: [
        Gas::new(0, 330, 3_470_000), // JediSwap
        Gas::new(0, 297, 3_380_000), // 10kSwap
        Gas::new(0, 381, 3_930_000), // SithSwap
        Gas::new(0, 375, 3_990_000), // StarkDefi
        Gas::new(0, 326, 3_710_000), // Nostra
        Gas::new(0, 297, 1_760_000), // mySwap
        Gas::new(0, 305, 3_060_000), // Ekubo
        Gas::new(0, 297, 1_315_000), // Endur
    ],
    tick: Gas::new(0, 0, 89_000),
    extension: Gas::new(0, 0, 0),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{PoolTokens, USUAL, pools, route};

    #[test]
    fn a_fee_is_exact_at_any_price() {
        let prices = GasPrices {
            l1: u128::MAX,
            l1_data: 2,
            l2: 3,
        };
        let fee = Gas::new(u64::MAX, 5, 7).fee(&prices);
        let most = U256::from(u64::MAX) * U256::from(u128::MAX);
        assert_eq!(fee, most + U256::from(31));
    }

    #[test]
    fn work_is_swaps_by_kind_with_ticks_and_extensions() {
        let pools = pools(&USUAL);
        let swaps = [
            (6, PoolTokens::Out, 1.0),
            (6, PoolTokens::In, 0.5),
            (4, PoolTokens::In, 1.0),
        ];
        let mut legs = route(&pools, &swaps).legs;
        legs[1].ticks = 9;
        let work = Work::of(&legs, &pools);
        // The pool of the first swap has an extension.
        let expected = Work {
            swaps: [0, 0, 0, 0, 1, 0, 2, 0],
            ticks: 9,
            extensions: 1,
        };
        assert_eq!(work, expected);
        let model = GasModel::simulated();
        let l2 = [
            model.base.l2,
            model.swap(Kind::Nostra).l2,
            2 * model.swap(Kind::Ekubo).l2,
            9 * model.tick.l2,
            model.extension.l2,
        ];
        assert_eq!(model.of(&work).l2, l2.iter().sum::<u64>());
    }
}
