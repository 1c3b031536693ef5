//! Stable pools of the Solidly kind: `x³y + y³x = k` on reserves brought to 18
//! decimals.
//!
//! What is left of the bought token is found by Newton's method in integers, as
//! Velodrome v2 publishes it: it ends with the smallest `y` that keeps `k`, or
//! with one that meets `k` exactly. Where that contract asks in one branch for
//! `k` of reserves whose decimals it has brought up already, the plain `k` is
//! asked here: for tokens of 18 decimals this is the same, for others the
//! published branch always says yes or overflows.
//!
//! The fee is taken first, rounded down, and leaves the pool. Exact out is the
//! smallest amount whose exact in reaches what is wanted; none is published.
//! That SithSwap is such a port is known from third parties only, and
//! StarkDefi's own loop is not public enough: both rules are those of the
//! simulated contracts until vectors of the real ones are at hand.
//!
//! Pools so small that their `k` rounds to 0 count as empty. Where one reserve
//! is dust beside the other, roundings may keep the method from settling.

use crate::fee::{Fee, Rounding};
use crate::quotation::{QUOTED_SHARE, Quotation};
use crate::reserves::moved;
use crate::sampling::sample;
use crate::search::{largest, smallest};
use crate::{Curve, Fill, Pieces, Refusal, Sample, Side};
use primitives::U256;

/// The most steps of Newton's method that the contract takes.
const STEPS: u32 = 255;
const ONE: U256 = U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]);

/// Whose fee a pool takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// SithSwap stable.
    SithSwap {
        /// Units of each 1,000,000 sold of either token.
        fees: [u32; 2],
    },
    /// StarkDefi stable.
    StarkDefi {
        /// Units of each 10,000 sold.
        fee: u16,
    },
}

impl Rule {
    fn fee(self, sold: Side) -> Option<Fee> {
        let (share, scale) = match self {
            Self::SithSwap { fees } => (sold.of(fees).0.into(), 1_000_000),
            Self::StarkDefi { fee } => (fee.into(), 10_000),
        };
        Fee::new(share, scale, Rounding::Down)
    }
}

/// A stable pool of the Solidly kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Solidly {
    reserves: [u128; 2],
    decimals: [u8; 2],
    rule: Rule,
}

/// A pool as a trade of one direction sees it, with 18 decimals.
struct View {
    fee: Fee,
    /// The reserve of what is sold, and what one smallest unit of it counts.
    held: U256,
    unit_in: U256,
    /// The same of what is bought.
    left: U256,
    unit_out: U256,
    k: U256,
}

impl Solidly {
    /// A pool; `None` if its contract could not be in this state: tokens have at
    /// most 18 decimals, and a fee leaves something to trade. Reserves of zero
    /// are an empty pool.
    pub fn new(reserves: [u128; 2], decimals: [u8; 2], rule: Rule) -> Option<Self> {
        let scaled = decimals.iter().all(|decimals| *decimals <= 18);
        let charged = Side::BOTH.iter().all(|side| rule.fee(*side).is_some());
        (scaled && charged).then_some(Self {
            reserves,
            decimals,
            rule,
        })
    }

    /// What the contract holds.
    pub const fn reserves(&self) -> [u128; 2] {
        self.reserves
    }

    /// The same pool with other reserves.
    #[must_use]
    pub const fn with_reserves(self, reserves: [u128; 2]) -> Self {
        Self { reserves, ..self }
    }

    /// The pool after a trade, whose fee has left it; `None` if it cannot make
    /// this trade.
    pub fn after(&self, sold: Side, fill: &Fill) -> Option<Self> {
        let net = self.rule.fee(sold)?.net(fill.sold)?;
        moved(self.reserves, sold, net, fill.bought).map(|reserves| self.with_reserves(reserves))
    }

    /// The share of an amount that the fee leaves to trade.
    pub(crate) fn kept(&self, sold: Side) -> f64 {
        self.rule.fee(sold).map_or(0.0, Fee::kept)
    }

    /// Its price and depth, without the fee.
    pub(crate) fn quotation(&self) -> Option<Quotation> {
        let view = self.view(Side::Token0)?;
        let (x, y) = (f64::from(view.held), f64::from(view.left));
        let units = f64::from(view.unit_in) / f64::from(view.unit_out);
        let [depth0, depth1] =
            [(Side::Token0, y / x), (Side::Token1, x / y)].map(|(sold, ratio)| {
                let reserve = f64::from(U256::from(sold.of(self.reserves).0));
                self.takeable(sold, reserve * growth(ratio, QUOTED_SHARE))
            });
        Quotation::new(float_price(x, y) * units, [depth0?, depth1?])
    }

