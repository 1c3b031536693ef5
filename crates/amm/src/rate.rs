//! Contracts that trade at a rate of their own, whatever the amount: one for
//! one, or deposits for shares.
//!
//! Both are exact by their public interfaces: a migration pays unit for unit,
//! a vault mints `⌊amount · shares / assets⌋`.

use crate::wide::{mul_div, mul_div_up};
use crate::{Curve, Fill, Pieces, Refusal, Side};
use primitives::U256;

/// Tokens that change one for one, such as an old and a new form of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneToOne {
    reserves: [Option<u128>; 2],
}

impl OneToOne {
    /// What the contract can give of either token: its balance, or `None` where
    /// it mints.
    pub const fn new(reserves: [Option<u128>; 2]) -> Self {
        Self { reserves }
    }

    /// What the contract can give of either token.
    pub const fn reserves(&self) -> [Option<u128>; 2] {
        self.reserves
    }

    /// The contract after a trade; `None` if it cannot make this trade. What it
    /// mints it also burns, so only balances move.
    pub fn after(&self, sold: Side, fill: &Fill) -> Option<Self> {
        let amount = u128::try_from(fill.sold).ok()?;
        if fill.bought != fill.sold || fill.sold > self.most(sold) {
            return None;
        }
        let (taken, given) = sold.of(self.reserves);
        let taken = match taken {
            Some(taken) => Some(taken.checked_add(amount)?),
            None => None,
        };
        let (reserve0, reserve1) =
            sold.of([taken, given.map(|given| given.saturating_sub(amount))]);
        Some(Self::new([reserve0, reserve1]))
    }

    /// The largest amount that can be sold, and so bought.
    fn most(&self, sold: Side) -> U256 {
        let (taken, given) = sold.of(self.reserves);
        let room = u128::MAX - taken.unwrap_or(0);
        U256::from(given.unwrap_or(u128::MAX).min(room))
    }
}

impl Curve for OneToOne {
    fn exact_in(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        traded(amount, self.most(sold), Some)
    }

    fn exact_out(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        self.exact_in(sold, amount)
    }

    fn price(&self, sold: Side) -> f64 {
        if self.most(sold).is_zero() { 0.0 } else { 1.0 }
    }

    fn pieces(&self, sold: Side, pieces: &mut Pieces) {
        pieces.steep(self.price(sold), f64::from(self.most(sold)));
    }
}

/// A vault that takes assets, its first token, and mints shares, its second.
/// Shares are not taken back: what leaves a vault waits in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        if sold == Side::Token1 || self.assets == 0 || self.shares == 0 {
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

    fn edges() -> impl Strategy<Value = OneToOne> {
        let reserve = || prop::option::of(1_u128..);
        (reserve(), reserve()).prop_map(|(reserve0, reserve1)| OneToOne::new([reserve0, reserve1]))
    }

    fn vaults() -> impl Strategy<Value = Deposit> {
        let held = || (1_u128.., 0..128_u32).prop_map(|(held, shift)| (held >> shift).max(1));
        (held(), held()).prop_map(|(assets, shares)| Deposit::new(assets, shares))
    }

    #[test]
    fn a_migration_gives_what_it_holds_and_no_more() {
        let edge = OneToOne::new([None, Some(100)]);
        let all = edge.exact_in(Side::Token0, U256::from(100)).unwrap();
        assert_eq!(all.bought, U256::from(100));
        let most = U256::from(100);
        let refused = Err(Refusal::TooMuch { most });
        assert_eq!(edge.exact_out(Side::Token0, U256::from(101)), refused);
        let after = edge.after(Side::Token0, &all).unwrap();
        assert_eq!(after.reserves(), [None, Some(0)]);
        assert!(after.price(Side::Token0) == 0.0);
        assert!(after.price(Side::Token1) > 0.0);
        assert_eq!(
            edge.after(
                Side::Token0,
                &Fill {
                    bought: U256::ONE,
                    ..all
                }
            ),
            None
        );
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
        laws::nothing_is_traded(&OneToOne::new([Some(0), Some(0)]));
        laws::nothing_is_traded(&Deposit::new(0, 0));
        laws::nothing_is_traded(&Deposit::new(5, 0));
    }

    proptest! {
        #[test]
        fn the_most_is_true(edge in edges(), vault in vaults(), side in sides()) {
            laws::the_most_is_true(&edge, side)?;
            laws::the_most_is_true(&vault, side)?;
        }

        #[test]
        fn what_is_wanted_is_reached(edge in edges(), vault in vaults(), wanted in 1_u128.., shift in 0..128_u32) {
            let wanted = (wanted >> shift).max(1);
            laws::what_is_wanted_is_reached(&edge, Side::Token0, wanted, true)?;
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
            let edge = OneToOne::new([Some(assets), Some(assets)]);
            laws::the_ladder_is_close(&edge, Side::Token0, share, [assets, assets], 1e-8)?;
        }
    }
}
