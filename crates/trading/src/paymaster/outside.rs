//! What a user signs: an outside execution in either version, as the document
//! that wallets show and hash (SNIP-9, SNIP-12).

use super::{bounds::TimeBounds, selected_call::SelectedCall};
use primitives::{Address, Felt, felt_to_hex};
use serde::{Serialize, Serializer, ser::SerializeMap as _};

const NAME: &str = "Account.execute_from_outside";
const PRIMARY_TYPE: &str = "OutsideExecution";

/// How it is hashed, and which function of the account takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideVersion {
    /// Taken by `execute_from_outside`; its document names no revision of SNIP-12.
    One,
    /// Taken by `execute_from_outside_v2`; its document is of SNIP-12's revision 1.
    Two,
}

impl OutsideVersion {
    /// The function of accounts that takes it.
    #[must_use]
    pub const fn entrypoint(self) -> &'static str {
        match self {
            Self::One => "execute_from_outside",
            Self::Two => "execute_from_outside_v2",
        }
    }
}

/// Calls that a user lets somebody make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideExecution {
    /// Decides the form of the document, and so what the user's signature is over.
    pub version: OutsideVersion,
    /// Who may make them; of all that is built here, the forwarder.
    pub caller: Address,
    /// An account takes each once. What is built here has in it a code over all the rest.
    pub nonce: Felt,
    /// Checked by the account, and before that when it is built and when it is relayed.
    pub bounds: TimeBounds,
    /// In order; where a user pays for them without a private pool, the last one does so.
    pub calls: Vec<SelectedCall>,
}

impl OutsideExecution {
    /// The document that the user signs, on the network of this name.
    #[must_use]
    pub fn typed_data(&self, chain: &str) -> serde_json::Value {
        let document = match self.version {
            OutsideVersion::One => serde_json::to_value(self.first(chain)),
            OutsideVersion::Two => serde_json::to_value(self.second(chain)),
        };
        document.unwrap_or_default()
    }

    /// The same, written in the order in which it is usually read.
    pub fn serialize_typed_data<S: Serializer>(
        &self,
        chain: &str,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match self.version {
            OutsideVersion::One => self.first(chain).serialize(serializer),
            OutsideVersion::Two => self.second(chain).serialize(serializer),
        }
    }

    fn first<'c>(&'c self, chain: &'c str) -> Document<'c, FirstDomain<'c>, FirstMessage> {
        Document {
            types: Types(FIRST_TYPES),
            domain: FirstDomain {
                name: NAME,
                version: "1",
                chain_id: chain,
            },
            primary_type: PRIMARY_TYPE,
            message: FirstMessage {
                caller: felt_to_hex(self.caller.felt()),
                nonce: felt_to_hex(self.nonce),
                execute_after: number(self.bounds.execute_after),
                execute_before: number(self.bounds.execute_before),
                calls_len: hex_length(self.calls.len()),
                calls: self.calls.iter().map(FirstCall::of).collect(),
            },
        }
    }

    fn second<'c>(&'c self, chain: &'c str) -> Document<'c, SecondDomain<'c>, SecondMessage> {
        Document {
            types: Types(SECOND_TYPES),
            domain: SecondDomain {
                name: NAME,
                version: "2",
                chain_id: chain,
                revision: "1",
            },
            primary_type: PRIMARY_TYPE,
            message: SecondMessage {
                caller: felt_to_hex(self.caller.felt()),
                nonce: felt_to_hex(self.nonce),
                execute_after: number(self.bounds.execute_after),
                execute_before: number(self.bounds.execute_before),
                calls: self.calls.iter().map(SecondCall::of).collect(),
            },
        }
    }
}

fn number(number: u64) -> String {
    format!("{number:#x}")
}

fn hex_length(length: usize) -> String {
    format!("{length:#x}")
}

fn hexes(felts: &[Felt]) -> Vec<String> {
    felts.iter().copied().map(felt_to_hex).collect()
}

