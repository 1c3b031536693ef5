//! One table of ratios. Each row measures the same work with and without what
//! Stoa adds, turn by turn in one run, so that a noisy machine disturbs both
//! alike; the middle of the turns counts.

#![expect(
    clippy::unwrap_used,
    reason = "a measurement that cannot be made has failed"
)]

mod backups;
mod bookings;
mod browsing;
mod candles;
mod cores;
mod forks;
mod freshness;
mod http;
mod indexing;
mod ingesting;
mod marketplace;
mod minting;
mod minutes;
mod muldiv;
mod orders;
mod paymaster;
mod pools;
mod quotes;
mod reopening;
mod replicas;
mod restarting;
mod routing;
mod sending;
mod served;
mod settling;
mod solana;
mod staking;
mod swaps;
mod typed_data;

use cap::Cap;
use market::figures::Figures;
use std::{alloc::System, fmt};

/// Counts what is asked for and not given back.
#[global_allocator]
pub(crate) static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// One line of the table.
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) baseline: &'static str,
    pub(crate) ratio: f64,
    pub(crate) goal: Goal,
}

/// What a ratio has to be.
pub(crate) enum Goal {
    AtLeast(f64),
    AtMost(f64),
    /// Nobody has said what it has to be.
    None,
}

impl Row {
    fn is_missed(&self) -> bool {
        match self.goal {
            Goal::AtLeast(least) => self.ratio < least,
            Goal::AtMost(most) => self.ratio > most,
            Goal::None => false,
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let goal = match self.goal {
            Goal::AtLeast(least) => format!("≥ {least:.2}"),
            Goal::AtMost(most) => format!("≤ {most:.2}"),
            Goal::None => "-".to_owned(),
        };
        let missed = if self.is_missed() { "  missed" } else { "" };
        let Self {
            what,
            baseline,
            ratio,
            ..
        } = self;
        write!(f, "{what:<38} {baseline:<40} {ratio:>7.2} {goal}{missed}")
    }
}

/// The middle one of several measurements.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The rows that are about one and the same large market.
fn ten_million_candles() -> Vec<Row> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let mut market = minutes::Minutes::new();
    market.trade_until(minutes::MINUTES / 10);
    let tenth = market.figures.everything();
    market.trade_until(minutes::MINUTES);
    runtime.block_on(async {
        let world = reopening::world().await;
        let (restart, station) = reopening::first_answer(&world, market).await;
        let tenth = Figures::from_kept(tenth).unwrap();
        let mut rows = candles::rows(&tenth, &station.snapshots.load().unwrap().figures);
        rows.extend(served::rows(&world, &station).await);
        rows.push(restart);
        rows
    })
}

/// Routes on generated markets.
fn routes() -> Vec<Row> {
    let (rows, figures) = routing::rows();
    println!("routes on generated markets:\n{figures}");
    rows
}

/// The lease market.
fn leases() -> Vec<Row> {
    let mut rows = bookings::rows();
    rows.extend(browsing::rows());
    rows.push(settling::settlement());
    rows.extend(minting::rows());
    rows.push(ingesting::ingest());
    rows
}

/// Measures some rows.
type Part = fn() -> Vec<Row>;

/// The parts of the table, by the names that can be asked for.
const PARTS: [(&str, Part); 21] = [
    // Before anything else has asked for memory and given it back.
    ("weight", || vec![pools::weight()]),
    ("page", || vec![http::token_page()]),
    ("backfill", || {
        vec![indexing::backfill(), indexing::following()]
    }),
    ("restart", || vec![restarting::starting_again()]),
    ("sending", sending::rows),
    ("typed-data", typed_data::rows),
    ("orders", orders::rows),
    ("staking", || vec![staking::information()]),
    ("paymaster", paymaster::rows),
    ("solana", solana::rows),
    ("leases", leases),
    ("quotes", quotes::exact_quotes),
    ("pools", pools::rows),
    ("freshness", freshness::rows),
    ("forks", || vec![forks::rollback(), forks::at_a_replica()]),
    ("replicas", replicas::rows),
    ("backups", || vec![backups::live()]),
    ("cores", cores::rows),
    ("candles", ten_million_candles),
    ("swaps", || vec![swaps::http_quotes()]),
    ("routes", routes),
];

/// The parts that are asked for: all, or those that are named.
fn asked() -> Vec<Part> {
    // Cargo adds options of its own.
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with("--"))
        .collect();
    let known = PARTS.map(|(name, _)| name);
    if let Some(stranger) = names.iter().find(|name| !known.contains(&name.as_str())) {
        eprintln!("{stranger} is none of: {}", known.join(", "));
        std::process::exit(2);
    }
    let is_asked = |name: &str| names.is_empty() || names.iter().any(|it| it == name);
    let asked = PARTS.into_iter().filter(|(name, _)| is_asked(name));
    asked.map(|(_, rows)| rows).collect()
}

fn main() {
    let rows: Vec<Row> = asked().into_iter().flat_map(|rows| rows()).collect();
    println!(
        "this run: {:.0} bare \"hello\" requests per CPU second,",
        http::hellos_per_second()
    );
    println!(
        "          {:.1} ns for a 256-bit multiply-divide\n",
        muldiv::nanoseconds()
    );
    println!("{:<38} {:<40} {:>7} goal", "what", "against", "ratio");
    for row in &rows {
        println!("{row}");
    }
    if rows.iter().any(Row::is_missed) {
        std::process::exit(1);
    }
}
