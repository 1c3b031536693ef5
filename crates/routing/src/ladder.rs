//! The pieces of a curve, asked for what flows.
//!
//! A ladder here is a list of [`Rung`]s that begin where the one before ends.
//! Where a curve ends, its last rung has slope 0: behind it nothing flows.

use amm::Rung;

/// What flows along a curve until its price is `1 / z²`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Flow {
    pub(crate) sold: f64,
    pub(crate) bought: f64,
    /// What the next unit of `z` takes.
    pub(crate) slope: f64,
}

/// The flow until `z`. `hint` is where to look first, and remembers the place.
#[inline]
pub(crate) fn flow_at(rungs: &[Rung], z: f64, hint: &mut u32) -> Flow {
    let at = *hint as usize;
    let guess = rungs.get(at..rungs.len().min(at + 2));
    let place = match guess {
        Some([rung, next]) if rung.z < z && z <= next.z => at,
        Some([rung]) if rung.z < z => at,
        _ => match rungs.partition_point(|rung| rung.z < z).checked_sub(1) {
            Some(place) => place,
            None => return Flow::default(),
        },
    };
    *hint = u32::try_from(place).unwrap_or_default();
    let Some(rung) = rungs.get(place) else {
        return Flow::default();
    };
    let rise = z - rung.z;
    Flow {
        sold: rung.sold + rung.slope * rise,
        // The difference of inverses without their cancellation.
        bought: rung.bought + rung.slope * rise / (rung.z * z),
        slope: rung.slope,
    }
}

/// The same flow, from where the slope of a curve changes and by how much.
#[inline]
pub(crate) fn flow_of(changes: &[(f64, f64)], z: f64) -> Flow {
    let mut flow = Flow::default();
    for (begin, change) in changes.iter().take_while(|(begin, _)| *begin < z) {
        let sold = change * (z - begin);
        flow.sold += sold;
        flow.bought += sold / (begin * z);
        flow.slope += change;
    }
    flow
}

/// Where the price ends when this is sold; `None` if the curve ends before.
pub(crate) fn z_for(rungs: &[Rung], sold: f64) -> Option<f64> {
    let later = rungs.partition_point(|rung| rung.sold <= sold);
    let rung = rungs.get(later.checked_sub(1)?)?;
    let rest = sold - rung.sold;
    if rung.slope > 0.0 {
        return Some(rung.z + rest / rung.slope);
    }
    // The very end of a curve is still a part of it.
    (rest <= rung.sold * 1e-12).then_some(rung.z)
}

/// The most that can be sold.
pub(crate) fn most_sold(rungs: &[Rung]) -> f64 {
    let last = rungs.last().map(|rung| (rung.sold, rung.slope));
    last.map_or(
        0.0,
        |(sold, slope)| if slope > 0.0 { f64::INFINITY } else { sold },
    )
}

/// What selling this buys; `None` if the curve ends before.
pub(crate) fn bought_for(rungs: &[Rung], sold: f64) -> Option<f64> {
    let z = z_for(rungs, sold)?;
    Some(flow_at(rungs, z, &mut 0).bought)
}

/// What has to be sold to buy this; `None` if the curve ends before.
pub(crate) fn sold_for(rungs: &[Rung], bought: f64) -> Option<f64> {
    let later = rungs.partition_point(|rung| rung.bought <= bought);
    let rung = rungs.get(later.checked_sub(1)?)?;
    let rest = bought - rung.bought;
    let inverse = rung.z.recip() - rest / rung.slope;
    (rung.slope > 0.0 && inverse > 0.0).then(|| rung.sold + rest * rung.z / inverse)
}

/// The price of the first unit, 0 where there is none.
pub(crate) fn first_price(rungs: &[Rung]) -> f64 {
    rungs.first().map_or(0.0, |rung| (rung.z * rung.z).recip())
}

/// The curve of parallel pools from where their slopes change and by how much,
/// which is sorted here. What is left in `rungs` is kept before it.
pub(crate) fn merge(changes: &mut [(f64, f64)], rungs: &mut Vec<Rung>) {
    // What is positive has the order of its bits.
    changes.sort_unstable_by_key(|(z, _)| z.to_bits());
    add(changes, rungs);
}

/// The same where changes are sorted.
#[inline]
pub(crate) fn add(changes: &[(f64, f64)], rungs: &mut Vec<Rung>) {
    let begin = rungs.len();
    rungs.resize(begin + changes.len(), NO_RUNG);
    let mut climb = Climb::new(rungs.get_mut(begin..).unwrap_or_default());
    for change in changes {
        climb.pass(*change);
    }
    let count = climb.finish();
    rungs.truncate(begin + count);
}

/// What holds the place of a rung.
pub(crate) const NO_RUNG: Rung = Rung {
    // Nothing rises from here to the first change.
    z: f64::INFINITY,
    slope: 0.0,
    sold: 0.0,
    bought: 0.0,
};

