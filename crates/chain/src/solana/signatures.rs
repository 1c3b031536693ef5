//! The transactions in which an account stands.

use super::client::{Commitment, SolanaClient};
use crate::error::RpcError;
use primitives::{PublicKey, Signature, Timestamp};
use serde::{Deserialize, Serialize, de::IgnoredAny};

/// The most signatures of one page.
pub const MAX_SIGNATURES: u16 = 1_000;

/// Which part of an account's history is asked for. It is told from the newest
/// transaction to the oldest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignaturePage {
    /// Begin with the one before this.
    pub before: Option<Signature>,
    /// End with the one after this.
    pub until: Option<Signature>,
    /// At most so many, up to [`MAX_SIGNATURES`].
    pub limit: u16,
}

impl Default for SignaturePage {
    fn default() -> Self {
        Self {
            before: None,
            until: None,
            limit: MAX_SIGNATURES,
        }
    }
}

/// A finalised transaction in an account's history.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WireEntry")]
pub struct SignatureEntry {
    /// Its name.
    pub signature: Signature,
    /// Where it landed.
    pub slot: u64,
    /// Whether it failed.
    pub failed: bool,
    /// The node's line about its memos, in which `leasing::Memo::mentioned`
    /// finds ours.
    pub memo: Option<String>,
    /// When it landed, if the node knows.
    pub time: Option<Timestamp>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireEntry {
    signature: Signature,
    slot: u64,
    // Must be there: without it, a failed transaction would look like a good one.
    #[serde(deserialize_with = "Option::deserialize")]
    err: Option<IgnoredAny>,
    memo: Option<String>,
    block_time: Option<i64>,
}

impl From<WireEntry> for SignatureEntry {
    fn from(entry: WireEntry) -> Self {
        Self {
            signature: entry.signature,
            slot: entry.slot,
            failed: entry.err.is_some(),
            memo: entry.memo,
            time: entry.block_time.and_then(time),
        }
    }
}

/// A time of the chain; one beyond the calendar is as good as none.
pub(super) fn time(seconds: i64) -> Option<Timestamp> {
    Timestamp::from_second(seconds).ok()
}

#[derive(Serialize)]
struct Options {
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Signature>,
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<Signature>,
    limit: u16,
    commitment: Commitment,
}

impl SolanaClient {
    /// A page of the finalised transactions in which `account` stands, the
    /// newest first. A node may have forgotten old ones.
    pub async fn signatures(
        &self,
        account: PublicKey,
        page: SignaturePage,
    ) -> Result<Vec<SignatureEntry>, RpcError> {
        let options = Options {
            before: page.before,
            until: page.until,
            limit: page.limit.clamp(1, MAX_SIGNATURES),
            commitment: Commitment::Finalized,
        };
        self.call("getSignaturesForAddress", &(account, options))
            .await
    }
}
