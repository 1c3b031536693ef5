//! The account contract: one Stark key owns it, or several.
//!
//! Calls, signatures and names are those of the accounts that people use on the
//! network, so that ordinary clients sign for it. There are three classes with one
//! owner, which differ in what others may do in the owner's name (SNIP-9): both
//! versions of outside execution, the first one, or nothing; and one with several
//! owners, which has both.

mod checked;
pub(crate) mod outside;
mod remembered;
mod signers;
#[cfg(test)]
mod tests;

use outside::{ANY_CALLER, OutsideExecution, OutsideVersion};

use crate::starknet::class::{
    ADDRESS, BOOL, CALLS, CLASS_HASH, Class, FELT, FELTS, Interface, RESULTS, Structure, Typed,
    U64, U128,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, run};
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{felt, from_felt};
use crate::starknet::state::Variable;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, short_string};
use std::sync::LazyLock;

/// The variable that holds the owner's public key.
pub(crate) const PUBLIC_KEY: Variable = Variable::felt("Account_public_key");

/// Interfaces by which contracts ask each other what they are: SRC-5 and SRC-6.
const INTERFACES: [Felt; 2] = [
    Felt::from_hex_unchecked("0x3f918d17e5ee77373b56385708f855659a07f75997f365cf87748628532a055"),
    Felt::from_hex_unchecked("0x2ceccef7f994940b3962a6c67e0ba4fcd37df7d131417c604f91e03caecc1cd"),
];

/// The interfaces of both versions of outside execution.
const OUTSIDE_V1: Felt =
    Felt::from_hex_unchecked("0x68cfd18b92d1907b8ba3cc324900277f5a3622099431ea85dd8089255e4181");
const OUTSIDE_V2: Felt =
    Felt::from_hex_unchecked("0x1d1144bb2138366ff28d8e9ab57456b1d332ac42196230c3a602003c89872");

/// The nonces of outside executions that were used.
const OUTSIDE_NONCES: Variable = Variable::felt("SRC9_nonces");

type Entrypoint = Function<Account>;

const CONSTRUCTOR: &[Typed] = &[("public_key", FELT)];
const MESSAGE: &[Typed] = &[("hash", FELT), ("signature", FELTS)];
const INTERFACE: &[Typed] = &[("interface_id", FELT)];
const DEPLOYMENT: &[Typed] = &[
    ("class_hash", CLASS_HASH),
    ("contract_address_salt", FELT),
    ("public_key", FELT),
];

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("__validate__", &[("calls", CALLS)], &[FELT], Account::validate),
    Entrypoint::external("__execute__", &[("calls", CALLS)], &[RESULTS], Account::execute),
    Entrypoint::external("__validate_deploy__", DEPLOYMENT, &[FELT], Account::validate_deploy),
    Entrypoint::view("is_valid_signature", MESSAGE, &[FELT], Account::is_valid_signature),
    Entrypoint::view("isValidSignature", MESSAGE, &[FELT], Account::is_valid_signature),
    Entrypoint::view("supports_interface", INTERFACE, &[BOOL], Account::supports_interface),
    Entrypoint::view("supportsInterface", INTERFACE, &[BOOL], Account::supports_interface),
    Entrypoint::view("get_public_key", &[], &[FELT], Account::public_key),
    Entrypoint::view("getPublicKey", &[], &[FELT], Account::public_key),
];

const SIGNERS_CONSTRUCTOR: &[Typed] = &[("threshold", U128), ("signers", FELTS)];
const SIGNERS_DEPLOYMENT: &[Typed] = &[
    ("class_hash", CLASS_HASH),
    ("contract_address_salt", FELT),
    ("threshold", U128),
    ("signers", FELTS),
];

#[rustfmt::skip]
const SIGNERS_FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::external("__validate__", &[("calls", CALLS)], &[FELT], Account::validate),
    Entrypoint::external("__execute__", &[("calls", CALLS)], &[RESULTS], Account::execute),
    Entrypoint::external("__validate_deploy__", SIGNERS_DEPLOYMENT, &[FELT], Account::validate_deploy),
    Entrypoint::view("is_valid_signature", MESSAGE, &[FELT], Account::is_valid_signature),
    Entrypoint::view("supports_interface", INTERFACE, &[BOOL], Account::supports_interface),
    Entrypoint::view("get_signers", &[], &[FELTS], Account::signers),
    Entrypoint::view("get_threshold", &[], &[U128], Account::threshold),
];

