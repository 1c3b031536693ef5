//! Pools whose product of reserves never falls: `x·y = k` with a fee.
//!
//! `x` is the amount sold, `Ri` and `Ro` the reserves of the sold and of the
//! bought token, `n` what the fee leaves of `x`.
//!
//! | venue | fee of | what is bought | exact out | stays in the pool | rule |
//! |---|---|---|---|---|---|
//! | JediSwap v1 | 3 / 1000 | `⌊997x·Ro / (1000Ri + 997x)⌋` | quotient + 1 | `x` | public |
//! | 10kSwap | 3 / 1000 | the same | quotient + 1 | `x` | public |
//! | StarkDefi volatile | pair's / 10⁴ | `n = x − ⌊x·fee⌋`, `⌊n·Ro / (Ri + n)⌋` | smallest | `n` | exact in public |
//! | SithSwap volatile | side's / 10⁶ | the same | smallest | `n` | simulated |
//! | Nostra v2 volatile | pair's / 10¹⁸ | `n = x − ⌈x·fee⌉`, `⌊n·Ro / (Ri + n)⌋` | smallest | `x` | simulated |
//! | mySwap v1 | pool's / 10⁵ | `n = x − ⌊x·fee⌋`, `⌊n·Ro / (Ri + n)⌋` | smallest | `x` | simulated |
//!
//! "Smallest" is the smallest amount whose exact in reaches what is wanted; a
//! quotient + 1 is one unit more than that where the division leaves no rest.
//! "Simulated" rules are not public: they are those of the contracts that the
//! simulated network runs, and no claim about the real venue.
//!
//! Reserves have 128 bits (10kSwap: 112), and the products of the public quotes
//! 256. An amount too small to buy anything buys 0 here, as it does in the
//! views of the contracts; a swap of it would revert. The contracts of 997/1000
//! also multiply adjusted balances to check `k`; that overflows only when the
//! product of both reserves passes 2²³⁶ and is not modelled.

use crate::fee::{Fee, Rounding};
use crate::quotation::{QUOTED_SHARE, Quotation};
use crate::reserves::{float, moved};
use crate::search::largest;
use crate::{Curve, Fill, Pieces, Refusal, Side};
use primitives::U256;

/// How a venue takes its fee and rounds, as the table of this module says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// JediSwap v1: the public contract's.
    JediSwap,
    /// 10kSwap: the public contract's.
    TenKSwap,
    /// StarkDefi volatile: the public contract's; its fee leaves the pool.
    StarkDefi {
        /// Units of each 10,000 sold.
        fee: u16,
    },
    /// SithSwap volatile: the simulated contract's; its fee leaves the pool.
    SithSwap {
        /// Units of each 1,000,000 sold of either token.
        fees: [u32; 2],
    },
    /// Nostra v2 volatile: the simulated contract's.
    Nostra {
        /// Units of each 10¹⁸ sold.
        fee: u64,
    },
    /// mySwap v1: the simulated contract's.
    MySwap {
        /// Units of each 100,000 sold.
        fee: u32,
    },
}

/// How a fee enters the quotient.
#[derive(Debug, Clone, Copy)]
enum Charge {
    /// Set aside first, in whole units.
    First(Fee),
    /// As a weight of the amount within the quotient, without a rounding of its own.
    Weight { kept: u32, scale: u32 },
}

impl Rule {
    /// `None` if the fee leaves nothing to trade.
    fn charge(self, sold: Side) -> Option<Charge> {
        match self {
            Self::JediSwap | Self::TenKSwap => Some(Charge::Weight {
                kept: 997,
                scale: 1_000,
            }),
            Self::MySwap { fee } => {
                Fee::new(fee.into(), 100_000, Rounding::Down).map(Charge::First)
            }
            Self::StarkDefi { fee } => {
                Fee::new(fee.into(), 10_000, Rounding::Down).map(Charge::First)
            }
            Self::SithSwap { fees } => {
                let fee = sold.of(fees).0;
                Fee::new(fee.into(), 1_000_000, Rounding::Down).map(Charge::First)
            }
            Self::Nostra { fee } => {
                Fee::new(fee, 1_000_000_000_000_000_000, Rounding::Up).map(Charge::First)
            }
        }
    }

    /// The largest reserve that the contract can store.
    const fn ceiling(self) -> u128 {
        match self {
            Self::TenKSwap => (1 << 112) - 1,
            _ => u128::MAX,
        }
    }

    const fn fee_leaves(self) -> bool {
        matches!(self, Self::StarkDefi { .. } | Self::SithSwap { .. })
    }
}

/// A pool with `x·y = k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConstantProduct {
    reserves: [u128; 2],
    rule: Rule,
}

