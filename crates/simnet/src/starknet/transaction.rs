//! Transactions: what senders ask for and what came of it.

use super::gas::{Prices, Resources, Work, with_headroom};
use super::hash::{contract_address, from_felt};
use super::network::CHAIN_ID;
use primitives::transaction_hash::{DeployAccount, Invoke, Terms, Version};
use primitives::{Felt, U256, short_string};

/// Tips are so many different multiples of a step.
const TIPS: u64 = 30;
const TIP_STEP: u64 = 1_000_000;

/// A transaction of version 3 as its sender signed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedTransaction {
    /// What it does: calls, or the deployment of its own account.
    pub action: Action,
    /// Nonce, tip, bounds and the like.
    pub terms: Terms,
    /// What the account checks.
    pub signature: Vec<Felt>,
}

/// What a transaction is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// An account makes calls.
    Invoke(Invoke),
    /// An account comes into being.
    DeployAccount(DeployAccount),
}

/// What one of the world's own actors sends.
#[derive(Debug)]
pub(crate) struct Deed {
    pub(crate) sender: Felt,
    pub(crate) calls: Vec<Call>,
    /// What these lead to.
    pub(crate) work: Work,
}

impl Deed {
    /// Payments, and other calls that lead to no others.
    pub(crate) fn plain(sender: Felt, calls: Vec<Call>) -> Self {
        let count = u64::try_from(calls.len()).unwrap_or(u64::MAX);
        let work = Work::PAYMENT.times(count);
        Self {
            sender,
            calls,
            work,
        }
    }

    /// These calls, and then those of another one of the same sender.
    pub(crate) fn with(mut self, other: Self) -> Self {
        self.calls.extend(other.calls);
        self.work = self.work.plus(other.work);
        self
    }
}

/// A transaction that is not included yet, with what follows from its content.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) hash: Felt,
    /// The account that pays: for a deployment the one that is deployed.
    pub(crate) sender: Felt,
    pub(crate) signed: SignedTransaction,
}

impl Request {
    /// Computes the hash on this network.
    pub(crate) fn new(signed: SignedTransaction, version: Version) -> Self {
        let chain_id = short_string(CHAIN_ID);
        let terms = &signed.terms;
        let (sender, hash) = match &signed.action {
            Action::Invoke(invoke) => (invoke.sender, invoke.hash(terms, version, chain_id)),
            Action::DeployAccount(deployment) => {
                let address = contract_address(
                    deployment.salt,
                    deployment.class_hash,
                    &deployment.constructor_calldata,
                );
                (address, deployment.hash(address, terms, version, chain_id))
            }
        };
        Self {
            hash,
            sender,
            signed,
        }
    }

    /// A transaction of the world's own actors, whom nobody needs to check: it
    /// has no signature, and its hash is not computed from its content.
    pub(crate) fn of_actor(hash: Felt, deed: &Deed, nonce: u64, prices: Prices) -> Self {
        let sender = deed.sender;
        Self {
            hash,
            sender,
            signed: SignedTransaction {
                action: Action::Invoke(Invoke {
                    sender,
                    calldata: execute_calldata(&deed.calls),
                    account_deployment_data: Vec::new(),
                }),
                terms: Terms {
                    nonce,
                    tip: tip(hash),
                    bounds: with_headroom(Resources::of(deed.work), prices),
                    ..Terms::default()
                },
                signature: Vec::new(),
            },
        }
    }

    /// Whether it came from outside, and not from the world's own actors.
    pub(crate) fn is_from_outside(&self) -> bool {
        !self.signed.signature.is_empty()
    }
}

/// What an actor adds for each unit of L2 gas, in FRI: up to a per cent of what
/// it usually costs, and never nothing.
fn tip(hash: Felt) -> u64 {
    let drawn = from_felt(hash) % U256::from(TIPS);
    (drawn.saturating_to::<u64>() + 1) * TIP_STEP
}

/// An included transaction.
#[derive(Debug)]
pub(crate) struct Transaction {
    pub(crate) request: Request,
    pub(crate) receipt: Receipt,
}

impl Transaction {
    pub(crate) fn hash(&self) -> Felt {
        self.request.hash
    }
}

/// What a transaction did.
#[derive(Debug)]
pub(crate) struct Receipt {
    /// In FRI, the smallest unit of STRK.
    pub(crate) fee: u128,
    pub(crate) resources: Resources,
    pub(crate) events: Vec<Event>,
    /// Why it was reverted, if it was. The fee is charged all the same.
    pub(crate) revert_reason: Option<String>,
}

/// An event of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) from: Felt,
    pub(crate) keys: Box<[Felt]>,
    pub(crate) data: Box<[Felt]>,
}

/// One call of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) to: Felt,
    pub(crate) selector: Felt,
    pub(crate) calldata: Vec<Felt>,
}

/// The calldata of an account's `__execute__`: an array of calls.
pub(crate) fn execute_calldata(calls: &[Call]) -> Vec<Felt> {
    let mut calldata = vec![Felt::from(calls.len())];
    for call in calls {
        calldata.extend([call.to, call.selector, Felt::from(call.calldata.len())]);
        calldata.extend(&call.calldata);
    }
    calldata
}
