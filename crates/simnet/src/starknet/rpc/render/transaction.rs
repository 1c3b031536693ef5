//! Transactions and their receipts.

use super::body::Body;
use super::event::EventJson;
use crate::starknet::gas::{Gas, Resources};
use crate::starknet::rpc::hex::{Hex, felt, felts, hex, number};
use crate::starknet::transaction::{Action, Receipt, Request, SignedTransaction, Transaction};
use primitives::Felt;
use primitives::transaction_hash::{Bound, DataAvailability};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// The transactions of a block, in as much detail as is asked for.
pub(super) struct TransactionsJson<'b> {
    pub(super) transactions: &'b [Arc<Transaction>],
    pub(super) body: Body,
    pub(super) finality_status: &'static str,
}

impl Serialize for TransactionsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self.transactions.iter();
        match self.body {
            Body::Hashes => serializer.collect_seq(all.map(|included| hex(&included.request.hash))),
            Body::Transactions => serializer
                .collect_seq(all.map(|included| TransactionJson::with_hash(&included.request))),
            Body::Receipts => serializer.collect_seq(all.map(|included| IncludedJson {
                transaction: TransactionJson::new(&included.request.signed),
                receipt: ReceiptJson::new(included, self.finality_status),
            })),
        }
    }
}

#[derive(Serialize)]
struct IncludedJson<'b> {
    transaction: TransactionJson<'b>,
    receipt: ReceiptJson<'b>,
}

#[derive(Serialize)]
pub(crate) struct TransactionJson<'b> {
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_hash: Option<Hex<'b>>,
    r#type: &'static str,
    version: &'static str,
    #[serde(flatten)]
    action: ActionJson<'b>,
    #[serde(serialize_with = "felts")]
    signature: &'b [Felt],
    #[serde(serialize_with = "number")]
    nonce: u64,
    resource_bounds: Gas<BoundJson>,
    #[serde(serialize_with = "number")]
    tip: u64,
    #[serde(serialize_with = "felts")]
    paymaster_data: &'b [Felt],
    nonce_data_availability_mode: &'static str,
    fee_data_availability_mode: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ActionJson<'b> {
    Invoke {
        #[serde(serialize_with = "felt")]
        sender_address: Felt,
        #[serde(serialize_with = "felts")]
        calldata: &'b [Felt],
        #[serde(serialize_with = "felts")]
        account_deployment_data: &'b [Felt],
    },
    DeployAccount {
        #[serde(serialize_with = "felt")]
        class_hash: Felt,
        #[serde(serialize_with = "felt")]
        contract_address_salt: Felt,
        #[serde(serialize_with = "felts")]
        constructor_calldata: &'b [Felt],
    },
}

impl<'b> TransactionJson<'b> {
    pub(crate) fn with_hash(request: &'b Request) -> Self {
        Self {
            transaction_hash: Some(hex(&request.hash)),
            ..Self::new(&request.signed)
        }
    }

    fn new(signed: &'b SignedTransaction) -> Self {
        let terms = &signed.terms;
        Self {
            transaction_hash: None,
            r#type: kind(&signed.action),
            version: "0x3",
            action: match &signed.action {
                Action::Invoke(invoke) => ActionJson::Invoke {
                    sender_address: invoke.sender,
                    calldata: &invoke.calldata,
                    account_deployment_data: &invoke.account_deployment_data,
                },
                Action::DeployAccount(deployment) => ActionJson::DeployAccount {
                    class_hash: deployment.class_hash,
                    contract_address_salt: deployment.salt,
                    constructor_calldata: &deployment.constructor_calldata,
                },
            },
            signature: &signed.signature,
            nonce: terms.nonce,
            resource_bounds: Gas::from(terms.bounds).map(BoundJson::from),
            tip: terms.tip,
            paymaster_data: &terms.paymaster_data,
            nonce_data_availability_mode: layer(terms.nonce_data_availability),
            fee_data_availability_mode: layer(terms.fee_data_availability),
        }
    }
}

pub(super) fn kind(action: &Action) -> &'static str {
    match action {
        Action::Invoke(_) => "INVOKE",
        Action::DeployAccount(_) => "DEPLOY_ACCOUNT",
    }
}

fn layer(availability: DataAvailability) -> &'static str {
    match availability {
        DataAvailability::L1 => "L1",
        DataAvailability::L2 => "L2",
    }
}

#[derive(Serialize)]
struct BoundJson {
    #[serde(serialize_with = "number")]
    max_amount: u64,
    #[serde(serialize_with = "number")]
    max_price_per_unit: u128,
}

impl From<Bound> for BoundJson {
    fn from(bound: Bound) -> Self {
        Self {
            max_amount: bound.max_amount,
            max_price_per_unit: bound.max_price_per_unit,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct ReceiptJson<'b> {
    r#type: &'static str,
    /// Only of a deployment.
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_address: Option<Hex<'b>>,
    #[serde(serialize_with = "felt")]
    transaction_hash: Felt,
    actual_fee: FeeJson,
    finality_status: &'static str,
    execution_status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    revert_reason: Option<&'b str>,
    messages_sent: [(); 0],
    events: Vec<EventJson<'b>>,
    execution_resources: Resources,
}

impl<'b> ReceiptJson<'b> {
    pub(crate) fn new(included: &'b Transaction, finality_status: &'static str) -> Self {
        let request = &included.request;
        let Receipt {
            fee,
            resources,
            events,
            revert_reason,
        } = &included.receipt;
        Self {
            r#type: kind(&request.signed.action),
            contract_address: match request.signed.action {
                Action::Invoke(_) => None,
                Action::DeployAccount(_) => Some(hex(&request.sender)),
            },
            transaction_hash: request.hash,
            actual_fee: FeeJson {
                amount: *fee,
                unit: "FRI",
            },
            finality_status,
            execution_status: if revert_reason.is_some() {
                "REVERTED"
            } else {
                "SUCCEEDED"
            },
            revert_reason: revert_reason.as_deref(),
            messages_sent: [],
            events: events.iter().map(EventJson::new).collect(),
            execution_resources: *resources,
        }
    }
}

#[derive(Serialize)]
struct FeeJson {
    #[serde(serialize_with = "number")]
    amount: u128,
    unit: &'static str,
}
