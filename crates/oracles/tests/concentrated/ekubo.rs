//! Ekubo's pools, against its published maths, which has the older rounding and
//! no edges of words, and against Python for everything.

use crate::draw::{Draw, SWAPS};
use crate::python::answers;
use amm::Side;
use amm::ekubo::{
    Amount, EkuboTerms, MAX_SQRT_RATIO, MAX_TICK, MAX_TICK_SPACING, MIN_SQRT_RATIO, MIN_TICK, Pool,
    Rounding, Step, Swapped, sqrt_ratio_at, step, tick_at,
};
use ekubo_sdk::chain::starknet::{
    Starknet, StarknetConcentratedPool, StarknetConcentratedPoolKey, StarknetConcentratedPoolState,
};
use ekubo_sdk::math::swap::{ComputeStepError, compute_step};
use ekubo_sdk::math::tick::{sqrt_ratio_to_tick, to_sqrt_ratio};
use ekubo_sdk::quoting::pools::concentrated::TickSpacing;
use ekubo_sdk::quoting::types::{
    Pool as _, PoolConfig, PoolKey, Quote, QuoteParams, Tick, TokenAmount,
};
use oracles::cases;
use primitives::U256;
use std::panic::catch_unwind;

const SPACINGS: [u32; 8] = [1, 2, 10, 100, 1_000, 5_982, 19_802, MAX_TICK_SPACING];

/// Amounts are signed in the published maths.
const BITS: u32 = 127;

fn fee(draw: &mut Draw) -> u128 {
    let share = draw.number(128);
    let basis_point = u128::MAX / 10_000;
    let usual = [
        0,
        1,
        basis_point,
        5 * basis_point,
        30 * basis_point,
        100 * basis_point,
    ];
    let fee = draw.one_of(&usual);
    draw.one_of(&[fee, fee, fee, share])
}

fn signed(amount: Amount) -> i128 {
    match amount {
        Amount::In(value) => value.cast_signed(),
        Amount::Out(value) => -value.cast_signed(),
    }
}

/// Whether the amount is of the second token.
fn names_token1(sold: Side, amount: Amount) -> bool {
    matches!(
        (sold, amount),
        (Side::Token1, Amount::In(_)) | (Side::Token0, Amount::Out(_))
    )
}

/// A step of any size from any price.
struct Case {
    fee: u128,
    sold: Side,
    sqrt_ratio: U256,
    liquidity: u128,
    limit: U256,
    amount: Amount,
}

impl Case {
    fn draw(draw: &mut Draw) -> Self {
        let sqrt_ratio = draw.ratio::<EkuboTerms>();
        let sold = draw.side();
        let any = draw.ratio::<EkuboTerms>();
        // Most limits are on the right side.
        let limit = match sold {
            _ if draw.rarely(20) => any,
            Side::Token0 => any.min(sqrt_ratio),
            Side::Token1 => any.max(sqrt_ratio),
        };
        Self {
            fee: fee(draw),
            sold,
            sqrt_ratio,
            liquidity: draw.number(128),
            limit,
            amount: draw.amount(BITS),
        }
    }

    fn step(&self, rounding: Rounding) -> Option<Step> {
        step(
            rounding,
            self.fee,
            self.sold,
            self.sqrt_ratio,
            self.liquidity,
            self.limit,
            self.amount,
        )
    }
}

#[test]
fn ticks_and_ratios_equal_the_published_ones() {
    let draw = &mut Draw::new(1);
    for _ in 0..cases() {
        let tick = draw.tick::<EkuboTerms>();
        assert_eq!(sqrt_ratio_at(tick), to_sqrt_ratio::<Starknet>(tick));
        let ratio = draw.ratio::<EkuboTerms>();
        assert_eq!(tick_at(ratio), Some(sqrt_ratio_to_tick::<Starknet>(ratio)));
    }
    for tick in [MIN_TICK - 1, MAX_TICK + 1, i32::MIN, i32::MAX] {
        assert_eq!(sqrt_ratio_at(tick), to_sqrt_ratio::<Starknet>(tick));
    }
    assert_eq!(tick_at(MIN_SQRT_RATIO), Some(MIN_TICK));
    assert_eq!(tick_at(MAX_SQRT_RATIO), Some(MAX_TICK));
}

