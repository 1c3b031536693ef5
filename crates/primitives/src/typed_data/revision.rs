//! The two revisions of the standard.

use starknet_types_core::felt::Felt;
use starknet_types_core::hash::{Pedersen, Poseidon, StarkHash};

/// The rules by which a document is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Revision {
    /// The legacy one, with Pedersen hashes.
    Zero,
    /// The active one, with Poseidon hashes.
    One,
}

impl Revision {
    /// The name of the domain's type.
    pub(super) fn domain_type(self) -> &'static str {
        match self {
            Self::Zero => "StarkNetDomain",
            Self::One => "StarknetDomain",
        }
    }

    pub(super) fn hash_list(self, felts: &[Felt]) -> Felt {
        match self {
            Self::Zero => Pedersen::hash_array(felts),
            Self::One => Poseidon::hash_array(felts),
        }
    }

    pub(super) fn hash_pair(self, one: Felt, other: Felt) -> Felt {
        match self {
            Self::Zero => Pedersen::hash(&one, &other),
            Self::One => Poseidon::hash(&one, &other),
        }
    }
}
