//! The calls of a relayer, and the one by which a user pays for them.

use super::{outside::OutsideExecution, request::Deployment, selected_call::SelectedCall};
use crate::adapter::{halves, joined};
use primitives::{Address, Felt, U256, selector};

/// The deployer that the network's accounts are deployed through.
const DEPLOYER: Address = Address::new(Felt::from_hex_unchecked(
    "0x41a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf",
));

/// What a user signs as the last call: the most that it may cost.
#[must_use]
pub fn fee_transfer(token: Address, forwarder: Address, amount: U256) -> SelectedCall {
    let [low, high] = halves(amount);
    SelectedCall::named(token, "transfer", vec![forwarder.felt(), low, high])
}

/// How much of a token the last of these calls pays the forwarder.
#[must_use]
pub fn paid_to_forwarder(
    calls: &[SelectedCall],
    token: Address,
    forwarder: Address,
) -> Option<U256> {
    let last = calls.last()?;
    if last.to != token || last.selector != selector("transfer") {
        return None;
    }
    match last.calldata.as_slice() {
        [to, low, high] if *to == forwarder.felt() => joined([*low, *high]),
        _ => None,
    }
}

/// Has an account deployed where it belongs: by the factory, if there is one and the
/// account's owners signed for that, otherwise by the network's deployer.
#[must_use]
pub fn deployment_call(deployment: &Deployment, factory: Option<Address>) -> SelectedCall {
    let Deployment {
        class_hash,
        salt,
        calldata,
        sigdata,
        ..
    } = deployment;
    if let Some(factory) = factory.filter(|_| !sigdata.is_empty()) {
        let mut arguments = vec![*class_hash, *salt];
        for list in [calldata, sigdata] {
            arguments.push(Felt::from(list.len()));
            arguments.extend(list);
        }
        return SelectedCall::named(factory, "deploy_account", arguments);
    }
    let mut arguments = vec![*class_hash, *salt, Felt::ZERO, Felt::from(calldata.len())];
    arguments.extend(calldata);
    SelectedCall::named(DEPLOYER, "deployContract", arguments)
}

/// Has the forwarder do what a user signed, and take so much for it.
#[must_use]
pub fn forwarded(
    forwarder: Address,
    user: Address,
    execution: &OutsideExecution,
    signature: &[Felt],
    (token, amount): (Address, U256),
) -> SelectedCall {
    let mut calldata = signed(user, execution, signature);
    calldata.push(token.felt());
    calldata.extend(halves(amount));
    SelectedCall::named(forwarder, "execute", calldata)
}

/// The same for a sponsor, whom the forwarder names.
#[must_use]
pub fn forwarded_sponsored(
    forwarder: Address,
    user: Address,
    execution: &OutsideExecution,
    signature: &[Felt],
    sponsor: Felt,
) -> SelectedCall {
    let mut calldata = signed(user, execution, signature);
    calldata.extend([Felt::ONE, sponsor]);
    SelectedCall::named(forwarder, "execute_sponsored", calldata)
}

/// The call by which an account does what its owner signed.
#[must_use]
pub fn outside_call(
    user: Address,
    execution: &OutsideExecution,
    signature: &[Felt],
) -> SelectedCall {
    let calldata = arguments(execution, signature);
    SelectedCall::named(user, execution.version.entrypoint(), calldata)
}

/// Pays a pool's fee, has the forwarder make calls that end with a pool's actions,
/// and takes so much of what they pay, for a sponsor.
#[must_use]
pub fn forwarded_privately(
    forwarder: Address,
    (pool_fee, strk): (u128, Address),
    actions: &SelectedCall,
    before: Option<SelectedCall>,
    (token, amount): (Address, U256),
    sponsor: Felt,
) -> [SelectedCall; 2] {
    let paid = |name, to: Address| {
        let calldata = vec![to.felt(), Felt::from(pool_fee), Felt::ZERO];
        SelectedCall::named(strk, name, calldata)
    };
    let mut calls = vec![paid("approve", actions.to)];
    calls.extend(before);
    calls.push(actions.clone());
    let mut calldata = listed(&calls);
    calldata.push(token.felt());
    calldata.extend(halves(amount));
    calldata.extend([Felt::ONE, sponsor]);
    let executing = SelectedCall::named(forwarder, "execute_private_sponsored", calldata);
    [paid("transfer", forwarder), executing]
}

fn signed(user: Address, execution: &OutsideExecution, signature: &[Felt]) -> Vec<Felt> {
    let arguments = arguments(execution, signature);
    let entrypoint = selector(execution.version.entrypoint());
    let mut calldata = vec![user.felt(), entrypoint, Felt::from(arguments.len())];
    calldata.extend(arguments);
    calldata
}

/// What either version's function of an account takes, in its order.
fn arguments(execution: &OutsideExecution, signature: &[Felt]) -> Vec<Felt> {
    let mut arguments = vec![
        execution.caller.felt(),
        execution.nonce,
        Felt::from(execution.bounds.execute_after),
        Felt::from(execution.bounds.execute_before),
    ];
    arguments.extend(listed(&execution.calls));
    arguments.push(Felt::from(signature.len()));
    arguments.extend(signature);
    arguments
}

fn listed(calls: &[SelectedCall]) -> Vec<Felt> {
    let mut felts = vec![Felt::from(calls.len())];
    for call in calls {
        felts.extend([
            call.to.felt(),
            call.selector,
            Felt::from(call.calldata.len()),
        ]);
        felts.extend(&call.calldata);
    }
    felts
}
