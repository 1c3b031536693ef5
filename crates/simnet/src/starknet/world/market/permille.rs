//! Parts of amounts that may be as large as a token allows.

use primitives::U256;

/// A share of an amount, in thousandths.
pub(super) fn permille(amount: U256, thousandths: u32) -> U256 {
    let thousand = U256::from(1_000);
    amount
        .checked_mul(U256::from(thousandths))
        .map_or(amount / thousand * U256::from(thousandths), |product| {
            product / thousand
        })
}