impl ConstantProduct {
    /// A pool; `None` if its contract could not be in this state. Reserves of
    /// zero are an empty pool.
    pub fn new(reserves: [u128; 2], rule: Rule) -> Option<Self> {
        let stored = reserves.iter().all(|reserve| *reserve <= rule.ceiling());
        let charged = Side::BOTH.iter().all(|side| rule.charge(*side).is_some());
        (stored && charged).then_some(Self { reserves, rule })
    }

    /// What the contract holds.
    pub const fn reserves(&self) -> [u128; 2] {
        self.reserves
    }

    /// How the contract takes its fee and rounds.
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// The pool after a trade; `None` if it cannot make this trade.
    pub fn after(&self, sold: Side, fill: &Fill) -> Option<Self> {
        let stays = self.stays(self.rule.charge(sold)?, fill.sold)?;
        Self::new(moved(self.reserves, sold, stays, fill.bought)?, self.rule)
    }

    /// Its price and depth, without the fee; `None` if it is empty. The price
    /// falls with the square of what the reserve of the sold token grows by.
    pub(crate) fn quotation(&self) -> Option<Quotation> {
        if self.is_empty() {
            return None;
        }
        let growth = (1.0 - QUOTED_SHARE).sqrt().recip() - 1.0;
        let reserves = self.reserves.map(U256::from);
        let [held0, held1] = reserves.map(f64::from);
        let depth = reserves.map(|held| (f64::from(held) * growth).min(self.room(held).into()));
        Quotation::new(held1 / held0, depth)
    }

    /// What of an amount sold ends up in the reserve.
    fn stays(&self, charge: Charge, amount: U256) -> Option<U256> {
        match charge {
            Charge::First(fee) if self.rule.fee_leaves() => fee.net(amount),
            _ => Some(amount),
        }
    }

    fn reserves_of(&self, sold: Side) -> (U256, U256) {
        let (reserve_in, reserve_out) = sold.of(self.reserves);
        (U256::from(reserve_in), U256::from(reserve_out))
    }

    fn is_empty(&self) -> bool {
        self.reserves.contains(&0)
    }

    /// What can be added to a reserve.
    fn room(&self, reserve_in: U256) -> U256 {
        U256::from(self.rule.ceiling()).saturating_sub(reserve_in)
    }

    /// The largest amount that can be sold.
    fn most_sold(&self, sold: Side) -> U256 {
        let (reserve_in, reserve_out) = self.reserves_of(sold);
        let room = self.room(reserve_in);
        match self.rule.charge(sold) {
            Some(_) if self.is_empty() => U256::ZERO,
            Some(Charge::First(fee)) if self.rule.fee_leaves() => fee.most(room),
            Some(Charge::First(_)) => room,
            Some(Charge::Weight { kept, .. }) => {
                room.min(U256::MAX / reserve_out / U256::from(kept))
            }
            None => U256::ZERO,
        }
    }

    /// The quotient of an exact in, as its dividend and divisor; `None` for more
    /// than [`Self::most_sold`].
    fn quotient(&self, sold: Side, amount: U256) -> Option<(U256, U256)> {
        let (reserve_in, reserve_out) = self.reserves_of(sold);
        let charge = self.rule.charge(sold)?;
        if self.is_empty() || self.stays(charge, amount)? > self.room(reserve_in) {
            return None;
        }
        let (weighed, base) = match charge {
            Charge::First(fee) => (fee.net(amount)?, reserve_in),
            Charge::Weight { kept, scale } => (
                amount.checked_mul(U256::from(kept))?,
                reserve_in.checked_mul(U256::from(scale))?,
            ),
        };
        Some((
            weighed.checked_mul(reserve_out)?,
            base.checked_add(weighed)?,
        ))
    }

    /// What has to be sold to buy an amount; `None` if it cannot be bought.
    fn required(&self, sold: Side, amount: U256) -> Option<U256> {
        let (reserve_in, reserve_out) = self.reserves_of(sold);
        let left = reserve_out.checked_sub(amount)?;
        if left.is_zero() || self.is_empty() {
            return None;
        }
        let product = reserve_in.checked_mul(amount)?;
        let required = match self.rule.charge(sold)? {
            Charge::First(fee) => fee.gross(product.div_ceil(left))?,
            Charge::Weight { kept, scale } => {
                let product = product.checked_mul(U256::from(scale))?;
                let left = left.checked_mul(U256::from(kept))?;
                (product / left).checked_add(U256::ONE)?
            }
        };
        self.quotient(sold, required).map(|_| required)
    }

