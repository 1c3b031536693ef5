//! What amounts are worth in dollars.

use primitives::U256;

/// What one smallest unit of the tokens of a trade is worth in dollars, where
/// that is known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Worth {
    /// Of the sold token.
    pub sell: Option<f64>,
    /// Of the bought one.
    pub buy: Option<f64>,
    /// Of STRK, in which gas is paid.
    pub strk: Option<f64>,
}

impl Worth {
    /// What an amount of STRK is worth in the smallest unit of the bought token,
    /// rounded down; none where a price is missing.
    #[must_use]
    pub fn in_bought(&self, strk: U256) -> Option<U256> {
        let bought = usd(strk, self.strk?) / self.buy?;
        U256::try_from(bought.floor()).ok()
    }
}

/// What an amount is worth at a price for its smallest unit.
#[must_use]
pub fn usd(amount: U256, price: f64) -> f64 {
    f64::from(amount) * price
}

/// By how many basis points what is bought is worth more than what is sold, fees
/// included; negative is a loss. `None` if that cannot be said.
#[must_use]
pub fn price_impact(sold: U256, bought: U256, worth: &Worth) -> Option<f64> {
    let sold = usd(sold, worth.sell?);
    let bought = usd(bought, worth.buy?);
    let points = (bought / sold - 1.0) * 10_000.0;
    points.is_finite().then_some(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_negative_and_counted_in_basis_points() {
        let worth = Worth {
            sell: Some(0.5),
            buy: Some(2.0),
            strk: None,
        };
        let impact = |sold: u64, bought: u64| {
            price_impact(U256::from(sold), U256::from(bought), &worth).unwrap()
        };
        assert!((impact(400, 99) + 100.0).abs() < 1e-9);
        assert!((impact(400, 101) - 100.0).abs() < 1e-9);
        assert!(impact(400, 100).abs() < 1e-9);
    }

    #[test]
    fn strk_has_a_worth_in_what_is_bought() {
        let bought = |strk, buy, amount: u64| {
            let sell = None;
            Worth { sell, buy, strk }.in_bought(U256::from(amount))
        };
        assert_eq!(bought(Some(0.5), Some(2.0), 9), Some(U256::from(2)));
        assert_eq!(bought(None, Some(2.0), 9), None);
        assert_eq!(bought(Some(0.5), None, 9), None);
        assert_eq!(bought(Some(0.5), Some(0.0), 9), None);
    }

    #[test]
    fn nothing_is_said_where_a_price_is_missing_or_zero() {
        let impact = |sell, buy| {
            let strk = None;
            price_impact(U256::ONE, U256::ONE, &Worth { sell, buy, strk })
        };
        assert_eq!(impact(None, Some(1.0)), None);
        assert_eq!(impact(Some(1.0), None), None);
        assert_eq!(impact(Some(0.0), Some(1.0)), None);
    }
}
