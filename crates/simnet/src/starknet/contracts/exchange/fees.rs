//! The fees of the exchange: how much, in which token, and to whom.
//!
//! Its own fee is for the fee recipient, another one for whoever integrated the
//! exchange into something. Both are counted on the same amount.

use super::identity::{EXCHANGE, Exchange};
use crate::starknet::class::{ADDRESS, BOOL, Structure, Typed, U32, U128};
use crate::starknet::contract::{Calldata, Env, Function};
use crate::starknet::contracts::arithmetic::{ensure, mul_div, sub};
use crate::starknet::contracts::erc20::pay;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{felt, from_felt};
use crate::starknet::network::DEPLOYER;
use crate::starknet::state::Variable;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};

/// What a fee of everything would be.
const SCALE: u64 = 10_000;

/// The highest fees, of the exchange and of an integrator.
const MAX_OWN_BPS: u128 = 100;
const MAX_INTEGRATOR_BPS: u128 = 500;

const RECIPIENT: Variable = Variable::felt("fees_recipient");
const ONE_ROUTE: Variable = Variable::felt("fees_bps_0");
const MORE_ROUTES: Variable = Variable::felt("fees_bps_1");
const EXACT_OUT: Variable = Variable::felt("swap_exact_token_to_fees_bps");
const WEIGHTS: Variable = Variable::felt("token_fee_configs");
const WHITELISTED: Variable = Variable::felt("whitelisted_integrators");

const CONFIG: &str = "avnu::components::fee::TokenFeeConfig";
pub(super) const STRUCTURE: Structure = (CONFIG, &[("weight", U32)]);

type Entrypoint = Function<Exchange>;

const BPS: &[Typed] = &[("bps", U128)];

#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::view("get_owner", &[], &[ADDRESS], Exchange::get_owner),
    Entrypoint::view("get_fees_recipient", &[], &[ADDRESS], Exchange::get_fees_recipient),
    Entrypoint::view("get_fees_bps_0", &[], &[U128], Exchange::get_fees_bps_0),
    Entrypoint::view("get_fees_bps_1", &[], &[U128], Exchange::get_fees_bps_1),
    Entrypoint::view("get_swap_exact_token_to_fees_bps", &[], &[U128], Exchange::get_exact_out_bps),
    Entrypoint::view("get_token_fee_config", &[("token", ADDRESS)], &[CONFIG], Exchange::get_token_fee_config),
    Entrypoint::view("is_integrator_whitelisted", &[("integrator", ADDRESS)], &[BOOL], Exchange::is_integrator_whitelisted),
    Entrypoint::external("set_fees_recipient", &[("fees_recipient", ADDRESS)], &[BOOL], Exchange::set_fees_recipient),
    Entrypoint::external("set_fees_bps_0", BPS, &[BOOL], Exchange::set_fees_bps_0),
    Entrypoint::external("set_fees_bps_1", BPS, &[BOOL], Exchange::set_fees_bps_1),
    Entrypoint::external("set_swap_exact_token_to_fees_bps", BPS, &[BOOL], Exchange::set_exact_out_bps),
    Entrypoint::external("set_token_fee_config", &[("token", ADDRESS), ("config", CONFIG)], &[BOOL], Exchange::set_token_fee_config),
    Entrypoint::external("set_whitelisted_integrator", &[("integrator", ADDRESS), ("whitelisted", BOOL)], &[BOOL], Exchange::set_whitelisted_integrator),
];

/// Sets the exchange's fees: for one route, for more, and what it aims at when
/// an exact amount is bought.
pub(crate) fn set_fees_calls([one, more, exact_out]: [u128; 3]) -> [Call; 3] {
    [
        call("set_fees_bps_0", vec![Felt::from(one)]),
        call("set_fees_bps_1", vec![Felt::from(more)]),
        call(
            "set_swap_exact_token_to_fees_bps",
            vec![Felt::from(exact_out)],
        ),
    ]
}

/// Sets who gets the exchange's fees.
pub(crate) fn set_recipient_call(recipient: Felt) -> Call {
    call("set_fees_recipient", vec![recipient])
}

/// Sets the weight of a token: of two tokens the weightier pays the fees.
pub(crate) fn set_weight_call(token: Felt, weight: u32) -> Call {
    call("set_token_fee_config", vec![token, Felt::from(weight)])
}

fn call(name: &str, calldata: Vec<Felt>) -> Call {
    Call {
        to: EXCHANGE,
        selector: selector(name),
        calldata,
    }
}

/// The token in which fees are paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Sold,
    Bought,
}

/// Who integrated the exchange, and their fee.
#[derive(Debug, Clone, Copy)]
pub(super) struct Integrator {
    bps: u128,
    pub(super) recipient: Felt,
}

impl Integrator {
    pub(super) fn read(calldata: &mut Calldata<'_>) -> Result<Self, Revert> {
        Ok(Self {
            bps: calldata.u128()?,
            recipient: calldata.felt()?,
        })
    }

    /// Their fee in a purchase of an exact amount: on top of what is bought, or
    /// within what is sold.
    pub(super) fn exact_out_fee(
        &self,
        side: Side,
        sold: U256,
        bought: U256,
    ) -> Result<U256, Revert> {
        self.check()?;
        if self.recipient == Felt::ZERO {
            return Ok(U256::ZERO);
        }
        let (bps, scale) = (U256::from(self.bps), U256::from(SCALE));
        let too_large = "Overflow: Integrator fee";
        match side {
            Side::Sold => mul_div(sold, bps, scale.saturating_add(bps), too_large),
            Side::Bought => mul_div(bought, bps, scale, too_large),
        }
    }

