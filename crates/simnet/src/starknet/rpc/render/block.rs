//! Blocks.

use super::body::Body;
use super::transaction::TransactionsJson;
use crate::starknet::block::Block;
use crate::starknet::gas::{Price, Prices};
use crate::starknet::network::SEQUENCER;
use crate::starknet::rpc::hex::{felt, number};
use crate::starknet::rpc::spec::Spec;
use crate::starknet::transaction::Transaction;
use primitives::Felt;
use serde::Serialize;
use std::sync::Arc;

const STARKNET_VERSION: &str = "0.14.1";
const ACCEPTED_ON_L1: &str = "ACCEPTED_ON_L1";
const ACCEPTED_ON_L2: &str = "ACCEPTED_ON_L2";
pub(crate) const PRE_CONFIRMED: &str = "PRE_CONFIRMED";

#[derive(Serialize)]
pub(crate) struct BlockJson<'b> {
    status: &'static str,
    #[serde(flatten)]
    head: HeadJson,
    transactions: TransactionsJson<'b>,
}

impl<'b> BlockJson<'b> {
    pub(crate) fn new(block: &'b Block, spec: Spec, body: Body, l1_accepted: u64) -> Self {
        let status = finality(block.number, l1_accepted);
        Self {
            status,
            head: HeadJson::new(block, spec),
            transactions: TransactionsJson {
                transactions: &block.transactions,
                body,
                finality_status: status,
            },
        }
    }
}

/// All that a sealed block says of itself.
#[derive(Serialize)]
pub(crate) struct HeadJson {
    #[serde(serialize_with = "felt")]
    block_hash: Felt,
    #[serde(serialize_with = "felt")]
    parent_hash: Felt,
    #[serde(serialize_with = "felt")]
    new_root: Felt,
    #[serde(flatten)]
    header: HeaderJson,
    #[serde(flatten)]
    commitments: Option<CommitmentsJson>,
}

impl HeadJson {
    pub(crate) fn new(block: &Block, spec: Spec) -> Self {
        Self {
            block_hash: block.hash,
            parent_hash: block.parent_hash,
            new_root: block.commitment("STATE"),
            header: HeaderJson::new(block.number, block.timestamp, block.prices),
            commitments: (spec == Spec::V0_10).then(|| CommitmentsJson::new(block)),
        }
    }
}

/// The block that is being made.
#[derive(Serialize)]
pub(crate) struct PreConfirmedJson<'b> {
    #[serde(flatten)]
    header: HeaderJson,
    transactions: TransactionsJson<'b>,
}

impl<'b> PreConfirmedJson<'b> {
    pub(crate) fn new(
        header: HeaderJson,
        transactions: &'b [Arc<Transaction>],
        body: Body,
    ) -> Self {
        Self {
            header,
            transactions: TransactionsJson {
                transactions,
                body,
                finality_status: PRE_CONFIRMED,
            },
        }
    }
}

/// How final a sealed block is.
pub(crate) fn finality(number: u64, l1_accepted: u64) -> &'static str {
    if number <= l1_accepted {
        ACCEPTED_ON_L1
    } else {
        ACCEPTED_ON_L2
    }
}

/// What a block says of itself before it is sealed.
#[derive(Serialize)]
pub(crate) struct HeaderJson {
    block_number: u64,
    timestamp: u64,
    #[serde(serialize_with = "felt")]
    sequencer_address: Felt,
    l1_gas_price: PriceJson,
    l2_gas_price: PriceJson,
    l1_data_gas_price: PriceJson,
    l1_da_mode: &'static str,
    starknet_version: &'static str,
}

impl HeaderJson {
    pub(crate) fn new(block_number: u64, timestamp: u64, prices: Prices) -> Self {
        Self {
            block_number,
            timestamp,
            sequencer_address: SEQUENCER,
            l1_gas_price: prices.l1.into(),
            l2_gas_price: prices.l2.into(),
            l1_data_gas_price: prices.l1_data.into(),
            l1_da_mode: "BLOB",
            starknet_version: STARKNET_VERSION,
        }
    }
}

#[derive(Serialize)]
struct PriceJson {
    #[serde(serialize_with = "number")]
    price_in_fri: u128,
    #[serde(serialize_with = "number")]
    price_in_wei: u128,
}

impl From<Price> for PriceJson {
    fn from(price: Price) -> Self {
        Self {
            price_in_fri: price.fri,
            price_in_wei: price.wei,
        }
    }
}

#[derive(Serialize)]
struct CommitmentsJson {
    #[serde(serialize_with = "felt")]
    event_commitment: Felt,
    #[serde(serialize_with = "felt")]
    transaction_commitment: Felt,
    #[serde(serialize_with = "felt")]
    receipt_commitment: Felt,
    #[serde(serialize_with = "felt")]
    state_diff_commitment: Felt,
    event_count: usize,
    transaction_count: usize,
    state_diff_length: usize,
}

impl CommitmentsJson {
    fn new(block: &Block) -> Self {
        Self {
            event_commitment: block.commitment("EVENTS"),
            transaction_commitment: block.commitment("TRANSACTIONS"),
            receipt_commitment: block.commitment("RECEIPTS"),
            state_diff_commitment: block.commitment("STATE DIFF"),
            event_count: block.event_count(),
            transaction_count: block.transactions.len(),
            state_diff_length: block.writes.len(),
        }
    }
}
