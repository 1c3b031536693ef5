//! Exchanges whose pools are pairs of reserves, each a contract of its own.
//!
//! One pair, one factory and one router serve all of them; [`Rules`] says in
//! what a venue differs. Names, keys and layouts of events and the amounts are
//! the venues' own where they are public, and documented in `docs/simnet.md`
//! where they are not.

mod calls;
mod curve;
mod factory;
pub(crate) mod my_swap;
mod pair;
mod router;
mod rules;
mod venues;

pub(crate) use calls::Swap;
pub(crate) use pair::reserve_keys;
pub(crate) use rules::Path;
pub(crate) use venues::{JEDISWAP, NOSTRA, SITHSWAP, STARKDEFI, TEN_K_SWAP, VENUES};

use super::super::contract::{Calldata, Contract, Kind};
use super::super::execution::Contracts;
use super::super::failure::Revert;
use super::super::hash::{deployed_address, digest, from_felt};
use primitives::Felt;
use rules::Rules;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// A venue: its rules, and the contracts that they make.
pub(crate) struct Venue {
    pub(crate) rules: Rules,
    pair: LazyLock<Kind<pair::Pair>>,
    factory: LazyLock<Kind<factory::Factory>>,
    router: LazyLock<Kind<router::Router>>,
}

impl fmt::Debug for Venue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Venue").field(&self.rules.name).finish()
    }
}

/// What tells the pairs of a venue apart. Venues ignore what they do not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PairId {
    /// The smaller address first.
    pub(crate) tokens: [Felt; 2],
    pub(crate) stable: bool,
    /// A tier or a fee in the venue's own scale; 0 for the venue's default.
    pub(crate) fee: u64,
}

impl PairId {
    /// The volatile pair of two tokens with the default fee.
    pub(crate) fn new(one: Felt, other: Felt) -> Self {
        let tokens = if from_felt(one) <= from_felt(other) {
            [one, other]
        } else {
            [other, one]
        };
        Self {
            tokens,
            stable: false,
            fee: 0,
        }
    }

    /// The same pair, stable or not.
    pub(crate) fn stable(self, stable: bool) -> Self {
        Self { stable, ..self }
    }

    /// The same pair with a fee of its own.
    pub(crate) fn fee(self, fee: u64) -> Self {
        Self { fee, ..self }
    }
}

/// A pair with its address, which takes a while to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownPair {
    pub(crate) id: PairId,
    pub(crate) address: Felt,
}

/// From what a factory deploys a pair.
struct Deployment {
    class_hash: Felt,
    salt: Felt,
    calldata: Vec<Felt>,
}

impl Venue {
    /// Puts the venue's factory and router where they belong.
    pub(crate) fn install(&'static self, contracts: &mut Contracts) {
        let rules = &self.rules;
        let factory: Arc<dyn Contract> = Arc::new(factory::Factory(self));
        contracts.insert(rules.factory, factory);
        contracts.insert(rules.router, Arc::new(router::Router(self)));
        contracts.declare(Arc::new(pair::Pair::new(self)));
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
        } = self.deployment(id);
        deployed_address(self.rules.factory, salt, class_hash, &calldata)
    }

    /// The pair with its address, to be remembered.
    pub(crate) fn known(&self, id: PairId) -> KnownPair {
        KnownPair {
            id,
            address: self.pair_address(&id),
        }
    }

    fn deployment(&self, id: &PairId) -> Deployment {
        let [token0, token1] = id.tokens;
        let (stable, fee) = (Felt::from(id.stable), Felt::from(self.fee_of(id)));
        Deployment {
            class_hash: self.pair.class.hash,
            salt: digest("PAIR", &[token0, token1, stable, Felt::from(id.fee)]),
            calldata: vec![token0, token1, stable, fee],
        }
    }

    /// The fee that a new pair has.
    fn fee_of(&self, id: &PairId) -> u64 {
        let [volatile, stable] = self.rules.first_fees;
        match (id.fee, id.stable) {
            (0, false) => volatile,
            (0, true) => stable,
            (named, _) => named,
        }
    }

    /// Reads the arguments that name a pair.
    fn read_id(&self, calldata: &mut Calldata<'_>) -> Result<PairId, Revert> {
        self.read_id_in_order(calldata).map(|(id, _)| id)
    }

    /// The same, and whether the larger address came first.
    fn read_id_in_order(&self, calldata: &mut Calldata<'_>) -> Result<(PairId, bool), Revert> {
        let (a, b) = (calldata.felt()?, calldata.felt()?);
        let mut id = PairId::new(a, b);
        if matches!(self.rules.path, Path::Stable | Path::Tiered) {
            id.stable = calldata.bool()?;
        }
        if matches!(self.rules.path, Path::Tiered | Path::Pairs) {
            id.fee = self.read_fee(calldata)?;
        }
        Ok((id, id.tokens != [a, b]))
    }

    fn read_fee(&self, calldata: &mut Calldata<'_>) -> Result<u64, Revert> {
        u64::try_from(calldata.u128()?)
            .ok()
            .filter(|fee| *fee < self.rules.fee.scale)
            .ok_or_else(|| Revert::new("invalid fee"))
    }
}

#[cfg(test)]
mod tests;
