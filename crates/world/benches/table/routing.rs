//! Routes on generated markets: near to the best, and quick.

use crate::{Goal, Row, muldiv};
use oracles::generated::{Market, Plan, Variant};
use oracles::measured::{self, ANY_SWAPS, Comparison, MAX_SWAPS, Measured};
use rustix::time::{ClockId, clock_gettime};

/// Orders of a market, and of those that are searched by plainer ways too.
const ORDERS: usize = 600;
const COMPARED: usize = 60;

/// Seconds that a search may take: half of them, and 99 of a hundred, with
/// 2,000 pools; and 99 of a hundred with 100,000.
const MIDDLE: f64 = 0.000_15;
const NEARLY_ALL: f64 = 0.001;
const NEARLY_ALL_OF_MANY: f64 = 0.005;

/// Routes that one core has to find in a second, with 2,000 pools.
const PER_SECOND: f64 = 4_000.0;

/// Seconds in which a thousand changed pools are merged again.
const REFRESHED: f64 = 0.002;

/// Bytes that the graph may take for a pool.
const BYTES: f64 = 400.0;

/// The rows, and the figures behind them to be printed. A million pools are
/// measured only when somebody asks for it.
pub(crate) fn rows(million: bool) -> (Vec<Row>, String) {
    let mut sizes = vec![100_000, 10_000, 2_000, 1_000];
    if million {
        sizes.insert(0, 1_000_000);
    }
    let measured: Vec<Measured> = sizes
        .into_iter()
        .map(|pools| measured::measure(&mut market(pools), ORDERS, &now))
        .collect();
    let beside = |swaps| measured::beside(&market(2_000), COMPARED, swaps, &now);
    let (free, limited) = (beside(ANY_SWAPS), beside(MAX_SWAPS));
    let [.., many, some, few, least] = measured.as_slice() else {
        return (Vec::new(), String::new());
    };
    let mut rows = speed(few, many);
    rows.push(bytes(measured.first().unwrap_or(many)));
    rows.extend(refreshing(some, many));
    rows.push(growth(least, measured.first().unwrap_or(least)));
    rows.extend(quality(&measured));
    rows.extend(plainer(&free, &limited));
    let plainer = [(ANY_SWAPS, &free), (MAX_SWAPS, &limited)];
    let plainer = plainer.map(|(swaps, ways)| format!("  at most {swaps} swaps:\n{ways}"));
    let figures = measured.iter().rev().map(ToString::to_string);
    let figures = figures.chain(plainer).collect();
    (rows, figures)
}

/// Seconds that this thread has had a processor: what else the machine does
/// does not count.
#[expect(clippy::cast_precision_loss, reason = "seconds of one measurement")]
fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn market(pools: usize) -> Market {
    Market::new(Plan {
        pools,
        seed: 1,
        variant: Variant::Usual,
    })
}

fn row(what: &'static str, baseline: &'static str, ratio: f64, goal: Goal) -> Row {
    Row {
        what,
        baseline,
        ratio,
        goal,
    }
}

fn speed(few: &Measured, many: &Measured) -> Vec<Row> {
    let [middle, _, nearly_all] = few.bearable().times;
    let [_, _, nearly_all_of_many] = many.bearable().times;
    let most = Goal::AtMost;
    vec![
        row(
            "route, 2,000 pools, p50",
            "a 256-bit multiply-divide, time",
            middle * 1e9 / muldiv::nanoseconds(),
            most(5_000.0),
        ),
        row(
            "route, 2,000 pools, p50",
            "0.15 ms",
            middle / MIDDLE,
            most(1.0),
        ),
        row(
            "route, 2,000 pools, p99",
            "1 ms",
            nearly_all / NEARLY_ALL,
            most(1.0),
        ),
        row(
            "route, 100,000 pools, p99",
            "5 ms",
            nearly_all_of_many / NEARLY_ALL_OF_MANY,
            most(1.0),
        ),
        row(
            "routes per core and second, 2,000 pools",
            "4,000",
            1.0 / few.bearable().mean / PER_SECOND,
            Goal::AtLeast(1.0),
        ),
        row(
            "purchase, time",
            "the sale that buys as much",
            few.purchase,
            most(2.5),
        ),
    ]
}

/// Of the first market alone: later ones take memory that it gave back.
fn bytes(first: &Measured) -> Row {
    let ratio = first.bytes / BYTES;
    row(
        "bytes of the graph for a pool",
        "400",
        ratio,
        Goal::AtMost(1.0),
    )
}

/// A block changes pools wherever they lie: among many, each is far from the
/// others in memory.
fn refreshing(some: &Measured, many: &Measured) -> [Row; 2] {
    let whats = [
        ("1,000 changed pools of 10,000 merged", some),
        ("1,000 changed pools of 100,000 merged", many),
    ];
    whats.map(|(what, measured)| {
        let ratio = measured.refreshing / REFRESHED;
        row(what, "2 ms", ratio, Goal::AtMost(1.0))
    })
}

/// The power of the number of pools with which the middle of the times grows.
fn growth(least: &Measured, most: &Measured) -> Row {
    let pools = |measured: &Measured| f64::from(u32::try_from(measured.pools).unwrap());
    let [slower, ..] = most.bearable().times;
    let [quicker, ..] = least.bearable().times;
    let power = (slower / quicker).ln() / (pools(most) / pools(least)).ln();
    row(
        "growth with the number of pools, power",
        "1",
        power,
        Goal::AtMost(0.9),
    )
}

/// The worst of all sizes.
fn quality(measured: &[Measured]) -> Vec<Row> {
    let least = |which: usize| {
        let parts = measured
            .iter()
            .filter_map(|one| one.bearable().within.get(which).copied());
        parts.fold(f64::INFINITY, f64::min)
    };
    vec![
        row(
            "routes within 10⁻⁴ of their bound",
            "99 % of them",
            least(0) / 0.99,
            Goal::AtLeast(1.0),
        ),
        row(
            "routes within 10⁻³ of their bound",
            "99.9 % of them",
            least(1) / 0.999,
            Goal::AtLeast(1.0),
        ),
    ]
}

/// How often the search comes near to the best, beside plainer ways.
fn plainer(free: &Comparison, limited: &Comparison) -> Vec<Row> {
    let [mine, chunks, single, dual] = free.near();
    let [mine_limited, chunks_limited, ..] = limited.near();
    let [time, .., textbook] = free.middle();
    let least = Goal::AtLeast;
    let near = "sales within 10⁻⁴ of the best way";
    let limited = "the same with 12 swaps at most";
    vec![
        row(near, "99 % of them", mine / 0.99, least(1.0)),
        row(near, "20 chunks, greedy", mine / chunks, least(1.0)),
        row(near, "best single path", mine / single, least(1.0)),
        row(near, "textbook dual", mine / dual, least(1.0)),
        row(limited, "99 % of them", mine_limited / 0.99, least(1.0)),
        row(
            limited,
            "20 chunks, greedy",
            mine_limited / chunks_limited,
            least(1.0),
        ),
        row(
            "route, 2,000 pools, time",
            "textbook dual",
            time / textbook,
            Goal::AtMost(0.1),
        ),
    ]
}