    /// The share of an amount that the fee leaves to trade.
    pub(crate) fn kept(&self, sold: Side) -> f64 {
        match self.rule.charge(sold) {
            Some(Charge::First(fee)) => fee.kept(),
            Some(Charge::Weight { kept, scale }) => f64::from(kept) / f64::from(scale),
            None => 0.0,
        }
    }
}

impl Curve for ConstantProduct {
    fn exact_in(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        if amount.is_zero() {
            return Err(Refusal::Nothing);
        }
        let (dividend, divisor) = self.quotient(sold, amount).ok_or_else(|| {
            let most = self.most_sold(sold);
            Refusal::TooMuch { most }
        })?;
        Ok(Fill {
            sold: amount,
            bought: dividend / divisor,
            ticks: 0,
        })
    }

    fn exact_out(&self, sold: Side, amount: U256) -> Result<Fill, Refusal> {
        if amount.is_zero() {
            return Err(Refusal::Nothing);
        }
        let required = self.required(sold, amount).ok_or_else(|| {
            let (_, reserve_out) = self.reserves_of(sold);
            let most = largest(reserve_out, |amount| self.required(sold, amount).is_some());
            Refusal::TooMuch { most }
        })?;
        Ok(Fill {
            sold: required,
            bought: amount,
            ticks: 0,
        })
    }

