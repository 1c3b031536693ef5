//! What is paid, in exact integers.

use primitives::U256;

/// What a token is worth in the token that fees are paid in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GasTokenPrice {
    /// Digits of the token after the point.
    pub decimals: u8,
    /// What a whole token is worth, in the smallest unit of STRK. Above zero.
    pub in_strk: U256,
}

/// All of something, in the thousandths that shares are given in.
const THOUSAND: u128 = 1_000;

impl GasTokenPrice {
    /// STRK in itself, one for one: amounts stay what they are.
    pub const STRK: Self = Self {
        decimals: 18,
        in_strk: U256::from_limbs([1_000_000_000_000_000_000, 0, 0, 0]),
    };

    /// The price at which so much of a token was worth so much STRK; `None` for
    /// what has no price.
    #[must_use]
    pub fn of(decimals: u8, sold: U256, strk: U256) -> Option<Self> {
        let in_strk = strk.checked_mul(unit(decimals)?)?.checked_div(sold)?;
        (in_strk > U256::ZERO).then_some(Self { decimals, in_strk })
    }

    /// So much STRK in the token, never less.
    #[must_use]
    pub fn tokens(&self, strk: u128) -> Option<U256> {
        let scaled = U256::from(strk).checked_mul(unit(self.decimals)?)?;
        (self.in_strk > U256::ZERO).then(|| scaled.div_ceil(self.in_strk))
    }
}

fn unit(decimals: u8) -> Option<U256> {
    U256::from(10).checked_pow(U256::from(decimals))
}

/// What a transaction costs, as clients are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fee {
    /// That of the token of the fee mode, or of STRK where the mode names none.
    pub price: GasTokenPrice,
    /// What the node expects, in the smallest unit of STRK.
    pub estimated_in_strk: u128,
    /// The same in the token, rounded up; what a private pool takes is left out.
    pub estimated_in_token: U256,
    /// The most that is asked for, in the smallest unit of STRK.
    pub max_in_strk: u128,
    /// The same in the token, rounded up: what goes to the forwarder where the user pays.
    pub max_in_token: U256,
}

/// So many thousandths of an amount, rounded down.
#[must_use]
pub fn scaled(amount: u128, thousandths: u32) -> Option<u128> {
    Some(amount.checked_mul(thousandths.into())? / THOUSAND)
}

/// The fee of a transaction that is expected to cost so much.
#[must_use]
pub fn usual_fee(estimated: u128, thousandths: u32, price: GasTokenPrice) -> Option<Fee> {
    let max_in_strk = scaled(estimated, thousandths)?;
    Some(Fee {
        price,
        estimated_in_strk: estimated,
        estimated_in_token: price.tokens(estimated)?,
        max_in_strk,
        max_in_token: price.tokens(max_in_strk)?,
    })
}

/// What a private transaction costs, and what of it the pool takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrivateFee {
    /// As clients are told; only its estimate in the token leaves out what the pool takes.
    pub fee: Fee,
    /// What the pool takes, in the token.
    pub pool_in_token: U256,
}

/// The fee of a private transaction: gas that is expected to cost so much, and
/// what the pool takes in STRK, with a margin where that has to be bought.
#[must_use]
pub fn private_fee(
    gas: u128,
    pool: u128,
    thousandths: u32,
    margin: u32,
    price: GasTokenPrice,
) -> Option<PrivateFee> {
    let with_margin = if price == GasTokenPrice::STRK {
        pool
    } else {
        scaled(pool, margin.checked_add(1_000)?)?
    };
    let max_in_strk = scaled(gas, thousandths)?.checked_add(with_margin)?;
    let fee = Fee {
        price,
        estimated_in_strk: gas.checked_add(pool)?,
        estimated_in_token: price.tokens(gas)?,
        max_in_strk,
        max_in_token: price.tokens(max_in_strk)?,
    };
    Some(PrivateFee {
        fee,
        pool_in_token: price.tokens(with_margin)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A token of six digits that is worth 8 STRK.
    fn price() -> GasTokenPrice {
        let eight = U256::from(8_000_000_000_000_000_000_u64);
        GasTokenPrice::of(6, U256::from(1_000_000), eight).unwrap()
    }

    #[test]
    fn fees_are_rounded_against_whoever_pays() {
        let fee = usual_fee(1_000_000_000_000_001, 3_000, price()).unwrap();
        assert_eq!(fee.estimated_in_token, U256::from(126));
        assert_eq!(fee.max_in_strk, 3_000_000_000_000_003);
        assert_eq!(fee.max_in_token, U256::from(376));
        assert_eq!(GasTokenPrice::STRK.tokens(7), Some(U256::from(7)));
    }

    #[test]
    fn multipliers_count_thousandths_and_round_down() {
        assert_eq!(scaled(7, 1_500), Some(10));
        assert_eq!(scaled(u128::MAX, 2), None);
    }

    #[test]
    fn a_pool_takes_its_fee_with_a_margin_where_it_has_to_be_bought() {
        let strk = private_fee(100, 50, 3_000, 30, GasTokenPrice::STRK).unwrap();
        assert_eq!(strk.pool_in_token, U256::from(50));
        assert_eq!(
            (strk.fee.estimated_in_strk, strk.fee.max_in_strk),
            (150, 350)
        );
        assert_eq!(strk.fee.estimated_in_token, U256::from(100));
        let pool = 100_000_000_000_000_000;
        let other = private_fee(0, pool, 3_000, 30, price()).unwrap();
        assert_eq!(other.fee.max_in_strk, 103_000_000_000_000_000);
        assert_eq!(other.pool_in_token, U256::from(12_875));
        let none = private_fee(8, 0, 3_000, 30, price()).unwrap();
        assert_eq!(none.pool_in_token, U256::ZERO);
    }

    #[test]
    fn what_is_worth_nothing_has_no_price() {
        assert_eq!(GasTokenPrice::of(18, U256::ZERO, U256::from(1)), None);
        assert_eq!(GasTokenPrice::of(0, U256::from(2), U256::from(1)), None);
        assert_eq!(GasTokenPrice::of(78, U256::from(2), U256::from(1)), None);
    }

    proptest! {
        #[test]
        fn tokens_always_cover_what_they_are_paid_for(
            strk in 0_u128..1 << 100, decimals in 0_u8..24, sold in 1_u64.., worth in 1_u64..,
        ) {
            let price = GasTokenPrice::of(decimals, U256::from(sold), U256::from(worth));
            let Some(price) = price else { return Ok(()) };
            let tokens = price.tokens(strk).unwrap();
            let covered = tokens * price.in_strk / unit(decimals).unwrap();
            prop_assert!(covered >= U256::from(strk));
        }
    }
}