const OUTSIDE_EXECUTION: &str = "stoa::contract::OutsideExecution";
const OUTSIDE: &[Typed] = &[
    ("outside_execution", OUTSIDE_EXECUTION),
    ("signature", FELTS),
];
const STRUCTURES: &[Structure] = &[(
    OUTSIDE_EXECUTION,
    &[
        ("caller", ADDRESS),
        ("nonce", FELT),
        ("execute_after", U64),
        ("execute_before", U64),
        ("calls", CALLS),
    ],
)];

#[rustfmt::skip]
const FIRST: &[Entrypoint] = &[
    Entrypoint::external("execute_from_outside", OUTSIDE, &[RESULTS], Account::execute_from_outside),
    Entrypoint::view("is_valid_outside_execution_nonce", &[("nonce", FELT)], &[BOOL], Account::is_unused),
];

#[rustfmt::skip]
const SECOND: &[Entrypoint] = &[
    Entrypoint::external("execute_from_outside_v2", OUTSIDE, &[RESULTS], Account::execute_from_outside_v2),
];

fn kind(name: &str, outside: &[&[Entrypoint]]) -> Kind<Account> {
    let interface = Interface {
        constructor: Some(CONSTRUCTOR),
        structures: if outside.is_empty() { &[] } else { STRUCTURES },
        ..Interface::default()
    };
    Kind::new(name, &[FUNCTIONS, &outside.concat()].concat(), interface)
}

static SEVERAL: LazyLock<Kind<Account>> = LazyLock::new(|| {
    let interface = Interface {
        constructor: Some(SIGNERS_CONSTRUCTOR),
        structures: STRUCTURES,
        ..Interface::default()
    };
    let functions = [SIGNERS_FUNCTIONS, FIRST, SECOND].concat();
    Kind::new("AccountSigners", &functions, interface)
});
static BOTH: LazyLock<Kind<Account>> = LazyLock::new(|| kind("Account", &[FIRST, SECOND]));
static ONLY_FIRST: LazyLock<Kind<Account>> = LazyLock::new(|| kind("AccountOutsideV1", &[FIRST]));
static NEITHER: LazyLock<Kind<Account>> = LazyLock::new(|| kind("AccountPlain", &[]));

/// An account, by what others may do in its owner's name. All else of it is in
/// its variables.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Account {
    /// Both versions of outside execution. It also takes signatures in the form
    /// of accounts that have several signers.
    Both,
    /// The first version of outside execution.
    OnlyFirst,
    /// Nothing.
    Neither,
    /// Both versions, and several owners.
    Several,
}

impl Account {
    /// The class of nearly all accounts.
    pub(crate) fn class_hash() -> Felt {
        Self::Both.class().hash
    }

