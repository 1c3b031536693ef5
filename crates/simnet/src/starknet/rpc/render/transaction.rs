//! Transactions and their receipts.

use super::Body;
use super::event::EventJson;
use crate::starknet::rpc::hex::{Hex, felt, felts, hex, number};
use crate::starknet::transaction::{Bound, Gas, Receipt, Resources, Transaction};
use primitives::Felt;
use serde::{Serialize, Serializer};

/// The transactions of a block, in as much detail as is asked for.
pub(super) struct TransactionsJson<'b> {
    pub(super) transactions: &'b [Transaction],
    pub(super) body: Body,
    pub(super) finality_status: &'static str,
}

impl Serialize for TransactionsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let all = self.transactions.iter();
        match self.body {
            Body::Hashes => serializer.collect_seq(all.map(|included| hex(&included.hash))),
            Body::Transactions => serializer.collect_seq(
                all.map(|included| TransactionJson::new(included, Some(hex(&included.hash)))),
            ),
            Body::Receipts => serializer.collect_seq(all.map(|included| IncludedJson {
                transaction: TransactionJson::new(included, None),
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
struct TransactionJson<'b> {
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_hash: Option<Hex<'b>>,
    r#type: &'static str,
    version: &'static str,
    #[serde(serialize_with = "felt")]
    sender_address: Felt,
    #[serde(serialize_with = "felts")]
    calldata: &'b [Felt],
    #[serde(serialize_with = "felts")]
    signature: &'b [Felt],
    #[serde(serialize_with = "number")]
    nonce: u64,
    resource_bounds: Gas<BoundJson>,
    #[serde(serialize_with = "number")]
    tip: u64,
    paymaster_data: [(); 0],
    account_deployment_data: [(); 0],
    nonce_data_availability_mode: &'static str,
    fee_data_availability_mode: &'static str,
}

impl<'b> TransactionJson<'b> {
    fn new(included: &'b Transaction, transaction_hash: Option<Hex<'b>>) -> Self {
        Self {
            transaction_hash,
            r#type: "INVOKE",
            version: "0x3",
            sender_address: included.sender,
            calldata: &included.calldata,
            signature: &included.signature,
            nonce: included.nonce,
            resource_bounds: included.bounds.map(BoundJson::from),
            tip: included.tip,
            paymaster_data: [],
            account_deployment_data: [],
            nonce_data_availability_mode: "L1",
            fee_data_availability_mode: "L1",
        }
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
struct ReceiptJson<'b> {
    r#type: &'static str,
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
    fn new(included: &'b Transaction, finality_status: &'static str) -> Self {
        let Receipt {
            fee,
            resources,
            events,
            revert_reason,
        } = &included.receipt;
        Self {
            r#type: "INVOKE",
            transaction_hash: included.hash,
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
