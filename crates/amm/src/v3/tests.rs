use super::*;
use crate::Curve;
use crate::concentrated::tests::{self, Sketch, numbers, one_range, pool, sides, sketches};
use proptest::prelude::*;

const ONE: U256 = U256::from_limbs([0, 1 << 32, 0, 0]);
const TERMS: V3Terms = V3Terms { fee: 3_000 };

fn any_terms() -> impl Strategy<Value = V3Terms> {
    let tiers = FEE_TIERS.map(|(fee, _)| fee);
    let fee = prop_oneof![prop::sample::select(tiers.to_vec()), 0..FEE_UNIT];
    fee.prop_map(|fee| V3Terms { fee })
}

#[test]
fn bounds_are_those_of_the_ticks() {
    assert_eq!(sqrt_ratio_at(MIN_TICK), Some(MIN_SQRT_RATIO));
    assert_eq!(sqrt_ratio_at(MAX_TICK), Some(MAX_SQRT_RATIO));
    assert_eq!(tick_at(MAX_SQRT_RATIO), None);
    assert_eq!(sqrt_ratio_at(0), Some(ONE));
    tests::ratios_end_at_the_bounds::<V3Terms>();
}

#[test]
fn limits_on_the_wrong_side_or_at_the_bounds_revert() {
    let pool = one_range(TERMS, 1_000, 1_000_000);
    let swap = |sold, limit| pool.swap(sold, Amount::In(5), limit);
    assert_eq!(swap(Side::Token1, ONE), Err(Reverted::Limit));
    assert_eq!(swap(Side::Token0, ONE), Err(Reverted::Limit));
    assert_eq!(swap(Side::Token0, MIN_SQRT_RATIO), Err(Reverted::Limit));
    assert_eq!(swap(Side::Token1, MAX_SQRT_RATIO), Err(Reverted::Limit));
}

#[test]
fn steps_split_at_the_edges_of_words() {
    let pool = one_range(TERMS, 200_000, 3_000_000_007);
    let swap = pool.swap(
        Side::Token0,
        Amount::In(1 << 32),
        MIN_SQRT_RATIO + U256::ONE,
    );
    let split = swap.unwrap();
    let amount = Amount::In(1 << 32);
    let whole = step(
        3_000,
        Side::Token0,
        ONE,
        pool.liquidity,
        MIN_SQRT_RATIO,
        amount,
    );
    assert!(split.fee > whole.unwrap().fee);
    assert_eq!(split.sold, 1 << 32);
}

#[test]
fn a_fee_of_everything_is_refused() {
    let pool = one_range(V3Terms { fee: FEE_UNIT }, 1_000, 1_000_000);
    let limit = MIN_SQRT_RATIO + U256::ONE;
    let swap = pool.swap(Side::Token0, Amount::In(5), limit);
    assert_eq!(swap, Err(Reverted::Overflow));
}

#[test]
fn an_empty_pool_refuses() {
    let sketch = Sketch {
        spacing: 5,
        tick: -17,
        within: 9,
        positions: Vec::new(),
    };
    tests::an_empty_pool_refuses(&pool(&sketch, TERMS));
}

#[test]
fn the_last_tick_ends_the_pool() {
    let pool = one_range(TERMS, 1_000, 1_000_000_000);
    let limit = MAX_SQRT_RATIO - U256::ONE;
    let all = pool
        .swap(Side::Token1, Amount::In(u128::MAX), limit)
        .unwrap();
    assert_eq!((all.liquidity_after, all.ticks_crossed), (0, 1));
    assert_eq!(all.tick_after, MAX_TICK - 1);
    let fill = pool.exact_in(Side::Token1, U256::from(all.sold)).unwrap();
    assert_eq!(fill.bought, U256::from(all.bought));
}

proptest! {
    #[test]
    fn ticks_and_ratios_lead_to_each_other(tick in MIN_TICK..=MAX_TICK) {
        tests::ratios_lead_back::<V3Terms>(tick)?;
    }

    #[test]
    fn round_trips_create_nothing(
        sketch in sketches(800_000, 110), terms in any_terms(), sold in sides(), amount in numbers(127),
    ) {
        tests::round_trips_create_nothing(&pool(&sketch, terms), sold, amount)?;
    }

    #[test]
    fn a_purchase_can_be_made_as_a_sale(
        // Within these bounds no sale gives 2^128, which would be refused.
        sketch in sketches(400_000, 90), terms in any_terms(), sold in sides(), amount in numbers(127),
    ) {
        tests::a_purchase_can_be_made_as_a_sale(&pool(&sketch, terms), sold, amount)?;
    }

    #[test]
    fn capacity_is_exact(sketch in sketches(800_000, 110), terms in any_terms(), sold in sides()) {
        tests::capacity_is_exact(&pool(&sketch, terms), sold)?;
    }

    #[test]
    fn state_stays_consistent(
        sketch in sketches(800_000, 110), terms in any_terms(), sold in sides(), amount in numbers(127),
    ) {
        let pool = pool(&sketch, terms);
        tests::state_stays_consistent(&pool, sold, Amount::In(amount))?;
        tests::state_stays_consistent(&pool, sold, Amount::Out(amount))?;
    }

    #[test]
    fn positions_create_nothing(
        at in MIN_TICK..MAX_TICK, lower in MIN_TICK..MAX_TICK, width in 1..10_000, liquidity in 1..=i128::MAX,
    ) {
        let ratio = sqrt_ratio_at(at).unwrap();
        tests::positions_create_nothing::<V3Terms>(ratio, lower, lower + width, liquidity)?;
    }

    #[test]
    fn the_ladder_is_close(
        mut sketch in sketches(100_000, 100), terms in any_terms(), sold in sides(), share in 0.0_f64..1.0,
    ) {
        for (_, _, liquidity) in &mut sketch.positions {
            *liquidity += 1 << 70;
        }
        tests::the_ladder_is_close(&pool(&sketch, terms), sold, share)?;
    }
}
