//! An exact quote of each curve against a plain 256-bit multiply-divide.

use crate::{Goal, Row, median, muldiv};
use amm::ekubo::{self, Rounding};
use amm::{Amplified, ConstantProduct, Curve, Side, Solidly, Ticks};
use amm::{concentrated, constant_product, solidly, v3};
use primitives::U256;
use std::hint::black_box;
use tokio::time::Instant;

const TURNS: usize = 7;
const QUOTES: u32 = 2_000;
const E18: u128 = 1_000_000_000_000_000_000;

/// Liquidity of the pools with ticks.
const LIQUIDITY: u128 = 1_000_000 * E18;

pub(crate) fn exact_quotes() -> Vec<Row> {
    let reserves = [1_000_000 * E18, 1_001_000 * E18];
    let pair = ConstantProduct::new(reserves, constant_product::Rule::JediSwap).unwrap();
    let fees = solidly::Rule::SithSwap { fees: [400, 400] };
    let stable = Solidly::new(reserves, [18, 18], fees).unwrap();
    let amplified = Amplified::new(reserves, [E18, E18], 100_000, 400_000_000_000_000).unwrap();
    let small = U256::from(E18);
    // Sold to a pool with a position between any two of its ticks near the price.
    let (within, across) = (U256::from(E18), U256::from(1_000 * E18));
    vec![
        row("quote of x·y = k", &pair, small, 4.0),
        row("quote of x³y + y³x = k", &stable, small, 60.0),
        row("quote with amplification", &amplified, small, 60.0),
        row("quote of Ekubo, no tick passed", &ekubo(), within, 10.0),
        row("quote of Ekubo, ten ticks passed", &ekubo(), across, 150.0),
        row("quote of Uniswap v3 type", &v3(), within, 20.0),
    ]
}

fn row(what: &'static str, pool: &impl Curve, amount: U256, most: f64) -> Row {
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let unit = muldiv::nanoseconds();
        let start = Instant::now();
        for _ in 0..QUOTES {
            black_box(pool.exact_in(black_box(Side::Token0), black_box(amount))).unwrap();
        }
        let quote = start.elapsed().as_secs_f64() * 1e9 / f64::from(QUOTES);
        ratios.push(quote / unit);
    }
    Row {
        what,
        baseline: "a 256-bit multiply-divide, time",
        ratio: median(ratios),
        goal: Goal::AtMost(most),
    }
}

/// A price of 1 with the same liquidity everywhere, and ticks all along.
fn ticks(spacing: i32) -> Ticks {
    let mut ticks = Ticks::default();
    let liquidity = i128::try_from(LIQUIDITY).unwrap();
    for range in -50..50 {
        ticks.update(range * spacing, liquidity, false).unwrap();
        ticks
            .update((range + 1) * spacing, liquidity, true)
            .unwrap();
    }
    ticks
}

fn ekubo() -> ekubo::Pool {
    concentrated::Pool {
        rules: ekubo::EkuboTerms {
            fee: u128::MAX / 2_000,
            rounding: Rounding::Exact,
        },
        tick_spacing: 200,
        sqrt_ratio: ekubo::sqrt_ratio_at(100).unwrap(),
        tick: 100,
        liquidity: LIQUIDITY,
        ticks: ticks(200),
    }
}

fn v3() -> v3::Pool {
    concentrated::Pool {
        rules: v3::V3Terms { fee: 500 },
        tick_spacing: 10,
        sqrt_ratio: v3::sqrt_ratio_at(5).unwrap(),
        tick: 5,
        liquidity: LIQUIDITY,
        ticks: ticks(10),
    }
}
