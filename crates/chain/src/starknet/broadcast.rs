//! Transactions of accounts as they are given to a node: version 3 of the spec.

use super::{felt::WireFelt, signer::StarkSigner};
use primitives::transaction_hash::{
    Bound, DataAvailability, DeployAccount, Invoke, ResourceBounds, Terms, Version,
};
use primitives::{Address, Felt, selector};
use serde::{Serialize, Serializer};

/// A transaction with all that its sender says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    /// What it does: calls, or the deployment of its own sender.
    pub action: BroadcastAction,
    /// What it costs at most, and its place among the sender's.
    pub terms: Terms,
    /// The sender's signature of its hash, in the form of the sender's account.
    pub signature: Vec<Felt>,
}

impl Broadcast {
    /// An account's calls, not signed yet.
    #[must_use]
    pub fn calls(
        sender: Address,
        calls: &[ContractCall],
        nonce: u64,
        bounds: ResourceBounds,
    ) -> Self {
        Self {
            action: BroadcastAction::Invoke(Invoke {
                sender: sender.felt(),
                calldata: execution(calls),
                account_deployment_data: Vec::new(),
            }),
            terms: Terms {
                nonce,
                bounds,
                ..Terms::default()
            },
            signature: Vec::new(),
        }
    }

    /// Signs it for the network `chain_id`; returns its hash. `None` for a hash
    /// that no transaction has.
    #[must_use]
    pub fn sign(&mut self, signer: &StarkSigner, chain_id: Felt) -> Option<Felt> {
        let hash = self.action.hash(&self.terms, Version::V3, chain_id);
        self.signature = signer.sign(hash)?.to_vec();
        Some(hash)
    }
}

/// What a transaction is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BroadcastAction {
    /// An account makes calls.
    Invoke(Invoke),
    /// An account deploys itself.
    DeployAccount {
        /// What it will be.
        deployment: DeployAccount,
        /// Where it will be.
        address: Address,
    },
}

impl BroadcastAction {
    /// The hash on the network `chain_id`: what the sender signs, and the name
    /// by which the network knows the transaction.
    pub fn hash(&self, terms: &Terms, version: Version, chain_id: Felt) -> Felt {
        match self {
            Self::Invoke(invoke) => invoke.hash(terms, version, chain_id),
            Self::DeployAccount {
                deployment,
                address,
            } => deployment.hash(address.felt(), terms, version, chain_id),
        }
    }
}

/// A call of a contract's function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractCall {
    /// The contract.
    pub to: Address,
    /// The function's selector.
    pub selector: Felt,
    /// Its arguments.
    pub calldata: Vec<Felt>,
}

impl ContractCall {
    /// A call of the function of this name.
    #[must_use]
    pub fn new(to: Address, function: &str, calldata: Vec<Felt>) -> Self {
        Self {
            to,
            selector: selector(function),
            calldata,
        }
    }
}

/// What an account's `__execute__` is called with to make calls.
#[must_use]
pub fn execution(calls: &[ContractCall]) -> Vec<Felt> {
    let mut felts = vec![Felt::from(calls.len())];
    for ContractCall {
        to,
        selector,
        calldata,
    } in calls
    {
        felts.extend([to.felt(), *selector, Felt::from(calldata.len())]);
        felts.extend(calldata);
    }
    felts
}

/// The transaction in a node's JSON, real or merely asked about.
#[derive(Serialize)]
pub(super) struct WireTransaction {
    r#type: &'static str,
    version: WireFelt,
    #[serde(flatten)]
    action: WireAction,
    signature: Vec<WireFelt>,
    nonce: Hex,
    resource_bounds: WireBounds,
    tip: Hex,
    paymaster_data: Vec<WireFelt>,
    nonce_data_availability_mode: &'static str,
    fee_data_availability_mode: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum WireAction {
    Invoke {
        sender_address: WireFelt,
        calldata: Vec<WireFelt>,
        account_deployment_data: Vec<WireFelt>,
    },
    DeployAccount {
        class_hash: WireFelt,
        contract_address_salt: WireFelt,
        constructor_calldata: Vec<WireFelt>,
    },
}

#[derive(Serialize)]
struct WireBounds {
    #[serde(rename = "l1_gas")]
    l1: WireBound,
    #[serde(rename = "l1_data_gas")]
    l1_data: WireBound,
    #[serde(rename = "l2_gas")]
    l2: WireBound,
}

#[derive(Serialize)]
struct WireBound {
    max_amount: Hex,
    max_price_per_unit: Hex,
}

/// A number that is no field element, in hexadecimal.
struct Hex(u128);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0))
    }
}

impl WireTransaction {
    pub(super) fn new(broadcast: &Broadcast, version: Version) -> Self {
        let Broadcast {
            action,
            terms,
            signature,
        } = broadcast;
        let (name, action) = match action {
            BroadcastAction::Invoke(invoke) => ("INVOKE", WireAction::invoke(invoke)),
            BroadcastAction::DeployAccount { deployment, .. } => {
                ("DEPLOY_ACCOUNT", WireAction::deployment(deployment))
            }
        };
        Self {
            r#type: name,
            version: WireFelt(version.felt()),
            action,
            signature: felts(signature),
            nonce: Hex(terms.nonce.into()),
            resource_bounds: WireBounds::new(&terms.bounds),
            tip: Hex(terms.tip.into()),
            paymaster_data: felts(&terms.paymaster_data),
            nonce_data_availability_mode: mode(terms.nonce_data_availability),
            fee_data_availability_mode: mode(terms.fee_data_availability),
        }
    }
}

impl WireAction {
    fn invoke(invoke: &Invoke) -> Self {
        Self::Invoke {
            sender_address: WireFelt(invoke.sender),
            calldata: felts(&invoke.calldata),
            account_deployment_data: felts(&invoke.account_deployment_data),
        }
    }

    fn deployment(deployment: &DeployAccount) -> Self {
        Self::DeployAccount {
            class_hash: WireFelt(deployment.class_hash),
            contract_address_salt: WireFelt(deployment.salt),
            constructor_calldata: felts(&deployment.constructor_calldata),
        }
    }
}

impl WireBounds {
    fn new(bounds: &ResourceBounds) -> Self {
        let bound = |bound: Bound| WireBound {
            max_amount: Hex(bound.max_amount.into()),
            max_price_per_unit: Hex(bound.max_price_per_unit),
        };
        Self {
            l1: bound(bounds.l1_gas),
            l1_data: bound(bounds.l1_data_gas),
            l2: bound(bounds.l2_gas),
        }
    }
}

fn felts(felts: &[Felt]) -> Vec<WireFelt> {
    felts.iter().copied().map(WireFelt).collect()
}

fn mode(place: DataAvailability) -> &'static str {
    match place {
        DataAvailability::L1 => "L1",
        DataAvailability::L2 => "L2",
    }
}
