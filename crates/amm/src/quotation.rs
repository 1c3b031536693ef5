//! What a pool says of the price between its tokens, to whom only watches it.
//!
//! Each family computes this from its state alone, in floating point and at the
//! cost of a few operations: every pool that changes is asked in every block.

/// The share of its price that a pool's depth takes away.
pub const QUOTED_SHARE: f64 = 0.02;

/// A pool's price and how firm it is. The fee is in neither, and every number
/// is finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quotation {
    /// Smallest units of the second token for one of the first; above zero.
    pub mid: f64,
    /// The amount of either token, in smallest units, whose sale lowers its
    /// price by [`QUOTED_SHARE`], or after which the pool takes no more; zero
    /// where nothing can be sold.
    pub depth: [f64; 2],
}

impl Quotation {
    /// A quotation; `None` if its numbers are none that a pool has.
    pub(crate) fn new(mid: f64, depth: [f64; 2]) -> Option<Self> {
        let priced = mid.is_finite() && mid > 0.0;
        let held = depth.iter().all(|depth| depth.is_finite() && *depth >= 0.0);
        let any = depth.iter().any(|depth| *depth > 0.0);
        (priced && held && any).then_some(Self { mid, depth })
    }
}
