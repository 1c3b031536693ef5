//! What is true of every curve; each family's tests hold it to these.

use crate::{Curve, Fill, Refusal, Side};
use primitives::U256;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

type Checked = Result<(), TestCaseError>;

/// The pool after a trade.
type After<C> = fn(&C, Side, &Fill) -> Option<C>;

pub(crate) fn nothing_is_traded(curve: &impl Curve) {
    let refused = Err(Refusal::TooMuch { most: U256::ZERO });
    for side in Side::BOTH {
        assert_eq!(curve.exact_in(side, U256::ONE), refused);
        assert_eq!(curve.exact_out(side, U256::ONE), refused);
        assert_eq!(curve.exact_in(side, U256::ZERO), Err(Refusal::Nothing));
        assert_eq!(curve.exact_out(side, U256::ZERO), Err(Refusal::Nothing));
        assert!(curve.price(side) == 0.0);
        assert!(curve.ladder(side).rungs().is_empty());
    }
}

pub(crate) fn selling_more_buys_no_less(
    curve: &impl Curve,
    side: Side,
    a: u128,
    b: u128,
) -> Checked {
    let [less, more] = [a.min(b), a.max(b)].map(|amount| curve.exact_in(side, U256::from(amount)));
    if let Ok(more) = more {
        let less = less.unwrap();
        prop_assert!(less.bought <= more.bought, "{less:?} {more:?}");
    }
    Ok(())
}

/// Selling what exact out asks for buys what was wanted; where the rule
/// promises the smallest amount, one unit less does not.
pub(crate) fn what_is_wanted_is_reached(
    curve: &impl Curve,
    side: Side,
    wanted: u128,
    smallest: bool,
) -> Checked {
    let wanted = U256::from(wanted);
    let Ok(fill) = curve.exact_out(side, wanted) else {
        return Ok(());
    };
    prop_assert_eq!(fill.bought, wanted);
    prop_assert!(curve.exact_in(side, fill.sold).unwrap().bought >= wanted);
    if smallest && fill.sold > U256::ONE {
        let less = curve.exact_in(side, fill.sold - U256::ONE).unwrap();
        prop_assert!(less.bought < wanted, "{less:?}");
    }
    Ok(())
}

/// What a refusal says can be traded is traded, and one unit more is not.
pub(crate) fn the_most_is_true(curve: &impl Curve, side: Side) -> Checked {
    let asks: [&dyn Fn(U256) -> Result<Fill, Refusal>; 2] =
        [&|amount| curve.exact_in(side, amount), &|amount| {
            curve.exact_out(side, amount)
        }];
    for ask in asks {
        let Err(Refusal::TooMuch { most }) = ask(U256::MAX) else {
            return Err(TestCaseError::fail("a pool without an end"));
        };
        prop_assert!(
            most.is_zero() || ask(most).is_ok(),
            "{most}: {:?}",
            ask(most)
        );
        prop_assert_eq!(ask(most + U256::ONE), Err(Refusal::TooMuch { most }));
    }
    Ok(())
}

/// Selling an amount and selling back what it bought returns no more.
pub(crate) fn there_and_back_gains_nothing<C: Curve>(
    curve: &C,
    after: After<C>,
    side: Side,
    amount: u128,
) -> Checked {
    let amount = U256::from(amount);
    let Ok(there) = curve.exact_in(side, amount) else {
        return Ok(());
    };
    let moved = after(curve, side, &there).unwrap();
    if let Ok(back) = moved.exact_in(side.other(), there.bought) {
        prop_assert!(back.bought <= amount, "{there:?} {back:?}");
    }
    Ok(())
}

/// Selling in two parts buys no more than selling at once. Two fees rounded
/// down may be a unit less than one, and what is bought is rounded too: hence
/// two units more sold, and one more bought.
pub(crate) fn two_trades_buy_no_more_than_one<C: Curve>(
    curve: &C,
    after: After<C>,
    side: Side,
    a: u128,
    b: u128,
) -> Checked {
    let [a, b] = [a, b].map(U256::from);
    let whole = curve.exact_in(side, a + b + U256::from(2)).unwrap();
    let first = curve.exact_in(side, a).unwrap();
    let second = after(curve, side, &first)
        .unwrap()
        .exact_in(side, b)
        .unwrap();
    let parts = first.bought + second.bought;
    prop_assert!(parts <= whole.bought + U256::ONE, "{parts} {whole:?}");
    Ok(())
}

/// The ladder buys what the exact form buys, for the sale of a share of the
/// reserve of what is sold, up to a relative error and the rounding of a unit
/// of either token.
pub(crate) fn the_ladder_is_close(
    curve: &impl Curve,
    side: Side,
    share: f64,
    reserves: [u128; 2],
    bound: f64,
) -> Checked {
    let reserve = f64::from(U256::from(side.of(reserves).0));
    let amount = U256::from(reserve * share);
    let exact = f64::from(curve.exact_in(side, amount).unwrap().bought);
    let close = curve.ladder(side).bought_for(f64::from(amount));
    let close = close.ok_or_else(|| TestCaseError::fail("the ladder ends before the pool"))?;
    let unit = 1.0 + curve.price(side);
    let error = ((close - exact).abs() - unit) / exact;
    prop_assert!(error <= bound, "{close} is {error} from {exact}");
    Ok(())
}

/// The same for the purchase of a share of the reserve of what is bought.
pub(crate) fn the_ladder_is_close_in_all(
    curve: &impl Curve,
    side: Side,
    share: f64,
    reserves: [u128; 2],
    bound: f64,
) -> Checked {
    let (reserve_in, reserve_out) = side.of(reserves.map(|reserve| f64::from(U256::from(reserve))));
    let needed = curve
        .exact_out(side, U256::from(reserve_out * share))
        .unwrap();
    the_ladder_is_close(
        curve,
        side,
        f64::from(needed.sold) / reserve_in,
        reserves,
        bound,
    )
}
