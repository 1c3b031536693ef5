use super::*;
use crate::concentrated::tests::{self, Sketch, numbers, one_range, pool, sides, sketches};
use crate::{Curve, Refusal};
use proptest::prelude::*;

const ONE: U256 = U256::from_limbs([0, 0, 1, 0]);

/// Thirty basis points.
const FEE: u128 = u128::MAX / 1_000 * 3;

fn terms(fee: u128) -> EkuboTerms {
    EkuboTerms {
        fee,
        rounding: Rounding::Exact,
    }
}

fn any_terms() -> impl Strategy<Value = EkuboTerms> {
    let rounding = prop_oneof![Just(Rounding::Older), Just(Rounding::Exact)];
    let fee = prop_oneof![Just(0), Just(FEE), Just(u128::MAX), any::<u128>()];
    (fee, rounding).prop_map(|(fee, rounding)| EkuboTerms { fee, rounding })
}

#[test]
fn bounds_are_those_of_the_ticks() {
    assert_eq!(sqrt_ratio_at(MIN_TICK), Some(MIN_SQRT_RATIO));
    assert_eq!(sqrt_ratio_at(MAX_TICK), Some(MAX_SQRT_RATIO));
    assert_eq!(tick_at(MAX_SQRT_RATIO), Some(MAX_TICK));
    assert_eq!(sqrt_ratio_at(0), Some(ONE));
    tests::ratios_end_at_the_bounds::<EkuboTerms>();
}

#[test]
fn the_two_roundings_differ_where_the_first_token_is_dear() {
    let ratio = sqrt_ratio_at(MAX_TICK - 1).unwrap();
    let after = |rounding| {
        let amount = Amount::In(1);
        let limit = MIN_SQRT_RATIO;
        let step = step(rounding, 0, Side::Token0, ratio, 1 << 63, limit, amount);
        step.unwrap().sqrt_ratio
    };
    // One unit is two thirds of what the range holds, which rounds down to none.
    let a_third: U256 = "2092366731423230380742239773058784341020777786053236834275"
        .parse()
        .unwrap();
    assert_eq!(after(Rounding::Exact), a_third);
    assert_eq!(after(Rounding::Older), U256::from(1_u128 << 63) << 128);
}

#[test]
fn an_exact_sale_may_need_more_than_256_bits() {
    let [ratio, limit] = [U256::ONE << 191, MIN_SQRT_RATIO];
    let (liquidity, amount) = (1 << 60, Amount::In(1 << 66));
    let step = step(
        Rounding::Exact,
        0,
        Side::Token0,
        ratio,
        liquidity,
        limit,
        amount,
    );
    // 2^379 / (2^257 + 2^188), rounded up.
    let expected = (U256::ONE << 122) - (U256::ONE << 53) + U256::ONE;
    assert_eq!(step.unwrap().sqrt_ratio, expected);
}

#[test]
fn a_sale_too_small_to_move_the_price_is_all_fee() {
    let pool = one_range(terms(FEE), 1_000, 1 << 100);
    let swap = pool.swap(Side::Token0, Amount::In(1), MIN_SQRT_RATIO, SKIP_AHEAD);
    let swapped = swap.unwrap();
    assert_eq!((swapped.sold, swapped.bought, swapped.fee), (1, 0, 1));
    assert_eq!(swapped.sqrt_ratio_after, pool.sqrt_ratio);
    assert_eq!(swapped.tick_after, 0);
}

#[test]
fn a_swap_that_stays_does_not_return_to_the_tick_it_fell_through() {
    let mut pool = one_range(terms(FEE), 1_000, 1 << 100);
    pool.update_position(-1_000, 0, 5 << 100).unwrap();
    let fall = pool.swap(Side::Token0, Amount::In(1 << 60), ONE, 0);
    // The limit is where the pool stands, so that nothing happens.
    assert_eq!(fall.unwrap().sold, 0);
    let below = ONE - U256::ONE;
    let fallen = pool
        .swap(Side::Token0, Amount::In(1 << 60), below, 0)
        .unwrap();
    assert_eq!((fallen.tick_after, fallen.liquidity_after), (-1, 6 << 100));
    pool.apply(&fallen);
    pool.sqrt_ratio = ONE;
    let stays = pool
        .swap(Side::Token0, Amount::In(1), MIN_SQRT_RATIO, 0)
        .unwrap();
    assert_eq!((stays.tick_after, stays.liquidity_after), (-1, 6 << 100));
}