/// A curve that is written from its changes of slope in their order. There is
/// room for a rung at each change: to ask for room as it is needed takes longer
/// than to write.
pub(crate) struct Climb<'a> {
    rungs: &'a mut [Rung],
    /// How many rungs are done.
    done: usize,
    last: Rung,
    steepest: f64,
}

impl<'a> Climb<'a> {
    #[inline]
    pub(crate) const fn new(rungs: &'a mut [Rung]) -> Self {
        Self {
            rungs,
            done: 0,
            last: NO_RUNG,
            steepest: 0.0,
        }
    }

    /// Passes the next change. Many changes are at one place, and nobody can
    /// foresee which: the rung is written in any case, and stays if `z` rises.
    #[inline]
    pub(crate) fn pass(&mut self, (z, change): (f64, f64)) {
        let last = &mut self.last;
        if let Some(rung) = self.rungs.get_mut(self.done) {
            *rung = *last;
        }
        let rise = greater(z - last.z, 0.0);
        self.done += usize::from(rise > 0.0);
        last.sold += last.slope * rise;
        last.bought += last.slope * rise / (last.z * z);
        last.z = z;
        last.slope += change;
        self.steepest = greater(last.slope, self.steepest);
        if last.slope < self.steepest * 1e-13 {
            last.slope = cancelled();
        }
    }

    /// How many rungs there are in the end.
    #[inline]
    pub(crate) fn finish(self) -> usize {
        if !self.last.z.is_finite() {
            return 0;
        }
        if let Some(rung) = self.rungs.get_mut(self.done) {
            *rung = self.last;
        }
        self.done + 1
    }
}

/// The greater number, without a thought for what is none.
const fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// What is left of sums and differences that cancel. It is rarely asked for: who
/// waited for the answer would wait at every change.
#[cold]
const fn cancelled() -> f64 {
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn merged(changes: &[(f64, f64)]) -> Vec<Rung> {
        let mut rungs = Vec::new();
        merge(&mut changes.to_vec(), &mut rungs);
        rungs
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9)
    }

    #[test]
    fn a_constant_product_is_one_rung() {
        // Reserves of 100 and 400.
        let ladder = merged(&[(0.5, 200.0)]);
        assert!(close(first_price(&ladder), 4.0));
        assert!(close(bought_for(&ladder, 100.0).unwrap(), 200.0));
        assert!(close(sold_for(&ladder, 200.0).unwrap(), 100.0));
        assert_eq!(sold_for(&ladder, 400.0), None);
    }

    #[test]
    fn a_curve_that_ends_sells_its_end_and_no_more() {
        let ladder = merged(&[(1.0, 10.0), (2.0, -10.0)]);
        assert!(close(bought_for(&ladder, 10.0).unwrap(), 5.0));
        assert_eq!(bought_for(&ladder, 10.1), None);
        let flow = flow_at(&ladder, 9.0, &mut 0);
        assert!(close(flow.sold, 10.0) && close(flow.slope, 0.0));
    }

    #[test]
    fn nothing_flows_before_the_first_price() {
        let ladder = merged(&[(1.0, 10.0)]);
        assert_eq!(flow_at(&ladder, 0.5, &mut 0), Flow::default());
        assert_eq!(flow_at(&[], 0.5, &mut 7), Flow::default());
    }

    prop_compose! {
        fn pool()(start in 0.5_f64..2.0, width in 0.01_f64..1.0, slope in 1.0_f64..1e6)
            -> [(f64, f64); 2] { [(start, slope), (start + width, -slope)] }
    }

    proptest! {
        #[test]
        fn merged_pools_flow_as_each_by_itself(
            pools in prop::collection::vec(pool(), 1..8), z in 0.4_f64..3.5, hint in 0_u32..20,
        ) {
            let all: Vec<_> = pools.iter().flatten().copied().collect();
            let together = flow_at(&merged(&all), z, &mut hint.clone());
            let alone = pools.iter().map(|pool| flow_at(&merged(pool), z, &mut 0));
            let (sold, bought) = alone.fold((0.0, 0.0), |(sold, bought), flow| {
                (sold + flow.sold, bought + flow.bought)
            });
            prop_assert!(close(together.sold, sold), "{} {sold}", together.sold);
            prop_assert!(close(together.bought, bought));
        }

        #[test]
        fn selling_and_buying_are_inverse(
            pools in prop::collection::vec(pool(), 1..8), share in 0.01_f64..0.99,
        ) {
            let all: Vec<_> = pools.iter().flatten().copied().collect();
            let ladder = merged(&all);
            let most = ladder.last().unwrap();
            let sold = most.sold * share;
            let bought = bought_for(&ladder, sold).unwrap();
            let back = sold_for(&ladder, bought).unwrap();
            prop_assert!((back / sold - 1.0).abs() < 1e-6, "{back} {sold}");
        }
    }
}