    fn check(&self) -> Result<(), Revert> {
        let within = self.bps <= MAX_INTEGRATOR_BPS;
        ensure(within, "Integrator fees are too high")
    }
}

/// Fees are paid in what is bought, unless what is sold has more weight.
pub(super) fn side(env: &Env<'_, '_>, sold: Felt, bought: Felt) -> Side {
    let weight = |token| env.read(WEIGHTS, &[token]);
    if weight(bought) >= weight(sold) {
        Side::Bought
    } else {
        Side::Sold
    }
}

/// The exchange's own fee for so many routes. It leaves the fee to whitelisted
/// integrators who take at least as much.
pub(super) fn own_bps(env: &Env<'_, '_>, routes: usize, integrator: &Integrator) -> u128 {
    let bps = bps(env, if routes > 1 { MORE_ROUTES } else { ONE_ROUTE });
    let whitelisted = !env.read(WHITELISTED, &[integrator.recipient]).is_zero();
    if whitelisted && integrator.bps >= bps {
        0
    } else {
        bps
    }
}

/// Pays both fees on `amount`, and answers with what is left of it.
pub(super) fn take(
    env: &mut Env<'_, '_>,
    token: Felt,
    amount: U256,
    own_bps: u128,
    integrator: &Integrator,
) -> Result<U256, Revert> {
    integrator.check()?;
    let theirs = take_one(env, token, amount, integrator.bps, integrator.recipient)?;
    let recipient = recipient(env);
    let ours = take_one(env, token, amount, own_bps, recipient)?;
    sub(sub(amount, theirs)?, ours)
}

fn take_one(
    env: &mut Env<'_, '_>,
    token: Felt,
    amount: U256,
    bps: u128,
    recipient: Felt,
) -> Result<U256, Revert> {
    if bps == 0 || recipient == Felt::ZERO {
        return Ok(U256::ZERO);
    }
    let fee = of(amount, bps)?;
    pay(env, token, recipient, fee)?;
    Ok(fee)
}

/// A fee on an amount, rounded down.
fn of(amount: U256, bps: u128) -> Result<U256, Revert> {
    let (bps, scale) = (U256::from(bps), U256::from(SCALE));
    mul_div(amount, bps, scale, "Overflow: Invalid fee")
}

/// What the exchange would like to keep of a purchase of an exact amount.
pub(super) fn exact_out_aim(env: &Env<'_, '_>, bought: U256) -> Result<U256, Revert> {
    of(bought, bps(env, EXACT_OUT))
}

/// Who gets the exchange's fees.
pub(super) fn recipient(env: &Env<'_, '_>) -> Felt {
    felt(env.read(RECIPIENT, &[]))
}

fn bps(env: &Env<'_, '_>, fee: Variable) -> u128 {
    env.read(fee, &[]).saturating_to()
}

fn only_owner(env: &Env<'_, '_>) -> Result<(), Revert> {
    ensure(env.caller() == DEPLOYER, "Caller is not the owner")
}

fn set_bps(env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>, fee: Variable) -> Returned {
    let bps = calldata.u128()?;
    only_owner(env)?;
    ensure(bps <= MAX_OWN_BPS, "Fees are too high")?;
    env.write(fee, &[], U256::from(bps));
    Ok(vec![Felt::ONE])
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of all entrypoints"
)]
impl Exchange {
    fn get_owner(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![DEPLOYER])
    }

    fn get_fees_recipient(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![recipient(env)])
    }

    fn get_fees_bps_0(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![Felt::from(bps(env, ONE_ROUTE))])
    }

    fn get_fees_bps_1(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![Felt::from(bps(env, MORE_ROUTES))])
    }

    fn get_exact_out_bps(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![Felt::from(bps(env, EXACT_OUT))])
    }

    fn get_token_fee_config(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let token = calldata.felt()?;
        Ok(vec![felt(env.read(WEIGHTS, &[token]))])
    }

    fn is_integrator_whitelisted(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Returned {
        let integrator = calldata.felt()?;
        Ok(vec![felt(env.read(WHITELISTED, &[integrator]))])
    }

    fn set_fees_recipient(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let recipient = calldata.felt()?;
        only_owner(env)?;
        env.write(RECIPIENT, &[], from_felt(recipient));
        Ok(vec![Felt::ONE])
    }

    fn set_fees_bps_0(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        set_bps(env, calldata, ONE_ROUTE)
    }

    fn set_fees_bps_1(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        set_bps(env, calldata, MORE_ROUTES)
    }

    fn set_exact_out_bps(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        set_bps(env, calldata, EXACT_OUT)
    }

    fn set_token_fee_config(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (token, weight) = (calldata.felt()?, calldata.u128()?);
        only_owner(env)?;
        let weight = u32::try_from(weight);
        let weight = weight.map_err(|_| Revert::new("Failed to deserialize param"))?;
        env.write(WEIGHTS, &[token], U256::from(weight));
        Ok(vec![Felt::ONE])
    }

    fn set_whitelisted_integrator(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Returned {
        let (integrator, whitelisted) = (calldata.felt()?, calldata.bool()?);
        only_owner(env)?;
        let flag = U256::from(u8::from(whitelisted));
        env.write(WHITELISTED, &[integrator], flag);
        Ok(vec![Felt::ONE])
    }
}
