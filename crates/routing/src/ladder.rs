//! Curves asked for what flows along them.
//!
//! A curve is a list of [`Rung`]s, each beginning where the one before ends:
//! between two of them the amount sold grows evenly with `z`, the inverse
//! square root of the marginal price. Where a curve ends, its last rung has
//! slope 0: behind it nothing flows.

use amm::{Pieces, Rung};

/// The part at the end of a curve that nobody plans with: amounts are known only
/// nearly until they are counted in whole units.
const SPARED: f64 = 1e-5;

/// What flows along a curve until its price is `1 / z²`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Flow {
    pub(crate) sold: f64,
    pub(crate) bought: f64,
    /// What the next unit of `z` takes.
    pub(crate) slope: f64,
    /// How many rungs it leaves behind: of a pool with ticks, each of these costs gas.
    pub(crate) passed: u32,
}

/// A curve from its pieces; nothing where there are none.
pub(crate) fn rungs(pieces: &Pieces) -> Box<[Rung]> {
    let mut rungs: Vec<Rung> = Vec::with_capacity(pieces.starts().len() + 1);
    for (z, slope) in pieces.starts() {
        let rung = after(rungs.last(), *z, *slope);
        rungs.push(rung);
    }
    if let Some(last) = rungs.last().filter(|_| pieces.end().is_finite()) {
        let end = after(Some(last), pieces.end(), 0.0);
        let spared = end.sold * SPARED / last.slope;
        let z = (end.z - spared).max(f64::midpoint(last.z, end.z));
        rungs.push(after(Some(last), z, 0.0));
    }
    rungs.into_boxed_slice()
}

/// The rung that begins at `z`, behind another.
fn after(before: Option<&Rung>, z: f64, slope: f64) -> Rung {
    let flow = before.map_or_else(Flow::default, |before| until(before, z));
    Rung {
        z,
        slope,
        sold: flow.sold,
        bought: flow.bought,
    }
}

/// The flow until `z` on a rung.
#[inline]
fn until(rung: &Rung, z: f64) -> Flow {
    let sold = rung.slope * (z - rung.z);
    Flow {
        sold: rung.sold + sold,
        // The difference of inverses without their cancellation.
        bought: rung.bought + sold / (rung.z * z),
        slope: rung.slope,
        passed: 0,
    }
}

/// The flow until `z`: nothing before the curve begins, and behind its end all of it.
#[inline]
pub(crate) fn flow_at(rungs: &[Rung], z: f64) -> Flow {
    let above = match rungs {
        [first] => usize::from(first.z < z),
        _ => rungs.partition_point(|rung| rung.z < z),
    };
    let Some(rung) = above.checked_sub(1).and_then(|at| rungs.get(at)) else {
        return Flow::default();
    };
    let passed = u32::try_from(above - 1).unwrap_or(u32::MAX);
    Flow {
        passed,
        ..until(rung, z)
    }
}

/// The flow that sells this; `None` if the curve ends before.
#[inline]
pub(crate) fn flow_for(rungs: &[Rung], sold: f64) -> Option<Flow> {
    let above = match rungs {
        [_] => 1,
        _ => rungs.partition_point(|rung| rung.sold <= sold),
    };
    let rung = rungs.get(above.checked_sub(1)?)?;
    let rest = sold - rung.sold;
    let passed = u32::try_from(above - 1).unwrap_or(u32::MAX);
    if rung.slope > 0.0 {
        let z = rung.z + rest / rung.slope;
        return Some(Flow {
            sold,
            // Not by how far `z` rises, which for small amounts is lost in it.
            bought: rung.bought + rest / (rung.z * z),
            slope: rung.slope,
            passed,
        });
    }
    // A little of what is spared may be needed after all.
    (rest <= rung.sold * SPARED / 2.0).then_some(Flow {
        sold,
        bought: rung.bought,
        slope: 0.0,
        passed,
    })
}

/// The most that can be sold; infinite for a curve without an end, 0 where there is none.
pub(crate) fn most_sold(rungs: &[Rung]) -> f64 {
    match rungs.last() {
        Some(last) if last.slope > 0.0 => f64::INFINITY,
        Some(last) => last.sold,
        None => 0.0,
    }
}

/// What can be bought for any amount, at most.
pub(crate) fn most_bought(rungs: &[Rung]) -> f64 {
    rungs
        .last()
        .map_or(0.0, |last| last.bought + last.slope / last.z)
}

/// What has to be sold to buy this; `None` if the curve ends before.
pub(crate) fn sold_for(rungs: &[Rung], bought: f64) -> Option<f64> {
    let above = rungs.partition_point(|rung| rung.bought <= bought);
    let rung = rungs.get(above.checked_sub(1)?)?;
    let rest = bought - rung.bought;
    let inverse = rung.z.recip() - rest / rung.slope;
    (rung.slope > 0.0 && inverse > 0.0).then(|| rung.sold + rest * rung.z / inverse)
}

/// The price of the first unit, 0 where there is none.
pub(crate) fn first_price(rungs: &[Rung]) -> f64 {
    rungs.first().map_or(0.0, |rung| (rung.z * rung.z).recip())
}

