//! Which network a chain id means, and whether the operator meant it.

use crate::config::ChainId;
use primitives::{Felt, short_string};
use std::fmt;
use thiserror::Error;

/// The network that a node follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Network {
    chain_id: Felt,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mainnet,
    Sepolia,
    Simulated,
    /// Named by the operator.
    Private,
}

/// Why a node is not followed.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum NetworkError {
    /// Nobody said that this chain is meant.
    #[error(
        "the node follows the unknown chain {0}; if that is meant, \
         set starknet.expect_chain_id = \"{0}\""
    )]
    Unknown(ChainId),
    /// The operator said that another chain is meant.
    #[error("the node follows the chain {found}, but starknet.expect_chain_id is {expected}")]
    Unexpected {
        /// The node's.
        found: ChainId,
        /// The operator's.
        expected: ChainId,
    },
}

impl Network {
    /// The network of our own simulated node.
    pub(crate) fn simulated() -> Self {
        Self {
            chain_id: short_string("SN_STOA"),
            kind: Kind::Simulated,
        }
    }

    /// The network of a node's chain id.
    pub(crate) fn of(chain_id: Felt, expected: Option<ChainId>) -> Result<Self, NetworkError> {
        let found = ChainId(chain_id);
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            return Err(NetworkError::Unexpected { found, expected });
        }
        let kind = if chain_id == short_string("SN_MAIN") {
            Kind::Mainnet
        } else if chain_id == short_string("SN_SEPOLIA") {
            Kind::Sepolia
        } else if chain_id == short_string("SN_STOA") {
            Kind::Simulated
        } else if expected.is_some() {
            Kind::Private
        } else {
            return Err(NetworkError::Unknown(found));
        };
        Ok(Self { chain_id, kind })
    }

    /// What its nodes say, as a short string.
    pub(crate) fn chain_id(self) -> Felt {
        self.chain_id
    }

    /// Whether it is Starknet's own.
    pub(crate) fn is_mainnet(self) -> bool {
        self.kind == Kind::Mainnet
    }

    /// Whether it is Starknet's public test network.
    pub(crate) fn is_sepolia(self) -> bool {
        self.kind == Kind::Sepolia
    }

    /// Whether nothing on it is worth anything.
    pub(crate) fn is_simulated(self) -> bool {
        self.kind == Kind::Simulated
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.kind {
            Kind::Mainnet => "Starknet mainnet",
            Kind::Sepolia => "Starknet Sepolia",
            Kind::Simulated => "simulated Starknet",
            Kind::Private => "private Starknet",
        };
        write!(f, "{name}, chain id {}", ChainId(self.chain_id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(name: &str) -> Felt {
        short_string(name)
    }

    #[test]
    fn known_chains_need_no_configuration() {
        for (name, simulated) in [("SN_MAIN", false), ("SN_SEPOLIA", false), ("SN_STOA", true)] {
            let network = Network::of(chain(name), None).unwrap();
            assert_eq!(network.is_simulated(), simulated);
            assert!(network.to_string().ends_with(name));
        }
        assert_eq!(
            Network::of(chain("SN_STOA"), None),
            Ok(Network::simulated())
        );
    }

    #[test]
    fn an_unknown_chain_is_followed_only_when_it_is_named() {
        let error = Network::of(chain("SN_MINE"), None).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("starknet.expect_chain_id = \"SN_MINE\"")
        );
        let expected = Some(ChainId(chain("SN_MINE")));
        assert!(Network::of(chain("SN_MINE"), expected).is_ok());
        assert!(Network::of(Felt::from(1), Some(ChainId(Felt::from(1)))).is_ok());
    }

    #[test]
    fn a_chain_other_than_the_expected_one_is_refused() {
        let error = Network::of(chain("SN_SEPOLIA"), Some(ChainId(chain("SN_MAIN")))).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the node follows the chain SN_SEPOLIA, but starknet.expect_chain_id is SN_MAIN"
        );
    }
}
