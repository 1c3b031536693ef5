//! Gas: how much a transaction uses, what it costs, and what it may cost.

use super::hash::{digest, from_felt};
use primitives::transaction_hash::{Bound, ResourceBounds};
use primitives::{Felt, U256};
use serde::{Deserialize, Serialize};

/// One value for each kind of gas, with the names of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Gas<T> {
    #[serde(rename = "l1_gas")]
    pub(crate) l1: T,
    #[serde(rename = "l1_data_gas")]
    pub(crate) l1_data: T,
    #[serde(rename = "l2_gas")]
    pub(crate) l2: T,
}

impl<T> Gas<T> {
    pub(crate) fn map<U>(self, change: impl Fn(T) -> U) -> Gas<U> {
        Gas {
            l1: change(self.l1),
            l1_data: change(self.l1_data),
            l2: change(self.l2),
        }
    }

    pub(crate) fn zip<U>(self, other: Gas<U>) -> Gas<(T, U)> {
        Gas {
            l1: (self.l1, other.l1),
            l1_data: (self.l1_data, other.l1_data),
            l2: (self.l2, other.l2),
        }
    }

    /// The values with the names by which messages call them.
    pub(crate) fn named(self) -> [(&'static str, T); 3] {
        [
            ("L1Gas", self.l1),
            ("L1DataGas", self.l1_data),
            ("L2Gas", self.l2),
        ]
    }
}

impl From<ResourceBounds> for Gas<Bound> {
    fn from(bounds: ResourceBounds) -> Self {
        Self {
            l1: bounds.l1_gas,
            l1_data: bounds.l1_data_gas,
            l2: bounds.l2_gas,
        }
    }
}

impl From<Gas<Bound>> for ResourceBounds {
    fn from(bounds: Gas<Bound>) -> Self {
        Self {
            l1_gas: bounds.l1,
            l1_data_gas: bounds.l1_data,
            l2_gas: bounds.l2,
        }
    }
}

/// Amounts of gas.
pub(crate) type Resources = Gas<u64>;

impl Resources {
    /// What every transaction uses, whatever it does.
    pub(crate) const LEAST: Self = Gas {
        l1: 0,
        l1_data: 128,
        l2: 600_000,
    };

    /// What a transaction uses that does this work.
    pub(crate) fn of(work: Work) -> Self {
        let more = Gas {
            l1: 0,
            l1_data: work.l1_data(),
            l2: work.l2(),
        };
        Self::LEAST
            .zip(more)
            .map(|(least, more)| least.saturating_add(more))
    }

    /// The fee in FRI at `prices`, with a tip for each unit of L2 gas.
    pub(crate) fn fee(self, prices: Prices, tip: u64) -> u128 {
        let fees = self
            .zip(prices)
            .map(|(amount, price)| u128::from(amount).saturating_mul(price.fri));
        let tip = u128::from(self.l2).saturating_mul(tip.into());
        [fees.l1, fees.l1_data, fees.l2, tip]
            .into_iter()
            .fold(0, u128::saturating_add)
    }
}

/// What calls do, as far as gas depends on it. A plain rule: no Cairo is run, so
/// that computing is part of a call, and walking through ticks is reading them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Work {
    /// Calls of contracts, and constructors.
    pub(crate) calls: u64,
    /// Reading a variable, however often.
    pub(crate) reads: u64,
    /// Writing one, however often.
    pub(crate) writes: u64,
    /// Variables that were written, each of them once.
    pub(crate) variables: u64,
    pub(crate) events: u64,
    /// Keys and data of events.
    pub(crate) felts: u64,
}

impl Work {
    /// More than a payment or an approval does.
    pub(crate) const PAYMENT: Self = Self {
        calls: 1,
        reads: 4,
        writes: 4,
        variables: 4,
        events: 1,
        felts: 8,
    };

    /// The L2 gas of it, without what every transaction uses.
    pub(crate) fn l2(self) -> u64 {
        let costs = [
            (self.calls, 200_000),
            (self.reads, 20_000),
            (self.writes, 30_000),
            (self.events, 20_000),
            (self.felts, 5_000),
        ];
        let cost = |(count, each): (u64, u64)| count.saturating_mul(each);
        costs.into_iter().map(cost).fold(0, u64::saturating_add)
    }

    fn l1_data(self) -> u64 {
        self.variables.saturating_mul(64)
    }

    /// This work so many times.
    pub(crate) fn times(self, count: u64) -> Self {
        self.zip(Self::default(), |one, _| one.saturating_mul(count))
    }

    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        self.zip(other, u64::saturating_add)
    }

    /// What came after `earlier`.
    pub(crate) fn since(self, earlier: Self) -> Self {
        self.zip(earlier, u64::saturating_sub)
    }

    fn zip(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            calls: of(self.calls, other.calls),
            reads: of(self.reads, other.reads),
            writes: of(self.writes, other.writes),
            variables: of(self.variables, other.variables),
            events: of(self.events, other.events),
            felts: of(self.felts, other.felts),
        }
    }
}

/// The price of one unit of gas in the smallest units of STRK and of ETH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Price {
    pub(crate) fri: u128,
    pub(crate) wei: u128,
}

/// Gas prices of a block.
pub(crate) type Prices = Gas<Price>;

