//! What most methods take: how sure the answer must be, and from which slot on.

use super::error::min_context_slot;
use crate::jsonrpc::{Answer, RpcError, result};
use crate::solana::chain::{Chain, Commitment};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

/// The version of the real node whose answers these are like.
pub(super) const VERSION: &str = "4.0.0";

/// How sure something is, as clients write it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Processed,
    Confirmed,
    Finalized,
}

impl From<Level> for Commitment {
    fn from(level: Level) -> Self {
        match level {
            Level::Processed => Self::Processed,
            Level::Confirmed => Self::Confirmed,
            Level::Finalized => Self::Finalized,
        }
    }
}

pub(super) fn name(commitment: Commitment) -> &'static str {
    match commitment {
        Commitment::Processed => "processed",
        Commitment::Confirmed => "confirmed",
        Commitment::Finalized => "finalized",
    }
}

/// The part of a configuration that says which state is asked about.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct At {
    pub(super) commitment: Option<Level>,
    pub(super) min_context_slot: Option<u64>,
}

impl At {
    pub(super) fn commitment(&self) -> Commitment {
        self.commitment.map_or(Commitment::Finalized, Into::into)
    }

    /// The newest block that is sure enough.
    pub(super) fn head(&self, chain: &Chain) -> Result<u64, RpcError> {
        let slot = chain.head(self.commitment());
        match self.min_context_slot {
            Some(least) if slot < least => Err(min_context_slot(slot)),
            _ => Ok(slot),
        }
    }
}

/// A value with the slot at which it is so.
pub(super) fn at_slot(slot: u64, value: &Value) -> Answer {
    result(&json!({"context": {"apiVersion": VERSION, "slot": slot}, "value": value}))
}

pub(super) fn base64_text(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub(super) fn from_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}