    /// An amount, or what can be sold if that is less.
    fn takeable(&self, sold: Side, amount: f64) -> Option<f64> {
        let view = self.view(sold)?;
        let whole = U256::try_from(amount).ok()?;
        if whole <= self.room(&view, sold) && view.fits(whole) {
            return Some(amount);
        }
        Some(f64::from(self.most_sold(&view, sold)))
    }

    /// `None` for a pool that is empty or whose `k` overflows.
    fn view(&self, sold: Side) -> Option<View> {
        let units = self.decimals.map(|decimals| {
            let missing = 18_u8.saturating_sub(decimals);
            U256::from(10_u64.pow(missing.into()))
        });
        let (unit_in, unit_out) = sold.of(units);
        let (reserve_in, reserve_out) = sold.of(self.reserves);
        let held = U256::from(reserve_in).checked_mul(unit_in)?;
        let left = U256::from(reserve_out).checked_mul(unit_out)?;
        let k = invariant(held, left).filter(|k| !k.is_zero())?;
        Some(View {
            fee: self.rule.fee(sold)?,
            held,
            unit_in,
            left,
            unit_out,
            k,
        })
    }

    /// The largest amount after which the reserve still has 128 bits.
    fn room(&self, view: &View, sold: Side) -> U256 {
        let (reserve_in, _) = sold.of(self.reserves);
        view.fee.most(U256::from(u128::MAX - reserve_in))
    }

    fn most_sold(&self, view: &View, sold: Side) -> U256 {
        largest(self.room(view, sold), |amount| view.fits(amount))
    }
}

impl View {
    /// The reserve of what is sold once an amount has been added.
    fn held_after(&self, amount: U256) -> Option<U256> {
        let added = self.fee.net(amount)?.checked_mul(self.unit_in)?;
        self.held.checked_add(added)
    }

    /// Whether the contract's arithmetic can start on an amount; its first step
    /// has the largest products.
    fn fits(&self, amount: U256) -> bool {
        let fits = |held| Some((invariant(held, self.left)?, slope(held, self.left)?));
        self.held_after(amount).and_then(fits).is_some()
    }

    /// What selling an amount buys; `None` if the contract finds no answer.
    fn bought(&self, amount: U256) -> Option<U256> {
        let left = solve(self.held_after(amount)?, self.k, self.left)?;
        let bought = self.left.checked_sub(left)? / self.unit_out;
        // A contract never pays out a whole reserve.
        (bought * self.unit_out < self.left).then_some(bought)
    }

    /// About what has to be sold to buy an amount: the curve is symmetric.
    fn guess(&self, wanted: U256) -> Option<U256> {
        let left = self.left.checked_sub(wanted.checked_mul(self.unit_out)?)?;
        let held = solve(left, self.k, self.held)?;
        self.fee
            .gross(held.checked_sub(self.held)?.div_ceil(self.unit_in))
    }
}

/// `x³y + y³x`, in the order and with the roundings of the contract.
fn invariant(x: U256, y: U256) -> Option<U256> {
    let product = x.checked_mul(y)? / ONE;
    let squares = (x.checked_mul(x)? / ONE).checked_add(y.checked_mul(y)? / ONE)?;
    Some(product.checked_mul(squares)? / ONE)
}

/// Its derivative by `y`.
fn slope(x: U256, y: U256) -> Option<U256> {
    let mixed = U256::from(3)
        .checked_mul(x)?
        .checked_mul(y.checked_mul(y)? / ONE)?
        / ONE;
    let cube = (x.checked_mul(x)? / ONE).checked_mul(x)? / ONE;
    mixed.checked_add(cube)
}

/// The `y` that keeps `k` beside `x`, sought from another `y`.
fn solve(x: U256, k: U256, mut y: U256) -> Option<U256> {
    for _ in 0..STEPS {
        let now = invariant(x, y)?;
        let step = now
            .abs_diff(k)
            .checked_mul(ONE)?
            .checked_div(slope(x, y)?)?;
        let up = now < k;
        if step.is_zero() {
            if now == k {
                return Some(y);
            }
            let next = if up {
                y.checked_add(U256::ONE)?
            } else {
                y.checked_sub(U256::ONE)?
            };
            let beyond = invariant(x, next)?;
            if up && beyond > k {
                return Some(next);
            }
            if !up && beyond < k {
                return Some(y);
            }
            y = next;
        } else if up {
            y = y.checked_add(step)?;
        } else {
            y = y.checked_sub(step)?;
        }
    }
    None
}

