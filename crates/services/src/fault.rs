//! Failures that are ours, not the caller's.

use crate::leasing::{IssuerError, SignError};
use amm::book::KeptError;
use chain::RpcError;
use primitives::{BlockRef, Felt, Impossible};
use std::sync::Arc;
use store::StoreError;
use thiserror::Error;

/// Something that Stoa stands on failed. It is logged once, with its sources,
/// where it is handled.
#[derive(Debug, Error)]
pub enum Fault {
    /// The database.
    #[error("store")]
    Store(#[from] StoreError),
    /// A Starknet node failed, or answers in a way that cannot be.
    #[error("starknet node")]
    Node(#[from] RpcError),
    /// The node's chain and ours have no block in common: it is another chain,
    /// or its history was rewritten from before our first block.
    #[error(
        "the node shares no block with the stored chain, which begins at block {}; \
         point Stoa at the right node or give it an empty data folder",
        first.number
    )]
    Diverged {
        /// The first block stored.
        first: BlockRef,
    },
    /// No node is configured, or none has answered yet.
    #[error("no node answers")]
    NoNode,
    /// A Solana node.
    #[error("solana node")]
    Solana(#[source] RpcError),
    /// No Solana node has answered yet.
    #[error("no solana node answers")]
    NoSolanaNode,
    /// What a validator or the operator has set cannot be paid.
    #[error("a payment that nobody can make")]
    Unpayable(#[from] leasing::PaymentError),
    /// What cannot happen: a bug.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// A lease changed while its validator's lock was ours: a bug.
    #[error("a lease changed under its lock")]
    LeaseChanged,
    /// A token was to be signed.
    #[error("a lease token could not be signed")]
    Signing(#[from] SignError),
    /// The keys of the sessions' issuer are not known.
    #[error("the issuer of sessions")]
    Issuer(#[source] Arc<IssuerError>),
    /// A key of a lease was to be hashed.
    #[error("a lease key could not be hashed: {0}")]
    Hashing(String),
    /// There is no key to sign tokens with.
    #[error("no key signs lease tokens")]
    NoTokenKey,
    /// A key of tokens is none.
    #[error("the key of lease tokens")]
    TokenKey(#[from] leasing::NotTokenKey),
    /// A row of the audit log could not be written, without which what it tells
    /// of must not happen.
    #[error("the row of the audit log")]
    Audit(#[source] StoreError),
    /// Too many transactions wait for a node that can show them.
    #[error(
        "{limit} transactions wait for a node that can show them: the wallet's history is read \
         no further; name a node that has them, see solana.rpc"
    )]
    Parked {
        /// The most that may wait.
        limit: u64,
    },
    /// A node follows another chain than the others.
    #[error("the node follows chain {theirs:#x}, not {ours:#x}")]
    OtherChain {
        /// Its chain.
        theirs: Felt,
        /// The chain that we follow.
        ours: Felt,
    },
    /// Too few nodes have a block for it to be accepted.
    #[error("block {number} is known to {agreeing} of the {wanted} nodes that must agree")]
    NoAgreement {
        /// The block's height.
        number: u64,
        /// Nodes that have it.
        agreeing: usize,
        /// Nodes that must have it.
        wanted: usize,
    },
    /// What was kept of pools cannot be read.
    #[error("the pools that were kept")]
    Pools(#[from] KeptError),
    /// What was kept of market figures cannot be read.
    #[error("the market figures that were kept")]
    Figures(#[from] market::figures::KeptError),
    /// What a block did to market figures cannot be read.
    #[error("the market figures of a block")]
    Delta(#[from] market::figures::DeltaError),
    /// Contracts that became followed have emitted events in too many earlier
    /// blocks.
    #[error(
        "contracts that block {number} makes followed have events in more than {limit} earlier \
         blocks: follow them from a later block, or index anew"
    )]
    LongPast {
        /// The block.
        number: u64,
        /// The most blocks that are read.
        limit: usize,
    },
    /// Pools that are taken over have more positions than are remembered.
    #[error("pools that are taken over have more than {limit} ranges with liquidity")]
    ManyPositions {
        /// The most that are remembered.
        limit: usize,
    },
    /// A task of ours was cut short, by a bug or because the process ends.
    #[error("a task was cut short")]
    Interrupted(#[source] tokio::task::JoinError),
    /// The node's blocks do not link to each other.
    #[error("the node's block {number} does not follow its block before")]
    Unlinked {
        /// The block whose parent is missing.
        number: u64,
    },
}

impl Fault {
    /// Whether another node may do better.
    pub(crate) fn is_of_a_node(&self) -> bool {
        match self {
            Self::Node(_)
            | Self::Diverged { .. }
            | Self::NoNode
            | Self::OtherChain { .. }
            | Self::Unlinked { .. } => true,
            Self::Store(_)
            | Self::Solana(_)
            | Self::NoSolanaNode
            | Self::Unpayable(_)
            | Self::LeaseChanged
            | Self::Parked { .. }
            | Self::Signing(_)
            | Self::Issuer(_)
            | Self::Hashing(_)
            | Self::NoTokenKey
            | Self::TokenKey(_)
            | Self::Audit(_)
            | Self::Pools(_)
            | Self::Figures(_)
            | Self::Delta(_)
            | Self::LongPast { .. }
            | Self::ManyPositions { .. }
            | Self::NoAgreement { .. }
            | Self::Impossible(_)
            | Self::Interrupted(_) => false,
        }
    }

    /// Whether another process does by now what this one was about to.
    pub(crate) fn is_of_duty(&self) -> bool {
        matches!(self, Self::Store(StoreError::NotOnDuty { .. }))
    }

    /// Whether a node does not have a block that we know: after a reorganisation it is
    /// so until that is followed, and for good where a node forgets the past.
    pub fn is_of_a_gone_block(&self) -> bool {
        matches!(self, Self::Node(error) if error.is_block_not_found())
    }

    /// The error and its sources in one line.
    pub fn chain_text(&self) -> String {
        chain_text(self)
    }
}

/// An error and its sources in one line.
pub(crate) fn chain_text(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
