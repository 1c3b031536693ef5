//! Stable pools with an amplification: flat near balance, steep at the ends.
//!
//! Reserves count by their rates, `r · rate / 10¹⁸` rounded down; a rate also
//! brings its token to a common number of decimals. With `A` in thousandths and
//! `Λ = 2A / 1000`, the sum `D` of a balanced pool of the same worth solves
//! `Λ(x + y) + D = ΛD + D³ / (4xy)`. It is found by Newton's method in integers
//! from `x + y` on, in at most 255 steps, until it moves by at most one unit.
//! Where one reserve is dust beside the other, roundings may keep it from that.
//! What is left of the bought token is the larger root of `y² + (b − D)y = c`,
//! rounded up, where `b = x + ⌊1000D / 2A⌋` and `c = ⌊⌊D² / 2x⌋ · 1000D / 4A⌋`;
//! one unit more stays for the roundings of `D`.
//! The fee is taken from what is sold, rounded up, and stays in the pool.
//! What counts has at most 120 bits, so no other number has more than 256.
//! Exact out is the smallest amount whose exact in reaches what is wanted.
//!
//! Nostra's own rule is not public. This one is that of the simulated contract,
//! and no claim about the real venue.

use crate::fee::{Fee, Rounding};
use crate::quotation::{QUOTED_SHARE, Quotation};
use crate::reserves::moved;
use crate::sampling::sample;
use crate::search::smallest;
use crate::wide::mul_div;
use crate::{Curve, Fill, Pieces, Refusal, Sample, Side};
use primitives::U256;

/// The most steps of Newton's method that the contract takes.
const STEPS: u32 = 255;
/// The halvings that bring a depth within a part in 10¹².
const HALVINGS: u32 = 40;
const ONE: U256 = U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]);
const THOUSAND: U256 = U256::from_limbs([1_000, 0, 0, 0]);
const TWO: U256 = U256::from_limbs([2, 0, 0, 0]);

/// The largest reserve by its rate: 120 bits.
const CEILING: U256 = U256::from_limbs([u64::MAX, (1 << 56) - 1, 0, 0]);

/// A stable pool with an amplification, of Nostra's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amplified {
    reserves: [u128; 2],
    rates: [u128; 2],
    /// In thousandths.
    amplification: u32,
    /// In parts of 10¹⁸ of what is sold.
    fee: u64,
}

/// A pool as a trade of one direction sees it, in units that count the same.
struct View {
    fee: Fee,
    amplification: U256,
    reserve_in: U256,
    rate_in: U256,
    rate_out: U256,
    left: U256,
    sum: U256,
}

impl Amplified {
    /// A pool with its amplification of now, in thousandths and at least one,
    /// and its fee in units of each 10¹⁸ sold; `None` if its contract could not
    /// be in this state. Reserves of zero are an empty pool.
    pub fn new(
        reserves: [u128; 2],
        rates: [u128; 2],
        amplification: u32,
        fee: u64,
    ) -> Option<Self> {
        let pool = Self {
            reserves,
            rates,
            amplification,
            fee,
        };
        let counts = amplification >= 1_000 && !rates.contains(&0);
        let fits = pool.counted().iter().all(|counted| *counted <= CEILING);
        (counts && fits && pool.charge().is_some()).then_some(pool)
    }

    /// What the contract holds.
    pub const fn reserves(&self) -> [u128; 2] {
        self.reserves
    }

    /// The same pool with other reserves; `None` as for [`Self::new`].
    pub fn with_reserves(&self, reserves: [u128; 2]) -> Option<Self> {
        Self::new(reserves, self.rates, self.amplification, self.fee)
    }

    /// The pool after a trade; `None` if it cannot make this trade.
    pub fn after(&self, sold: Side, fill: &Fill) -> Option<Self> {
        self.with_reserves(moved(self.reserves, sold, fill.sold, fill.bought)?)
    }

    /// The share of an amount that the fee leaves to trade.
    pub(crate) fn kept(&self) -> f64 {
        self.charge().map_or(0.0, Fee::kept)
    }

    /// Its price and depth, without the fee.
    pub(crate) fn quotation(&self) -> Option<Quotation> {
        let view = self.view(Side::Token0)?;
        let sum = f64::from(view.sum);
        let [x, y] = self.counted().map(|counted| f64::from(counted) / sum);
        let curve = view.float();
        let [depth0, depth1] = [(Side::Token0, y), (Side::Token1, x)].map(|(sold, left)| {
            let (rate, _) = sold.of(self.rates.map(U256::from));
            let (reserve, _) = sold.of(self.reserves.map(U256::from));
            let unit = sum * f64::from(ONE) / f64::from(rate);
            let most = f64::from(room(reserve, rate));
            (curve.depth(left, QUOTED_SHARE) * unit).min(most)
        });
        let rates = f64::from(view.rate_in) / f64::from(view.rate_out);
        Quotation::new(curve.price(curve.beside(y), y) * rates, [depth0, depth1])
    }

