//! Figures of many orders, by how far they move the price.

use super::{Measured, Sample};
use std::fmt;

/// How far orders move the price, each from the one before on. Those beyond are
/// more than the market bears.
const BANDS: [f64; 5] = [0.003, 0.01, 0.03, 0.1, BEARABLE];
pub(super) const BEARABLE: f64 = 0.3;

/// What is said of some orders.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// How many there are.
    pub count: usize,
    /// Seconds: the middle, nine of ten, ninety-nine of a hundred.
    pub times: [f64; 3],
    /// Seconds on average.
    pub mean: f64,
    /// Gaps: the middle, ninety-nine of a hundred, and the worst.
    pub gaps: [f64; 3],
    /// The parts of them with a gap of at most 10⁻⁴, and of at most 10⁻³.
    pub within: [f64; 2],
}

impl Measured {
    /// The figures of all orders that the market bears.
    #[must_use]
    pub fn bearable(&self) -> Figures {
        self.of(|sample| sample.impact < BEARABLE)
    }

    /// How many orders have no route.
    #[must_use]
    pub fn unanswered(&self) -> usize {
        let none = self
            .samples
            .iter()
            .filter(|sample| sample.impact.is_infinite());
        none.count()
    }

    fn of(&self, counts: impl Fn(&Sample) -> bool) -> Figures {
        let samples: Vec<&Sample> = self
            .samples
            .iter()
            .filter(|sample| counts(sample))
            .collect();
        let times: Vec<f64> = samples.iter().map(|sample| sample.time).collect();
        let gaps: Vec<f64> = samples.iter().map(|sample| sample.gap).collect();
        let within = |most: f64| part(gaps.iter().filter(|gap| **gap <= most).count(), gaps.len());
        Figures {
            count: samples.len(),
            mean: times.iter().sum::<f64>() * part(1, times.len()),
            times: [0.5, 0.9, 0.99].map(|part| percentile(times.clone(), part)),
            within: [within(1e-4), within(1e-3)],
            gaps: [0.5, 0.99, 1.0].map(|part| percentile(gaps.clone(), part)),
        }
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} pools: graph in {:.1} ms, again after 1,000 changes in {:.2} ms, {:.0} bytes a pool, {:.0} after blocks,",
            self.pools,
            self.building * 1e3,
            self.refreshing * 1e3,
            self.bytes,
            self.bytes_later,
        )?;
        writeln!(
            f,
            "  a purchase takes {:.2} times its sale, {} of {} orders have no route",
            self.purchase,
            self.unanswered(),
            self.samples.len(),
        )?;
        writeln!(f, "  {:<13} {HEAD}", "impact")?;
        writeln!(f, "  {:<13} {}", "all", self.bearable())?;
        for (side, exact_out) in [("sell", false), ("buy", true)] {
            let mut low = f64::NEG_INFINITY;
            for high in BANDS {
                let band = low..high;
                let figures = self
                    .of(|sample| sample.exact_out == exact_out && band.contains(&sample.impact));
                let name = format!("{side} < {} %", high * 100.0);
                writeln!(f, "  {name:<13} {figures}")?;
                low = high;
            }
        }
        Ok(())
    }
}

const HEAD: &str =
    "orders      p50      p90      p99     mean ms  gap p50      p99    worst   <=1e-4   <=1e-3";

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6}", self.count)?;
        for time in self.times.into_iter().chain([self.mean]) {
            write!(f, " {:>8.3}", time * 1e3)?;
        }
        write!(f, "   ")?;
        for gap in self.gaps {
            write!(f, " {gap:>8.0e}")?;
        }
        for part in self.within {
            write!(f, " {:>6.1} %", part * 100.0)?;
        }
        Ok(())
    }
}

/// So many of all.
#[expect(clippy::cast_precision_loss, reason = "counts of orders")]
pub(super) fn part(some: usize, all: usize) -> f64 {
    some as f64 / all as f64
}

/// The value that this part of all values does not exceed.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place in a list"
)]
pub fn percentile(mut values: Vec<f64>, part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = (values.len() as f64 * part).ceil() as usize;
    let value = values.get(place.saturating_sub(1));
    value.copied().unwrap_or(f64::NAN)
}
