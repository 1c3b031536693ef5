//! Everything that can go wrong between this program and a node.

use primitives::{Felt, SolanaHash};
use reqwest::StatusCode;
use serde::de::Error as _;
use std::{sync::Arc, time::Duration};
use thiserror::Error;

/// Texts of a node that are kept in an error end here.
const MAX_TEXT_CHARS: usize = 300;

/// Error codes of Starknet nodes for a call that the contract does not answer: it
/// is not there, it has no such entrypoint, or it fails.
const CONTRACT_NOT_FOUND: i64 = 20;
const ENTRYPOINT_NOT_FOUND: i64 = 21;
const CONTRACT_ERROR: i64 = 40;

/// Error code of Starknet nodes for a block that they do not have.
const BLOCK_NOT_FOUND: i64 = 24;

/// A Solana node was to begin or end a history at a transaction that it does not have.
const FILTER_TRANSACTION_NOT_FOUND: i64 = -32_020;

/// For a transaction that they do not know.
const TRANSACTION_NOT_FOUND: i64 = 29;

/// For a transaction that fails where it is tried out.
const EXECUTION_ERROR: i64 = 41;

/// For a transaction whose nonce its account is not at.
const INVALID_TRANSACTION_NONCE: i64 = 52;

/// For a transaction that they have already.
const DUPLICATE_TRANSACTION: i64 = 59;

/// Error code of Solana nodes that fell behind their cluster.
const UNHEALTHY: i64 = -32_005;

/// Error code of Solana nodes for a transaction of a newer version than the
/// caller reads.
const UNSUPPORTED_VERSION: i64 = -32_015;

/// Error codes of JSON-RPC for a question that is none, or is not well put.
const INVALID_REQUEST: i64 = -32_600;
const INVALID_PARAMS: i64 = -32_602;

