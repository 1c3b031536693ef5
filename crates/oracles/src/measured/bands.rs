//! Figures of many orders, by what they are worth.

use super::{Measured, Sample};
use std::fmt;

/// What orders are worth, each from the one before on.
const BANDS: [f64; 5] = [100.0, 1_000.0, 10_000.0, 100_000.0, f64::INFINITY];

/// What is said of some orders.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// How many there are.
    pub count: usize,
    /// Seconds: the middle, nine of ten, ninety-nine of a hundred.
    pub times: [f64; 3],
    /// Seconds on average.
    pub mean: f64,
    /// The routes' own bounds: the middle, nine of ten.
    pub gaps: [f64; 2],
}

impl Measured {
    /// The figures of all orders.
    #[must_use]
    pub fn all(&self) -> Figures {
        self.of(|_| true)
    }

    fn of(&self, counts: impl Fn(&Sample) -> bool) -> Figures {
        let samples: Vec<&Sample> = self
            .samples
            .iter()
            .filter(|sample| counts(sample))
            .collect();
        let times: Vec<f64> = samples.iter().map(|sample| sample.time).collect();
        let gaps: Vec<f64> = samples.iter().map(|sample| sample.gap).collect();
        Figures {
            count: samples.len(),
            mean: times.iter().sum::<f64>() * part(1, times.len()),
            times: [0.5, 0.9, 0.99].map(|part| percentile(times.clone(), part)),
            gaps: [0.5, 0.9].map(|part| percentile(gaps.clone(), part)),
        }
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unanswered = self.samples.iter().filter(|one| one.gap.is_infinite());
        writeln!(
            f,
            "{} pools: graph in {:.1} ms, again after 1,000 changes in {:.2} ms, {:.0} bytes a pool,",
            self.pools,
            self.building * 1e3,
            self.refreshing * 1e3,
            self.bytes,
        )?;
        writeln!(
            f,
            "  a purchase takes {:.2} times its sale, {} of {} orders have no route or no bound",
            self.purchase,
            unanswered.count(),
            self.samples.len(),
        )?;
        writeln!(f, "  {:<15} {HEAD}", "worth")?;
        writeln!(f, "  {:<15} {}", "all", self.all())?;
        for (side, exact_out) in [("sell", false), ("buy", true)] {
            let mut low = 0.0;
            for high in BANDS {
                let band = low..high;
                let figures =
                    self.of(|sample| sample.exact_out == exact_out && band.contains(&sample.worth));
                let name = format!("{side} from ${low}");
                writeln!(f, "  {name:<15} {figures}")?;
                low = high;
            }
        }
        Ok(())
    }
}

const HEAD: &str = "orders      p50      p90      p99     mean ms  bound p50      p90";

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>6}", self.count)?;
        for time in self.times.into_iter().chain([self.mean]) {
            write!(f, " {:>8.3}", time * 1e3)?;
        }
        write!(f, "     ")?;
        for gap in self.gaps {
            write!(f, " {gap:>8.0e}")?;
        }
        Ok(())
    }
}

/// So many of all.
#[expect(clippy::cast_precision_loss, reason = "counts of orders and bytes")]
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
