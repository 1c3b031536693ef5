//! Routes as callers write them: a list of swaps in the order in which they are
//! made, each with a share of what there is of its token at that moment.

use crate::starknet::contract::Calldata;
use crate::starknet::contracts::arithmetic::{ensure, mul_div};
use crate::starknet::failure::Revert;
use primitives::{Felt, U256};

/// All of a balance.
pub(super) const WHOLE: u128 = 1_000_000_000_000;

/// Stands where a direct route names its exchange: the word `branch`.
const BRANCH: Felt = Felt::from_hex_unchecked("0x6272616e6368");

/// One step: a token sold for another.
#[derive(Debug)]
pub(super) struct Route<'c> {
    pub(super) sold: Felt,
    pub(super) bought: Felt,
    pub(super) choice: LegChoice<'c>,
}

/// Where it is sold.
#[derive(Debug)]
pub(super) enum LegChoice<'c> {
    Direct(Leg<'c>),
    /// At the first, unless another one is better now.
    Branch(Leg<'c>, Vec<Leg<'c>>),
}

/// A share of a balance, and the exchange that it goes to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leg<'c> {
    pub(super) exchange: Felt,
    percent: u128,
    /// What the exchange's adapter needs to know beside the tokens.
    pub(super) params: &'c [Felt],
}

/// Reads the list that ends a call.
pub(super) fn read<'c>(calldata: &mut Calldata<'c>) -> Result<Vec<Route<'c>>, Revert> {
    let count = calldata.length()?;
    (0..count).map(|_| read_route(calldata)).collect()
}

fn read_route<'c>(calldata: &mut Calldata<'c>) -> Result<Route<'c>, Revert> {
    let (sold, bought, place) = (calldata.felt()?, calldata.felt()?, calldata.felt()?);
    let choice = if place == BRANCH {
        let principal = calldata.felt()?;
        let principal = read_leg(principal, calldata)?;
        let count = calldata.length()?;
        let alternatives = (0..count).map(|_| {
            let exchange = calldata.felt()?;
            read_leg(exchange, calldata)
        });
        LegChoice::Branch(principal, alternatives.collect::<Result<_, _>>()?)
    } else {
        LegChoice::Direct(read_leg(place, calldata)?)
    };
    Ok(Route {
        sold,
        bought,
        choice,
    })
}

fn read_leg<'c>(exchange: Felt, calldata: &mut Calldata<'c>) -> Result<Leg<'c>, Revert> {
    Ok(Leg {
        exchange,
        percent: calldata.u128()?,
        params: calldata.felts()?,
    })
}

impl Leg<'_> {
    /// The leg's share of `balance`, rounded down.
    pub(super) fn share(&self, balance: U256) -> Result<U256, Revert> {
        let within = (1..=WHOLE).contains(&self.percent);
        ensure(within, "Invalid route percent")?;
        let [percent, whole] = [self.percent, WHOLE].map(U256::from);
        mul_div(balance, percent, whole, "Overflow: Invalid percent")
    }
}
