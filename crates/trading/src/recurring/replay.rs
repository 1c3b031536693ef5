//! What an order would have bought, had it ended now.

use super::plan::{NewOrder, Plan};
use crate::Bps;
use primitives::{Timestamp, U256};

/// What became of the cycles of an order in the past: estimates, by prices that
/// no trade of it has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Replay {
    /// When the first cycle was due of those that had a price.
    pub first: Option<Timestamp>,
    /// Cycles that would have been executed.
    pub executed: u32,
    /// Cycles that would have missed their bounds.
    pub skipped: u32,
    /// What would have been sold.
    pub sold: U256,
    /// What would have been bought.
    pub bought: U256,
}

/// Replays an order so that its end is `now`, at the price of a unit of what is
/// sold in units of what is bought, and with a fee. Cycles before the first price
/// are left out.
#[must_use]
pub fn replay(
    order: &NewOrder,
    now: Timestamp,
    fee: Bps,
    price: impl Fn(Timestamp) -> Option<f64>,
) -> Replay {
    let mut replay = Replay::default();
    let length = order
        .plan
        .end()
        .map(|end| end.duration_since(order.plan.start));
    let Some(start) = length.and_then(|length| now.checked_sub(length).ok()) else {
        return replay;
    };
    let plan = Plan {
        start,
        ..order.plan
    };
    let kept = 1.0 - f64::from(fee.get()) / 10_000.0;
    for cycle in 0..plan.cycles {
        let due = plan.due(cycle).filter(|due| *due <= now);
        let Some((due, price)) = due.and_then(|due| Some((due, price(due)?))) else {
            continue;
        };
        replay.first = replay.first.or(Some(due));
        let bought = U256::saturating_from(f64::from(order.per_cycle) * price * kept);
        if order.bounds.allow(bought) {
            replay.executed += 1;
            replay.sold = replay.sold.saturating_add(order.per_cycle);
            replay.bought = replay.bought.saturating_add(bought);
        } else {
            replay.skipped += 1;
        }
    }
    replay
}
