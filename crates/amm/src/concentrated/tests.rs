//! The properties that both families share. Their own tests call these.

use super::{Amount, Pool, Rules};
use crate::{Curve, Refusal, Side, Ticks};
use primitives::U256;
use proptest::prelude::*;

pub(crate) type Checked = Result<(), TestCaseError>;

/// A pool as numbers: positions as multiples of the spacing around the price.
#[derive(Debug, Clone)]
pub(crate) struct Sketch {
    pub(crate) spacing: u32,
    pub(crate) tick: i32,
    /// Where the price lies within its tick, in parts of 256.
    pub(crate) within: u8,
    pub(crate) positions: Vec<(i32, i32, u128)>,
}

pub(crate) fn sides() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Token0), Just(Side::Token1)]
}

/// Numbers of every length up to so many bits.
pub(crate) fn numbers(bits: u32) -> impl Strategy<Value = u128> {
    (0..bits, any::<u128>()).prop_map(|(bit, noise)| (1 << bit) | noise & ((1 << bit) - 1))
}

/// Pools of up to eight positions, with gaps and overlaps.
pub(crate) fn sketches(ticks: i32, liquidity: u32) -> impl Strategy<Value = Sketch> {
    let position = (-40_i32..40, 1_i32..30, numbers(liquidity));
    let positions = prop::collection::vec(position, 0..8);
    (1_u32..2_000, -ticks..ticks, any::<u8>(), positions).prop_map(
        |(spacing, tick, within, positions)| Sketch {
            spacing,
            tick,
            within,
            positions,
        },
    )
}

pub(crate) fn pool<R: Rules>(sketch: &Sketch, rules: R) -> Pool<R> {
    let spacing = i32::try_from(sketch.spacing).unwrap();
    let at = R::sqrt_ratio_at(sketch.tick).unwrap();
    let above = R::sqrt_ratio_at(sketch.tick + 1).unwrap();
    let mut pool = Pool {
        rules,
        tick_spacing: sketch.spacing,
        sqrt_ratio: at + (above - at) * U256::from(sketch.within) / U256::from(256),
        tick: sketch.tick,
        liquidity: 0,
        ticks: Ticks::default(),
    };
    let middle = sketch.tick.div_euclid(spacing);
    for &(lower, width, liquidity) in &sketch.positions {
        let lower = ((middle + lower) * spacing).max(R::MIN_TICK / spacing * spacing);
        let upper = (lower + width * spacing).min(R::MAX_TICK / spacing * spacing);
        if lower < upper {
            let liquidity = i128::try_from(liquidity).unwrap();
            pool.update_position(lower, upper, liquidity).unwrap();
        }
    }
    pool
}

/// A pool with one position over so many ticks on both sides of tick 0.
pub(crate) fn one_range<R: Rules>(rules: R, half: i32, liquidity: i128) -> Pool<R> {
    let mut pool = pool(
        &Sketch {
            spacing: 10,
            tick: 0,
            within: 0,
            positions: Vec::new(),
        },
        rules,
    );
    pool.update_position(-half, half, liquidity).unwrap();
    pool
}

fn swapped<R: Rules + Copy>(pool: &Pool<R>, sold: Side, amount: Amount) -> Option<(u128, Pool<R>)> {
    let swapped = pool
        .swap_to(sold, amount, R::widest_limit(sold), R::SKIP_AHEAD)
        .ok()?;
    let mut after = pool.clone();
    after.apply(&swapped);
    Some((swapped.bought, after))
}

/// Ticks and ratios lead to each other, and a ratio just below a tick belongs
/// to the tick before.
pub(crate) fn ratios_lead_back<R: Rules>(tick: i32) -> Checked {
    let at = R::sqrt_ratio_at(tick).unwrap();
    if tick < R::MAX_TICK {
        prop_assert_eq!(R::tick_at(at), Some(tick));
        prop_assert_eq!(R::tick_at(at + U256::ONE), Some(tick));
        prop_assert!(R::sqrt_ratio_at(tick + 1).unwrap() > at);
    }
    let before = (tick > R::MIN_TICK).then(|| tick - 1);
    prop_assert_eq!(R::tick_at(at - U256::ONE), before);
    Ok(())
}

pub(crate) fn ratios_end_at_the_bounds<R: Rules>() {
    assert_eq!(R::sqrt_ratio_at(R::MIN_TICK - 1), None);
    assert_eq!(R::sqrt_ratio_at(R::MAX_TICK + 1), None);
    assert_eq!(R::sqrt_ratio_at(i32::MIN), None);
    assert_eq!(R::tick_at(U256::ZERO), None);
    assert_eq!(R::tick_at(U256::MAX), None);
    let powers = (0..31)
        .map(|bit| 1 << bit)
        .filter(|tick| *tick <= R::MAX_TICK);
    let near = [
        R::MIN_TICK,
        R::MIN_TICK + 1,
        -1,
        0,
        1,
        R::MAX_TICK - 1,
        R::MAX_TICK,
    ];
    for tick in powers.flat_map(|tick| [tick, -tick]).chain(near) {
        ratios_lead_back::<R>(tick).unwrap();
    }
}