/// Why a node gave no usable answer.
#[derive(Debug, Error)]
pub enum RpcError {
    /// The node's address is not one of HTTP.
    #[error("a node's address begins with http:// or https://, not {scheme}:")]
    UnsupportedUrl {
        /// What it begins with.
        scheme: String,
    },
    /// The HTTP client could not be made.
    #[error("cannot set up the HTTP client")]
    Setup {
        /// What the HTTP client says.
        source: reqwest::Error,
    },
    /// No whole answer came in time.
    #[error("{node} did not answer within {after:?}")]
    Timeout {
        /// Scheme, host and port.
        node: Arc<str>,
        /// The limit of one attempt.
        after: Duration,
    },
    /// No connection could be made.
    #[error("cannot connect to {node}")]
    Connect {
        /// Scheme, host and port.
        node: Arc<str>,
        /// What the HTTP client says, without the address.
        source: reqwest::Error,
    },
    /// The connection broke, or the body was cut short or wrongly encoded.
    #[error("the exchange with {node} broke off")]
    Transport {
        /// Scheme, host and port.
        node: Arc<str>,
        /// What the HTTP client says, without the address.
        source: reqwest::Error,
    },
    /// An HTTP status other than success.
    #[error("{node} answered with HTTP status {status}")]
    HttpStatus {
        /// Scheme, host and port.
        node: Arc<str>,
        /// Server errors and 429 are worth another attempt.
        status: StatusCode,
        /// How long the node asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// The answer is larger than this program accepts.
    #[error("the answer is larger than {limit} bytes")]
    TooLarge {
        /// The limit, after decompression.
        limit: usize,
    },
    /// The answer is not JSON, or not of the form that the method promises.
    #[error("the answer to {method} is malformed")]
    Malformed {
        /// The method that was called.
        method: &'static str,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// An answer has an id that was not asked, a repeated one, or lacks one.
    #[error("the answer to {method} does not have the ids that were asked")]
    WrongId {
        /// The method that was called.
        method: &'static str,
    },
    /// The node answered with an error.
    #[error("the node refused {method}")]
    Node {
        /// The method that was called.
        method: &'static str,
        /// What the node says.
        source: NodeError,
    },
    /// The node answered a batch with one error for all of it.
    #[error("the node refused a batch of {method}")]
    BatchRefused {
        /// The method that was called.
        method: &'static str,
        /// What the node says.
        source: NodeError,
    },
    /// The node speaks a version of the Starknet spec that this program does not.
    #[error("the node speaks spec {found:?}; supported are 0.8, 0.9 and 0.10")]
    UnsupportedSpec {
        /// What the node says.
        found: String,
    },
    /// There is no node to ask.
    #[error("no node is given")]
    NoNode,
    /// The node follows another Solana cluster than this program.
    #[error("{node} is of the cluster with genesis {theirs}, not {ours}")]
    OtherCluster {
        /// Scheme, host and port.
        node: Arc<str>,
        /// The node's genesis hash.
        theirs: SolanaHash,
        /// The one that it should have.
        ours: SolanaHash,
    },
    /// The node gave a block that can still change without a reorg.
    #[error("block {number} is not accepted yet")]
    Pending {
        /// The height that was asked.
        number: u64,
    },
    /// Events of the block are missing.
    #[error("block {number} lacks events that it must have")]
    Incomplete {
        /// The height that was asked.
        number: u64,
    },
    /// The node gave parts of two blocks for one height.
    #[error("block {number} was replaced while it was read")]
    Torn {
        /// The height that was asked.
        number: u64,
    },
    /// The node gave another block than the one that was asked.
    #[error("asked for block {asked}, got block {got}")]
    WrongBlock {
        /// The height that was asked.
        asked: u64,
        /// The height of the answer.
        got: u64,
    },
    /// The node knows a transaction by another hash than its sender.
    #[error("the node calls transaction {ours:#x} {theirs:#x}: it is of another chain, or errs")]
    WrongHash {
        /// What was computed here.
        ours: Felt,
        /// What the node says.
        theirs: Felt,
    },
    /// More blocks were asked at once than one call may return.
    #[error("at most {limit} blocks can be read at once")]
    RangeTooLong {
        /// The most that may be asked.
        limit: usize,
    },
    /// A contract has emitted events at more heights than are wanted, or the
    /// node takes too many pages to say where.
    #[error("contract {contract:#x} has too long a past: more than {limit} blocks or pages")]
    LongPast {
        /// The one whose events were looked for.
        contract: Felt,
        /// The most that is read.
        limit: usize,
    },
}

/// A JSON-RPC error, with texts cut to a length that fits a log.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("error {code}: {message:?}{}", .data.as_ref().map(|data| format!(" ({data})")).unwrap_or_default())]
pub struct NodeError {
    /// The code; what it means depends on the method.
    pub code: i64,
    /// The node's words.
    pub message: String,
    /// More of them, as JSON, perhaps cut.
    pub data: Option<String>,
    /// Why a transaction or a call fails, where the error is about that.
    pub reason: Option<String>,
}

impl NodeError {
    pub(crate) fn new(code: i64, message: &str, data: Option<&str>) -> Self {
        Self {
            code,
            message: cut(message),
            data: data.map(cut),
            reason: data.and_then(innermost),
        }
    }

    /// A contract is not there, has no such entrypoint, or fails: what a call comes
    /// to on every node. Everything else is of the node.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(
            self.code,
            CONTRACT_NOT_FOUND | ENTRYPOINT_NOT_FOUND | CONTRACT_ERROR
        )
    }

    /// The node has too much to do for this caller, whatever was asked.
    pub(crate) fn is_overload(&self) -> bool {
        matches!(self.code, -32_005 | -32_029 | 429)
    }

    /// Trouble of the node, not a verdict on what was asked.
    pub(crate) fn is_transient(&self) -> bool {
        self.is_overload()
            || matches!(self.code, -32_603 | -32_099..=-32_000) && self.code != UNSUPPORTED_VERSION
    }
}

impl RpcError {
    /// The parser's complaint can quote the answer at any length, so it is cut.
    pub(crate) fn malformed(method: &'static str, source: serde_json::Error) -> Self {
        let words = source.to_string();
        let short = cut(&words);
        let source = if short.len() < words.len() {
            serde_json::Error::custom(short)
        } else {
            source
        };
        Self::Malformed { method, source }
    }