    fn charge(&self) -> Option<Fee> {
        Fee::new(self.fee, 1_000_000_000_000_000_000, Rounding::Up)
    }

    /// Whether nothing of a reserve counts.
    fn is_empty(&self) -> bool {
        let [counted0, counted1] = self.counted();
        counted0.is_zero() || counted1.is_zero()
    }

    /// The reserves by their rates.
    fn counted(&self) -> [U256; 2] {
        let [reserve0, reserve1] = self.reserves.map(U256::from);
        let [rate0, rate1] = self.rates.map(U256::from);
        // Products of 128 bits each have 256.
        [reserve0 * rate0 / ONE, reserve1 * rate1 / ONE]
    }

    /// `None` for an empty pool and for one whose sum is not found.
    fn view(&self, sold: Side) -> Option<View> {
        let (held, left) = sold.of(self.counted());
        let (rate_in, rate_out) = sold.of(self.rates.map(U256::from));
        let amplification = U256::from(self.amplification);
        Some(View {
            fee: self.charge()?,
            amplification,
            reserve_in: U256::from(sold.of(self.reserves).0),
            rate_in,
            rate_out,
            left,
            sum: balanced_sum(held, left, amplification)?,
        })
    }

    fn most_sold(view: &View) -> U256 {
        room(view.reserve_in, view.rate_in)
    }

    /// The view, or why there is none.
    fn viewed(&self, sold: Side, amount: U256) -> Result<View, Refusal> {
        if amount.is_zero() {
            return Err(Refusal::Nothing);
        }
        if self.is_empty() {
            return Err(Refusal::TooMuch { most: U256::ZERO });
        }
        self.view(sold).ok_or(Refusal::Unsolved)
    }
}

/// The largest amount after which a reserve still has its 128 bits, and 120 by
/// its rate.
fn room(reserve: U256, rate: U256) -> U256 {
    let above = (CEILING + U256::ONE) * ONE;
    let counted = (above - U256::ONE) / rate;
    counted.min(U256::from(u128::MAX)).saturating_sub(reserve)
}

/// The sum `D` of a balanced pool of the same worth.
fn balanced_sum(x: U256, y: U256, amplification: U256) -> Option<U256> {
    let leverage = amplification * TWO;
    let sum = x.checked_add(y)?;
    let (twice_x, twice_y) = (x.checked_mul(TWO)?, y.checked_mul(TWO)?);
    let pull = mul_div(sum, leverage, THOUSAND)?;
    let mut balanced = sum;
    for _ in 0..STEPS {
        let product = mul_div(balanced, balanced, twice_x)?;
        let product = mul_div(product, balanced, twice_y)?;
        let above = pull.checked_add(product.checked_mul(TWO)?)?;
        let below = mul_div(balanced, leverage - THOUSAND, THOUSAND)?
            .checked_add(product.checked_mul(U256::from(3))?)?;
        let next = mul_div(above, balanced, below)?;
        if next.abs_diff(balanced) <= U256::ONE {
            return Some(next);
        }
        balanced = next;
    }
    None
}

impl View {
    /// The reserve that keeps the sum beside one of `held`, sought from about
    /// there or above: Newton's method falls onto the root.
    fn beside(&self, held: U256, from: U256) -> Option<U256> {
        let leverage = self.amplification * TWO;
        let b = held.checked_add(mul_div(self.sum, THOUSAND, leverage)?)?;
        let c = mul_div(self.sum, self.sum, held.checked_mul(TWO)?)?;
        let c = mul_div(c, self.sum.checked_mul(THOUSAND)?, leverage * TWO)?;
        // From here on the slope is positive, until the root is passed.
        let mut y = from.max(self.sum);
        for step in 0..STEPS {
            let above = y.checked_mul(y)?.checked_add(c)?;
            let slope = y.checked_mul(TWO)?.checked_add(b)?.checked_sub(self.sum);
            let next = slope.and_then(|slope| above.checked_div(slope));
            // The first step may rise onto the root from below.
            if step > 0 && next.is_none_or(|next| next >= y) {
                let worth = y.checked_mul(y.checked_add(b)?)?;
                let wanted = c.checked_add(self.sum.checked_mul(y)?)?;
                let exact = slope.is_some() && worth >= wanted;
                return if exact {
                    Some(y)
                } else {
                    y.checked_add(U256::ONE)
                };
            }
            y = next?;
        }
        None
    }

