//! Signed numbers and keys as the exchange's contracts pass them.

use super::maths::MAX_TICK_SPACING;
use super::pool_key::PoolKey;
use crate::starknet::class::{ADDRESS, BOOL, FELT, Structure, U128, U256 as U256_TYPE};
use crate::starknet::contract::Calldata;
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::signed::Signed;
use crate::starknet::failure::Revert;
use primitives::{Felt, U256};

pub(super) const I129: &str = "ekubo::types::i129::i129";
pub(super) const POOL_KEY: &str = "ekubo::types::keys::PoolKey";
pub(super) const POOL_PRICE: &str = "ekubo::types::pool_price::PoolPrice";
pub(super) const BOUNDS: &str = "ekubo::types::bounds::Bounds";
pub(super) const DELTA: &str = "ekubo::types::delta::Delta";
pub(super) const DELTAS: &str = "core::array::Array::<ekubo::types::delta::Delta>";
pub(super) const NODE: &str = "ekubo::interfaces::router::RouteNode";
pub(super) const NODES: &str = "core::array::Array::<ekubo::interfaces::router::RouteNode>";
pub(super) const TOKEN_AMOUNT: &str = "ekubo::interfaces::router::TokenAmount";
pub(super) const SWAP_PARAMETERS: &str = "ekubo::interfaces::core::SwapParameters";
pub(super) const UPDATE_PARAMETERS: &str = "ekubo::interfaces::core::UpdatePositionParameters";

#[rustfmt::skip]
pub(super) const STRUCTURES: &[Structure] = &[
    (I129, &[("mag", U128), ("sign", BOOL)]),
    (POOL_KEY, &[
        ("token0", ADDRESS), ("token1", ADDRESS), ("fee", U128), ("tick_spacing", U128), ("extension", ADDRESS),
    ]),
    (POOL_PRICE, &[("sqrt_ratio", U256_TYPE), ("tick", I129)]),
    (BOUNDS, &[("lower", I129), ("upper", I129)]),
    (DELTA, &[("amount0", I129), ("amount1", I129)]),
    (NODE, &[("pool_key", POOL_KEY), ("sqrt_ratio_limit", U256_TYPE), ("skip_ahead", U128)]),
    (TOKEN_AMOUNT, &[("token", ADDRESS), ("amount", I129)]),
    (SWAP_PARAMETERS, &[
        ("amount", I129), ("is_token1", BOOL), ("sqrt_ratio_limit", U256_TYPE), ("skip_ahead", U128),
    ]),
    (UPDATE_PARAMETERS, &[("salt", FELT), ("bounds", BOUNDS), ("liquidity_delta", I129)]),
];

/// The ticks between which a position lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) lower: i32,
    pub(crate) upper: i32,
}

impl Bounds {
    pub(super) fn felts(self) -> Vec<Felt> {
        [self.lower, self.upper]
            .map(|tick| Signed::of_tick(tick).felts())
            .concat()
    }

    pub(super) fn read(calldata: &mut Calldata<'_>) -> Result<Self, Revert> {
        Ok(Self {
            lower: read_tick(calldata)?,
            upper: read_tick(calldata)?,
        })
    }
}

pub(super) fn read_tick(calldata: &mut Calldata<'_>) -> Result<i32, Revert> {
    let tick = Signed::read(calldata)?.tick();
    tick.ok_or_else(|| Revert::new("BOUNDS_MAX"))
}

/// What the core takes (plus) or gives (minus) of both tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Delta(pub(crate) [Signed; 2]);

impl Delta {
    pub(super) fn felts(self) -> Vec<Felt> {
        self.0.map(Signed::felts).concat()
    }

    pub(super) fn read(calldata: &mut Calldata<'_>) -> Result<Self, Revert> {
        Ok(Self([Signed::read(calldata)?, Signed::read(calldata)?]))
    }
}

/// What is to be swapped: an amount sold (plus) or bought (minus) of one token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SwapParameters {
    pub(crate) amount: Signed,
    pub(crate) is_token1: bool,
    pub(crate) limit: U256,
    pub(crate) skip_ahead: u128,
}

impl SwapParameters {
    pub(super) fn felts(self) -> Vec<Felt> {
        let mut felts = self.amount.felts().to_vec();
        felts.push(Felt::from(self.is_token1));
        felts.extend(crate::starknet::contract::halves(self.limit));
        felts.push(Felt::from(self.skip_ahead));
        felts
    }

    pub(super) fn read(calldata: &mut Calldata<'_>) -> Result<Self, Revert> {
        Ok(Self {
            amount: Signed::read(calldata)?,
            is_token1: calldata.bool()?,
            limit: calldata.u256()?,
            skip_ahead: calldata.u128()?,
        })
    }
}

pub(crate) fn read_key(calldata: &mut Calldata<'_>) -> Result<PoolKey, Revert> {
    let tokens = [calldata.felt()?, calldata.felt()?];
    let (fee, spacing) = (calldata.u128()?, calldata.u128()?);
    let largest = u128::from(MAX_TICK_SPACING);
    ensure((1..=largest).contains(&spacing), "TICK_SPACING")?;
    Ok(PoolKey {
        tokens,
        fee,
        tick_spacing: u32::try_from(spacing).map_err(|_| Revert::new("TICK_SPACING"))?,
        extension: calldata.felt()?,
    })
}
