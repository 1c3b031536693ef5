//! Price and depth of a pool with ticks, without the walk of a swap: only the
//! ticks within the quoted share are passed, and their ratios are powers in
//! floating point.

use super::Rules;
use crate::Ticks;
use crate::quotation::{QUOTED_SHARE, Quotation};
use primitives::U256;

/// How far a ratio may seem to lie outside its tick: less than a hundredth of
/// the finest tick, and more than any ratio is rounded by.
const TOLERANCE: f64 = 1e-9;

/// Price and depth, without the fee; `None` if nothing is traded at the price,
/// the price is not the tick's, or the liquidity would fall below zero.
pub(crate) fn quotation<R: Rules>(
    sqrt_ratio: U256,
    tick: i32,
    liquidity: u128,
    ticks: &Ticks,
) -> Option<Quotation> {
    let root = f64::from(sqrt_ratio) / f64::from(R::BITS).exp2();
    if liquidity == 0 || !is_at::<R>(tick, root) {
        return None;
    }
    let below = ticks.downwards(tick);
    let below = below.map(|at| (-f64::from(at.index), at.net.checked_neg()));
    let above = ticks.upwards(tick);
    let above = above.map(|at| (f64::from(at.index), Some(at.net)));
    let depth = [
        depth::<R>(root.recip(), liquidity, below)?,
        depth::<R>(root, liquidity, above)?,
    ];
    Quotation::new(root * root, depth)
}

/// Whether a price lies within a tick. One that fell to a tick and passed it
/// lies at the upper end of the tick below.
fn is_at<R: Rules>(tick: i32, root: f64) -> bool {
    let exists = (R::MIN_TICK - 1..=R::MAX_TICK).contains(&tick);
    let low = root_at::<R>(tick.into()) * (1.0 - TOLERANCE);
    let high = root_at::<R>(f64::from(tick) + 1.0) * (1.0 + TOLERANCE);
    exists && (low..=high).contains(&root)
}

fn root_at<R: Rules>(tick: f64) -> f64 {
    (tick * R::LOG_STEP).exp()
}

/// What is sold until the price has fallen by the quoted share. `z` is the
/// inverse root of the price of what is sold: within a range, liquidity takes so
/// much for each unit of it. Ranges end at ticks, counted as `z` grows, each
/// with what the liquidity gains there.
fn depth<R: Rules>(
    mut z: f64,
    mut liquidity: u128,
    ends: impl Iterator<Item = (f64, Option<i128>)>,
) -> Option<f64> {
    let limit = z / (1.0 - QUOTED_SHARE).sqrt();
    let mut sold = 0.0;
    for (tick, gained) in ends {
        let end = root_at::<R>(tick).clamp(z, limit);
        sold += f64::from(U256::from(liquidity)) * (end - z);
        if end >= limit {
            break;
        }
        z = end;
        liquidity = liquidity.checked_add_signed(gained?)?;
    }
    Some(sold)
}