    /// What selling an amount buys; `None` if the contract finds no answer.
    fn bought(&self, amount: U256) -> Option<U256> {
        let reserve = self.reserve_in.checked_add(self.fee.net(amount)?)?;
        let left = self.beside(mul_div(reserve, self.rate_in, ONE)?, self.left)?;
        let gone = self.left.saturating_sub(left).saturating_sub(U256::ONE);
        mul_div(gone, ONE, self.rate_out)
    }

    /// About what has to be sold to buy an amount: the curve is symmetric.
    fn guess(&self, wanted: U256) -> Option<U256> {
        let gone = mul_div(wanted, self.rate_out, ONE)?.checked_add(U256::ONE)?;
        let held = self.beside(self.left.checked_sub(gone)?, U256::ZERO)?;
        let reserve = mul_div(held, ONE, self.rate_in)?;
        self.fee.gross(reserve.saturating_sub(self.reserve_in))
    }
}

impl Curve for Amplified {
    fn exact_in(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        let view = self.viewed(sold, amount)?;
        let most = Self::most_sold(&view);
        if amount > most {
            return Err(Refusal::TooMuch { most });
        }
        Ok(Fill {
            sold: amount,
            bought: view.bought(amount).ok_or(Refusal::Unsolved)?,
            ticks: 0,
        })
    }

    fn exact_out(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        let view = self.viewed(sold, amount)?;
        let guess = view.guess(amount).unwrap_or(U256::ONE);
        let reaches = |sold| view.bought(sold).is_some_and(|bought| bought >= amount);
        let most = Self::most_sold(&view);
        if let Some(sold) = smallest(guess, most, reaches) {
            return Ok(Fill {
                sold,
                bought: amount,
                ticks: 0,
            });
        }
        Err(view
            .bought(most)
            .map_or(Refusal::Unsolved, |most| Refusal::TooMuch { most }))
    }

    fn price(&self, sold: Side) -> f64 {
        self.view(sold).map_or(0.0, |view| {
            let curve = view.float();
            view.kept_price(curve.price(curve.beside(curve.left), curve.left))
        })
    }

    fn pieces(&self, sold: Side, pieces: &mut Pieces) {
        let Some(view) = self.view(sold) else { return };
        let curve = view.float();
        let held = curve.beside(curve.left);
        let sum = f64::from(view.sum) * f64::from(ONE);
        let unit_in = sum / f64::from(view.rate_in) / view.fee.kept();
        let unit_out = sum / f64::from(view.rate_out);
        sample(pieces, curve.left, |left| {
            let more = curve.beside(left);
            Sample {
                sold: (more - held) * unit_in,
                bought: (curve.left - left) * unit_out,
                price: view.kept_price(curve.price(more, left)),
            }
        });
    }
}

/// The curve in floating point, relative to its balanced sum.
struct FloatCurve {
    leverage: f64,
    left: f64,
}

impl View {
    fn float(&self) -> FloatCurve {
        FloatCurve {
            leverage: f64::from(self.amplification) * 0.002,
            left: f64::from(self.left) / f64::from(self.sum),
        }
    }

    /// A price of what counts the same as one of smallest units after the fee.
    fn kept_price(&self, price: f64) -> f64 {
        price * self.fee.kept() * f64::from(self.rate_in) / f64::from(self.rate_out)
    }
}

impl FloatCurve {
    /// The reserve of one token beside that of the other.
    fn beside(&self, other: f64) -> f64 {
        let half = (other + 1.0 / self.leverage - 1.0) / 2.0;
        let c = 1.0 / (4.0 * other * self.leverage);
        let root = (half * half + c).sqrt();
        // The form without cancellation for either sign.
        if half > 0.0 {
            c / (half + root)
        } else {
            root - half
        }
    }

    /// The marginal price of `x` in `y`.
    fn price(&self, x: f64, y: f64) -> f64 {
        let product = 4.0 * x * y;
        (self.leverage + 1.0 / (product * x)) / (self.leverage + 1.0 / (product * y))
    }

