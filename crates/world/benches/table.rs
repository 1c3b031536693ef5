//! One table of ratios. Each row measures the same work with and without what
//! Stoa adds, turn by turn in one run, so that a noisy machine disturbs both
//! alike; the middle of the turns counts.

#![expect(
    clippy::unwrap_used,
    reason = "a measurement that cannot be made has failed"
)]

#[path = "table/http.rs"]
mod http;
#[path = "table/indexing.rs"]
mod indexing;
#[path = "table/muldiv.rs"]
mod muldiv;

/// One line of the table.
pub(crate) struct Row {
    pub(crate) what: &'static str,
    pub(crate) baseline: &'static str,
    pub(crate) ratio: f64,
    pub(crate) goal: f64,
}

/// The middle one of several measurements.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() {
    let (pages, hello_per_second) = http::token_page();
    let rows = [pages, indexing::catching_up()];
    println!("this run: {hello_per_second:.0} bare \"hello\" requests per CPU second,");
    println!(
        "          {:.1} ns for a 256-bit multiply-divide\n",
        muldiv::nanoseconds()
    );
    println!(
        "{:<34} {:<40} {:>6} {:>6}",
        "what", "against", "ratio", "goal"
    );
    for row in &rows {
        println!(
            "{:<34} {:<40} {:>6.2} {:>6.2}{}",
            row.what,
            row.baseline,
            row.ratio,
            row.goal,
            if row.ratio < row.goal { "  missed" } else { "" }
        );
    }
    if rows.iter().any(|row| row.ratio < row.goal) {
        std::process::exit(1);
    }
}