/// Prices drift from one level to the next in this many blocks.
const DRIFT_BLOCKS: u64 = 240;

/// Levels are this many thousandths of the usual price, and this many more.
const LOWEST_LEVEL: u64 = 700;
const LEVELS: u64 = 600;

impl Prices {
    const USUAL: Self = Gas {
        l1: Price {
            fri: 36_000_000_000_000,
            wei: 1_500_000_000,
        },
        l1_data: Price {
            fri: 24_000_000_000,
            wei: 1_000_000,
        },
        l2: Price {
            fri: 3_000_000_000,
            wei: 125_000,
        },
    };

    /// The prices of block `number` in the world of `seed`: each kind of gas
    /// drifts slowly around its usual price.
    pub(crate) fn of_block(seed: u64, number: u64) -> Self {
        let kinds = Gas {
            l1: 0,
            l1_data: 1,
            l2: 2,
        };
        kinds.zip(Self::USUAL).map(|(kind, usual)| {
            let era = number / DRIFT_BLOCKS;
            let step = number % DRIFT_BLOCKS;
            let from = level(seed, kind, era) * (DRIFT_BLOCKS - step);
            let to = level(seed, kind, era + 1) * step;
            let scale =
                |price: u128| price * u128::from(from + to) / u128::from(1000 * DRIFT_BLOCKS);
            Price {
                fri: scale(usual.fri),
                wei: scale(usual.wei),
            }
        })
    }
}

/// Thousandths of the usual price that a kind of gas costs when an era begins.
fn level(seed: u64, kind: u64, era: u64) -> u64 {
    let random = digest("PRICE", &[seed, kind, era].map(Felt::from));
    let offset: u64 = (from_felt(random) % U256::from(LEVELS + 1)).saturating_to();
    LOWEST_LEVEL + offset
}

/// What a careful sender allows: half as much again as is needed.
pub(crate) fn with_headroom(resources: Resources, prices: Prices) -> ResourceBounds {
    resources
        .zip(prices)
        .map(|(amount, price)| Bound {
            max_amount: amount.saturating_add(amount / 2),
            max_price_per_unit: price.fri.saturating_add(price.fri / 2),
        })
        .into()
}

/// The most that a sender may have to pay, in FRI.
pub(crate) fn max_fee(bounds: ResourceBounds, tip: u64) -> U256 {
    let tips = Gas {
        l1: 0,
        l1_data: 0,
        l2: tip,
    };
    Gas::from(bounds)
        .zip(tips)
        .named()
        .into_iter()
        .map(|(_, (bound, tip))| {
            let price = U256::from(bound.max_price_per_unit) + U256::from(tip);
            U256::from(bound.max_amount) * price
        })
        .fold(U256::ZERO, U256::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_work_costs() {
        let one = Work {
            calls: 1,
            reads: 1,
            writes: 1,
            variables: 1,
            events: 1,
            felts: 1,
        };
        let parts = [
            Work { calls: 2, ..one },
            Work { reads: 2, ..one },
            Work { writes: 2, ..one },
            Work { events: 2, ..one },
            Work { felts: 2, ..one },
        ];
        let used = Resources::of(one);
        for more in parts.map(Resources::of) {
            assert!(more.l2 > used.l2 && more.l1_data == used.l1_data);
        }
        let more = Resources::of(Work {
            variables: 2,
            ..one
        });
        assert!(more.l2 == used.l2 && more.l1_data > used.l1_data);
        assert_eq!(Resources::of(Work::default()), Resources::LEAST);
        assert_eq!(one.times(2), one.plus(one));
        assert_eq!(one.times(3).since(one), one.times(2));
    }

    #[test]
    fn prices_move_slowly_and_stay_near_the_usual_ones() {
        let prices: Vec<Prices> = (0..2_000)
            .map(|number| Prices::of_block(3, number))
            .collect();
        for pair in prices.windows(2) {
            for (_, (before, after)) in pair[0].zip(pair[1]).named() {
                assert!(before.fri.abs_diff(after.fri) * 200 <= before.fri);
            }
        }
        for (_, (price, usual)) in prices
            .iter()
            .flat_map(|prices| prices.zip(Prices::USUAL).named())
        {
            assert!(price.fri * 10 >= usual.fri * 7 && price.fri * 10 <= usual.fri * 13);
            assert!(price.wei > 0);
        }
        assert_ne!(prices[0], prices[100]);
        assert_ne!(prices[0], Prices::of_block(4, 0));
    }

    #[test]
    fn the_maximal_fee_counts_the_tip_and_never_wraps() {
        let bound = Bound {
            max_amount: 10,
            max_price_per_unit: 7,
        };
        let bounds = ResourceBounds {
            l1_gas: bound,
            l2_gas: bound,
            l1_data_gas: bound,
        };
        assert_eq!(max_fee(bounds, 3), U256::from(240));
        let most = Bound {
            max_amount: u64::MAX,
            max_price_per_unit: u128::MAX,
        };
        let bounds = ResourceBounds {
            l1_gas: most,
            l2_gas: most,
            l1_data_gas: most,
        };
        assert!(max_fee(bounds, u64::MAX) > U256::from(u128::MAX));
    }
}