#[test]
fn limits_on_the_wrong_side_or_out_of_bounds_revert() {
    let pool = one_range(terms(0), 1_000, 1_000_000);
    let swap = |sold, limit| pool.swap(sold, Amount::In(5), limit, 0);
    assert_eq!(swap(Side::Token1, ONE), Err(Reverted::Limit));
    assert_eq!(swap(Side::Token1, ONE - U256::ONE), Err(Reverted::Limit));
    assert_eq!(swap(Side::Token0, ONE + U256::ONE), Err(Reverted::Limit));
    let beyond = MAX_SQRT_RATIO + U256::ONE;
    assert_eq!(swap(Side::Token1, beyond), Err(Reverted::Limit));
    assert_eq!(
        swap(Side::Token0, MIN_SQRT_RATIO - U256::ONE),
        Err(Reverted::Limit)
    );
}

#[test]
fn a_pool_at_the_end_of_all_prices_takes_nothing_more() {
    let mut pool = one_range(terms(0), 1_000, 1_000_000);
    let swap = pool.swap(
        Side::Token1,
        Amount::In(u128::MAX),
        MAX_SQRT_RATIO,
        SKIP_AHEAD,
    );
    let swapped = swap.unwrap();
    assert_eq!(swapped.tick_after, MAX_TICK);
    assert_eq!((swapped.liquidity_after, swapped.ticks_crossed), (0, 1));
    pool.apply(&swapped);
    let full = Err(Refusal::TooMuch { most: U256::ZERO });
    assert_eq!(pool.exact_in(Side::Token1, U256::ONE), full);
    let swap = pool.swap(
        Side::Token0,
        Amount::In(u128::MAX),
        MIN_SQRT_RATIO,
        SKIP_AHEAD,
    );
    let back = swap.unwrap();
    assert_eq!(back.tick_after, MIN_TICK - 1);
    assert_eq!(back.ticks_crossed, 2);
    pool.apply(&back);
    assert_eq!(pool.exact_in(Side::Token0, U256::ONE), full);
    assert!(pool.exact_in(Side::Token1, U256::from(100)).is_ok());
}

#[test]
fn a_price_in_a_gap_is_that_of_the_next_range() {
    let mut pool = one_range(terms(0), 100, 1_000_000_000);
    pool.update_position(-100, 100, -1_000_000_000).unwrap();
    pool.update_position(2_000_000, 2_000_010, 1_000_000_000_000)
        .unwrap();
    assert_eq!(pool.liquidity, 0);
    assert!((pool.price(Side::Token1) - (-2.0_f64).exp()).abs() < 1e-6);
    assert!(pool.price(Side::Token0).abs() < f64::MIN_POSITIVE);
    assert_eq!(
        pool.exact_in(Side::Token1, U256::from(1_000))
            .unwrap()
            .ticks,
        1
    );
}

#[test]
fn a_ladder_has_a_piece_for_each_range_and_a_bounded_number() {
    let mut pool = one_range(terms(FEE), 100, 1 << 80);
    pool.update_position(-300, -200, 1 << 80).unwrap();
    let slopes: Vec<bool> = pool
        .ladder(Side::Token0)
        .rungs()
        .iter()
        .map(|rung| rung.slope > 0.0)
        .collect();
    assert_eq!(slopes, [true, false, true]);
    for half in 11..700 {
        pool.update_position(-half * 10, half * 10, 1 << 80)
            .unwrap();
    }
    let ladder = pool.ladder(Side::Token1);
    assert_eq!(ladder.rungs().len(), 512);
    let (most, _) = ladder.until(f64::INFINITY);
    assert!(
        pool.exact_in(Side::Token1, U256::saturating_from(most * 1.05))
            .is_ok()
    );
}

#[test]
fn steps_split_at_the_edges_of_words_when_none_is_skipped() {
    let mut pool = one_range(terms(FEE), 20_000_000, 3_000_000_007);
    pool.tick_spacing = 10;
    let swap = |skip| pool.swap(Side::Token0, Amount::In(1 << 30), MIN_SQRT_RATIO, skip);
    let (split, whole) = (swap(0).unwrap(), swap(100_000).unwrap());
    assert_eq!((split.sold, whole.sold), (1 << 30, 1 << 30));
    assert!(split.fee > whole.fee && split.bought < whole.bought);
}

#[test]
fn an_empty_pool_refuses() {
    let sketch = Sketch {
        spacing: 5,
        tick: -17,
        within: 9,
        positions: Vec::new(),
    };
    tests::an_empty_pool_refuses(&pool(&sketch, terms(FEE)));
}

