//! One finalised transaction, as far as payments are concerned.

use super::{
    client::{Commitment, SolanaClient},
    signatures::time,
};
use crate::error::RpcError;
use leasing::{BalanceChange, Landed, MEMO_PROGRAMS};
use primitives::{Lamports, PublicKey, Signature};
use serde::{
    Deserialize, Serialize,
    de::{Error as _, IgnoredAny},
};
use serde_json::value::RawValue;

const METHOD: &str = "getTransaction";

/// The versions that are asked for, one after the other: not every node knows
/// the second, and what is read of a transaction is the same in all.
const VERSIONS: [u8; 2] = [0, 1];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Options {
    encoding: &'static str,
    commitment: Commitment,
    max_supported_transaction_version: u8,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    slot: u64,
    block_time: Option<i64>,
    meta: Meta,
    transaction: Transaction,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    // Must be there: without it, a failed transaction would look like a good one.
    #[serde(deserialize_with = "Option::deserialize")]
    err: Option<IgnoredAny>,
    pre_balances: Vec<Lamports>,
    post_balances: Vec<Lamports>,
}

#[derive(Deserialize)]
struct Transaction {
    signatures: Vec<Signature>,
    message: Message,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    account_keys: Vec<AccountKey>,
    instructions: Vec<Instruction>,
}

#[derive(Deserialize)]
struct AccountKey {
    pubkey: PublicKey,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Instruction {
    program_id: PublicKey,
    /// What the node makes of it: a text where it is a memo.
    parsed: Option<Box<RawValue>>,
}

impl Instruction {
    fn memo(&self) -> Option<String> {
        if !MEMO_PROGRAMS.contains(&self.program_id) {
            return None;
        }
        serde_json::from_str(self.parsed.as_ref()?.get()).ok()
    }
}

/// An answer whose parts fit together.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Answer")]
struct Decoded(Landed);

impl TryFrom<Answer> for Decoded {
    type Error = &'static str;

    fn try_from(answer: Answer) -> Result<Self, Self::Error> {
        let Answer {
            slot,
            block_time,
            meta,
            transaction,
        } = answer;
        let keys = transaction.message.account_keys;
        if keys.len() != meta.pre_balances.len() || keys.len() != meta.post_balances.len() {
            return Err("accounts and balances of different numbers");
        }
        let signature = transaction.signatures.first().ok_or("no signature")?;
        let payer = keys.first().ok_or("no account")?.pubkey;
        let instructions = transaction.message.instructions.iter();
        let balances = keys
            .iter()
            .zip(meta.pre_balances.iter().zip(meta.post_balances));
        Ok(Self(Landed {
            signature: *signature,
            slot,
            time: block_time.and_then(time),
            failed: meta.err.is_some(),
            payer,
            memos: instructions.filter_map(Instruction::memo).collect(),
            balances: balances
                .map(|(key, (before, after))| BalanceChange {
                    account: key.pubkey,
                    before: *before,
                    after,
                })
                .collect(),
        }))
    }
}

impl SolanaClient {
    /// A finalised transaction; `None` if the node does not have it (yet).
    pub async fn transaction(&self, signature: Signature) -> Result<Option<Landed>, RpcError> {
        let [older, newer] = VERSIONS;
        match self.transaction_up_to(older, signature).await {
            Err(error) if error.is_unsupported_version() => {
                self.transaction_up_to(newer, signature).await
            }
            answer => answer,
        }
    }

    async fn transaction_up_to(
        &self,
        max_supported_transaction_version: u8,
        signature: Signature,
    ) -> Result<Option<Landed>, RpcError> {
        let options = Options {
            encoding: "jsonParsed",
            commitment: Commitment::Finalized,
            max_supported_transaction_version,
        };
        match self.call(METHOD, &(signature, options)).await? {
            Some(Decoded(landed)) if landed.signature == signature => Ok(Some(landed)),
            Some(_) => Err(RpcError::malformed(
                METHOD,
                serde_json::Error::custom("another transaction than the one asked for"),
            )),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