/// Selling what a sale bought never gives back more than was sold.
pub(crate) fn round_trips_create_nothing<R: Rules + Copy>(
    pool: &Pool<R>,
    sold: Side,
    amount: u128,
) -> Checked {
    let Ok(fill) = pool.exact_in(sold, U256::from(amount)) else {
        return Ok(());
    };
    let (bought, _) = swapped(pool, sold, Amount::In(amount)).unwrap();
    prop_assert_eq!(fill.bought, U256::from(bought));
    if bought == 0 {
        return Ok(());
    }
    let after = pool.after(sold, &fill).unwrap();
    let (back, _) = swapped(&after, sold.other(), Amount::In(bought)).unwrap();
    prop_assert!(back <= amount, "{} became {}", amount, back);
    Ok(())
}

/// What a purchase takes buys at least as much when it is sold.
pub(crate) fn a_purchase_can_be_made_as_a_sale<R: Rules>(
    pool: &Pool<R>,
    sold: Side,
    amount: u128,
) -> Checked {
    if let Ok(fill) = pool.exact_out(sold, U256::from(amount)) {
        prop_assert_eq!(fill.bought, U256::from(amount));
        prop_assert!(pool.exact_in(sold, fill.sold).unwrap().bought >= fill.bought);
    }
    Ok(())
}

/// The capacity in a refusal trades, and one unit more does not.
pub(crate) fn capacity_is_exact<R: Rules>(pool: &Pool<R>, sold: Side) -> Checked {
    type Trade<R> = fn(&Pool<R>, Side, U256) -> Result<crate::Fill, Refusal>;
    let ways: [Trade<R>; 2] = [Pool::exact_in, Pool::exact_out];
    for trade in ways {
        let Err(Refusal::TooMuch { most }) = trade(pool, sold, U256::MAX) else {
            return Err(TestCaseError::fail("no pool trades everything"));
        };
        if !most.is_zero() {
            prop_assert!(trade(pool, sold, most).is_ok(), "{} does not trade", most);
        }
        let more = most + U256::ONE;
        prop_assert_eq!(trade(pool, sold, more), Err(Refusal::TooMuch { most }));
    }
    Ok(())
}

/// After any swap the active liquidity is that of the positions around the
/// tick, and the ratio lies within the tick.
pub(crate) fn state_stays_consistent<R: Rules + Copy>(
    pool: &Pool<R>,
    sold: Side,
    amount: Amount,
) -> Checked {
    let Some((_, after)) = swapped(pool, sold, amount) else {
        return Ok(());
    };
    let below = after.ticks.iter().filter(|tick| tick.index <= after.tick);
    let active: i128 = below.map(|tick| tick.net).sum();
    prop_assert_eq!(after.liquidity, u128::try_from(active).unwrap());
    let lowest = R::sqrt_ratio_at(after.tick.max(R::MIN_TICK)).unwrap();
    let highest = R::sqrt_ratio_at((after.tick + 1).min(R::MAX_TICK)).unwrap();
    prop_assert!((lowest..=highest).contains(&after.sqrt_ratio));
    Ok(())
}

/// Taking a position out never gives more than putting it in took.
pub(crate) fn positions_create_nothing<R: Rules>(
    sqrt_ratio: U256,
    lower: i32,
    upper: i32,
    liquidity: i128,
) -> Checked {
    let added = R::position_amounts(sqrt_ratio, lower, upper, liquidity);
    let removed = R::position_amounts(sqrt_ratio, lower, upper, -liquidity);
    if let (Some(added), Some(removed)) = (added, removed) {
        prop_assert!(removed[0] <= added[0] && added[0] - removed[0] <= 1);
        prop_assert!(removed[1] <= added[1] && added[1] - removed[1] <= 1);
    }
    Ok(())
}

/// The ladder is within a billionth of the exact curve, apart from the unit
/// that each step rounds on both sides.
pub(crate) fn the_ladder_is_close<R: Rules>(pool: &Pool<R>, sold: Side, share: f64) -> Checked {
    let ladder = pool.ladder(sold);
    let (most, _) = ladder.until(f64::INFINITY);
    let amount = U256::saturating_from(most * share);
    if amount.is_zero() {
        return Ok(());
    }
    let Ok(fill) = pool.exact_in(sold, amount) else {
        return Ok(());
    };
    let close = ladder.bought_for(f64::from(amount)).unwrap();
    let exact = f64::from(fill.bought);
    let steps = f64::from(fill.ticks) + 2.0;
    let units = steps * (1.0 + pool.price(sold));
    let off = (close - exact).abs();
    prop_assert!(
        off <= exact * 1e-9 + units,
        "{} for {}, {} off",
        close,
        exact,
        off
    );
    Ok(())
}

/// A pool without liquidity trades nothing and has no price.
pub(crate) fn an_empty_pool_refuses<R: Rules>(pool: &Pool<R>) {
    let nothing = Err(Refusal::TooMuch { most: U256::ZERO });
    for sold in Side::BOTH {
        assert_eq!(pool.exact_in(sold, U256::ZERO), Err(Refusal::Nothing));
        assert_eq!(pool.exact_out(sold, U256::ZERO), Err(Refusal::Nothing));
        assert_eq!(pool.exact_in(sold, U256::ONE), nothing);
        assert_eq!(pool.exact_out(sold, U256::MAX), nothing);
        assert!(pool.price(sold).abs() < f64::MIN_POSITIVE);
        assert!(pool.ladder(sold).rungs().is_empty());
    }
}
