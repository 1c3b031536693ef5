//! Where to sample a curve that is no list of pieces by itself.

use crate::{Pieces, Sample};

/// Samples behind the first one; each makes two pieces.
const SAMPLES: u32 = 52;
/// The odds of the reserve's bought share to its rest, as logarithms, at the
/// second and at the last sample: 1 % and 99.9 % of the reserve.
const FIRST: f64 = -4.6;
const LAST: f64 = 6.9;

/// Pieces of a curve with a reserve of what is bought. `at` samples the curve
/// where so much of the reserve is left.
///
/// Steps are even in the logarithm of the odds: small beside what has been
/// bought at the start, and beside what is left at the end.
/// Between samples they are off by less than one part in 20,000 of what is
/// bought, for reserves of up to ten to one. Behind the last one the curve goes on
/// as a constant product, which buys a little more of the last thousandth: like the
/// pool it has no end, however much is sold.
pub(crate) fn sample(pieces: &mut Pieces, reserve: f64, at: impl Fn(f64) -> Sample) {
    let step = (LAST - FIRST) / f64::from(SAMPLES - 1);
    let rest = (0..SAMPLES).map(|index| (FIRST + step * f64::from(index)).exp());
    let left = std::iter::once(0.0)
        .chain(rest)
        .map(|odds| reserve / (1.0 + odds));
    pieces.sampled(left.map(at));
    pieces.finish(f64::INFINITY);
}
