//! What tests send: transactions written by hand, and a node whose time only
//! moves when it is told to.

use super::config::SolanaConfig;
use super::node::SolanaNode;
use super::programs::{COMPUTE_BUDGET, MEMO_V3, SYSTEM};
use super::wallet::SolanaKeypair;
use super::wire::{Header, Instruction, Message, Transaction, Version};
use crate::caller::Caller;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use primitives::{ManualClock, PublicKey, SolanaHash, Timestamp};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

pub(crate) const NOW: i64 = 1_800_000_000;

pub(crate) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(Timestamp::from_second(NOW).unwrap()))
}

pub(crate) fn node() -> SolanaNode {
    SolanaNode::new(config(None), clock())
}

pub(crate) fn config(folder: Option<&Path>) -> SolanaConfig {
    SolanaConfig {
        seed: 9,
        data: folder.map(Path::to_owned),
        ..SolanaConfig::default()
    }
}

/// An address that nothing was ever sent to.
pub(crate) fn nobody(number: u8) -> PublicKey {
    PublicKey::from_bytes([number; 32])
}

/// Asks a node; an error is the whole error object.
pub(crate) fn ask(node: &SolanaNode, method: &str, params: &Value) -> Result<Value, Value> {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let (text, _) = super::rpc::answer(node, Caller::Own, request.to_string().as_bytes());
    let mut answer: Value = serde_json::from_str(&text.unwrap()).unwrap();
    match answer.get_mut("error") {
        Some(error) => Err(error.take()),
        None => Ok(answer["result"].take()),
    }
}

pub(crate) fn get(node: &SolanaNode, method: &str, params: &Value) -> Value {
    ask(node, method, params).unwrap()
}

pub(crate) fn code(node: &SolanaNode, method: &str, params: &Value) -> i64 {
    let error = ask(node, method, params).unwrap_err();
    error["code"].as_i64().unwrap()
}

/// The newest blockhash that everybody agrees on.
pub(crate) fn blockhash(node: &SolanaNode) -> SolanaHash {
    let latest = get(node, "getLatestBlockhash", &json!([]));
    let text = latest["value"]["blockhash"].as_str().unwrap();
    text.parse().unwrap()
}

pub(crate) fn balance(node: &SolanaNode, key: PublicKey) -> u64 {
    let at = json!([key, {"commitment": "processed"}]);
    get(node, "getBalance", &at)["value"].as_u64().unwrap()
}

/// A transaction in the making.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) version: Version,
    signers: Vec<SolanaKeypair>,
    writable: Vec<PublicKey>,
    readonly: Vec<PublicKey>,
    steps: Vec<(PublicKey, Vec<PublicKey>, Vec<u8>)>,
}

impl Draft {
    pub(crate) fn by(payer: &SolanaKeypair) -> Self {
        Self {
            version: Version::Legacy,
            signers: vec![payer.clone()],
            writable: Vec::new(),
            readonly: Vec::new(),
            steps: Vec::new(),
        }
    }

    pub(crate) fn signed_by(mut self, signer: &SolanaKeypair) -> Self {
        self.signers.push(signer.clone());
        self
    }

    pub(crate) fn version(mut self, version: Version) -> Self {
        self.version = version;
        self
    }

    /// Calls a program with accounts that are read.
    pub(crate) fn call(mut self, program: PublicKey, accounts: &[PublicKey], data: &[u8]) -> Self {
        for key in accounts.iter().chain([&program]) {
            self.add(*key, false);
        }
        self.steps.push((program, accounts.to_vec(), data.to_vec()));
        self
    }

    /// Lets an account be written.
    pub(crate) fn writing(mut self, key: PublicKey) -> Self {
        self.add(key, true);
        self
    }

    pub(crate) fn transfer(self, to: PublicKey, lamports: u64) -> Self {
        let from = self.signers[0].public_key();
        self.pay(from, to, lamports, &[])
    }

    /// A transfer with further accounts, by which it can be found.
    pub(crate) fn pay(
        self,
        from: PublicKey,
        to: PublicKey,
        lamports: u64,
        references: &[PublicKey],
    ) -> Self {
        let data = [&2_u32.to_le_bytes()[..], &lamports.to_le_bytes()].concat();
        let accounts = [&[from, to], references].concat();
        self.writing(to).call(SYSTEM, &accounts, &data)
    }

