//! Pools of the Uniswap v3 type against a published port of its libraries. The
//! walk over its bitmap is written here, from those parts.

use crate::draw::{Draw, SWAPS};
use alloy_primitives::I256;
use amm::Side;
use amm::v3::{
    Amount, FEE_TIERS, FEE_UNIT, MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK, Pool, Step,
    Swapped, V3Terms, sqrt_ratio_at, step, tick_at,
};
use oracles::cases;
use primitives::U256;
use std::collections::HashMap;
use uniswap_v3_math::swap_math::compute_swap_step;
use uniswap_v3_math::tick_bitmap::{flip_tick, next_initialized_tick_within_one_word};
use uniswap_v3_math::tick_math::{get_sqrt_ratio_at_tick, get_tick_at_sqrt_ratio};

fn fee(draw: &mut Draw) -> u32 {
    let any = draw.within(0, 999_999).unsigned_abs();
    let tier = draw.one_of(&FEE_TIERS.map(|(fee, _)| fee));
    draw.one_of(&[tier, tier, any, 0, FEE_UNIT - 1])
}

fn signed(amount: Amount) -> I256 {
    let value = I256::from_raw(U256::from(amount.value()));
    match amount {
        Amount::In(_) => value,
        Amount::Out(_) => -value,
    }
}

/// A published step; `None` if it fails or its amounts have 129 bits or more.
fn published_step(
    fee: u32,
    sqrt_ratio: U256,
    liquidity: u128,
    limit: U256,
    amount: Amount,
) -> Option<Step> {
    let answer = compute_swap_step(sqrt_ratio, limit, liquidity, signed(amount), fee);
    let (end, taken, bought, charged) = answer.ok()?;
    let gross = taken.checked_add(charged)?;
    let (consumed, calculated) = match amount {
        Amount::In(_) => (gross, bought),
        Amount::Out(_) => (bought, gross),
    };
    Some(Step {
        consumed: u128::try_from(consumed).ok()?,
        calculated: u128::try_from(calculated).ok()?,
        fee: u128::try_from(charged).ok()?,
        sqrt_ratio: end,
    })
}

#[test]
fn ticks_and_ratios_equal_the_published_ones() {
    let draw = &mut Draw::new(6);
    for _ in 0..cases() {
        let tick = draw.tick::<V3Terms>();
        assert_eq!(sqrt_ratio_at(tick), get_sqrt_ratio_at_tick(tick).ok());
        let ratio = draw.ratio::<V3Terms>();
        assert_eq!(tick_at(ratio), get_tick_at_sqrt_ratio(ratio).ok());
    }
    for ratio in [MIN_SQRT_RATIO - U256::ONE, MAX_SQRT_RATIO] {
        assert_eq!(tick_at(ratio), get_tick_at_sqrt_ratio(ratio).ok());
    }
}

#[test]
fn steps_equal_the_published_ones() {
    let draw = &mut Draw::new(7);
    let mut traded = 0;
    for _ in 0..cases() {
        let (a, b) = (draw.ratio::<V3Terms>(), draw.ratio::<V3Terms>());
        // The published step takes its direction from the ratios.
        let sold = if a >= b { Side::Token0 } else { Side::Token1 };
        let (fee, liquidity, amount) = (fee(draw), draw.number(128), draw.amount(128));
        // To buy nothing looks like a sale, which no swap asks for.
        if amount == Amount::Out(0) {
            continue;
        }
        let ours = step(fee, sold, a, liquidity, b, amount);
        assert_eq!(ours, published_step(fee, a, liquidity, b, amount));
        traded += usize::from(ours.is_some_and(|step| step.calculated > 0));
    }
    assert!(traded > cases() / 4, "only {traded} cases traded");
}

/// A swap made of the published parts.
fn published_swap(
    pool: &Pool,
    bitmap: &HashMap<i16, U256>,
    sold: Side,
    amount: Amount,
    limit: U256,
) -> Option<Swapped> {
    let falls = sold == Side::Token0;
    let spacing = i32::try_from(pool.tick_spacing).unwrap();
    let (mut ratio, mut tick, mut liquidity) = (pool.sqrt_ratio, pool.tick, pool.liquidity);
    let (mut left, mut calculated, mut fees, mut crossed) = (amount.value(), 0_u128, 0_u128, 0);
    while left != 0 && ratio != limit {
        let next = next_initialized_tick_within_one_word(bitmap, tick, spacing, falls);
        let (next, initialised) = next.ok()?;
        let next = next.clamp(MIN_TICK, MAX_TICK);
        let end = get_sqrt_ratio_at_tick(next).ok()?;
        let nearer = if falls {
            end.max(limit)
        } else {
            end.min(limit)
        };
        let named = match amount {
            Amount::In(_) => Amount::In(left),
            Amount::Out(_) => Amount::Out(left),
        };
        let step = published_step(pool.rules.fee, ratio, liquidity, nearer, named)?;
        left -= step.consumed;
        calculated = calculated.checked_add(step.calculated)?;
        fees = fees.checked_add(step.fee)?;
        if step.sqrt_ratio == end {
            if initialised {
                let at = pool.ticks.iter().find(|at| at.index == next).unwrap();
                let gained = if falls { -at.net } else { at.net };
                liquidity = liquidity.checked_add_signed(gained)?;
                crossed += 1;
            }
            tick = if falls { next - 1 } else { next };
        } else if step.sqrt_ratio != ratio {
            tick = get_tick_at_sqrt_ratio(step.sqrt_ratio).ok()?;
        }
        ratio = step.sqrt_ratio;
    }
    let used = amount.value() - left;
    let (sold, bought) = match amount {
        Amount::In(_) => (used, calculated),
        Amount::Out(_) => (calculated, used),
    };
    Some(Swapped {
        sold,
        bought,
        fee: fees,
        ticks_crossed: crossed,
        sqrt_ratio_after: ratio,
        tick_after: tick,
        liquidity_after: liquidity,
    })
}

#[test]
fn swaps_equal_those_of_the_published_parts() {
    let draw = &mut Draw::new(8);
    let mut crossed = 0;
    for _ in 0..cases().div_ceil(SWAPS) {
        let fee = fee(draw);
        let (mut pool, _) = draw.pool(V3Terms { fee }, &[10, 60, 200, 2_000], 100);
        let mut bitmap = HashMap::new();
        let spacing = i32::try_from(pool.tick_spacing).unwrap();
        for tick in pool.ticks.iter() {
            flip_tick(&mut bitmap, tick.index, spacing).unwrap();
        }
        for _ in 0..SWAPS {
            let (sold, amount) = (draw.side(), draw.amount(128));
            let limit = draw.limit::<V3Terms>(sold, pool.sqrt_ratio);
            let Ok(ours) = pool.swap(sold, amount, limit) else {
                let ratio = pool.sqrt_ratio;
                let stuck = ratio == limit || ratio == MIN_SQRT_RATIO;
                let theirs = published_swap(&pool, &bitmap, sold, amount, limit);
                assert!(stuck || theirs.is_none());
                continue;
            };
            let theirs = published_swap(&pool, &bitmap, sold, amount, limit);
            assert_eq!(Some(ours), theirs);
            crossed += ours.ticks_crossed;
            pool.apply(&ours);
        }
    }
    assert!(usize::try_from(crossed).unwrap() > cases() / 10);
}
