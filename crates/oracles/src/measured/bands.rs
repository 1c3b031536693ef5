//! Figures of many orders, by how far they move the price.

use super::{Measured, Sample};

/// From one impact up to another.
pub type Band = (f64, f64);

/// How far orders move the price. Those beyond are more than the market bears.
pub const BANDS: [Band; 5] = [
    (f64::NEG_INFINITY, 0.003),
    (0.003, 0.01),
    (0.01, 0.03),
    (0.03, 0.1),
    (0.1, 0.3),
];

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
    /// The figures of one side in one band.
    #[must_use]
    pub fn figures(&self, exact_out: bool, (low, high): Band) -> Figures {
        self.of(|sample| {
            sample.exact_out == exact_out && low <= sample.impact && sample.impact < high
        })
    }

    /// The figures of both sides, as far as the market bears them.
    #[must_use]
    pub fn bearable(&self) -> Figures {
        self.of(|sample| sample.impact < 0.3)
    }

    /// The figures of one side, as far as the market bears them.
    #[must_use]
    pub fn side(&self, exact_out: bool) -> Figures {
        self.of(|sample| sample.exact_out == exact_out && sample.impact < 0.3)
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
