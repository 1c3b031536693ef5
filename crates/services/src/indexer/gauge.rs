//! Integers as gauges show them.

/// Metrics are floating-point numbers; exact up to 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "a gauge shows a height, it does not count by it"
)]
pub(super) fn lossy(number: u64) -> f64 {
    number as f64
}