#[test]
fn positions_are_one_sided_outside_their_range() {
    let amounts = |tick| position_amounts(sqrt_ratio_at(tick).unwrap(), -10, 10, 1 << 60);
    let [below, above] = [-10, 10].map(|tick| amounts(tick).unwrap());
    assert!(below[0] > 0 && below[1] == 0);
    assert!(above[0] == 0 && above[1] > 0);
    assert_eq!(position_amounts(ONE, 10, 10, 1), None);
    assert_eq!(position_amounts(ONE, 0, MAX_TICK + 1, 1), None);
    assert_eq!(position_amounts(ONE, 0, 1, 0), Some([0, 0]));
}

proptest! {
    #[test]
    fn ticks_and_ratios_lead_to_each_other(tick in MIN_TICK..=MAX_TICK) {
        tests::ratios_lead_back::<EkuboTerms>(tick)?;
    }

    #[test]
    fn fees_undo_each_other(amount: u128, fee: u128) {
        if let Some(gross) = with_fee(amount, fee) {
            prop_assert!(gross - fee_on(gross, fee) >= amount);
            prop_assert!(gross == 0 || gross - 1 - fee_on(gross - 1, fee) < amount);
        }
    }

    #[test]
    fn the_exact_ratio_after_a_sale_is_the_lowest_that_it_pays_for(
        tick in MIN_TICK..MAX_TICK,
        liquidity in numbers(127),
        amount in numbers(127),
    ) {
        let ratio = sqrt_ratio_at(tick).unwrap();
        let limit = U256::ONE;
        let amount = Amount::In(amount);
        let step = step(Rounding::Exact, 0, Side::Token0, ratio, liquidity, limit, amount);
        if let Some(step) = step && step.sqrt_ratio > limit {
            let needs = |end| amount0_delta(ratio, end, liquidity, true);
            prop_assert!(needs(step.sqrt_ratio).unwrap() <= amount.value());
            let lower = needs(step.sqrt_ratio - U256::ONE);
            prop_assert!(lower.is_none_or(|lower| lower > amount.value()));
        }
    }

    #[test]
    fn round_trips_create_nothing(
        sketch in sketches(80_000_000, 110), terms in any_terms(), sold in sides(), amount in numbers(127),
    ) {
        tests::round_trips_create_nothing(&pool(&sketch, terms), sold, amount)?;
    }

    #[test]
    fn buying_what_a_sale_gave_costs_no_more(
        sketch in sketches(80_000_000, 110), terms in any_terms(), sold in sides(), amount in numbers(127),
    ) {
        let pool = pool(&sketch, terms);
        if let Ok(fill) = pool.exact_in(sold, U256::from(amount)) && !fill.bought.is_zero() {
            prop_assert!(pool.exact_out(sold, fill.bought).unwrap().sold <= fill.sold);
        }
    }

    #[test]
    fn a_purchase_can_be_made_as_a_sale(
        sketch in sketches(80_000_000, 110), fee: u128, sold in sides(), amount in numbers(127),
    ) {
        tests::a_purchase_can_be_made_as_a_sale(&pool(&sketch, terms(fee)), sold, amount)?;
    }

    #[test]
    fn capacity_is_exact(sketch in sketches(80_000_000, 110), terms in any_terms(), sold in sides()) {
        tests::capacity_is_exact(&pool(&sketch, terms), sold)?;
    }

    #[test]
    fn state_stays_consistent(
        sketch in sketches(80_000_000, 110), terms in any_terms(), sold in sides(), amount in numbers(127),
    ) {
        let pool = pool(&sketch, terms);
        tests::state_stays_consistent(&pool, sold, Amount::In(amount))?;
        tests::state_stays_consistent(&pool, sold, Amount::Out(amount))?;
    }

    #[test]
    fn positions_create_nothing(
        at in MIN_TICK..MAX_TICK, lower in MIN_TICK..MAX_TICK, width in 1..1_000_000, liquidity in 1..=i128::MAX,
    ) {
        let ratio = sqrt_ratio_at(at).unwrap();
        tests::positions_create_nothing::<EkuboTerms>(ratio, lower, lower + width, liquidity)?;
    }

    #[test]
    fn the_ladder_is_close(
        mut sketch in sketches(10_000_000, 100), fee in 0..u128::MAX / 10, sold in sides(), share in 0.0_f64..1.0,
    ) {
        for (_, _, liquidity) in &mut sketch.positions {
            *liquidity += 1 << 70;
        }
        tests::the_ladder_is_close(&pool(&sketch, terms(fee)), sold, share)?;
    }
}
