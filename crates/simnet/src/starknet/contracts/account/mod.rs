//! The account contract: one Stark key owns it.
//!
//! Calls, signatures and names are those of the accounts that people use on the
//! network, so that ordinary clients sign for it.

use crate::starknet::class::{
    BOOL, CALLS, CLASS_HASH, Class, FELT, FELTS, Interface, RESULTS, Typed,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, run};
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{felt, from_felt};
use crate::starknet::state::Variable;
use crate::starknet::transaction::Call;
use primitives::{Felt, short_string};
use std::sync::LazyLock;

/// The variable that holds the owner's public key.
pub(crate) const PUBLIC_KEY: Variable = Variable::felt("Account_public_key");

/// Interfaces by which contracts ask each other what they are: SRC-5 and SRC-6.
const INTERFACES: [Felt; 2] = [
    Felt::from_hex_unchecked("0x3f918d17e5ee77373b56385708f855659a07f75997f365cf87748628532a055"),
    Felt::from_hex_unchecked("0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd"),
];

type Entry = Function<Account>;

const CONSTRUCTOR: &[Typed] = &[("public_key", FELT)];
const MESSAGE: &[Typed] = &[("hash", FELT), ("signature", FELTS)];
const DEPLOYMENT: &[Typed] = &[
    ("class_hash", CLASS_HASH),
    ("contract_address_salt", FELT),
    ("public_key", FELT),
];

#[rustfmt::skip]
const FUNCTIONS: &[Entry] = &[
    Entry::external("__validate__", &[("calls", CALLS)], &[FELT], Account::validate),
    Entry::external("__execute__", &[("calls", CALLS)], &[RESULTS], Account::execute),
    Entry::external("__validate_deploy__", DEPLOYMENT, &[FELT], Account::validate_deploy),
    Entry::view("is_valid_signature", MESSAGE, &[FELT], Account::is_valid_signature),
    Entry::view("isValidSignature", MESSAGE, &[FELT], Account::is_valid_signature),
    Entry::view("supports_interface", &[("interface_id", FELT)], &[BOOL], Account::supports_interface),
    Entry::view("get_public_key", &[], &[FELT], Account::public_key),
    Entry::view("getPublicKey", &[], &[FELT], Account::public_key),
];

static KIND: LazyLock<Kind<Account>> = LazyLock::new(|| {
    let interface = Interface {
        constructor: Some(CONSTRUCTOR),
        ..Interface::default()
    };
    Kind::new("Account", FUNCTIONS, interface)
});

/// An account. All of it is in its variables.
#[derive(Debug)]
pub(crate) struct Account;

impl Account {
    /// The class of all accounts.
    pub(crate) fn class_hash() -> Felt {
        KIND.class.hash
    }
}

/// What a validation returns that agrees.
pub(crate) fn valid() -> Felt {
    short_string("VALID")
}

fn is_signed(env: &Env<'_, '_>, hash: Felt, signature: &[Felt]) -> bool {
    let [r, s] = signature else {
        return false;
    };
    let public_key = felt(env.read(PUBLIC_KEY, &[]));
    matches!(starknet_crypto::verify(&public_key, &hash, r, s), Ok(true))
}

/// Agrees if the owner signed the running transaction.
fn check_origin(env: &Env<'_, '_>) -> Returned {
    only_protocol(env)?;
    match env.origin() {
        Some(origin) if is_signed(env, origin.hash, origin.signature) => Ok(vec![valid()]),
        _ => Err(Revert::new("Account: invalid signature")),
    }
}

/// Only the chain itself may call, and only in a transaction.
fn only_protocol(env: &Env<'_, '_>) -> Result<(), Revert> {
    if env.caller() != Felt::ZERO {
        return Err(Revert::new("Account: invalid caller"));
    }
    if env.origin().is_none() {
        return Err(Revert::new("Account: invalid tx version"));
    }
    Ok(())
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of all entrypoints"
)]
impl Account {
    fn construct(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let public_key = calldata.felt()?;
        env.write(PUBLIC_KEY, &[], from_felt(public_key));
        Ok(vec![])
    }

    fn validate(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        // The calls are part of what is signed; they are read when they are made.
        calldata.rest();
        check_origin(env)
    }

    fn validate_deploy(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        calldata.rest();
        check_origin(env)
    }

    /// Makes all calls, and returns what each of them returns. If one fails, all
    /// fail.
    fn execute(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        only_protocol(env)?;
        let count = calldata.length()?;
        let mut results = vec![Felt::from(count)];
        for _ in 0..count {
            let call = Call {
                to: calldata.felt()?,
                selector: calldata.felt()?,
                calldata: calldata.felts()?.to_vec(),
            };
            let returned = env.call(&call)?;
            results.push(Felt::from(returned.len()));
            results.extend(returned);
        }
        Ok(results)
    }

    fn is_valid_signature(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (hash, signature) = (calldata.felt()?, calldata.felts()?);
        let answer = if is_signed(env, hash, signature) {
            valid()
        } else {
            Felt::ZERO
        };
        Ok(vec![answer])
    }

    fn supports_interface(&self, _: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let supported = INTERFACES.contains(&calldata.felt()?);
        Ok(vec![Felt::from(supported)])
    }

    fn public_key(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(PUBLIC_KEY, &[]))])
    }
}

impl Contract for Account {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }

    fn construct(&self, env: &mut Env<'_, '_>, calldata: &[Felt]) -> Option<Returned> {
        Some(run(Self::construct, self, env, calldata))
    }
}