#[test]
fn older_steps_equal_the_published_ones() {
    let draw = &mut Draw::new(2);
    let mut traded = 0;
    for _ in 0..cases() {
        let case = Case::draw(draw);
        let published = compute_step::<Starknet>(
            case.sqrt_ratio,
            case.liquidity,
            case.limit,
            signed(case.amount),
            names_token1(case.sold, case.amount),
            case.fee,
        );
        let ours = case.step(Rounding::Older);
        // Signed amounts end a bit earlier than the contract's.
        if published == Err(ComputeStepError::SignedIntegerOverflow) {
            assert!(ours.unwrap().consumed > i128::MAX.unsigned_abs());
            continue;
        }
        let published = published.ok().map(|step| Step {
            consumed: step.consumed_amount.unsigned_abs(),
            calculated: step.calculated_amount,
            fee: step.fee_amount,
            sqrt_ratio: step.sqrt_ratio_next,
        });
        assert_eq!(ours, published);
        traded += usize::from(ours.is_some_and(|step| step.calculated > 0));
    }
    assert!(traded > cases() / 4, "only {traded} cases traded");
}

/// The pool as the published maths holds it.
fn published(pool: &Pool) -> StarknetConcentratedPool {
    let ticks = pool.ticks.iter().map(|tick| Tick {
        index: tick.index,
        liquidity_delta: tick.net,
    });
    let key: StarknetConcentratedPoolKey = PoolKey {
        token0: 1_u8.into(),
        token1: 2_u8.into(),
        config: PoolConfig {
            extension: 0_u8.into(),
            fee: pool.rules.fee,
            pool_type_config: TickSpacing(pool.tick_spacing),
        },
    };
    let below = pool.ticks.iter().take_while(|tick| tick.index <= pool.tick);
    let state = StarknetConcentratedPoolState {
        sqrt_ratio: pool.sqrt_ratio,
        liquidity: pool.liquidity,
        active_tick_index: below.count().checked_sub(1),
    };
    StarknetConcentratedPool::new(key, state, ticks.collect()).unwrap()
}

#[test]
fn older_swaps_equal_the_published_ones() {
    let draw = &mut Draw::new(3);
    let mut crossed = 0;
    for _ in 0..cases().div_ceil(SWAPS) {
        let terms = EkuboTerms {
            fee: fee(draw),
            rounding: Rounding::Older,
        };
        let (mut pool, _) = draw.pool(terms, &SPACINGS, 100);
        for _ in 0..SWAPS {
            let (sold, amount) = (draw.side(), draw.amount(BITS));
            let limit = draw.limit::<EkuboTerms>(sold, pool.sqrt_ratio);
            let ours = pool.swap(sold, amount, limit, u128::MAX);
            let names_token1 = names_token1(sold, amount);
            let params = QuoteParams {
                token_amount: TokenAmount {
                    token: if names_token1 { 2_u8 } else { 1_u8 }.into(),
                    amount: signed(amount),
                },
                sqrt_ratio_limit: Some(limit),
                override_state: None,
                meta: (),
            };
            let published = published(&pool);
            let Ok(swapped) = ours else {
                // The published sum of steps panics where it does not fit.
                let theirs = catch_unwind(|| published.quote(params));
                // At the last ratio only the contract minds a swap upwards.
                let idle = pool.sqrt_ratio == MAX_SQRT_RATIO && sold == Side::Token1;
                assert!(!matches!(theirs, Ok(Ok(_))) || idle, "{ours:?}");
                continue;
            };
            let theirs = published.quote(params).unwrap();
            crossed += theirs.execution_resources.initialized_ticks_crossed;
            assert_same(&swapped, amount, &theirs);
            pool.apply(&swapped);
        }
    }
    assert!(usize::try_from(crossed).unwrap() > cases() / 10);
}

type Published = Quote<
    ekubo_sdk::quoting::pools::concentrated::ConcentratedPoolResources,
    StarknetConcentratedPoolState,
>;

fn assert_same(ours: &Swapped, amount: Amount, theirs: &Published) {
    let (used, other) = match amount {
        Amount::In(_) => (ours.sold, ours.bought),
        Amount::Out(_) => (ours.bought, ours.sold),
    };
    assert_eq!(used, theirs.consumed_amount.unsigned_abs());
    assert_eq!(other, theirs.calculated_amount);
    assert_eq!(ours.fee, theirs.fees_paid);
    assert_eq!(ours.sqrt_ratio_after, theirs.state_after.sqrt_ratio);
    assert_eq!(ours.liquidity_after, theirs.state_after.liquidity);
    let crossed = theirs.execution_resources.initialized_ticks_crossed;
    assert_eq!(ours.ticks_crossed, crossed);
}