    fn kind(&self) -> &'static Kind<Self> {
        match self {
            Self::Both => &BOTH,
            Self::OnlyFirst => &ONLY_FIRST,
            Self::Neither => &NEITHER,
            Self::Several => &SEVERAL,
        }
    }

    /// Whether the owner signed a hash, or as many as have to.
    fn is_signed(&self, env: &Env<'_, '_>, hash: Felt, signature: &[Felt]) -> bool {
        if *self == Self::Several {
            return signers::are_enough(env, hash, signature);
        }
        let owner = felt(env.read(PUBLIC_KEY, &[]));
        let signature = match signature {
            [r, s] => [*r, *s],
            // A list of one signature, of a Stark key.
            [count, kind, signer, r, s]
                if *self == Self::Both
                    && [*count, *kind, *signer] == [Felt::ONE, Felt::ZERO, owner] =>
            {
                [*r, *s]
            }
            _ => return false,
        };
        checked::is_signed(owner, hash, signature)
    }

    /// Agrees if the owner signed the running transaction.
    fn check_origin(&self, env: &Env<'_, '_>) -> Returned {
        only_protocol(env)?;
        match env.origin() {
            Some(origin) if self.is_signed(env, origin.hash, origin.signature) => Ok(vec![valid()]),
            _ => Err(Revert::new("Account: invalid signature")),
        }
    }

    /// Does what the owner lets others do, once, in its time.
    fn outside(
        &self,
        version: OutsideVersion,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Returned {
        let execution = OutsideExecution::read(calldata)?;
        let signature = calldata.felts()?;
        let refused = |words: &str| Err(Revert::new(format!("SRC9: {words}")));
        if execution.caller != ANY_CALLER && execution.caller != env.caller() {
            return refused("invalid caller");
        }
        let now = env.time();
        if now <= execution.execute_after {
            return refused("now <= execute_after");
        }
        if now >= execution.execute_before {
            return refused("now >= execute_before");
        }
        if !is_unused(env, execution.nonce) {
            return refused("duplicated nonce");
        }
        env.write(OUTSIDE_NONCES, &[execution.nonce], U256::ONE);
        let hash = execution.hash(version, env.address());
        if !hash.is_some_and(|hash| self.is_signed(env, hash, signature)) {
            return refused("invalid signature");
        }
        make(env, &execution.calls)
    }
}

/// What a validation returns that agrees.
pub(crate) fn valid() -> Felt {
    short_string("VALID")
}

fn is_unused(env: &Env<'_, '_>, nonce: Felt) -> bool {
    env.read(OUTSIDE_NONCES, &[nonce]) == U256::ZERO
}

/// Makes all calls, and returns what each of them returns. If one fails, all
/// fail.
fn make(env: &mut Env<'_, '_>, calls: &[Call]) -> Returned {
    let mut results = vec![Felt::from(calls.len())];
    for call in calls {
        let returned = env.call(call)?;
        results.push(Felt::from(returned.len()));
        results.extend(returned);
    }
    Ok(results)
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
        if *self == Self::Several {
            return signers::construct(env, calldata);
        }
        let public_key = calldata.felt()?;
        env.write(PUBLIC_KEY, &[], from_felt(public_key));
        Ok(vec![])
    }

    fn validate(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        // The calls are part of what is signed; they are read when they are made.
        calldata.rest();
        self.check_origin(env)
    }

    fn validate_deploy(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        calldata.rest();
        self.check_origin(env)
    }

    fn execute(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        only_protocol(env)?;
        let calls = outside::calls(calldata)?;
        make(env, &calls)
    }

    fn execute_from_outside(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        self.outside(OutsideVersion::One, env, calldata)
    }

    fn execute_from_outside_v2(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Returned {
        self.outside(OutsideVersion::Two, env, calldata)
    }

    fn is_unused(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        Ok(vec![Felt::from(is_unused(env, calldata.felt()?))])
    }

    fn is_valid_signature(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (hash, signature) = (calldata.felt()?, calldata.felts()?);
        let answer = if self.is_signed(env, hash, signature) {
            valid()
        } else {
            Felt::ZERO
        };
        Ok(vec![answer])
    }

    fn supports_interface(&self, _: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let asked = calldata.felt()?;
        let supported = INTERFACES.contains(&asked)
            || asked == OUTSIDE_V1 && *self != Self::Neither
            || asked == OUTSIDE_V2 && [Self::Both, Self::Several].contains(self);
        Ok(vec![Felt::from(supported)])
    }

    fn signers(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let signers = signers::signers(env);
        let mut list = vec![Felt::from(signers.len())];
        list.extend(signers);
        Ok(list)
    }

    fn threshold(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![signers::threshold(env)])
    }

    fn public_key(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(PUBLIC_KEY, &[]))])
    }
}

impl Contract for Account {
    fn class(&self) -> &'static Class {
        &self.kind().class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        self.kind().entrypoints.run(self, env, selector, calldata)
    }

    fn construct(&self, env: &mut Env<'_, '_>, calldata: &[Felt]) -> Option<Returned> {
        Some(run(Self::construct, self, env, calldata))
    }
}