/// The price of the next unit behind the flow that sells this; 0 where there is no curve.
pub(crate) fn price_behind(rungs: &[Rung], sold: f64) -> f64 {
    let above = rungs.partition_point(|rung| rung.sold <= sold);
    let rung = above.checked_sub(1).and_then(|at| rungs.get(at));
    rung.map_or(0.0, |rung| {
        let rest = if rung.slope > 0.0 {
            (sold - rung.sold) / rung.slope
        } else {
            0.0
        };
        (rung.z + rest).powi(-2)
    })
}

/// What a flow may be worth more at prices of what is sold and bought if it is the whole
/// curve: that ends a little before its pool does.
pub(crate) fn spared_worth(rungs: &[Rung], flow: &Flow, [from, to]: [f64; 2]) -> f64 {
    match rungs.last() {
        Some(last) if last.slope <= 0.0 && flow.sold >= last.sold => {
            let spared = last.sold * SPARED / (1.0 - SPARED);
            spared * (to / (last.z * last.z) - from).max(0.0)
        }
        _ => 0.0,
    }
}

/// The depth of the shallowest curve of even depth that takes nowhere less: what that
/// takes until `z` has doubled; 0 where there is no curve.
pub(crate) fn depth(rungs: &[Rung]) -> f64 {
    let [first, behind @ ..] = rungs else {
        return 0.0;
    };
    // Between rungs what is taken grows evenly, so that their ends are what counts.
    let ends = behind.iter().map(|rung| rung.sold / (rung.z - first.z));
    let last = rungs.last().map(|rung| rung.slope);
    first.z * ends.chain(last).fold(first.slope, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn curve(starts: &[(f64, f64)], end: f64) -> Box<[Rung]> {
        let mut pieces = Pieces::default();
        for (z, slope) in starts {
            pieces.push(*z, *slope);
        }
        pieces.finish(end);
        rungs(&pieces)
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-9)
    }

    #[test]
    fn a_constant_product_is_one_rung() {
        // Reserves of 100 and 400.
        let rungs = curve(&[(0.5, 200.0)], f64::INFINITY);
        assert!(close(first_price(&rungs), 4.0));
        assert!(close(flow_for(&rungs, 100.0).unwrap().bought, 200.0));
        assert!(close(price_behind(&rungs, 0.0), 4.0));
        assert!(close(price_behind(&rungs, 100.0), 1.0));
        assert!(close(sold_for(&rungs, 200.0).unwrap(), 100.0));
        assert_eq!(sold_for(&rungs, 400.0), None);
        assert!(most_sold(&rungs).is_infinite());
    }

    #[test]
    fn a_curve_that_ends_sells_its_end_and_no_more() {
        let rungs = curve(&[(1.0, 10.0)], 2.0);
        assert_eq!(flow_for(&rungs, 10.1), None);
        let most = most_sold(&rungs);
        assert!(most < 10.0 && most > 10.0 * (1.0 - 2.0 * SPARED));
        let flow = flow_at(&rungs, 9.0);
        assert!(close(flow.sold, most) && close(flow.slope, 0.0));
    }

    #[test]
    fn nothing_flows_before_the_first_price() {
        let rungs = curve(&[(1.0, 10.0)], f64::INFINITY);
        assert_eq!(flow_at(&rungs, 0.5), Flow::default());
        assert_eq!(flow_at(&[], 0.5), Flow::default());
    }

    proptest! {
        #[test]
        fn by_price_by_sale_and_by_purchase_the_flow_is_the_same(
            starts in prop::collection::vec((0.01_f64..1.0, 0.0_f64..1e6), 1..9),
            last in 0.01_f64..1.0, share in 0.01_f64..0.99,
        ) {
            let mut z = 0.5;
            let starts: Vec<_> = starts.iter().map(|(rise, slope)| {
                z += rise;
                (z, slope + 1.0)
            }).collect();
            let rungs = curve(&starts, z + last);
            let at = flow_at(&rungs, starts[0].0 + (z + last - starts[0].0) * share);
            let by_sale = flow_for(&rungs, at.sold).unwrap();
            prop_assert!((by_sale.bought / at.bought - 1.0).abs() < 1e-9);
            let back = sold_for(&rungs, at.bought).unwrap();
            prop_assert!((back / at.sold - 1.0).abs() < 1e-6, "{back} {}", at.sold);
        }

        #[test]
        fn no_curve_takes_more_than_the_even_one_of_its_depth(
            starts in prop::collection::vec((0.01_f64..1.0, 0.0_f64..1e6), 1..9),
            last in prop::option::of(0.01_f64..1.0), until in 1.0_f64..20.0,
        ) {
            let mut z = 0.5;
            let starts: Vec<_> = starts.iter().map(|(rise, slope)| {
                z += rise;
                (z, slope + 1.0)
            }).collect();
            let rungs = curve(&starts, last.map_or(f64::INFINITY, |last| z + last));
            let even = depth(&rungs) * (until - 1.0);
            let sold = flow_at(&rungs, starts[0].0 * until).sold;
            prop_assert!(sold <= even * (1.0 + 1e-9), "{sold} {even}");
        }
    }
}
