//! How much a pool takes until its price has fallen so far.
//!
//! What is found is what happens: the sale is executed to the last unit, and
//! the price of the pool after it is looked at. Fees that stay in a pool, or
//! leave it, move its price too, which no curve that is cut out of it says.

use super::curve::AnyCurve;
use crate::concentrated::Rules as _;
use crate::{Curve, Refusal, Side};
use primitives::U256;

/// How often the first guess is doubled before nobody believes that it ends.
const DOUBLINGS: u32 = 128;

/// How often the sale is narrowed down. Three sales of each are tried, and two
/// rounds mostly do.
const ROUNDS: u32 = 48;

/// A sale is found to a part in two to this power.
const PRECISION: usize = 20;

impl AnyCurve {
    /// The share of what is sold that the pool takes as its fee.
    #[must_use]
    pub fn fee(&self, sold: Side) -> f64 {
        1.0 - match self {
            Self::ConstantProduct(pool) => pool.kept(sold),
            Self::Solidly(pool) => pool.kept(sold),
            Self::Amplified(pool) => pool.kept(),
            Self::Ekubo(pool) => pool.rules.kept(),
            Self::V3(pool) => pool.rules.kept(),
            Self::Deposit(_) => 1.0,
        }
    }

    /// The largest sale, in smallest units, after which the price has fallen by
    /// at most this share (0.01 is one per cent): one part in a million more
    /// and it has fallen further, or the pool takes no more.
    #[must_use]
    pub fn sale_until(&self, sold: Side, share: f64) -> U256 {
        let price = self.price(sold);
        if !price.is_finite() || price <= 0.0 {
            return U256::ZERO;
        }
        let search = Search {
            curve: self,
            sold,
            floor: price * (1.0 - share),
        };
        let first = End {
            amount: U256::ZERO,
            z: root(price),
        };
        let guess = U256::try_from(self.depth(sold, share)).unwrap_or(U256::ONE);
        search.narrow(search.bracket(first, guess))
    }
}

struct Search<'a> {
    curve: &'a AnyCurve,
    sold: Side,
    /// The price may not fall below.
    floor: f64,
}

/// A sale, and `1 / √price` after it: between two ticks that is a straight line.
#[derive(Clone, Copy)]
struct End {
    amount: U256,
    z: f64,
}

/// The sale that is sought is the lower one, or lies before the upper one.
#[derive(Clone, Copy)]
struct Bracket {
    low: End,
    /// None if the pool takes no more than the lower one.
    high: Option<End>,
}

/// What becomes of the price.
enum Outcome {
    /// It stays where it may be.
    Stays(f64),
    /// It falls below.
    Falls(f64),
    /// There is no such sale, but one of this amount.
    Refused(U256),
}

impl Search<'_> {
    fn sell(&self, amount: U256) -> Outcome {
        let fill = match self.curve.exact_in(self.sold, amount) {
            Ok(fill) => fill,
            Err(Refusal::TooMuch { most }) => return Outcome::Refused(most),
            Err(Refusal::Nothing | Refusal::Unsolved) => return Outcome::Falls(f64::INFINITY),
        };
        let after = self.curve.after(self.sold, &fill);
        let price = after.map_or(0.0, |after| after.price(self.sold));
        if price >= self.floor {
            Outcome::Stays(root(price))
        } else {
            Outcome::Falls(root(price))
        }
    }

    /// A sale that is small enough and one that is too large.
    fn bracket(&self, mut low: End, guess: U256) -> Bracket {
        let mut amount = guess.max(U256::ONE);
        for _ in 0..DOUBLINGS {
            match self.sell(amount) {
                Outcome::Stays(z) => {
                    low = End { amount, z };
                    amount = amount.saturating_mul(U256::from(2));
                }
                Outcome::Falls(z) => {
                    let high = Some(End { amount, z });
                    return Bracket { low, high };
                }
                Outcome::Refused(most) if most <= low.amount || most >= amount => break,
                Outcome::Refused(most) => amount = most,
            }
        }
        Bracket { low, high: None }
    }

    fn narrow(&self, bracket: Bracket) -> U256 {
        let Bracket { mut low, high } = bracket;
        let Some(mut high) = high else {
            return low.amount;
        };
        for _ in 0..ROUNDS {
            let width = high.amount - low.amount;
            if width <= tolerance(low.amount) {
                break;
            }
            let near = between(low, high, root(self.floor));
            self.look(near, &mut low, &mut high);
            // The other end comes as near, if the line was straight.
            let step = tolerance(near) / U256::from(2);
            let beside = if low.amount == near {
                near.saturating_add(step)
            } else {
                near.saturating_sub(step)
            };
            self.look(beside, &mut low, &mut high);
            if high.amount - low.amount > width / U256::from(2) {
                self.look(low.amount + width / U256::from(2), &mut low, &mut high);
            }
        }
        low.amount
    }

    /// Moves an end to an amount that lies between them.
    fn look(&self, amount: U256, low: &mut End, high: &mut End) {
        if amount <= low.amount || amount >= high.amount {
            return;
        }
        match self.sell(amount) {
            Outcome::Stays(z) => *low = End { amount, z },
            Outcome::Falls(z) => *high = End { amount, z },
            Outcome::Refused(_) => {
                *high = End {
                    amount,
                    z: f64::INFINITY,
                }
            }
        }
    }
}

/// How far apart two sales may be that count as the same; more than one.
fn tolerance(amount: U256) -> U256 {
    (amount >> PRECISION).max(U256::ONE)
}

fn root(price: f64) -> f64 {
    price.sqrt().recip()
}

