//! A model from what trades on the network in hand cost.
//!
//! What was expected before anything was seen is a shape: how much dearer one part
//! of a route is than another. Trades say how large everything is, and what a swap
//! costs at each kind of venue that they pass. Medians are taken, since anybody may
//! do other things in the same transaction.

use super::{
    Gas, GasModel, KINDS, Work,
    fit::{float, whole},
};
use std::collections::VecDeque;

/// Trades that count: the newest.
const WINDOW: usize = 512;

/// Fewer trades say nothing.
const FEWEST: usize = 5;

/// How often the kinds are told apart, each by what the others were found to cost
/// before.
const PASSES: usize = 4;

/// What trades cost. The model is a function of the newest ones.
#[derive(Debug, Clone)]
pub struct SeenGas {
    expected: GasModel,
    /// Oldest first.
    trades: VecDeque<(Work, Gas)>,
}

impl SeenGas {
    /// Nothing seen, where this is expected.
    #[must_use]
    pub const fn new(expected: GasModel) -> Self {
        Self {
            expected,
            trades: VecDeque::new(),
        }
    }

    /// Takes up what a trade cost. Returns whether it counts: not if it passed no
    /// venue that is known.
    pub fn take(&mut self, work: Work, gas: Gas) -> bool {
        let counts = work.swaps.iter().any(|count| *count > 0);
        if counts {
            if self.trades.len() >= WINDOW {
                self.trades.pop_front();
            }
            self.trades.push_back((work, gas));
        }
        counts
    }

    /// What routes cost, as far as trades tell; what they do not is as expected,
    /// and as much larger or smaller as everything else is.
    #[must_use]
    pub fn model(&self) -> GasModel {
        if self.trades.len() < FEWEST {
            return self.expected.clone();
        }
        let scale = Scale {
            l1_data: self.ratio(|gas| gas.l1_data),
            l2: self.ratio(|gas| gas.l2),
        };
        let mut model = GasModel {
            base: scale.of(self.expected.base),
            swaps: self.expected.swaps.map(|gas| scale.of(gas)),
            tick: scale.of(self.expected.tick),
            extension: scale.of(self.expected.extension),
        };
        let of_l1 = self.trades.iter().map(|(_, gas)| float(gas.l1));
        model.base.l1 = whole(median(of_l1));
        for kind in (0..PASSES).flat_map(|_| 0..KINDS) {
            if let Some(gas) = self.swap(kind, &model)
                && let Some(swap) = model.swaps.get_mut(kind)
            {
                *swap = gas;
            }
        }
        model
    }

    /// What a swap of a kind costs, where everything else costs what a model says;
    /// none if too few trades pass the kind.
    fn swap(&self, kind: usize, model: &GasModel) -> Option<Gas> {
        let mut each: [Vec<f64>; 3] = Default::default();
        for (work, gas) in &self.trades {
            let mut others = *work;
            let swaps = std::mem::take(others.swaps.get_mut(kind)?);
            if swaps == 0 {
                continue;
            }
            let others = model.of(&others);
            let sorts = [
                (gas.l1, others.l1),
                (gas.l1_data, others.l1_data),
                (gas.l2, others.l2),
            ];
            for (each, (all, others)) in each.iter_mut().zip(sorts) {
                each.push(float(all.saturating_sub(others)) / f64::from(swaps));
            }
        }
        let [l1, l1_data, l2] = each;
        let is_told = l2.len() >= FEWEST;
        let part = |each: Vec<f64>| whole(median(each.into_iter()));
        is_told.then(|| Gas::new(part(l1), part(l1_data), part(l2)))
    }

    /// What trades cost beside what is expected of them, of one sort.
    fn ratio(&self, sort: fn(&Gas) -> u64) -> f64 {
        median(self.trades.iter().filter_map(|(work, gas)| {
            let expected = sort(&self.expected.of(work));
            (expected > 0).then(|| float(sort(gas)) / float(expected))
        }))
    }
}

/// How much larger than expected everything is.
#[derive(Debug, Clone, Copy)]
struct Scale {
    l1_data: f64,
    l2: f64,
}

impl Scale {
    fn of(self, gas: Gas) -> Gas {
        Gas {
            l1: gas.l1,
            l1_data: whole(float(gas.l1_data) * self.l1_data),
            l2: whole(float(gas.l2) * self.l2),
        }
    }
}

