//! Routes on generated markets, as people ask for them: quick, and no worse than
//! plainer ways.

use crate::{Goal, HEAP, Row};
use oracles::generated::{GeneratedMarket, Plan, Variant};
use oracles::measured::{self, Instruments};
use rustix::time::{ClockId, clock_gettime};

/// Orders of a market, and of those that are searched by plainer ways too.
const ORDERS: usize = 600;
const COMPARED: usize = 100;

/// Markets.
const FEW: usize = 2_000;
const MANY: usize = 100_000;

/// Seconds that a search may take: half of them, and 99 of a hundred, with few
/// pools; and 99 of a hundred with many.
const MIDDLE: f64 = 0.000_5;
const NEARLY_ALL: f64 = 0.003;
const NEARLY_ALL_OF_MANY: f64 = 0.025;

/// Seconds in which a thousand changed pools of many are merged again.
const REFRESHED: f64 = 0.020;

/// Bytes that the graph may take for a pool.
const BYTES: f64 = 1_500.0;

/// Sales in which no plainer way is better by more than 10⁻⁴.
const UNBEATEN: f64 = 0.99;

/// The rows, and the figures behind them to be printed.
pub(crate) fn rows() -> (Vec<Row>, String) {
    let instruments = Instruments {
        now: &now,
        heap: &|| HEAP.allocated(),
    };
    let [few, many] =
        [FEW, MANY].map(|pools| measured::measure(&mut market(pools), ORDERS, instruments));
    let beside = measured::beside(&market(FEW), COMPARED);
    let [middle, _, nearly_all] = few.all().times;
    let [_, _, nearly_all_of_many] = many.all().times;
    let most = |what, baseline, ratio| Row {
        what,
        baseline,
        ratio,
        goal: Goal::AtMost(1.0),
    };
    let rows = vec![
        most("route, 2,000 pools, p50", "0.5 ms", middle / MIDDLE),
        most("route, 2,000 pools, p99", "3 ms", nearly_all / NEARLY_ALL),
        most(
            "route, 100,000 pools, p99",
            "25 ms",
            nearly_all_of_many / NEARLY_ALL_OF_MANY,
        ),
        Row {
            what: "purchase, time",
            baseline: "the sale that buys as much",
            ratio: few.purchase.max(many.purchase),
            goal: Goal::AtMost(3.0),
        },
        most(
            "1,000 changed pools of 100,000 merged",
            "20 ms",
            many.refreshing / REFRESHED,
        ),
        most("bytes of the graph for a pool", "1,500", many.bytes / BYTES),
        Row {
            what: "sales within 10⁻⁴ of plainer ways",
            baseline: "99 % of them",
            ratio: beside.near() / UNBEATEN,
            goal: Goal::AtLeast(1.0),
        },
    ];
    (rows, format!("{few}{many}{beside}"))
}

/// Seconds that this thread has had a processor: what else the machine does
/// does not count.
#[expect(clippy::cast_precision_loss, reason = "seconds of one measurement")]
fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn market(pools: usize) -> GeneratedMarket {
    GeneratedMarket::new(Plan {
        pools,
        seed: 1,
        variant: Variant::Usual,
    })
}