#[derive(Serialize)]
struct Document<'c, D, M> {
    types: Types,
    domain: D,
    #[serde(rename = "primaryType")]
    primary_type: &'c str,
    message: M,
}

#[derive(Serialize)]
struct FirstDomain<'c> {
    name: &'c str,
    version: &'c str,
    #[serde(rename = "chainId")]
    chain_id: &'c str,
}

#[derive(Serialize)]
struct SecondDomain<'c> {
    name: &'c str,
    version: &'c str,
    #[serde(rename = "chainId")]
    chain_id: &'c str,
    revision: &'c str,
}

#[derive(Serialize)]
struct FirstMessage {
    caller: String,
    nonce: String,
    execute_after: String,
    execute_before: String,
    calls_len: String,
    calls: Vec<FirstCall>,
}

#[derive(Serialize)]
struct FirstCall {
    to: String,
    selector: String,
    calldata_len: String,
    calldata: Vec<String>,
}

impl FirstCall {
    fn of(call: &SelectedCall) -> Self {
        Self {
            to: felt_to_hex(call.to.felt()),
            selector: felt_to_hex(call.selector),
            calldata_len: hex_length(call.calldata.len()),
            calldata: hexes(&call.calldata),
        }
    }
}

#[derive(Serialize)]
struct SecondMessage {
    #[serde(rename = "Caller")]
    caller: String,
    #[serde(rename = "Nonce")]
    nonce: String,
    #[serde(rename = "Execute After")]
    execute_after: String,
    #[serde(rename = "Execute Before")]
    execute_before: String,
    #[serde(rename = "Calls")]
    calls: Vec<SecondCall>,
}

#[derive(Serialize)]
struct SecondCall {
    #[serde(rename = "To")]
    to: String,
    #[serde(rename = "Selector")]
    selector: String,
    #[serde(rename = "Calldata")]
    calldata: Vec<String>,
}

impl SecondCall {
    fn of(call: &SelectedCall) -> Self {
        Self {
            to: felt_to_hex(call.to.felt()),
            selector: felt_to_hex(call.selector),
            calldata: hexes(&call.calldata),
        }
    }
}

/// A type's name, and its members with theirs.
type Typed = (&'static str, &'static [Member]);

#[derive(Serialize)]
struct Member {
    name: &'static str,
    r#type: &'static str,
}

const fn member(name: &'static str, kind: &'static str) -> Member {
    Member { name, r#type: kind }
}

struct Types(&'static [Typed]);

impl Serialize for Types {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, members) in self.0 {
            map.serialize_entry(name, members)?;
        }
        map.end()
    }
}

const FIRST_TYPES: &[Typed] = &[
    (
        "StarkNetDomain",
        &[
            member("name", "felt"),
            member("version", "felt"),
            member("chainId", "felt"),
        ],
    ),
    (
        PRIMARY_TYPE,
        &[
            member("caller", "felt"),
            member("nonce", "felt"),
            member("execute_after", "felt"),
            member("execute_before", "felt"),
            member("calls_len", "felt"),
            member("calls", "OutsideCall*"),
        ],
    ),
    (
        "OutsideCall",
        &[
            member("to", "felt"),
            member("selector", "felt"),
            member("calldata_len", "felt"),
            member("calldata", "felt*"),
        ],
    ),
];

const SECOND_TYPES: &[Typed] = &[
    (
        "StarknetDomain",
        &[
            member("name", "shortstring"),
            member("version", "shortstring"),
            member("chainId", "shortstring"),
            member("revision", "shortstring"),
        ],
    ),
    (
        PRIMARY_TYPE,
        &[
            member("Caller", "ContractAddress"),
            member("Nonce", "felt"),
            member("Execute After", "u128"),
            member("Execute Before", "u128"),
            member("Calls", "Call*"),
        ],
    ),
    (
        "Call",
        &[
            member("To", "ContractAddress"),
            member("Selector", "selector"),
            member("Calldata", "felt*"),
        ],
    ),
];