    /// What one reserve gains until its price has fallen by a share, where so
    /// much of the other one is left: halved until that is too far, and then
    /// sought between.
    fn depth(&self, left: f64, share: f64) -> f64 {
        let floor = self.price(self.beside(left), left) * (1.0 - share);
        let is_beyond = |left: f64| self.price(self.beside(left), left) < floor;
        let (mut low, mut high) = (left / 2.0, left);
        for _ in 0..HALVINGS {
            if is_beyond(low) {
                break;
            }
            (low, high) = (low / 2.0, low);
        }
        for _ in 0..HALVINGS {
            let middle = low.midpoint(high);
            if is_beyond(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.beside(high) - self.beside(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;
    use proptest::prelude::*;

    const TOKEN: u128 = 1_000_000_000_000_000_000;
    /// Rates of tokens with 18 and with 6 decimals.
    const WHOLE: u128 = TOKEN;
    const MICRO: u128 = TOKEN * 1_000_000_000_000;
    const FEE: u64 = 400_000_000_000_000;

    fn sides() -> impl Strategy<Value = Side> {
        prop::sample::select(&Side::BOTH[..])
    }

    /// Pools of 10 to 10⁹ tokens, up to ten of one for each of the other.
    fn pools() -> impl Strategy<Value = Amplified> {
        let rate = || prop::sample::select(&[WHOLE, MICRO, TOKEN / 20 * 21][..]);
        (
            0..8_u32,
            10_000_000..100_000_000_u128,
            0.1..10.0_f64,
            rate(),
            rate(),
            1_000..2_000_000_u32,
            1..=FEE,
        )
            .prop_map(
                |(magnitude, tokens, ratio, rate0, rate1, amplification, fee)| {
                    let size = tokens * 10_u128.pow(magnitude);
                    let other =
                        u128::try_from(U256::from(f64::from(U256::from(size)) * ratio)).unwrap();
                    let raw = |micro: u128, rate| {
                        if rate == MICRO {
                            micro
                        } else {
                            micro * 1_000_000_000_000
                        }
                    };
                    let reserves = [raw(size, rate0), raw(other, rate1)];
                    Amplified::new(reserves, [rate0, rate1], amplification, fee).unwrap()
                },
            )
    }

    fn part_of(pool: &Amplified, side: Side, share: f64) -> u128 {
        let reserve = f64::from(U256::from(side.of(pool.reserves()).0));
        u128::try_from(U256::from(reserve * share)).unwrap().max(1)
    }

    #[test]
    fn a_balanced_pool_pays_almost_one_for_one() {
        let reserves = [1_000_000 * TOKEN, 1_000_000_000_000];
        let pool = Amplified::new(reserves, [WHOLE, MICRO], 200_000, FEE).unwrap();
        assert_eq!(
            pool.view(Side::Token0).unwrap().sum,
            U256::from(2_000_000 * TOKEN)
        );
        let fill = pool
            .exact_in(Side::Token0, U256::from(1_000 * TOKEN))
            .unwrap();
        // A fee of 0.4, and 999.6² / (201·10⁶) of slippage.
        assert_eq!(fill.bought, U256::from(999_595_028));
        let fill = pool
            .exact_out(Side::Token1, U256::from(1_000 * TOKEN))
            .unwrap();
        assert_eq!(fill.sold, U256::from(1_000_405_139));
    }

    #[test]
    fn an_empty_pool_trades_nothing() {
        for reserves in [[0, 0], [TOKEN, 0], [0, TOKEN]] {
            laws::nothing_is_traded(&Amplified::new(reserves, [WHOLE; 2], 1_000, FEE).unwrap());
        }
    }

    #[test]
    fn a_pool_of_a_few_units_answers_every_amount() {
        let pool = Amplified::new([2, 11], [WHOLE; 2], 57_255, FEE).unwrap();
        let bought: Vec<U256> = (1..20)
            .map(|amount| {
                pool.exact_in(Side::Token0, U256::from(amount))
                    .unwrap()
                    .bought
            })
            .collect();
        assert!(bought.is_sorted());
        assert_eq!(bought.last(), Some(&U256::from(10)));
    }

    #[test]
    fn dust_beside_much_may_have_no_solution() {
        let pool = Amplified::new([2_378_648_145_445_523_039, 11], [WHOLE; 2], 1_000, FEE).unwrap();
        assert_eq!(
            pool.exact_in(Side::Token0, U256::ONE),
            Err(Refusal::Unsolved)
        );
        assert_eq!(
            pool.exact_out(Side::Token0, U256::ONE),
            Err(Refusal::Unsolved)
        );
    }

    #[test]
    fn states_that_no_contract_has_are_refused() {
        assert!(Amplified::new([1, 1], [WHOLE, 0], 1_000, FEE).is_none());
        assert!(Amplified::new([1, 1], [WHOLE; 2], 999, FEE).is_none());
        assert!(Amplified::new([1, 1], [WHOLE; 2], 1_000, ONE.to()).is_none());
        assert!(Amplified::new([1 << 120, 1], [WHOLE; 2], 1_000, FEE).is_none());
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
            laws::there_and_back_gains_nothing(&pool, Amplified::after, side, part_of(&pool, side, share))?;
        }

        #[test]
        fn two_trades_buy_no_more_than_one(pool in pools(), side in sides(), a in 1e-6..1.0_f64, b in 1e-6..1.0_f64) {
            let [a, b] = [a, b].map(|share| part_of(&pool, side, share));
            laws::two_trades_buy_no_more_than_one(&pool, Amplified::after, side, a, b)?;
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
