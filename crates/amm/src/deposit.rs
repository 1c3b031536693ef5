//! A vault that takes a token and mints shares of all that it took, at the same rate
//! whatever the amount: `⌊amount · shares / assets⌋`.

use crate::wide::{mul_div, mul_div_up};
use crate::{Curve, Fill, Pieces, Refusal, Side};
use primitives::U256;
use serde::{Deserialize, Serialize};

/// A vault that takes assets, its first token, and mints shares, its second.
/// Shares are not taken back: what leaves a vault waits in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deposit {
    assets: u128,
    shares: u128,
}

impl Deposit {
    /// A vault that counts these assets for these shares; an empty one, with
    /// nothing of either, has no rate and takes nothing.
    pub const fn new(assets: u128, shares: u128) -> Self {
        Self { assets, shares }
    }

    /// Whether there is anything of both.
    pub const fn has_rate(&self) -> bool {
        self.assets > 0 && self.shares > 0
    }

    /// The vault after a deposit; `None` if it cannot take it.
    pub fn after(&self, sold: Side, fill: &Fill) -> Option<Self> {
        if sold == Side::Token1 {
            return None;
        }
        let assets = self.assets.checked_add(u128::try_from(fill.sold).ok()?)?;
        let shares = self.shares.checked_add(u128::try_from(fill.bought).ok()?)?;
        Some(Self::new(assets, shares))
    }

    /// The largest deposit after which assets and shares still have 128 bits.
    fn most_sold(&self, sold: Side) -> U256 {
        if sold == Side::Token1 || !self.has_rate() {
            return U256::ZERO;
        }
        let room = U256::from(u128::MAX - self.assets);
        let above = U256::from(u128::MAX - self.shares) + U256::ONE;
        let enough = mul_div_up(above, self.assets(), self.shares());
        room.min(enough.map_or(U256::MAX, |enough| enough - U256::ONE))
    }

    fn assets(&self) -> U256 {
        U256::from(self.assets)
    }

    fn shares(&self) -> U256 {
        U256::from(self.shares)
    }

    fn minted(&self, amount: U256) -> Option<U256> {
        mul_div(amount, self.shares(), self.assets())
    }
}

impl Curve for Deposit {
    fn exact_in(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        traded(amount, self.most_sold(sold), |amount| self.minted(amount))
    }

    fn exact_out(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        let most = self.minted(self.most_sold(sold)).unwrap_or_default();
        let fill = traded(amount, most, |amount| {
            mul_div_up(amount, self.assets(), self.shares())
        })?;
        Ok(Fill {
            sold: fill.bought,
            bought: fill.sold,
            ..fill
        })
    }

    fn price(&self, sold: Side) -> f64 {
        if self.most_sold(sold).is_zero() {
            return 0.0;
        }
        f64::from(self.shares()) / f64::from(self.assets())
    }

    fn pieces(&self, sold: Side, pieces: &mut Pieces) {
        pieces.steep(self.price(sold), f64::from(self.most_sold(sold)));
    }
}

/// A trade of an amount within bounds.
fn traded(amount: U256, most: U256, other: impl Fn(U256) -> Option<U256>) -> Result<Fill, Refusal> {
    if amount.is_zero() {
        return Err(Refusal::Nothing);
    }
    let bought = (amount <= most).then(|| other(amount)).flatten();
    Ok(Fill {
        sold: amount,
        bought: bought.ok_or(Refusal::TooMuch { most })?,
        ticks: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;
    use proptest::prelude::*;

    fn sides() -> impl Strategy<Value = Side> {
        prop::sample::select(&Side::BOTH[..])
    }

    fn vaults() -> impl Strategy<Value = Deposit> {
        let held = || (1_u128.., 0..128_u32).prop_map(|(held, shift)| (held >> shift).max(1));
        (held(), held()).prop_map(|(assets, shares)| Deposit::new(assets, shares))
    }

    #[test]
    fn a_deposit_rounds_against_the_depositor() {
        let vault = Deposit::new(3, 2);
        let fill = vault.exact_in(Side::Token0, U256::from(2)).unwrap();
        assert_eq!(fill.bought, U256::ONE);
        assert_eq!(
            vault.exact_out(Side::Token0, U256::ONE).unwrap().sold,
            U256::from(2)
        );
        assert_eq!(vault.after(Side::Token0, &fill), Some(Deposit::new(5, 3)));
    }

    #[test]
    fn shares_are_not_taken_back() {
        let refused = Err(Refusal::TooMuch { most: U256::ZERO });
        let vault = Deposit::new(3, 2);
        assert_eq!(vault.exact_in(Side::Token1, U256::ONE), refused);
        assert_eq!(vault.exact_out(Side::Token1, U256::ONE), refused);
        let fill = vault.exact_in(Side::Token0, U256::ONE).unwrap();
        assert_eq!(vault.after(Side::Token1, &fill), None);
        assert!(vault.ladder(Side::Token1).rungs().is_empty());
    }

    #[test]
    fn what_is_empty_trades_nothing() {
        laws::nothing_is_traded(&Deposit::new(0, 0));
        laws::nothing_is_traded(&Deposit::new(5, 0));
    }

    proptest! {
        #[test]
        fn the_most_is_true(vault in vaults(), side in sides()) {
            laws::the_most_is_true(&vault, side)?;
        }

        #[test]
        fn what_is_wanted_is_reached(vault in vaults(), wanted in 1_u128.., shift in 0..128_u32) {
            let wanted = (wanted >> shift).max(1);
            laws::what_is_wanted_is_reached(&vault, Side::Token0, wanted, true)?;
        }

        #[test]
        fn selling_more_buys_no_less(vault in vaults(), a in 1_u128.., b in 1_u128..) {
            laws::selling_more_buys_no_less(&vault, Side::Token0, a, b)?;
        }

        #[test]
        fn a_deposit_never_dilutes_the_shares(vault in vaults(), amount in 1_u128.., shift in 0..128_u32) {
            let Ok(fill) = vault.exact_in(Side::Token0, U256::from((amount >> shift).max(1))) else {
                return Ok(());
            };
            let after = vault.after(Side::Token0, &fill).unwrap();
            prop_assert!(after.assets() * vault.shares() >= vault.assets() * after.shares());
        }

        #[test]
        fn the_ladder_is_close(assets in 1_u128 << 60..1 << 100, premium in 0.5..1.0_f64, share in 1e-6..1.0_f64) {
            let shares = u128::try_from(U256::from(f64::from(U256::from(assets)) * premium)).unwrap();
            let vault = Deposit::new(assets, shares);
            laws::the_ladder_is_close(&vault, Side::Token0, share, [assets, shares], 1e-8)?;
        }
    }
}