    pub(crate) fn memo(self, text: &str) -> Self {
        self.call(MEMO_V3, &[], text.as_bytes())
    }

    pub(crate) fn budget(self, data: &[u8]) -> Self {
        self.call(COMPUTE_BUDGET, &[], data)
    }

    fn add(&mut self, key: PublicKey, writable: bool) {
        let signs = self.signers.iter().any(|pair| pair.public_key() == key);
        if signs || self.writable.contains(&key) {
            return;
        }
        if writable {
            self.readonly.retain(|known| *known != key);
            self.writable.push(key);
        } else if !self.readonly.contains(&key) {
            self.readonly.push(key);
        }
    }

    pub(crate) fn message(&self, blockhash: SolanaHash) -> Message {
        let signers = self.signers.iter().map(SolanaKeypair::public_key);
        let others = self.writable.iter().chain(&self.readonly).copied();
        let keys: Vec<PublicKey> = signers.chain(others).collect();
        let place = |key: &PublicKey| {
            let index = keys.iter().position(|known| known == key).unwrap();
            u8::try_from(index).unwrap()
        };
        let instructions = self
            .steps
            .iter()
            .map(|(program, accounts, data)| Instruction {
                program: place(program),
                accounts: accounts.iter().map(place).collect(),
                data: data.clone(),
            });
        Message {
            version: self.version,
            header: Header {
                required_signatures: u8::try_from(self.signers.len()).unwrap(),
                readonly_signed: 0,
                readonly_unsigned: u8::try_from(self.readonly.len()).unwrap(),
            },
            instructions: instructions.collect(),
            keys,
            blockhash,
            lookups: Vec::new(),
        }
    }

    pub(crate) fn sign(&self, blockhash: SolanaHash) -> Transaction {
        Transaction::signed(self.message(blockhash), |bytes| {
            self.signers.iter().map(|pair| pair.sign(bytes)).collect()
        })
    }

    /// Signs and sends; answers with the signature or the error.
    pub(crate) fn send(&self, node: &SolanaNode) -> Result<Value, Value> {
        send(node, &self.sign(blockhash(node)))
    }

    /// Sends without a preflight and lets the transaction's block come.
    pub(crate) fn force(&self, node: &SolanaNode) -> Value {
        let text = text(&self.sign(blockhash(node)));
        let config = json!({"encoding": "base64", "skipPreflight": true});
        let signature = get(node, "sendTransaction", &json!([text, config]));
        node.mine(2).unwrap();
        signature
    }
}

pub(crate) fn text(transaction: &Transaction) -> String {
    STANDARD.encode(transaction.bytes())
}

pub(crate) fn send(node: &SolanaNode, transaction: &Transaction) -> Result<Value, Value> {
    let config = json!({"encoding": "base64", "preflightCommitment": "processed"});
    ask(node, "sendTransaction", &json!([text(transaction), config]))
}

/// How a transaction ended, if it is in the chain.
pub(crate) fn verdict(node: &SolanaNode, signature: &Value) -> Option<Value> {
    let statuses = get(node, "getSignatureStatuses", &json!([[signature]]));
    let status = &statuses["value"][0];
    (!status.is_null()).then(|| status["err"].clone())
}

/// What may happen to bytes on their way.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Set(prop::sample::Index, u8),
    Insert(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Truncate(prop::sample::Index),
}

pub(crate) fn change() -> impl Strategy<Value = Change> {
    // Counts and indexes are small numbers.
    let byte = || prop_oneof![0..10_u8, any::<u8>()];
    prop_oneof![
        6 => (any::<prop::sample::Index>(), byte()).prop_map(|(at, byte)| Change::Set(at, byte)),
        2 => (any::<prop::sample::Index>(), byte()).prop_map(|(at, byte)| Change::Insert(at, byte)),
        2 => any::<prop::sample::Index>().prop_map(Change::Remove),
        1 => any::<prop::sample::Index>().prop_map(Change::Truncate),
    ]
}

impl Change {
    pub(crate) fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        match self {
            Self::Set(at, byte) => bytes[at.index(length)] = *byte,
            Self::Insert(at, byte) => bytes.insert(at.index(length), *byte),
            Self::Remove(at) => drop(bytes.remove(at.index(length))),
            Self::Truncate(at) => bytes.truncate(at.index(length)),
        }
    }
}
