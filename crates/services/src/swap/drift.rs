//! How much what a route pays fell of late from one block to the next: what a
//! taker has to expect until the trade is executed.

use crate::trail::Trail;
use trading::{Quote, bought_on};

/// The largest fall between two published blocks, in per cent; 0 if there was
/// none.
pub(super) fn estimated_slippage(quote: &Quote, trail: &Trail) -> f64 {
    let paid = trail.iter().map(|pools| bought_on(quote, pools).ok());
    largest_fall(paid.map(|paid| paid.map(f64::from)))
}

/// Where the route could not be taken at a block, nothing is compared with it.
fn largest_fall(paid: impl Iterator<Item = Option<f64>>) -> f64 {
    let mut largest = 0.0_f64;
    let mut before = None;
    for now in paid {
        if let (Some(before), Some(now)) = (before, now)
            && before > 0.0
        {
            largest = largest.max((before - now) / before * 100.0);
        }
        before = now;
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_fall_counts_and_no_rise_does() {
        for (paid, fall) in [
            (&[][..], 0.0_f64),
            (&[Some(100.0), Some(110.0)], 0.0),
            (&[Some(100.0), Some(99.0), Some(120.0), Some(90.0)], 25.0),
            (&[Some(100.0), None, Some(50.0), Some(0.0)], 100.0),
            (&[Some(0.0), Some(0.0)], 0.0),
        ] {
            let found = largest_fall(paid.iter().copied());
            assert!((found - fall).abs() < 1e-12, "{paid:?}: {found}");
        }
    }
}