/// The sale after which a straight line between two ends is at `z`.
fn between(low: End, high: End, z: f64) -> U256 {
    let part = (z - low.z) / (high.z - low.z);
    let width = high.amount - low.amount;
    let step = f64::from(width) * part.clamp(0.0, 1.0);
    let step = U256::try_from(step).unwrap_or(U256::ONE);
    low.amount + step.clamp(U256::ONE, width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::concentrated::tests::{self as sketched, sketches};
    use crate::{Amplified, ConstantProduct, Solidly, constant_product, ekubo, solidly, v3};
    use proptest::prelude::*;

    const SHARES: [f64; 3] = [0.005, 0.01, 0.02];

    /// The price after a sale; none if the pool does not take it.
    fn after(curve: &AnyCurve, sold: Side, amount: U256) -> Option<f64> {
        let fill = curve.exact_in(sold, amount).ok()?;
        Some(curve.after(sold, &fill)?.price(sold))
    }

    /// Just below the sale that was found the price stays, just above it falls.
    fn is_where_the_price_falls(curve: &AnyCurve) -> Result<(), TestCaseError> {
        for (sold, share) in Side::BOTH
            .into_iter()
            .flat_map(|it| SHARES.map(|share| (it, share)))
        {
            let price = curve.price(sold);
            let sale = curve.sale_until(sold, share);
            if price == 0.0 {
                prop_assert_eq!(sale, U256::ZERO);
                continue;
            }
            let floor = price * (1.0 - share);
            let below = sale - (sale >> 16);
            for amount in [below, sale].into_iter().filter(|it| !it.is_zero()) {
                let left = after(curve, sold, amount).unwrap();
                prop_assert!(left >= floor, "{amount} of {sale}: {left} < {floor}");
            }
            let above = sale + tolerance(sale) + U256::ONE;
            let left = after(curve, sold, above);
            prop_assert!(
                left.is_none_or(|left| left < floor),
                "{above}: {left:?} ≥ {floor}"
            );
        }
        Ok(())
    }

    fn reserves() -> impl Strategy<Value = [u128; 2]> {
        let reserve = || (1_000_000_000_000_u128..1 << 90, 0..50_u32);
        (reserve(), reserve()).prop_map(|((one, shift), (other, less))| {
            [one >> shift, other >> less].map(|it| it.max(1_000_000_000))
        })
    }

    fn rules() -> impl Strategy<Value = constant_product::Rule> {
        use constant_product::Rule;
        prop_oneof![
            Just(Rule::JediSwap),
            Just(Rule::TenKSwap),
            Just(Rule::StarkDefi { fee: 30 }),
            Just(Rule::SithSwap {
                fees: [2_000, 3_000]
            }),
            Just(Rule::Nostra {
                fee: 3_000_000_000_000_000
            }),
            Just(Rule::MySwap { fee: 300 }),
        ]
    }

    /// So many tokens of 18 decimals, and not quite as many of the other.
    fn stable_reserves() -> impl Strategy<Value = [u128; 2]> {
        (1_000..1_000_000_000_u128, 0.1..10.0_f64).prop_map(|(whole, odds)| {
            let one = whole * 1_000_000_000_000_000_000;
            let other = U256::from(f64::from(U256::from(one)) * odds);
            [one, u128::try_from(other).unwrap()]
        })
    }

    proptest! {
        #[test]
        fn products_move_as_far_as_they_are_said_to(reserves in reserves(), rule in rules()) {
            let curve = ConstantProduct::new(reserves, rule).unwrap();
            is_where_the_price_falls(&AnyCurve::ConstantProduct(curve))?;
        }

        #[test]
        fn stable_pools_do_so_too(reserves in stable_reserves(), amplification in 1_000..2_000_000_u32) {
            let rule = solidly::Rule::StarkDefi { fee: 4 };
            let curve = Solidly::new(reserves, [18, 18], rule).unwrap();
            is_where_the_price_falls(&AnyCurve::Solidly(curve))?;
            let rates = [1_000_000_000_000_000_000; 2];
            let curve = Amplified::new(reserves, rates, amplification, 400_000_000_000_000).unwrap();
            is_where_the_price_falls(&AnyCurve::Amplified(curve))?;
        }
    }

    proptest! {
        // Each case walks through many ticks.
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn ranges_do_so_too(mut sketch in sketches(8_000_000, 100)) {
            let terms = ekubo::EkuboTerms { fee: 1 << 120, rounding: ekubo::Rounding::Exact };
            is_where_the_price_falls(&AnyCurve::Ekubo(sketched::pool(&sketch, terms)))?;
            sketch.tick /= 100;
            let terms = v3::V3Terms { fee: 3_000 };
            is_where_the_price_falls(&AnyCurve::V3(sketched::pool(&sketch, terms)))?;
        }
    }

    #[test]
    fn a_product_without_a_fee_is_known_by_hand() {
        // 1,000,000 of each: the price halves when the reserve has grown by √2.
        let rule = constant_product::Rule::Nostra { fee: 0 };
        let curve = ConstantProduct::new([1_000_000_000_000; 2], rule).unwrap();
        let curve = AnyCurve::ConstantProduct(curve);
        let sale = f64::from(curve.sale_until(Side::Token0, 0.5));
        assert!((sale / 414_213_562_373.0 - 1.0).abs() < 2e-6, "{sale}");
        assert!(curve.fee(Side::Token0).abs() < 1e-12);
    }

    #[test]
    fn an_empty_pool_takes_nothing() {
        let rule = constant_product::Rule::JediSwap;
        let curve = AnyCurve::ConstantProduct(ConstantProduct::new([0, 0], rule).unwrap());
        assert_eq!(curve.sale_until(Side::Token0, 0.01), U256::ZERO);
        assert!((curve.fee(Side::Token1) - 0.003).abs() < 1e-12);
    }
}