    fn price(&self, sold: Side) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        let (reserve_in, reserve_out) = self.reserves_of(sold);
        self.kept(sold) * f64::from(reserve_out) / f64::from(reserve_in)
    }

    fn pieces(&self, sold: Side, pieces: &mut Pieces) {
        if self.is_empty() {
            return;
        }
        let (held, left) = sold.of(self.reserves.map(float));
        let kept = self.kept(sold);
        let z = (kept * left / held).sqrt().recip();
        pieces.push(z, held.sqrt() * left.sqrt() / kept.sqrt());
        pieces.finish(f64::INFINITY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws;
    use proptest::prelude::*;

    const RULES: [Rule; 6] = [
        Rule::JediSwap,
        Rule::TenKSwap,
        Rule::StarkDefi { fee: 30 },
        Rule::SithSwap {
            fees: [3_000, 10_000],
        },
        Rule::Nostra {
            fee: 3_000_000_000_000_000,
        },
        Rule::MySwap { fee: 300 },
    ];

    fn sides() -> impl Strategy<Value = Side> {
        prop::sample::select(&Side::BOTH[..])
    }

    /// Pools of every rule, with reserves of all magnitudes.
    fn pools() -> impl Strategy<Value = ConstantProduct> {
        let reserve = || {
            (0..=112_u32, any::<u128>())
                .prop_map(|(bits, fill)| (fill >> (128 - bits).min(127)).max(1))
        };
        (reserve(), reserve(), prop::sample::select(&RULES[..])).prop_map(
            |(reserve0, reserve1, rule)| ConstantProduct::new([reserve0, reserve1], rule).unwrap(),
        )
    }

    /// Pools deep enough that one unit is less than their relative precision.
    fn deep_pools() -> impl Strategy<Value = ConstantProduct> {
        (
            1_u128 << 80..1 << 100,
            1_u128 << 80..1 << 100,
            prop::sample::select(&RULES[..]),
        )
            .prop_map(|(reserve0, reserve1, rule)| {
                ConstantProduct::new([reserve0, reserve1], rule).unwrap()
            })
    }

    fn pool(reserves: [u128; 2], rule: Rule) -> ConstantProduct {
        ConstantProduct::new(reserves, rule).unwrap()
    }

    /// What selling 1,000 buys and what buying 1,000 takes, from reserves of a
    /// million and two.
    fn trades(rule: Rule) -> (u64, u64) {
        let pool = pool([1_000_000, 2_000_000], rule);
        let bought = pool
            .exact_in(Side::Token0, U256::from(1_000))
            .unwrap()
            .bought;
        let sold = pool
            .exact_out(Side::Token0, U256::from(1_000))
            .unwrap()
            .sold;
        (bought.to(), sold.to())
    }

    #[test]
    fn each_rule_trades_as_its_table_says() {
        // 997·2,000,000,000 / 1,000,997,000 = 1992.01; 10¹²/1,993,003,000 = 501.7.
        assert_eq!(trades(Rule::JediSwap), (1_992, 502));
        assert_eq!(trades(Rule::TenKSwap), (1_992, 502));
        // Fees of ⌊3⌋ to ⌊3.999⌋; 997·2,000,000 / 1,000,997 = 1992.01; 501 net.
        assert_eq!(trades(Rule::StarkDefi { fee: 30 }), (1_992, 502));
        assert_eq!(trades(Rule::StarkDefi { fee: 39 }), (1_992, 502));
        assert_eq!(trades(Rule::SithSwap { fees: [3_999, 0] }), (1_992, 503));
        // Fee ⌈3.1⌉: 996·2,000,000 / 1,000,996 = 1990.01; 501 net.
        assert_eq!(
            trades(Rule::Nostra {
                fee: 3_100_000_000_000_000
            }),
            (1_990, 503)
        );
        assert_eq!(trades(Rule::MySwap { fee: 300 }), (1_992, 502));
    }

    #[test]
    fn only_a_quotient_and_one_may_ask_for_a_unit_too_much() {
        // 1000·997·1 / (1·997) leaves no rest.
        let reserves = [997, 1_001];
        let wanted = U256::from(1_000);
        let jedi = pool(reserves, Rule::JediSwap).exact_out(Side::Token0, wanted);
        let mine = pool(reserves, Rule::MySwap { fee: 300 }).exact_out(Side::Token0, wanted);
        assert_eq!(jedi.unwrap().sold, U256::from(1_000_001));
        // A fee of ⌊2999.997⌋ leaves as much as one of 3,000 of one unit more.
        assert_eq!(mine.unwrap().sold, U256::from(999_999));
    }

    #[test]
    fn an_empty_pool_trades_nothing() {
        for (rule, reserves) in
            RULES
                .into_iter()
                .zip([[0, 0], [0, 9], [9, 0], [0, 0], [0, 9], [9, 0]])
        {
            laws::nothing_is_traded(&pool(reserves, rule));
        }
    }

    #[test]
    fn states_that_no_contract_has_are_refused() {
        assert!(ConstantProduct::new([1 << 112, 1], Rule::TenKSwap).is_none());
        assert!(ConstantProduct::new([1, 1], Rule::StarkDefi { fee: 10_000 }).is_none());
        let fees = [0, 1_000_000];
        assert!(ConstantProduct::new([1, 1], Rule::SithSwap { fees }).is_none());
    }

    #[test]
    fn the_fullest_pool_takes_nothing() {
        for rule in RULES {
            let pool = pool([rule.ceiling(); 2], rule);
            let refused = pool.exact_in(Side::Token0, U256::ONE);
            assert_eq!(refused, Err(Refusal::TooMuch { most: U256::ZERO }));
        }
    }

    #[test]
    fn a_fee_that_leaves_is_not_in_the_reserves() {
        let fill = Fill {
            sold: U256::from(10_000),
            bought: U256::from(5),
            ticks: 0,
        };
        let after = |rule| {
            pool([1_000, 1_000], rule)
                .after(Side::Token1, &fill)
                .unwrap()
                .reserves()
        };
        assert_eq!(after(Rule::JediSwap), [995, 11_000]);
        assert_eq!(after(Rule::StarkDefi { fee: 30 }), [995, 10_970]);
        assert_eq!(after(Rule::SithSwap { fees: [0, 1_000] }), [995, 10_990]);
        let gone = Fill {
            bought: U256::from(1_001),
            ..fill
        };
        assert_eq!(
            pool([1_000, 1_000], Rule::JediSwap).after(Side::Token1, &gone),
            None
        );
    }

    proptest! {
        #[test]
        fn selling_more_buys_no_less(pool in pools(), side in sides(), a in 1_u128.., b in 1_u128..) {
            laws::selling_more_buys_no_less(&pool, side, a, b)?;
        }

        #[test]
        fn what_is_wanted_is_reached(pool in pools(), side in sides(), wanted in 1_u128.., shift in 0..128_u32) {
            let promised = !matches!(pool.rule(), Rule::JediSwap | Rule::TenKSwap);
            laws::what_is_wanted_is_reached(&pool, side, (wanted >> shift).max(1), promised)?;
        }

        #[test]
        fn the_most_is_true(pool in pools(), side in sides()) {
            laws::the_most_is_true(&pool, side)?;
        }

        #[test]
        fn there_and_back_gains_nothing(pool in pools(), side in sides(), amount in 1_u128.., shift in 0..128_u32) {
            laws::there_and_back_gains_nothing(&pool, ConstantProduct::after, side, (amount >> shift).max(1))?;
        }

        #[test]
        fn two_trades_buy_no_more_than_one(pool in deep_pools(), side in sides(), a in 1_u128 << 60..1 << 90, b in 1_u128 << 60..1 << 90) {
            laws::two_trades_buy_no_more_than_one(&pool, ConstantProduct::after, side, a, b)?;
        }

        #[test]
        fn the_ladder_is_close(pool in deep_pools(), side in sides(), share in 1e-6..9.0_f64) {
            laws::the_ladder_is_close(&pool, side, share, pool.reserves(), 1e-12)?;
        }
    }
}
