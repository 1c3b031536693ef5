//! What becomes of a transaction: the checks of the chain, the validation by
//! the account, the calls and the fee. Nothing here changes the state.

use super::contracts::account::valid;
use super::contracts::erc20::{balance_key, transfer_call};
use super::execution::{Effects, Execution, View};
use super::failure::CallFailure;
use super::gas::{Gas, Prices, Resources, max_fee};
use super::network::{SEQUENCER, STRK};
use super::refusal::Refusal;
use super::state::Key;
use super::syscalls::{Origin, Syscalls};
use super::trace::Invocation;
use super::transaction::{Action, Call, Request};
use primitives::transaction_hash::Bound;
use primitives::{Felt, U256, selector};
use std::sync::LazyLock;
use thiserror::Error;

static VALIDATE: LazyLock<Felt> = LazyLock::new(|| selector("__validate__"));
static VALIDATE_DEPLOY: LazyLock<Felt> = LazyLock::new(|| selector("__validate_deploy__"));
static EXECUTE: LazyLock<Felt> = LazyLock::new(|| selector("__execute__"));

/// Whether the sender pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charge {
    Fee,
    Nothing,
}

/// Why the calls of a transaction were undone. It pays all the same.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Reversal {
    #[error("{0}")]
    Call(#[source] CallFailure),
    #[error("insufficient max {resource}: max amount: {max}, actual used: {used}")]
    OutOfGas {
        resource: &'static str,
        max: u64,
        used: u64,
    },
    #[error("insufficient fee token balance")]
    Unpaid,
}

/// What a transaction would do.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) effects: Effects,
    pub(crate) resources: Resources,
    /// In FRI.
    pub(crate) fee: u128,
    pub(crate) reversal: Option<Reversal>,
    pub(crate) trace: Trace,
}

/// The calls of a transaction, if they were traced.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// `__execute__` or the constructor.
    pub(crate) main: Option<Invocation>,
    pub(crate) fee_transfer: Option<Invocation>,
}

/// Checks that the sender exists, or can, and has not used the nonce. A nonce of
/// the future is the caller's matter.
pub(crate) fn check_sender(view: View<'_>, request: &Request) -> Result<(), Refusal> {
    let expected = view.nonce(request.sender);
    let given = request.signed.terms.nonce;
    let wrong = match &request.signed.action {
        Action::Invoke(_) => {
            if view.class_hash(request.sender) == Felt::ZERO {
                return Err(Refusal::NotDeployed(request.sender));
            }
            given < expected
        }
        Action::DeployAccount(deployment) => {
            if view.contracts.class(deployment.class_hash).is_none() {
                return Err(Refusal::ClassNotFound(deployment.class_hash));
            }
            given != expected || given != 0
        }
    };
    if wrong {
        return Err(Refusal::Nonce { expected, given });
    }
    Ok(())
}

/// Checks that the bounds cover the least, and the balance the most, that the
/// transaction may cost.
pub(crate) fn check_fee(view: View<'_>, request: &Request, prices: Prices) -> Result<(), Refusal> {
    let terms = &request.signed.terms;
    let bounds = Gas::<Bound>::from(terms.bounds);
    let needs = Resources::LEAST.zip(prices);
    for (resource, (bound, (amount, price))) in bounds.zip(needs).named() {
        let (max_amount, amount) = (bound.max_amount.into(), amount.into());
        let max_price = bound.max_price_per_unit;
        for (what, given, least) in [
            ("amount", max_amount, amount),
            ("price", max_price, price.fri),
        ] {
            if given < least {
                return Err(Refusal::Bounds {
                    resource: format!("{resource} {what}"),
                    given,
                    least,
                });
            }
        }
    }
    let balance = view.read(&balance_key(STRK, request.sender));
    let max_fee = max_fee(terms.bounds, terms.tip);
    if balance < max_fee {
        return Err(Refusal::Balance { balance, max_fee });
    }
    Ok(())
}

/// Lets the account check the signature. Answers with that call if it is traced.
pub(crate) fn validate(
    view: View<'_>,
    request: &Request,
    traced: bool,
) -> Result<Option<Invocation>, Refusal> {
    let mut execution = Execution::new(view, Some(origin(request))).traced(traced);
    let (selector, calldata) = match &request.signed.action {
        Action::Invoke(invoke) => (*VALIDATE, invoke.calldata.clone()),
        Action::DeployAccount(deployment) => {
            let constructor = &deployment.constructor_calldata;
            execution
                .deploy(
                    Felt::ZERO,
                    request.sender,
                    deployment.class_hash,
                    constructor,
                )
                .map_err(|failure| invalid(request, &failure))?;
            execution.take_trace();
            let mut calldata = vec![deployment.class_hash, deployment.salt];
            calldata.extend(constructor);
            (*VALIDATE_DEPLOY, calldata)
        }
    };
    let call = Call {
        to: request.sender,
        selector,
        calldata,
    };
    let returned = execution
        .call(Felt::ZERO, &call)
        .map_err(|failure| invalid(request, &failure))?;
    if returned != [valid()] {
        return Err(Refusal::Validation("the account does not agree".to_owned()));
    }
    Ok(execution.take_trace().pop())
}

