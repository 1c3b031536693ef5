//! Prints figures of routes on generated markets of the given sizes: how near
//! to the best and how fast, by how far an order moves the price. Build it for
//! speed: `cargo run --release -p oracles --example routes -- 2000 100000`.

#![expect(clippy::unwrap_used, reason = "a person reads the failure")]

use oracles::generated::{Market, Plan, Variant};
use oracles::measured::{self, BANDS, Figures, Measured, WAYS, percentile};

/// Orders of each market.
const QUERIES: usize = 1_000;

fn main() {
    #[expect(clippy::disallowed_methods, reason = "this is a measurement")]
    let start = std::time::Instant::now();
    let now = || start.elapsed().as_secs_f64();
    for size in std::env::args().skip(1) {
        let pools: usize = size.parse().unwrap();
        let begin = now();
        let mut market = Market::new(Plan {
            pools,
            seed: 1,
            variant: Variant::Usual,
        });
        println!("{pools} pools, generated in {:.2} s", now() - begin);
        if pools <= 2_000 {
            beside(&market, &now);
        }
        print(&measured::measure(&mut market, QUERIES, &now));
    }
}

fn print(measured: &Measured) {
    println!(
        "  graph in {:.1} ms, after 1,000 changes in {:.2} ms, {:.0} bytes for each pool; {} of {} orders without a route",
        measured.building * 1e3,
        measured.refreshing * 1e3,
        measured.bytes / f64::from(u32::try_from(measured.pools).unwrap()),
        measured.unanswered(),
        measured.samples.len(),
    );
    line("all", &measured.bearable());
    for (side, exact_out) in [("sell", false), ("buy", true)] {
        line(side, &measured.side(exact_out));
        for band in BANDS {
            let name = format!("{side} < {} %", band.1 * 100.0);
            line(&name, &measured.figures(exact_out, band));
        }
    }
}

fn line(name: &str, figures: &Figures) {
    let [middle, most, nearly_all] = figures.times.map(|time| time * 1e3);
    let [gap, high, worst] = figures.gaps;
    let [near, nearer] = figures.within.map(|part| part * 100.0);
    println!(
        "  {name:<12} {:>5} orders  p50 {middle:.3} p90 {most:.3} p99 {nearly_all:.3} mean {:.3} ms  gap p50 {gap:.0e} p99 {high:.0e} worst {worst:.0e}  {near:.1} % within 1e-4, {nearer:.1} % within 1e-3",
        figures.count,
        figures.mean * 1e3,
    );
}

fn beside(market: &Market, now: measured::Now<'_>) {
    let compared = measured::beside(market, 60, now);
    for (way, name) in WAYS.iter().enumerate() {
        let short: Vec<f64> = compared.iter().map(|one| 1.0 - one.bought[way]).collect();
        let times = compared.iter().map(|one| one.times[way] * 1e3).collect();
        let near = short.iter().filter(|short| **short <= 1e-4).count();
        println!(
            "  {name:<18} {near} of {} within 1e-4 of the bound, short by p50 {:.1e} p90 {:.1e} worst {:.1e}, p50 {:.3} ms",
            short.len(),
            percentile(short.clone(), 0.5),
            percentile(short.clone(), 0.9),
            percentile(short.clone(), 1.0),
            percentile(times, 0.5),
        );
    }
}
