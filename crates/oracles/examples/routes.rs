//! Prints figures of routes on generated markets of the given sizes: how quick
//! they are by what an order is worth, and what plainer ways would pay. Build it
//! for speed: `cargo run --release -p oracles --example routes -- 2000 100000`.

#![expect(clippy::unwrap_used, reason = "a person reads the failure")]

use cap::Cap;
use oracles::generated::{GeneratedMarket, Plan, Variant};
use oracles::measured::{self, Instruments};
use rustix::time::{ClockId, clock_gettime};
use std::alloc::System;

#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// Orders of each market, and of those that are searched by plainer ways too.
const QUERIES: usize = 1_000;
const COMPARED: usize = 60;

/// Seconds that this thread has had a processor: what else the machine does
/// does not count.
#[expect(clippy::cast_precision_loss, reason = "seconds of one measurement")]
fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn main() {
    let instruments = Instruments {
        now: &now,
        heap: &|| HEAP.allocated(),
    };
    for size in std::env::args().skip(1) {
        let plan = Plan {
            pools: size.parse().unwrap(),
            seed: 1,
            variant: Variant::Usual,
        };
        let mut market = GeneratedMarket::new(plan);
        print!("{}", measured::measure(&mut market, QUERIES, instruments));
        if plan.pools <= 2_000 {
            print!(
                "{}",
                measured::beside(&GeneratedMarket::new(plan), COMPARED)
            );
        }
    }
}
