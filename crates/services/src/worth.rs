//! What amounts are worth at reference prices.

use market::figures::Figures;
use primitives::Address;

/// What a token's smallest unit is worth in USD, if the token has a price.
pub(crate) fn unit_usd(figures: &Figures, token: Address) -> Option<f64> {
    let token = figures.token(token)?;
    let usd = figures.price(token)?.usd;
    Some(usd / 10_f64.powi(i32::from(figures.decimals(token)?)))
}
