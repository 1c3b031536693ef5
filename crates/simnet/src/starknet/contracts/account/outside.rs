//! What an owner lets others do in the account's name: SNIP-9, and how wallets
//! hash it.

use crate::starknet::contract::Calldata;
use crate::starknet::failure::Revert;
use crate::starknet::network::CHAIN_ID;
use crate::starknet::transaction::Call;
use primitives::typed_data::TypedData;
use primitives::{Felt, felt_to_hex};
use serde_json::{Value, json};

/// Stands for anybody: `'ANY_CALLER'`.
pub(crate) const ANY_CALLER: Felt = Felt::from_hex_unchecked("0x414e595f43414c4c4552");

const NAME: &str = "Account.execute_from_outside";

/// How an outside execution is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutsideVersion {
    One,
    Two,
}

/// Calls that somebody else may make, and when.
#[derive(Debug)]
pub(crate) struct OutsideExecution {
    pub(crate) caller: Felt,
    pub(crate) nonce: Felt,
    /// Both in seconds, and both excluded.
    pub(crate) execute_after: u64,
    pub(crate) execute_before: u64,
    pub(crate) calls: Vec<Call>,
}

impl OutsideExecution {
    pub(crate) fn read(calldata: &mut Calldata<'_>) -> Result<Self, Revert> {
        Ok(Self {
            caller: calldata.felt()?,
            nonce: calldata.felt()?,
            execute_after: time(calldata)?,
            execute_before: time(calldata)?,
            calls: calls(calldata)?,
        })
    }

    /// What the owner of the account signs.
    pub(crate) fn hash(&self, version: OutsideVersion, account: Felt) -> Option<Felt> {
        let document = match version {
            OutsideVersion::One => self.first(),
            OutsideVersion::Two => self.second(),
        };
        TypedData::parse(&document).ok()?.hash(account).ok()
    }

    fn first(&self) -> Value {
        let calls = self.calls.iter().map(|call| {
            json!({
                "to": felt_to_hex(call.to),
                "selector": felt_to_hex(call.selector),
                "calldata_len": call.calldata.len(),
                "calldata": hexes(&call.calldata),
            })
        });
        let calls: Vec<Value> = calls.collect();
        json!({
            "types": {
                "StarkNetDomain": members(&[("name", "felt"), ("version", "felt"), ("chainId", "felt")]),
                "OutsideExecution": members(&[
                    ("caller", "felt"),
                    ("nonce", "felt"),
                    ("execute_after", "felt"),
                    ("execute_before", "felt"),
                    ("calls_len", "felt"),
                    ("calls", "OutsideCall*"),
                ]),
                "OutsideCall": members(&[
                    ("to", "felt"),
                    ("selector", "felt"),
                    ("calldata_len", "felt"),
                    ("calldata", "felt*"),
                ]),
            },
            "primaryType": "OutsideExecution",
            "domain": {"name": NAME, "version": "1", "chainId": CHAIN_ID},
            "message": {
                "caller": felt_to_hex(self.caller),
                "nonce": felt_to_hex(self.nonce),
                "execute_after": self.execute_after.to_string(),
                "execute_before": self.execute_before.to_string(),
                "calls_len": calls.len(),
                "calls": calls,
            },
        })
    }

    fn second(&self) -> Value {
        let calls = self.calls.iter().map(|call| {
            json!({
                "To": felt_to_hex(call.to),
                "Selector": felt_to_hex(call.selector),
                "Calldata": hexes(&call.calldata),
            })
        });
        let calls: Vec<Value> = calls.collect();
        json!({
            "types": {
                "StarknetDomain": members(&[
                    ("name", "shortstring"),
                    ("version", "shortstring"),
                    ("chainId", "shortstring"),
                    ("revision", "shortstring"),
                ]),
                "OutsideExecution": members(&[
                    ("Caller", "ContractAddress"),
                    ("Nonce", "felt"),
                    ("Execute After", "u128"),
                    ("Execute Before", "u128"),
                    ("Calls", "Call*"),
                ]),
                "Call": members(&[
                    ("To", "ContractAddress"),
                    ("Selector", "selector"),
                    ("Calldata", "felt*"),
                ]),
            },
            "primaryType": "OutsideExecution",
            "domain": {"name": NAME, "version": "2", "chainId": CHAIN_ID, "revision": "1"},
            "message": {
                "Caller": felt_to_hex(self.caller),
                "Nonce": felt_to_hex(self.nonce),
                "Execute After": self.execute_after.to_string(),
                "Execute Before": self.execute_before.to_string(),
                "Calls": calls,
            },
        })
    }
}

/// A list of calls, as `__execute__` takes it too.
pub(crate) fn calls(calldata: &mut Calldata<'_>) -> Result<Vec<Call>, Revert> {
    let count = calldata.length()?;
    let mut calls = Vec::with_capacity(count);
    for _ in 0..count {
        calls.push(Call {
            to: calldata.felt()?,
            selector: calldata.felt()?,
            calldata: calldata.felts()?.to_vec(),
        });
    }
    Ok(calls)
}

fn time(calldata: &mut Calldata<'_>) -> Result<u64, Revert> {
    let seconds = u64::try_from(calldata.u128()?);
    seconds.map_err(|_| Revert::new("Failed to deserialize param"))
}

fn hexes(felts: &[Felt]) -> Vec<String> {
    felts.iter().copied().map(felt_to_hex).collect()
}

fn members(members: &[(&str, &str)]) -> Value {
    let members = members.iter();
    members
        .map(|(name, kind)| json!({"name": name, "type": kind}))
        .collect()
}
