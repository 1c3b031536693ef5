//! The face of a curve for pools with ticks.

use super::{Amount, Pool, Rules};
use crate::reserves::float;
use crate::{Curve, Fill, Pieces, Refusal, Side};
use primitives::U256;

/// The pieces of a ladder, those nearest the price. A ladder ends after them:
/// what a pool holds farther away is not searched.
const MAX_RUNGS: usize = 512;

/// A named amount of one kind or the other.
type Named = fn(u128) -> Amount;

impl<R: Rules> Curve for Pool<R> {
    fn exact_in(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        self.fill(sold, amount, Amount::In)
    }

    fn exact_out(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        self.fill(sold, amount, Amount::Out)
    }

    fn price(&self, sold: Side) -> f64 {
        let mut first = Pieces::default();
        self.first_pieces(sold, 1, &mut first);
        let first = first.starts().first();
        first.map_or(0.0, |(z, _)| (z * z).recip())
    }

    fn pieces(&self, sold: Side, pieces: &mut Pieces) {
        self.first_pieces(sold, MAX_RUNGS, pieces);
    }
}

impl<R: Rules> Pool<R> {
    /// The pool after a trade; `None` if it cannot make this trade.
    pub fn after(&self, sold: Side, fill: &Fill) -> Option<Self>
    where
        R: Clone,
    {
        let amount = Amount::In(u128::try_from(fill.sold).ok()?);
        let limit = R::widest_limit(sold);
        let swapped = self.swap_to(sold, amount, limit, R::SKIP_AHEAD).ok()?;
        let mut pool = self.clone();
        pool.apply(&swapped);
        Some(pool)
    }

    fn fill(&self, sold: Side, amount: U256, named: Named) -> Result<Fill, Refusal> {
        if amount.is_zero() {
            return Err(Refusal::Nothing);
        }
        let within = u128::try_from(amount);
        let whole = within
            .ok()
            .and_then(|amount| self.whole(sold, named(amount)));
        whole.ok_or_else(|| {
            let most = self.most(sold, within.unwrap_or(u128::MAX), named);
            Refusal::TooMuch {
                most: U256::from(most),
            }
        })
    }

    /// The trade of an amount, if the pool makes all of it.
    fn whole(&self, sold: Side, amount: Amount) -> Option<Fill> {
        let limit = R::widest_limit(sold);
        let walk = self.walk(sold, amount, limit, R::SKIP_AHEAD).ok()?;
        if walk.left.value() != 0 {
            return None;
        }
        let (sold, bought) = match amount {
            Amount::In(value) => (value, walk.calculated),
            Amount::Out(value) => (walk.calculated, value),
        };
        Some(Fill {
            sold: U256::from(sold),
            bought: U256::from(bought),
            ticks: walk.ticks_crossed,
        })
    }

    /// The largest amount up to `amount` that the pool trades as a whole.
    ///
    /// What a swap to the farthest limit uses is tradable. It is nearly always
    /// the largest; where rounding lets a little more pass, or where arithmetic
    /// and not liquidity is the bound, the search goes on from there.
    fn most(&self, sold: Side, amount: u128, named: Named) -> u128 {
        let trades = |amount: u128| amount == 0 || self.whole(sold, named(amount)).is_some();
        if trades(amount) {
            return amount;
        }
        let limit = R::widest_limit(sold);
        let swap = self.walk(sold, named(amount), limit, R::SKIP_AHEAD);
        let used = swap.map_or(0, |walk| amount.abs_diff(walk.left.value()));
        let (mut low, mut high) = (if trades(used) { used } else { 0 }, amount);
        // Each round doubles the stride or halves the gap.
        let mut stride = 1;
        for _ in 0..2 * u128::BITS {
            if high - low <= 1 {
                break;
            }
            let next = low.saturating_add(stride).min(low.midpoint(high));
            if trades(next) {
                low = next;
                stride = stride.saturating_mul(2);
            } else {
                high = next;
            }
        }
        low
    }

    /// The first pieces of the curve.
    fn first_pieces(&self, sold: Side, at_most: usize, pieces: &mut Pieces) {
        match sold {
            Side::Token0 => {
                let below = self.ticks.downwards(self.tick);
                let below = below.map(|at| (at.index, at.net.checked_neg()));
                self.pieces_until(sold, below, at_most, pieces);
            }
            Side::Token1 => {
                let above = self.ticks.upwards(self.tick);
                let above = above.map(|at| (at.index, Some(at.net)));
                self.pieces_until(sold, above, at_most, pieces);
            }
        }
    }

    /// The same from the ticks that the price passes, and what liquidity gains
    /// at each.
    fn pieces_until(
        &self,
        sold: Side,
        ticks: impl Iterator<Item = (i32, Option<i128>)>,
        at_most: usize,
        pieces: &mut Pieces,
    ) {
        let kept = self.rules.kept().sqrt();
        let mut liquidity = self.liquidity;
        let mut start = z(sold, root::<R>(self.sqrt_ratio), kept);
        let mut end = start;
        for (boundary, gained) in ticks {
            let after = gained.and_then(|gained| liquidity.checked_add_signed(gained));
            let Some(after) = after else { break };
            let next_start = z(sold, root_at::<R>(boundary), kept);
            // Before the first piece a gap is passed for nothing.
            if next_start > start && (liquidity > 0 || !pieces.starts().is_empty()) {
                pieces.push(start, float(liquidity) / kept);
                // A gap at the end is beyond the last liquidity, and left out.
                end = if liquidity > 0 { next_start } else { end };
                if pieces.starts().len() == at_most {
                    break;
                }
            }
            (start, liquidity) = (next_start, after);
        }
        pieces.finish(end);
    }
}

/// The square root of the price.
fn root<R: Rules>(sqrt_ratio: U256) -> f64 {
    f64::from(sqrt_ratio) / f64::from(R::BITS).exp2()
}

/// The square root of the price at a tick, near enough for a search and much
/// cheaper than the exact one.
fn root_at<R: Rules>(tick: i32) -> f64 {
    (f64::from(tick) * R::LOG_STEP).exp()
}

/// The inverse square root of the price of the sold token, the fee included.
fn z(sold: Side, root: f64, kept: f64) -> f64 {
    match sold {
        Side::Token0 => 1.0 / (root * kept),
        Side::Token1 => root / kept,
    }
}
