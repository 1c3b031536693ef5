//! The private executor: makes calls in its own name with what it was given
//! before, and passes what they brought on to its caller.
//!
//! The public executor's interface is not known; this one is the network's own.
//! It holds nothing between two calls, so that anybody may use it: whoever asks
//! first gets what was left there.

use crate::starknet::class::{
    ADDRESS, CALLS, Class, EventSignature, FELT, Interface, Typed, U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, halves};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::contracts::erc20::{balance_of, pay};
use crate::starknet::failure::Returned;
use crate::starknet::transaction::Call;
use primitives::{Felt, selector};
use std::sync::LazyLock;

/// Where it is: the word `stoa_executor`.
pub(crate) const EXECUTOR: Felt = Felt::from_hex_unchecked("0x73746f615f6578656375746f72");

type Entrypoint = Function<Executor>;

const INVOCATION: &[Typed] = &[
    ("buy_token", ADDRESS),
    ("calls", CALLS),
    ("open_note_id", FELT),
];

const FUNCTIONS: &[Entrypoint] = &[Entrypoint::external(
    "privacy_invoke",
    INVOCATION,
    &[U256_TYPE],
    Executor::privacy_invoke,
)];

const EVENTS: &[EventSignature] = &[EventSignature {
    name: "PrivateSwap",
    keys: &[("open_note_id", FELT)],
    data: &[("buy_token", ADDRESS), ("buy_amount", U256_TYPE)],
}];

static KIND: LazyLock<Kind<Executor>> = LazyLock::new(|| {
    let interface = Interface {
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new("Private executor", FUNCTIONS, interface)
});

#[derive(Debug)]
pub(super) struct Executor;

impl Contract for Executor {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

#[expect(clippy::unused_self, reason = "the shape of all entrypoints")]
impl Executor {
    /// Makes the calls, and pays all that there is of the bought token.
    fn privacy_invoke(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let token = calldata.felt()?;
        let count = calldata.length()?;
        for _ in 0..count {
            let call = Call {
                to: calldata.felt()?,
                selector: calldata.felt()?,
                calldata: calldata.felts()?.to_vec(),
            };
            env.call(&call)?;
        }
        let note = calldata.felt()?;
        let (own, to) = (env.address(), env.caller());
        let bought = balance_of(env, token, own)?;
        ensure(!bought.is_zero(), "Nothing was bought")?;
        pay(env, token, to, bought)?;
        let mut data = vec![token];
        data.extend(halves(bought));
        env.emit(&[selector("PrivateSwap"), note], &data);
        Ok(halves(bought).to_vec())
    }
}