/// The lower one of the two in the middle, if they are two; nothing of nothing.
fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len().saturating_sub(1) / 2;
    numbers.get(middle).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use amm::book::Kind;
    use proptest::prelude::*;

    /// A network where everything costs this many times what is expected.
    fn truth(times: u64) -> GasModel {
        let larger = |gas: Gas| Gas::new(gas.l1, gas.l1_data * times, gas.l2 * times);
        let GasModel {
            base,
            swaps,
            tick,
            extension,
        } = GasModel::simulated();
        GasModel {
            base: larger(base),
            swaps: swaps.map(larger),
            tick: larger(tick),
            extension: larger(extension),
        }
    }

    fn is_near(said: Gas, true_gas: Gas, per_cent: u64) -> bool {
        let near = |said: u64, real: u64| said.abs_diff(real) * 100 <= real * per_cent;
        near(said.l2, true_gas.l2) && near(said.l1_data, true_gas.l1_data)
    }

    fn one(kind: Kind) -> Work {
        Work::of_swaps([kind])
    }

    #[test]
    fn before_anything_is_seen_it_is_what_is_expected() {
        let mut seen = SeenGas::new(GasModel::simulated());
        assert_eq!(seen.model(), GasModel::simulated());
        for _ in 0..FEWEST - 1 {
            seen.take(one(Kind::Ekubo), Gas::new(0, 900, 90_000_000));
        }
        assert_eq!(seen.model(), GasModel::simulated());
        // No venue of which anything is known.
        assert!(!seen.take(Work::default(), Gas::default()));
        assert!(!seen.take(one(Kind::JediSwapV2), Gas::default()));
    }

    #[test]
    fn a_dearer_network_is_dearer_at_venues_that_nobody_passed_too() {
        let mut seen = SeenGas::new(GasModel::simulated());
        for _ in 0..FEWEST {
            let work = one(Kind::JediSwap);
            assert!(seen.take(work, truth(3).of(&work)));
        }
        for kind in [Kind::JediSwap, Kind::Ekubo, Kind::Nostra] {
            let work = Work::of_swaps([kind, kind]);
            assert!(is_near(seen.model().of(&work), truth(3).of(&work), 1));
        }
        assert_eq!(seen.model().tick.l2, 3 * GasModel::simulated().tick.l2);
    }

    #[test]
    fn a_kind_whose_swaps_are_dearer_than_others_is_told_apart() {
        let mut real = truth(2);
        real.swaps[6].l2 *= 2;
        let mut seen = SeenGas::new(GasModel::simulated());
        let (pair, keyed) = (Kind::JediSwap, Kind::Ekubo);
        for _ in 0..20 {
            for work in [one(pair), one(keyed), Work::of_swaps([pair, keyed])] {
                seen.take(work, real.of(&work));
            }
        }
        for work in [one(pair), one(keyed), Work::of_swaps([pair, keyed])] {
            assert!(is_near(seen.model().of(&work), real.of(&work), 10));
        }
    }

    #[test]
    fn only_the_newest_count() {
        let mut seen = SeenGas::new(GasModel::simulated());
        let work = one(Kind::Ekubo);
        for times in [7, 2] {
            for _ in 0..WINDOW {
                seen.take(work, truth(times).of(&work));
            }
        }
        assert!(is_near(seen.model().of(&work), truth(2).of(&work), 1));
    }

    proptest! {
        #[test]
        fn whatever_a_third_of_the_trades_does_beside_does_not_count(
            kinds in prop::collection::vec((0..3_usize, 1..3_usize), 60..120),
            extra in prop::num::u64::ANY,
        ) {
            let mut seen = SeenGas::new(GasModel::simulated());
            let known = [Kind::JediSwap, Kind::TenKSwap, Kind::Ekubo];
            let mut told = [0_usize; 3];
            for (kind, swaps) in kinds {
                let work = Work::of_swaps(std::iter::repeat_n(known[kind], swaps));
                let mut gas = truth(2).of(&work);
                told[kind] += 1;
                if told[kind] % 3 == 0 {
                    gas.l2 = gas.l2.saturating_add(extra);
                }
                seen.take(work, gas);
            }
            let model = seen.model();
            for (kind, told) in known.into_iter().zip(told) {
                if told >= FEWEST {
                    prop_assert!(is_near(model.of(&one(kind)), truth(2).of(&one(kind)), 1));
                }
            }
        }
    }
}
