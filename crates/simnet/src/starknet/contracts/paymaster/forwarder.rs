//! The forwarder: does what an account's owner signed, in the name of a relayer,
//! and takes from what the account pays for that no more than the relayer says.

use crate::starknet::class::{
    ADDRESS, BOOL, CALLS, Class, EventSignature, FELT, FELTS, Interface, Typed, U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::account::outside::calls;
use crate::starknet::contracts::arithmetic::{ensure, sub};
use crate::starknet::contracts::erc20::{balance_of, pay};
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{felt, from_felt};
use crate::starknet::state::{Key, Variable};
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};
use std::sync::LazyLock;

/// Where the network's forwarder is.
pub(crate) const FORWARDER: Felt = Felt::from_hex_unchecked("0x73746f615f666f72776172646572");

const RELAYERS: Variable = Variable::felt("Forwarder_relayers");
const RECIPIENT: Variable = Variable::felt("Forwarder_gas_fees_recipient");

/// What the forwarder keeps from the first block on: who may relay, and who
/// receives what users pay.
pub(crate) fn first_state(relayers: &[Felt], recipient: Felt) -> Vec<(Key, U256)> {
    let allowed = relayers
        .iter()
        .map(|relayer| (Key::new(FORWARDER, RELAYERS, &[*relayer]), U256::ONE));
    let receives = (Key::new(FORWARDER, RECIPIENT, &[]), from_felt(recipient));
    allowed.chain([receives]).collect()
}

type Entrypoint = Function<Forwarder>;

const PAID: &[Typed] = &[
    ("account_address", ADDRESS),
    ("entrypoint", FELT),
    ("calldata", FELTS),
    ("gas_token_address", ADDRESS),
    ("gas_amount", U256_TYPE),
];
const SPONSORED: &[Typed] = &[
    ("account_address", ADDRESS),
    ("entrypoint", FELT),
    ("calldata", FELTS),
    ("sponsor_metadata", FELTS),
];
const PRIVATE: &[Typed] = &[
    ("calls", CALLS),
    ("gas_token_address", ADDRESS),
    ("gas_amount", U256_TYPE),
    ("sponsor_metadata", FELTS),
];

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("execute", PAID, &[], Forwarder::execute),
    Entrypoint::external("execute_sponsored", SPONSORED, &[], Forwarder::execute_sponsored),
    Entrypoint::external("execute_private_sponsored", PRIVATE, &[], Forwarder::execute_private_sponsored),
    Entrypoint::view("is_whitelisted", &[("relayer", ADDRESS)], &[BOOL], Forwarder::is_whitelisted),
    Entrypoint::view("get_gas_fees_recipient", &[], &[ADDRESS], Forwarder::gas_fees_recipient),
];

const EVENTS: &[EventSignature] = &[EventSignature {
    name: "SponsoredTransaction",
    keys: &[],
    data: &[("user_address", ADDRESS), ("sponsor_metadata", FELTS)],
}];

static KIND: LazyLock<Kind<Forwarder>> = LazyLock::new(|| {
    let interface = Interface {
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new("Forwarder", FUNCTIONS, interface)
});

/// The forwarder; all of it is in its variables.
#[derive(Debug)]
pub(super) struct Forwarder;

impl Contract for Forwarder {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

/// Refuses everybody who is no relayer.
fn only_relayers(env: &Env<'_, '_>) -> Result<(), Revert> {
    let is_one = env.read(RELAYERS, &[env.caller()]) != U256::ZERO;
    ensure(is_one, "Caller is not whitelisted")
}

/// The call by which an account does what its owner signed.
fn signed_call(calldata: &mut Calldata<'_>) -> Result<Call, Revert> {
    Ok(Call {
        to: calldata.felt()?,
        selector: calldata.felt()?,
        calldata: calldata.felts()?.to_vec(),
    })
}

/// Passes on what was received since: so much to the recipient, and the rest
/// back.
fn share_out(
    env: &mut Env<'_, '_>,
    (token, before): (Felt, U256),
    amount: U256,
    back_to: Felt,
) -> Result<(), Revert> {
    let received = sub(balance_of(env, token, env.address())?, before)?;
    ensure(received >= amount, "Gas fees are not paid")?;
    let recipient = felt(env.read(RECIPIENT, &[]));
    let rest = received - amount;
    pay(env, token, recipient, amount)?;
    if rest > U256::ZERO {
        pay(env, token, back_to, rest)?;
    }
    Ok(())
}

fn tell_sponsored(env: &mut Env<'_, '_>, user: Felt, metadata: &[Felt]) {
    let mut data = vec![user, Felt::from(metadata.len())];
    data.extend(metadata);
    env.emit(&[selector("SponsoredTransaction")], &data);
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of all entrypoints"
)]
impl Forwarder {
    fn execute(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        only_relayers(env)?;
        let signed = signed_call(calldata)?;
        let (token, amount) = (calldata.felt()?, calldata.u256()?);
        let before = balance_of(env, token, env.address())?;
        env.call(&signed)?;
        share_out(env, (token, before), amount, signed.to)?;
        Ok(vec![])
    }

    fn execute_sponsored(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        only_relayers(env)?;
        let signed = signed_call(calldata)?;
        let metadata = calldata.felts()?;
        env.call(&signed)?;
        tell_sponsored(env, signed.to, metadata);
        Ok(vec![])
    }

    fn execute_private_sponsored(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Returned {
        only_relayers(env)?;
        let calls = calls(calldata)?;
        let (token, amount) = (calldata.felt()?, calldata.u256()?);
        let metadata = calldata.felts()?;
        for call in &calls {
            env.call(call)?;
        }
        // It has nothing between transactions: whatever is there was paid for this.
        let paid = balance_of(env, token, env.address())?;
        ensure(paid >= amount, "Gas fees are not paid")?;
        let recipient = felt(env.read(RECIPIENT, &[]));
        pay(env, token, recipient, paid)?;
        tell_sponsored(env, Felt::ZERO, metadata);
        Ok(vec![])
    }

    fn is_whitelisted(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let relayer = calldata.felt()?;
        Ok(vec![felt(env.read(RELAYERS, &[relayer]))])
    }

    fn gas_fees_recipient(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(RECIPIENT, &[]))])
    }
}