fn word(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::Older => "older",
        Rounding::Exact => "exact",
    }
}

fn kind(amount: Amount) -> &'static str {
    match amount {
        Amount::In(_) => "in",
        Amount::Out(_) => "out",
    }
}

fn number(side: Side) -> u8 {
    u8::from(side == Side::Token1)
}

#[test]
fn steps_equal_exact_arithmetic() {
    let draw = &mut Draw::new(4);
    let mut lines = Vec::new();
    let mut ours = Vec::new();
    for _ in 0..cases() {
        let case = Case::draw(draw);
        let rounding = draw.one_of(&[Rounding::Exact, Rounding::Exact, Rounding::Older]);
        lines.push(format!(
            "step {} {} {} {} {} {} {} {}",
            word(rounding),
            case.fee,
            number(case.sold),
            case.sqrt_ratio,
            case.liquidity,
            case.limit,
            kind(case.amount),
            case.amount.value(),
        ));
        ours.push(case.step(rounding).map_or("reverts".to_owned(), |step| {
            let Step {
                consumed,
                calculated,
                fee,
                sqrt_ratio,
            } = step;
            format!("{consumed} {calculated} {fee} {sqrt_ratio}")
        }));
    }
    assert_same_lines(&lines, &ours);
}

/// A limit at most so many words away: over all prices, fine ticks would make
/// too many steps for Python.
fn near_limit(draw: &mut Draw, pool: &Pool, sold: Side, words: i32) -> U256 {
    let spacing = i32::try_from(pool.tick_spacing).unwrap();
    let reach = draw.within(0, words * 251).saturating_mul(spacing);
    let tick = match sold {
        Side::Token0 => pool.tick.saturating_sub(reach),
        Side::Token1 => pool.tick.saturating_add(reach),
    };
    sqrt_ratio_at(tick.clamp(MIN_TICK, MAX_TICK)).unwrap()
}

#[test]
fn swaps_equal_exact_arithmetic() {
    let draw = &mut Draw::new(5);
    let mut lines = Vec::new();
    let mut ours = Vec::new();
    for _ in 0..cases().div_ceil(SWAPS) {
        let terms = EkuboTerms {
            fee: fee(draw),
            rounding: draw.one_of(&[Rounding::Exact, Rounding::Older]),
        };
        let (mut pool, positions) = draw.pool(terms, &SPACINGS, 100);
        let positions: Vec<String> = positions
            .iter()
            .map(|(lower, upper, liquidity)| format!(" {lower} {upper} {liquidity}"))
            .collect();
        for _ in 0..SWAPS {
            let (sold, amount) = (draw.side(), draw.amount(100));
            let skip_ahead = draw.one_of(&[0, 1, 7, 100]);
            let limit = near_limit(draw, &pool, sold, 4 * (skip_ahead + 1));
            let (ratio, tick) = (pool.sqrt_ratio, pool.tick);
            lines.push(format!(
                "swap {} {} {} {ratio} {limit} {} {} {tick} {} {skip_ahead}{}",
                word(terms.rounding),
                terms.fee,
                number(sold),
                kind(amount),
                amount.value(),
                pool.tick_spacing,
                positions.concat(),
            ));
            let swap = pool.swap(sold, amount, limit, skip_ahead.unsigned_abs().into());
            ours.push(swap.map_or("reverts".to_owned(), |swapped| {
                pool.apply(&swapped);
                line(&swapped)
            }));
        }
    }
    assert_same_lines(&lines, &ours);
}

fn line(swapped: &Swapped) -> String {
    let Swapped {
        sold,
        bought,
        fee,
        ticks_crossed,
        sqrt_ratio_after,
        tick_after,
        liquidity_after,
    } = swapped;
    format!(
        "{sold} {bought} {fee} {ticks_crossed} {sqrt_ratio_after} {tick_after} {liquidity_after}"
    )
}

fn assert_same_lines(lines: &[String], ours: &[String]) {
    let theirs = answers("concentrated.py", lines);
    for ((line, ours), theirs) in lines.iter().zip(ours).zip(&theirs) {
        assert_eq!(ours, theirs, "{line}");
    }
}
