//! Transactions and what came of them as JSON.

use super::params::base64_text;
use crate::solana::account::Account;
use crate::solana::execution::{Outcome, is_writable};
use crate::solana::failure::TransactionError;
use crate::solana::programs::{SYSTEM, is_memo};
use crate::solana::wire::{Instruction, Message, Transaction, Version};
use primitives::{Lamports, PublicKey};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq, Eq)]
pub(super) enum TransactionEncoding {
    /// The oldest form, a bare text in base58.
    #[serde(rename = "binary")]
    Binary,
    #[serde(rename = "base58")]
    Base58,
    #[serde(rename = "base64")]
    Base64,
    #[default]
    #[serde(rename = "json")]
    Json,
    #[serde(rename = "jsonParsed")]
    JsonParsed,
}

pub(super) fn transaction(transaction: &Transaction, encoding: TransactionEncoding) -> Value {
    let base58 = || bs58::encode(transaction.bytes()).into_string();
    let message = match encoding {
        TransactionEncoding::Binary => return json!(base58()),
        TransactionEncoding::Base58 => return json!([base58(), "base58"]),
        TransactionEncoding::Base64 => {
            return json!([base64_text(transaction.bytes()), "base64"]);
        }
        TransactionEncoding::Json => plain(&transaction.message),
        TransactionEncoding::JsonParsed => parsed(&transaction.message),
    };
    json!({"signatures": transaction.signatures, "message": message})
}

fn plain(message: &Message) -> Value {
    let instruction = |instruction: &Instruction| {
        json!({
            "programIdIndex": instruction.program,
            "accounts": instruction.accounts,
            "data": bs58::encode(&instruction.data).into_string(),
            "stackHeight": 1,
        })
    };
    let instructions: Vec<Value> = message.instructions.iter().map(instruction).collect();
    let header = message.header;
    let mut rendered = json!({
        "header": {
            "numRequiredSignatures": header.required_signatures,
            "numReadonlySignedAccounts": header.readonly_signed,
            "numReadonlyUnsignedAccounts": header.readonly_unsigned,
        },
        "accountKeys": message.keys,
        "recentBlockhash": message.blockhash,
        "instructions": instructions,
    });
    add_lookups(message, &mut rendered);
    rendered
}

fn parsed(message: &Message) -> Value {
    let keys = message.keys.iter().enumerate();
    let keys: Vec<Value> = keys
        .map(|(index, key)| {
            json!({
                "pubkey": key,
                "signer": message.signs(index),
                "writable": is_writable(message, index),
                "source": "transaction",
            })
        })
        .collect();
    let instructions = message.instructions.iter();
    let instructions: Vec<Value> = instructions
        .map(|i| parsed_instruction(message, i))
        .collect();
    let mut rendered = json!({
        "accountKeys": keys,
        "recentBlockhash": message.blockhash,
        "instructions": instructions,
    });
    add_lookups(message, &mut rendered);
    rendered
}

/// Messages of version 0 say which tables they use: none, here.
fn add_lookups(message: &Message, rendered: &mut Value) {
    if let (Version::V0, Some(fields)) = (message.version, rendered.as_object_mut()) {
        fields.insert("addressTableLookups".to_owned(), json!([]));
    }
}

fn parsed_instruction(message: &Message, instruction: &Instruction) -> Value {
    let program = message.key(instruction.program);
    let accounts = instruction.accounts.iter();
    let accounts: Vec<PublicKey> = accounts.filter_map(|i| message.key(*i)).copied().collect();
    let data = &instruction.data;
    let known = match program {
        Some(program) if is_memo(program) => {
            let text = std::str::from_utf8(data).ok();
            text.map(|text| ("spl-memo", json!(text)))
        }
        Some(&SYSTEM) => system(data, &accounts).map(|parsed| ("system", parsed)),
        _ => None,
    };
    match known {
        Some((name, parsed)) => json!({
            "program": name,
            "programId": program,
            "parsed": parsed,
            "stackHeight": 1,
        }),
        None => json!({
            "programId": program,
            "accounts": accounts,
            "data": bs58::encode(data).into_string(),
            "stackHeight": 1,
        }),
    }
}

/// The instructions of the system program that have a parsed form here.
fn system(data: &[u8], accounts: &[PublicKey]) -> Option<Value> {
    let (tag, rest) = data.split_first_chunk()?;
    let first = accounts.first()?;
    let number = |at: usize| {
        let bytes = rest.get(at..)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    };
    let key = |at: usize| {
        let bytes = rest.get(at..)?.first_chunk()?;
        Some(PublicKey::from_bytes(*bytes))
    };
    let (kind, info) = match u32::from_le_bytes(*tag) {
        0 => (
            "createAccount",
            json!({
                "source": first,
                "newAccount": accounts.get(1)?,
                "lamports": number(0)?,
                "space": number(8)?,
                "owner": key(16)?,
            }),
        ),
        1 => ("assign", json!({"account": first, "owner": key(0)?})),
        2 => (
            "transfer",
            json!({
                "source": first,
                "destination": accounts.get(1)?,
                "lamports": number(0)?,
            }),
        ),
        8 => ("allocate", json!({"account": first, "space": number(0)?})),
        _ => return None,
    };
    Some(json!({"type": kind, "info": info}))
}

pub(super) fn status(error: Option<TransactionError>) -> Value {
    match error {
        None => json!({ "Ok": null }),
        Some(error) => json!({ "Err": error.json() }),
    }
}

pub(super) fn meta(outcome: &Outcome, encoding: TransactionEncoding) -> Value {
    let mut meta = json!({
        "err": outcome.error.map(TransactionError::json),
        "status": status(outcome.error),
        "fee": outcome.fee,
        "preBalances": balances(&outcome.before),
        "postBalances": balances(&outcome.after),
        "innerInstructions": [],
        "logMessages": outcome.logs,
        "preTokenBalances": [],
        "postTokenBalances": [],
        "rewards": [],
        "computeUnitsConsumed": outcome.units,
    });
    if let (false, Some(fields)) = (
        encoding == TransactionEncoding::JsonParsed,
        meta.as_object_mut(),
    ) {
        let none = json!({"writable": [], "readonly": []});
        fields.insert("loadedAddresses".to_owned(), none);
    }
    meta
}

pub(super) fn balances(accounts: &[Account]) -> Vec<Lamports> {
    accounts.iter().map(|account| account.lamports).collect()
}