impl Curve for Solidly {
    fn exact_in(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        if amount.is_zero() {
            return Err(Refusal::Nothing);
        }
        let view = self
            .view(sold)
            .ok_or(Refusal::TooMuch { most: U256::ZERO })?;
        let stored = amount <= self.room(&view, sold);
        let bought = stored.then(|| view.bought(amount)).flatten();
        let bought = bought.ok_or_else(|| {
            if stored && view.fits(amount) {
                return Refusal::Unsolved;
            }
            let most = self.most_sold(&view, sold);
            Refusal::TooMuch { most }
        })?;
        Ok(Fill {
            sold: amount,
            bought,
            ticks: 0,
        })
    }

    fn exact_out(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        if amount.is_zero() {
            return Err(Refusal::Nothing);
        }
        let view = self
            .view(sold)
            .ok_or(Refusal::TooMuch { most: U256::ZERO })?;
        let reaches = |sold| view.bought(sold).is_some_and(|bought| bought >= amount);
        // What is too much for the contract counts as reaching, so that the
        // search meets one edge only.
        let guess = view.guess(amount).unwrap_or(U256::ONE);
        let edge = smallest(guess, self.room(&view, sold), |sold| {
            reaches(sold) || !view.fits(sold)
        });
        if let Some(edge) = edge.filter(|edge| view.fits(*edge)) {
            return Ok(Fill {
                sold: edge,
                bought: amount,
                ticks: 0,
            });
        }
        let most = match self.most_sold(&view, sold) {
            U256::ZERO => Some(U256::ZERO),
            most => view.bought(most),
        };
        Err(most.map_or(Refusal::Unsolved, |most| Refusal::TooMuch { most }))
    }

    fn price(&self, sold: Side) -> f64 {
        self.view(sold).map_or(0.0, |view| {
            let (x, y) = (f64::from(view.held), f64::from(view.left));
            view.kept_price(float_price(x, y))
        })
    }

    fn pieces(&self, sold: Side, pieces: &mut Pieces) {
        let Some(view) = self.view(sold) else { return };
        let (x, y) = (f64::from(view.held), f64::from(view.left));
        // Relative to the larger reserve, so that powers stay in range.
        let size = x.max(y);
        let (x, y) = (x / size, y / size);
        let k = x * x * x * y + y * y * y * x;
        let unit_in = size / f64::from(view.unit_in) / view.fee.kept();
        let unit_out = size / f64::from(view.unit_out);
        sample(pieces, y, |left| {
            let held = float_solve(k, left);
            Sample {
                sold: (held - x) * unit_in,
                bought: (y - left) * unit_out,
                price: view.kept_price(float_price(held, left)),
            }
        });
    }
}

impl View {
    /// A price of tokens with 18 decimals as one of smallest units after the fee.
    fn kept_price(&self, price: f64) -> f64 {
        price * self.fee.kept() * f64::from(self.unit_in) / f64::from(self.unit_out)
    }
}

/// The marginal price of `x` in `y`.
fn float_price(x: f64, y: f64) -> f64 {
    let ratio = y / x;
    ratio * (3.0 + ratio * ratio) / (1.0 + 3.0 * ratio * ratio)
}

/// The ratio of `y` to `x` at which `x` has this price. The price is the triple
/// of the ratio as a hyperbolic tangent: `(1 - p) / (1 + p)` is the cube of
/// `(1 - r) / (1 + r)`. This form of the root has no cancellation at its ends.
fn float_ratio(price: f64) -> f64 {
    let d = ((1.0 - price) / (1.0 + price)).cbrt();
    price * (1.0 - d + d * d) / (1.0 + d + d * d)
}

/// The share by which `x` grows until its price has fallen by another, where
/// `y` is so many times `x`: `k` is `x⁴(r + r³)`.
fn growth(ratio: f64, share: f64) -> f64 {
    let after = float_ratio(float_price(1.0, ratio) * (1.0 - share));
    let worth = |ratio: f64| ratio + ratio * ratio * ratio;
    (worth(ratio) / worth(after)).sqrt().sqrt() - 1.0
}

