//! The two reserves of a pool, moved by a trade, and amounts as they are near
//! enough for a search.

use crate::Side;
use primitives::U256;

/// Reserves once so much of the sold token has been added and so much of the
/// other one is gone; `None` if there is not as much, or they no longer have
/// 128 bits.
pub(crate) fn moved(reserves: [u128; 2], sold: Side, added: U256, gone: U256) -> Option<[u128; 2]> {
    let (held, left) = sold.of(reserves);
    let held = held.checked_add(u128::try_from(added).ok()?)?;
    let left = left.checked_sub(u128::try_from(gone).ok()?)?;
    Some(sold.of([held, left]).into())
}

/// An amount in floating point.
#[expect(
    clippy::cast_precision_loss,
    reason = "a search is content with 53 bits, and this is the fastest way to them"
)]
pub(crate) const fn float(amount: u128) -> f64 {
    amount as f64
}
