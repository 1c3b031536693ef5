//! Finds the parts of a model in what whole transactions cost.

use super::{Gas, GasModel, KINDS, Work};

/// The parts of a model: a swap of each kind, a tick, an extension, the base.
/// The base is last: where samples do not tell it from swaps, it is in those.
const PARTS: usize = KINDS + 3;

/// Gas has three sorts, which share one matrix.
const SORTS: usize = 3;

/// A pivot that is smaller than this share of its part's own weight says that
/// the samples do not tell the part from others.
const INDISTINCT: f64 = 1e-9;

/// A row of the normal equations, with a right side for each sort.
#[derive(Debug, Clone, Copy, Default)]
struct Row {
    left: [f64; PARTS],
    right: [f64; SORTS],
}

impl GasModel {
    /// The model that comes nearest to what transactions cost, by least
    /// squares. A part that the samples do not have, or do not tell from
    /// others, costs nothing.
    #[must_use]
    pub fn fit(samples: &[(Work, Gas)]) -> Self {
        let mut rows = [Row::default(); PARTS];
        for (work, gas) in samples {
            let counts = counts(work);
            let cost = [gas.l1, gas.l1_data, gas.l2].map(float);
            for (row, count) in rows.iter_mut().zip(counts) {
                add(&mut row.left, count, &counts);
                add(&mut row.right, count, &cost);
            }
        }
        let mut parts = solve(&mut rows).into_iter();
        let mut next = || parts.next().map(rounded).unwrap_or_default();
        Self {
            swaps: std::array::from_fn(|_| next()),
            tick: next(),
            extension: next(),
            base: next(),
        }
    }
}

/// How often a transaction has each part.
fn counts(work: &Work) -> [f64; PARTS] {
    let swaps = work.swaps.into_iter();
    let mut counts = swaps.chain([work.ticks, work.extensions, 1]);
    std::array::from_fn(|_| counts.next().map_or(0.0, f64::from))
}

/// Adds a multiple of some numbers to others.
fn add<const N: usize>(sums: &mut [f64; N], factor: f64, numbers: &[f64; N]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += factor * number;
    }
}

/// Solves the equations part by part, each with its own row: the matrix is
/// symmetric and not negative, so that no other pivot is needed.
#[expect(clippy::indexing_slicing, reason = "every index is a part")]
fn solve(rows: &mut [Row; PARTS]) -> [[f64; SORTS]; PARTS] {
    let weights: [f64; PARTS] = std::array::from_fn(|part| rows[part].left[part]);
    for part in 0..PARTS {
        let row = rows[part];
        let pivot = row.left[part];
        if pivot <= weights[part] * INDISTINCT {
            // The part is left out of every equation.
            rows[part] = Row::default();
            for row in rows.iter_mut() {
                row.left[part] = 0.0;
            }
            continue;
        }
        let others = rows.iter_mut().enumerate();
        for (_, other) in others.filter(|(place, _)| *place != part) {
            let factor = -other.left[part] / pivot;
            add(&mut other.left, factor, &row.left);
            add(&mut other.right, factor, &row.right);
        }
    }
    std::array::from_fn(|part| {
        let pivot = rows[part].left[part];
        let solved = |right| if pivot > 0.0 { right / pivot } else { 0.0 };
        rows[part].right.map(solved)
    })
}

fn rounded([l1, l1_data, l2]: [f64; SORTS]) -> Gas {
    Gas::new(whole(l1), whole(l1_data), whole(l2))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounded and within bounds"
)]
pub(super) fn whole(gas: f64) -> u64 {
    gas.round().clamp(0.0, 1e15) as u64
}

#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(super) const fn float(gas: u64) -> f64 {
    gas as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn model() -> GasModel {
        GasModel {
            base: Gas::new(3, 700, 3_000_000),
            swaps: std::array::from_fn(|place| {
                let place = u64::try_from(place).unwrap();
                Gas::new(place, 300 + place, 1_000_000 + 100_000 * place)
            }),
            tick: Gas::new(0, 1, 50_000),
            extension: Gas::new(0, 40, 90_000),
        }
    }

    fn work() -> impl Strategy<Value = Work> {
        let swaps = prop::array::uniform8(0_u32..3);
        (swaps, 0_u32..40, 0_u32..3).prop_map(|(swaps, ticks, extensions)| Work {
            swaps,
            ticks,
            extensions,
        })
    }

    proptest! {
        #[test]
        fn a_model_is_found_again_in_what_it_says(works in prop::collection::vec(work(), 60..90)) {
            let samples: Vec<_> = works.iter().map(|work| (*work, model().of(work))).collect();
            prop_assert_eq!(GasModel::fit(&samples), model());
        }

        #[test]
        fn noise_is_averaged(works in prop::collection::vec((work(), 0_u64..20_000), 100..120)) {
            let samples = works.iter().map(|(work, noise)| {
                let gas = model().of(work);
                (*work, Gas { l2: gas.l2 + noise, ..gas })
            });
            let samples: Vec<_> = samples.collect();
            let fitted = GasModel::fit(&samples);
            for (work, gas) in samples {
                let off = fitted.of(&work).l2.abs_diff(gas.l2);
                prop_assert!(off < 20_000, "{} off", off);
            }
        }
    }

    #[test]
    fn what_samples_do_not_tell_apart_is_in_the_swaps_and_the_unseen_costs_nothing() {
        let work = |kind: usize| {
            let mut work = Work::default();
            work.swaps[kind] = 1;
            work
        };
        let samples = [0, 1, 3].map(|kind| (work(kind), model().of(&work(kind))));
        let fitted = GasModel::fit(&samples);
        for (work, gas) in samples {
            assert_eq!(fitted.of(&work), gas);
        }
        assert_eq!(fitted.base, Gas::default());
        assert_eq!(fitted.swaps[2], Gas::default());
        assert_eq!(fitted.tick, Gas::default());
        assert_eq!(GasModel::fit(&[]).of(&work(0)), Gas::default());
    }
}