/// The `x` that keeps `k` beside `y`. Newton's method falls from a bound above:
/// neither of both terms exceeds `k`.
fn float_solve(k: f64, y: f64) -> f64 {
    let mut x = (k / y).cbrt().min(k / (y * y * y));
    for _ in 0..64 {
        let next = x - (x * x * x * y + x * y * y * y - k) / (3.0 * x * x * y + y * y * y);
        if next >= x {
            break;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;
    use proptest::prelude::*;

    const SITH: Rule = Rule::SithSwap { fees: [400, 500] };
    const STARK: Rule = Rule::StarkDefi { fee: 4 };
    const TOKEN: u128 = 1_000_000_000_000_000_000;

    fn sides() -> impl Strategy<Value = Side> {
        prop::sample::select(&Side::BOTH[..])
    }

    /// Pools of 10 to 10⁸ tokens of 6 or 18 decimals, up to ten of one for each
    /// of the other.
    fn pools() -> impl Strategy<Value = Solidly> {
        let decimals = || prop::sample::select(&[6_u8, 18][..]);
        let rule = prop::sample::select(&[SITH, STARK][..]);
        (
            0..8_u32,
            1_000_000..10_000_000_u128,
            0.1..10.0_f64,
            decimals(),
            decimals(),
            rule,
        )
            .prop_map(|(magnitude, tokens, ratio, decimals0, decimals1, rule)| {
                let size = tokens * 10_u128.pow(magnitude);
                let other =
                    u128::try_from(U256::from(f64::from(U256::from(size)) * ratio)).unwrap();
                let raw =
                    |micro: u128, decimals: u8| micro * 10_u128.pow(u32::from(decimals) - 6) * 10;
                let reserves = [raw(size, decimals0), raw(other, decimals1)];
                Solidly::new(reserves, [decimals0, decimals1], rule).unwrap()
            })
    }

    fn part_of(pool: &Solidly, side: Side, share: f64) -> u128 {
        let reserve = f64::from(U256::from(side.of(pool.reserves()).0));
        u128::try_from(U256::from(reserve * share)).unwrap().max(1)
    }

    #[test]
    fn a_balanced_pool_pays_almost_one_for_one() {
        let pool = Solidly::new([1_000_000 * TOKEN, 1_000_000_000_000], [18, 6], SITH).unwrap();
        let fill = pool
            .exact_in(Side::Token0, U256::from(1_000 * TOKEN))
            .unwrap();
        // A fee of 0.4, and 2·(x/k)³ of slippage that 6 decimals do not show.
        assert_eq!(fill.bought, U256::from(999_599_999));
        let fill = pool
            .exact_out(Side::Token1, U256::from(1_000 * TOKEN))
            .unwrap();
        assert_eq!(fill.sold, U256::from(1_000_500_251));
    }

    #[test]
    fn an_empty_pool_trades_nothing() {
        for reserves in [[0, 0], [TOKEN, 0], [0, TOKEN], [1_000, 1_000]] {
            laws::nothing_is_traded(&Solidly::new(reserves, [18, 18], SITH).unwrap());
        }
        laws::nothing_is_traded(&Solidly::new([u128::MAX; 2], [18, 18], SITH).unwrap());
    }

    #[test]
    fn a_pool_of_dust_may_have_no_solution() {
        let reserves = [15, 144_738_935_922_828_918_854_646];
        let pool = Solidly::new(reserves, [18, 18], SITH).unwrap();
        let amount = U256::from(3_940_549);
        assert_eq!(pool.exact_in(Side::Token0, amount), Err(Refusal::Unsolved));
    }

    #[test]
    fn states_that_no_contract_has_are_refused() {
        assert!(Solidly::new([1, 1], [19, 18], SITH).is_none());
        assert!(Solidly::new([1, 1], [18, 18], Rule::StarkDefi { fee: 10_000 }).is_none());
    }

    proptest! {
        #[test]
        fn selling_more_buys_no_less(pool in pools(), side in sides(), a in 1e-9..10.0_f64, b in 1e-9..10.0_f64) {
            let [a, b] = [a, b].map(|share| part_of(&pool, side, share));
            laws::selling_more_buys_no_less(&pool, side, a, b)?;
        }

        #[test]
        fn what_is_wanted_is_reached(pool in pools(), side in sides(), share in 1e-9..1.0_f64) {
            laws::what_is_wanted_is_reached(&pool, side, part_of(&pool, side.other(), share), true)?;
        }

        #[test]
        fn the_most_is_true(pool in pools(), side in sides()) {
            laws::the_most_is_true(&pool, side)?;
        }

        #[test]
        fn there_and_back_gains_nothing(pool in pools(), side in sides(), share in 1e-9..10.0_f64) {
            laws::there_and_back_gains_nothing(&pool, Solidly::after, side, part_of(&pool, side, share))?;
        }

        #[test]
        fn two_trades_buy_no_more_than_one(pool in pools(), side in sides(), a in 1e-6..1.0_f64, b in 1e-6..1.0_f64) {
            let [a, b] = [a, b].map(|share| part_of(&pool, side, share));
            laws::two_trades_buy_no_more_than_one(&pool, Solidly::after, side, a, b)?;
        }

        #[test]
        fn the_ladder_is_close(pool in pools(), side in sides(), share in 1e-4..0.999_f64) {
            laws::the_ladder_is_close_in_all(&pool, side, share, pool.reserves(), 5e-5)?;
        }

        #[test]
        fn the_ladder_takes_more_than_there_is(pool in pools(), side in sides(), times in 1.0..4.0_f64) {
            laws::the_ladder_is_close(&pool, side, times, pool.reserves(), 1e-3)?;
        }
    }
}
