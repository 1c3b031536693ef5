//! A figure of the machine itself.

use primitives::U256;
use std::hint::black_box;
use tokio::time::Instant;

const ROUNDS: u32 = 200_000;

/// The time of one exact `a * b / c` on 256-bit integers.
pub(crate) fn nanoseconds() -> f64 {
    let a = U256::MAX >> 140;
    let b = U256::MAX >> 130;
    let c = U256::MAX >> 120;
    let start = Instant::now();
    for _ in 0..ROUNDS {
        black_box(black_box(a) * black_box(b) / black_box(c));
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS)
}
