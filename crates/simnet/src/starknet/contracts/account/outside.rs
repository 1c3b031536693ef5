//! What an owner lets others do in the account's name: SNIP-9, and how wallets
//! hash it.

use super::remembered::Remembered;
use crate::starknet::contract::Calldata;
use crate::starknet::failure::Revert;
use crate::starknet::hash::digest;
use crate::starknet::network::CHAIN_ID;
use crate::starknet::transaction::{Call, execute_calldata};
use primitives::typed_data::TypedData;
use primitives::{Felt, felt_to_hex};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Stands for anybody: `'ANY_CALLER'`.
pub(crate) const ANY_CALLER: Felt = Felt::from_hex_unchecked("0x414e595f43414c4c4552");

const NAME: &str = "Account.execute_from_outside";

/// Hashes by what they are of.
static HASHES: LazyLock<Remembered<Felt, Felt>> = LazyLock::new(Remembered::default);

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
        let content = self.content(version, account);
        HASHES.answer(content, |_| self.document_hash(version, account))
    }

    fn document_hash(&self, version: OutsideVersion, account: Felt) -> Option<Felt> {
        let document = match version {
            OutsideVersion::One => self.first(),
            OutsideVersion::Two => self.second(),
        };
        TypedData::parse(&document).ok()?.hash(account).ok()
    }

    /// All that the hash is of, in one element.
    fn content(&self, version: OutsideVersion, account: Felt) -> Felt {
        let mut parts = vec![
            Felt::from(version == OutsideVersion::Two),
            account,
            self.caller,
            self.nonce,
            Felt::from(self.execute_after),
            Felt::from(self.execute_before),
        ];
        parts.extend(execute_calldata(&self.calls));
        digest("OUTSIDE EXECUTION", &parts)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn execution() -> OutsideExecution {
        let call = |calldata: &[u64]| Call {
            to: Felt::from(0x49d),
            selector: Felt::from(0x83a),
            calldata: calldata.iter().copied().map(Felt::from).collect(),
        };
        OutsideExecution {
            caller: ANY_CALLER,
            nonce: Felt::from(7),
            execute_after: 1,
            execute_before: 9,
            calls: vec![call(&[1, 2]), call(&[])],
        }
    }

    #[test]
    fn a_remembered_hash_is_told_of_nothing_else() {
        let changes: [fn(&mut OutsideExecution); 10] = [
            |_| {},
            |it| it.caller += Felt::ONE,
            |it| it.nonce += Felt::ONE,
            |it| it.execute_after += 1,
            |it| it.execute_before += 1,
            |it| it.calls.truncate(1),
            |it| it.calls.swap(0, 1),
            |it| it.calls[0].to += Felt::ONE,
            |it| it.calls[0].selector += Felt::ONE,
            |it| {
                let moved = it.calls[0].calldata.pop();
                it.calls[1].calldata.extend(moved);
            },
        ];
        let mut told = Vec::new();
        // The second time all are remembered.
        for change in changes.iter().chain(&changes) {
            let mut execution = execution();
            change(&mut execution);
            for account in [Felt::ONE, Felt::TWO] {
                for version in [OutsideVersion::One, OutsideVersion::Two] {
                    let hash = execution.hash(version, account);
                    assert_eq!(hash, execution.document_hash(version, account));
                    told.extend(hash);
                }
            }
        }
        let (first, second) = told.split_at(4 * changes.len());
        assert_eq!(first, second);
        let mut different = first.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), first.len());
    }
}
