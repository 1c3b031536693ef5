//! A venue: what makes it different, and the contracts that it has.

use super::factory::Factory;
use super::pair::Pair;
use super::pair_id::{Deployment, KnownPair, PairId};
use super::router::Router;
use super::rules::Rules;
use crate::starknet::contract::Kind;
use crate::starknet::execution::Contracts;
use crate::starknet::hash::deployed_address;
use primitives::Felt;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// A venue: its rules, and the contracts that they make.
pub(crate) struct Venue {
    pub(crate) rules: Rules,
    pub(super) pair: LazyLock<Kind<Pair>>,
    pub(super) factory: LazyLock<Kind<Factory>>,
    pub(super) router: LazyLock<Kind<Router>>,
}

impl fmt::Debug for Venue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Venue").field(&self.rules.name).finish()
    }
}

impl Venue {
    /// Puts the venue's factory and router where they belong.
    pub(crate) fn install(&'static self, contracts: &mut Contracts) {
        let rules = &self.rules;
        let factory = Factory {
            rules,
            kind: &self.factory,
            pair_class: self.pair_class_hash(),
        };
        let router = Router {
            rules,
            kind: &self.router,
        };
        contracts.insert(rules.factory, Arc::new(factory));
        contracts.insert(rules.router, Arc::new(router));
        contracts.declare(Arc::new(Pair::new(rules, &self.pair)));
    }

    /// The class of the venue's pairs.
    pub(crate) fn pair_class_hash(&self) -> Felt {
        self.pair.class.hash
    }

    /// Where the pair is, or will be.
    pub(crate) fn pair_address(&self, id: &PairId) -> Felt {
        let Deployment {
            class_hash,
            salt,
            calldata,
        } = self.rules.deployment(id, self.pair_class_hash());
        deployed_address(self.rules.factory, salt, class_hash, &calldata)
    }

    /// The pair with its address, to be remembered.
    pub(crate) fn known(&self, id: PairId) -> KnownPair {
        KnownPair {
            id,
            address: self.pair_address(&id),
        }
    }
}
