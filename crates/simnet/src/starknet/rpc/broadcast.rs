//! Transactions in requests.

use super::error::UNSUPPORTED_TX_VERSION;
use super::hex::{FeltParam, NumberParam};
use crate::jsonrpc::RpcError;
use crate::starknet::gas::Gas;
use crate::starknet::transaction::{Action, Request, SignedTransaction};
use primitives::Felt;
use primitives::transaction_hash::{
    Bound, DataAvailability, DeployAccount, Invoke, Terms, Version,
};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(tag = "type")]
enum TransactionParam {
    #[serde(rename = "INVOKE")]
    Invoke {
        sender_address: FeltParam,
        calldata: Vec<FeltParam>,
        account_deployment_data: Vec<FeltParam>,
        #[serde(flatten)]
        rest: TermsParam,
    },
    #[serde(rename = "DEPLOY_ACCOUNT")]
    DeployAccount {
        class_hash: FeltParam,
        contract_address_salt: FeltParam,
        constructor_calldata: Vec<FeltParam>,
        #[serde(flatten)]
        rest: TermsParam,
    },
}

#[derive(Deserialize)]
struct TermsParam {
    signature: Vec<FeltParam>,
    nonce: NumberParam<u64>,
    tip: NumberParam<u64>,
    resource_bounds: Gas<BoundParam>,
    paymaster_data: Vec<FeltParam>,
    nonce_data_availability_mode: LayerParam,
    fee_data_availability_mode: LayerParam,
}

#[derive(Deserialize)]
struct BoundParam {
    max_amount: NumberParam<u64>,
    max_price_per_unit: NumberParam<u128>,
}

#[derive(Deserialize)]
enum LayerParam {
    L1,
    L2,
}

/// Reads a transaction of version 3, as a real one or as one to simulate.
pub(super) fn read(transaction: Value) -> Result<(Request, Version), RpcError> {
    let invalid =
        |error: serde_json::Error| RpcError::invalid_params(format!("transaction: {error}"));
    let version = transaction.get("version").cloned().unwrap_or_default();
    let FeltParam(number) = serde_json::from_value(version).map_err(invalid)?;
    let version = [Version::V3, Version::QueryV3]
        .into_iter()
        .find(|version| version.felt() == number)
        .ok_or(UNSUPPORTED_TX_VERSION)?;
    let param: TransactionParam = serde_json::from_value(transaction).map_err(invalid)?;
    let (action, rest) = match param {
        TransactionParam::Invoke {
            sender_address,
            calldata,
            account_deployment_data,
            rest,
        } => {
            let invoke = Invoke {
                sender: sender_address.0,
                calldata: felts(&calldata),
                account_deployment_data: felts(&account_deployment_data),
            };
            (Action::Invoke(invoke), rest)
        }
        TransactionParam::DeployAccount {
            class_hash,
            contract_address_salt,
            constructor_calldata,
            rest,
        } => {
            let deployment = DeployAccount {
                class_hash: class_hash.0,
                salt: contract_address_salt.0,
                constructor_calldata: felts(&constructor_calldata),
            };
            (Action::DeployAccount(deployment), rest)
        }
    };
    let signed = SignedTransaction {
        action,
        signature: felts(&rest.signature),
        terms: rest.into(),
    };
    Ok((Request::new(signed, version), version))
}

fn felts(params: &[FeltParam]) -> Vec<Felt> {
    params.iter().map(|felt| felt.0).collect()
}

impl From<TermsParam> for Terms {
    fn from(param: TermsParam) -> Self {
        Self {
            nonce: param.nonce.0,
            tip: param.tip.0,
            bounds: param.resource_bounds.map(Bound::from).into(),
            paymaster_data: felts(&param.paymaster_data),
            nonce_data_availability: param.nonce_data_availability_mode.into(),
            fee_data_availability: param.fee_data_availability_mode.into(),
        }
    }
}

impl From<BoundParam> for Bound {
    fn from(param: BoundParam) -> Self {
        Self {
            max_amount: param.max_amount.0,
            max_price_per_unit: param.max_price_per_unit.0,
        }
    }
}

impl From<LayerParam> for DataAvailability {
    fn from(param: LayerParam) -> Self {
        match param {
            LayerParam::L1 => Self::L1,
            LayerParam::L2 => Self::L2,
        }
    }
}
