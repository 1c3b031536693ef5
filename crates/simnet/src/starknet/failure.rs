//! Why calls fail: what a contract says, and what the chain makes of it.

use primitives::{Felt, felt_to_hex};
use thiserror::Error;

/// Why an entrypoint gave up. All effects of the transaction are undone.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Revert {
    /// The contract's own words.
    #[error("{0}")]
    Reason(String),
    /// A call that it made failed.
    #[error(transparent)]
    Inner(Box<CallFailure>),
}

impl Revert {
    /// A revert with a contract's own words.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self::Reason(reason.into())
    }
}

/// What a call returns, element by element.
pub(crate) type Returned = Result<Vec<Felt>, Revert>;

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum CallFailure {
    #[error("requested contract address {} is not deployed", felt_to_hex(*.0))]
    ContractNotFound(Felt),
    #[error("entry point {} not found in contract", felt_to_hex(*.0))]
    EntrypointNotFound(Felt),
    #[error("error in contract {}: {revert}", felt_to_hex(*.contract))]
    Reverted {
        contract: Felt,
        class_hash: Felt,
        selector: Felt,
        #[source]
        revert: Revert,
    },
}