fn invalid(request: &Request, failure: &CallFailure) -> Refusal {
    match failure {
        CallFailure::EntrypointNotFound(_) => Refusal::NotAnAccount(request.sender),
        _ => Refusal::Validation(failure.to_string()),
    }
}

/// Makes the calls, all or none, and charges the fee in either case. A sender
/// who cannot pay it is refused.
pub(crate) fn apply(
    view: View<'_>,
    request: &Request,
    prices: Prices,
    charge: Charge,
    traced: bool,
) -> Result<Outcome, Refusal> {
    let fresh = || Execution::new(view, Some(origin(request))).traced(traced);
    let mut execution = fresh();
    let done = act(&mut execution, request);
    if let Err(CallFailure::EntrypointNotFound(_)) = done {
        return Err(Refusal::NotAnAccount(request.sender));
    }
    let terms = &request.signed.terms;
    let used = used(&execution, request);
    let mut reversal = done.err().map(Reversal::Call);
    let mut resources = used;
    if charge == Charge::Fee {
        let allowed = Gas::<Bound>::from(terms.bounds).map(|bound| bound.max_amount);
        reversal = reversal.or_else(|| out_of_gas(used, allowed));
        resources = used.zip(allowed).map(|(used, allowed)| used.min(allowed));
    }
    let fee = match charge {
        Charge::Fee => resources.fee(prices, terms.tip),
        Charge::Nothing => 0,
    };
    let mut trace = Trace {
        main: execution.take_trace().pop(),
        fee_transfer: None,
    };
    if reversal.is_none() && !pay(&mut execution, request.sender, fee) {
        reversal = Some(Reversal::Unpaid);
    }
    if let Some(reversal) = &reversal {
        if let Action::DeployAccount(_) = request.signed.action {
            return Err(Refusal::Validation(reversal.to_string()));
        }
        execution = fresh();
        if !pay(&mut execution, request.sender, fee) {
            return Err(Refusal::Balance {
                balance: view.read(&balance_key(STRK, request.sender)),
                max_fee: U256::from(fee),
            });
        }
    }
    trace.fee_transfer = execution.take_trace().pop();
    let next = U256::from(terms.nonce).saturating_add(U256::ONE);
    execution.write(Key::nonce(request.sender), next);
    Ok(Outcome {
        effects: execution.finish(),
        resources,
        fee,
        reversal,
        trace,
    })
}

fn origin(request: &Request) -> Origin<'_> {
    Origin {
        hash: request.hash,
        signature: &request.signed.signature,
    }
}

/// Does what the transaction is for.
fn act(execution: &mut Execution<'_>, request: &Request) -> Result<(), CallFailure> {
    match &request.signed.action {
        Action::Invoke(invoke) => {
            let call = Call {
                to: request.sender,
                selector: *EXECUTE,
                calldata: invoke.calldata.clone(),
            };
            execution.call(Felt::ZERO, &call).map(drop)
        }
        Action::DeployAccount(deployment) => execution
            .deploy(
                Felt::ZERO,
                request.sender,
                deployment.class_hash,
                &deployment.constructor_calldata,
            )
            .map(drop),
    }
}

/// What the calls so far use; `__execute__` itself is in the base.
fn used(execution: &Execution<'_>, request: &Request) -> Resources {
    let mut work = execution.work();
    if let Action::Invoke(_) = request.signed.action {
        work.calls = work.calls.saturating_sub(1);
    }
    Resources::of(work)
}

fn out_of_gas(used: Resources, allowed: Resources) -> Option<Reversal> {
    let kinds = used.zip(allowed).named().into_iter();
    kinds
        .filter(|(_, (used, max))| used > max)
        .map(|(resource, (used, max))| Reversal::OutOfGas {
            resource,
            max,
            used,
        })
        .next()
}

/// Pays the sequencer; says whether the sender could.
fn pay(execution: &mut Execution<'_>, sender: Felt, fee: u128) -> bool {
    let payment = transfer_call(STRK, SEQUENCER, U256::from(fee));
    fee == 0 || execution.call(sender, &payment).is_ok()
}