    /// Whether the node has too much to do, whatever was asked.
    pub(crate) fn is_overload(&self) -> bool {
        matches!(self, Self::Node { source, .. } if source.is_overload())
    }

    /// Whether the same question may be answered well a moment later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Timeout { .. }
            | Self::Connect { .. }
            | Self::Transport { .. }
            | Self::Malformed { .. }
            | Self::WrongId { .. }
            | Self::Incomplete { .. } => true,
            Self::HttpStatus { status, .. } => {
                status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS
            }
            Self::Node { source, .. } | Self::BatchRefused { source, .. } => source.is_transient(),
            Self::UnsupportedUrl { .. }
            | Self::Setup { .. }
            | Self::TooLarge { .. }
            | Self::UnsupportedSpec { .. }
            | Self::NoNode
            | Self::OtherCluster { .. }
            | Self::Pending { .. }
            | Self::Torn { .. }
            | Self::WrongBlock { .. }
            | Self::WrongHash { .. }
            | Self::LongPast { .. }
            | Self::RangeTooLong { .. } => false,
        }
    }

    /// Whether the node says that it does not have the block.
    pub fn is_block_not_found(&self) -> bool {
        matches!(self, Self::Node { source, .. } if source.code == BLOCK_NOT_FOUND)
    }

    /// Whether a Solana node does not have the transaction at which a history was to
    /// begin or end: without an archive, old ones are forgotten.
    pub fn is_filter_transaction_not_found(&self) -> bool {
        matches!(self, Self::Node { source, .. } if source.code == FILTER_TRANSACTION_NOT_FOUND)
    }

    /// Whether the node has looked at what it was given, and refuses it.
    pub(crate) fn is_verdict(&self) -> bool {
        matches!(self, Self::Node { source, .. } if !source.is_transient())
    }

    /// Whether the node says that a transaction would fail.
    pub fn is_execution_failure(&self) -> bool {
        matches!(self, Self::Node { source, .. } if source.code == EXECUTION_ERROR)
    }

    /// Why a transaction fails, in the words of the node or of the contracts, if
    /// it does.
    #[must_use]
    pub fn execution_failure(&self) -> Option<String> {
        let Self::Node { source, .. } = self else {
            return None;
        };
        let told = || {
            source
                .reason
                .clone()
                .unwrap_or_else(|| source.message.clone())
        };
        (source.code == EXECUTION_ERROR).then(told)
    }

    /// Whether the node says that it does not know the transaction.
    pub(crate) fn is_transaction_not_found(&self) -> bool {
        matches!(self, Self::Node { source, .. } if source.code == TRANSACTION_NOT_FOUND)
    }

    /// Whether the node says that the account is not at the transaction's nonce.
    pub fn is_invalid_nonce(&self) -> bool {
        matches!(self, Self::Node { source, .. } if source.code == INVALID_TRANSACTION_NONCE)
    }

    /// Whether the node says that it has the transaction already.
    pub(crate) fn is_duplicate_transaction(&self) -> bool {
        matches!(self, Self::Node { source, .. } if source.code == DUPLICATE_TRANSACTION)
    }

    /// Whether a Solana node says that it fell behind.
    pub(crate) fn is_unhealthy(&self) -> bool {
        matches!(self, Self::Node { source, .. } if source.code == UNHEALTHY)
    }

    /// Whether the transaction is of a newer version than was asked for.
    pub(crate) fn is_unsupported_version(&self) -> bool {
        matches!(self, Self::Node { source, .. } if source.code == UNSUPPORTED_VERSION)
    }

    /// Whether it is the question's fault: another node would say the same.
    pub(crate) fn is_about_the_question(&self) -> bool {
        match self {
            Self::TooLarge { .. } => true,
            Self::Node { source, .. } => matches!(
                source.code,
                INVALID_REQUEST | INVALID_PARAMS | UNSUPPORTED_VERSION
            ),
            _ => false,
        }
    }

    /// Whether what was asked for is there and cannot be read, now or ever: to
    /// ask for something else may go well.
    pub fn is_about_the_answer(&self) -> bool {
        matches!(self, Self::Malformed { .. }) || self.is_about_the_question()
    }

    /// Whether asking for less at once may help: the batch is too much for
    /// either side, or one call of it spoils the rest.
    pub(crate) fn is_cured_by_splitting(&self) -> bool {
        match self {
            Self::Timeout { .. } | Self::TooLarge { .. } | Self::BatchRefused { .. } => true,
            Self::HttpStatus { status, .. } => !matches!(
                *status,
                StatusCode::UNAUTHORIZED
                    | StatusCode::FORBIDDEN
                    | StatusCode::NOT_FOUND
                    | StatusCode::TOO_MANY_REQUESTS
            ),
            Self::Node { source, .. } => source.is_transient() && !source.is_overload(),
            _ => false,
        }
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::HttpStatus { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// The kind in one word, for metrics.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::UnsupportedUrl { .. } | Self::Setup { .. } | Self::NoNode => "setup",
            Self::Timeout { .. } => "timeout",
            Self::Connect { .. } => "connect",
            Self::Transport { .. } => "transport",
            Self::HttpStatus { .. } => "http_status",
            Self::TooLarge { .. } => "too_large",
            Self::Malformed { .. } => "malformed",
            Self::WrongId { .. } => "wrong_id",
            Self::Node { .. } | Self::BatchRefused { .. } => "node_error",
            Self::UnsupportedSpec { .. }
            | Self::OtherCluster { .. }
            | Self::Pending { .. }
            | Self::Incomplete { .. }
            | Self::Torn { .. }
            | Self::WrongBlock { .. }
            | Self::WrongHash { .. }
            | Self::LongPast { .. }
            | Self::RangeTooLong { .. } => "unusable",
        }
    }
}

