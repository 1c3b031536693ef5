//! Smallest units and whole tokens.

/// More decimals than any token has that is listed.
const MOST: usize = crate::MAX_DECIMALS as usize;

/// Powers of ten, each the nearest floating-point number.
const POWERS: [f64; MOST + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32,
    1e33, 1e34, 1e35, 1e36,
];

/// Smallest units in a whole token.
pub(crate) fn scale(decimals: u8) -> f64 {
    POWERS
        .get(usize::from(decimals))
        .copied()
        .unwrap_or(f64::INFINITY)
}

/// An amount in whole tokens, as near as floating point comes.
#[expect(
    clippy::cast_precision_loss,
    reason = "what a token is worth is not known to 53 bits"
)]
pub(crate) fn whole(units: u128, decimals: u8) -> f64 {
    units as f64 / scale(decimals)
}