/// What the innermost of nested calls says, in the form that nodes tell it.
fn innermost(data: &str) -> Option<String> {
    let data: serde_json::Value = serde_json::from_str(data).ok()?;
    let mut error = data.get("execution_error")?;
    while let Some(inner) = error.get("error") {
        error = inner;
    }
    error.as_str().map(cut)
}

pub(crate) fn cut(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_in_the_words_of_the_innermost_call() {
        let nested = r#"{"transaction_index":0,"execution_error":{"contract_address":"0x1","error":{"contract_address":"0x2","error":"too little"}}}"#;
        for (data, reason) in [
            (nested, Some("too little")),
            (r#"{"execution_error":"too much"}"#, Some("too much")),
            (r#"{"revert_error":"x"}"#, None),
            ("[", None),
        ] {
            let error = NodeError::new(EXECUTION_ERROR, "", Some(data));
            assert_eq!(error.reason.as_deref(), reason);
        }
    }

    #[test]
    fn only_trouble_of_the_node_is_worth_another_attempt() {
        for (code, transient) in [
            (-32_603, true),
            (-32_000, true),
            (-32_099, true),
            (-32_005, true),
            (-32_015, false),
            (-32_100, false),
            (-32_601, false),
            (-32_602, false),
            (-32_700, false),
            (20, false),
            (24, false),
            (40, false),
        ] {
            let source = NodeError::new(code, "", None);
            let error = RpcError::Node {
                method: "m",
                source,
            };
            assert_eq!(error.is_transient(), transient, "{code}");
        }
    }

    #[test]
    fn words_of_a_node_are_cut_and_escaped() {
        let error = NodeError::new(1, &"\n".repeat(100_000), Some(&"é".repeat(100_000)));
        assert_eq!(error.message.chars().count(), MAX_TEXT_CHARS);
        assert!(error.to_string().len() < 2_000);
        assert!(!error.to_string().contains('\n'));
    }

    #[test]
    fn a_complaint_of_the_parser_is_cut() {
        let text = format!("{:?}", "x".repeat(100_000));
        let source = serde_json::from_str::<u64>(&text).unwrap_err();
        let error = RpcError::malformed("m", source);
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.starts_with("invalid type"), "{source}");
        assert!(source.len() < 1_000);
    }
}
