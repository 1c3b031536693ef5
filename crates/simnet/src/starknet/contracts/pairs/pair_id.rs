//! What names a pair: in calldata each venue has its own way, and the address
//! follows from it.

use super::rules::{Path, Rules};
use crate::starknet::contract::Calldata;
use crate::starknet::failure::Revert;
use crate::starknet::hash::{digest, from_felt};
use primitives::Felt;

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
pub(super) struct Deployment {
    pub(super) class_hash: Felt,
    pub(super) salt: Felt,
    pub(super) calldata: Vec<Felt>,
}

impl Rules {
    /// From what the pair is deployed, whose class is this one.
    pub(super) fn deployment(&self, id: &PairId, class_hash: Felt) -> Deployment {
        let [token0, token1] = id.tokens;
        let (stable, fee) = (Felt::from(id.stable), Felt::from(self.fee_of(id)));
        Deployment {
            class_hash,
            salt: digest("PAIR", &[token0, token1, stable, Felt::from(id.fee)]),
            calldata: vec![token0, token1, stable, fee],
        }
    }

    /// The fee that a new pair has.
    pub(super) fn fee_of(&self, id: &PairId) -> u64 {
        let [volatile, stable] = self.first_fees;
        match (id.fee, id.stable) {
            (0, false) => volatile,
            (0, true) => stable,
            (named, _) => named,
        }
    }

    /// Reads the arguments that name a pair.
    pub(super) fn read_id(&self, calldata: &mut Calldata<'_>) -> Result<PairId, Revert> {
        self.read_id_in_order(calldata).map(|(id, _)| id)
    }

    /// The same, and whether the larger address came first.
    pub(super) fn read_id_in_order(
        &self,
        calldata: &mut Calldata<'_>,
    ) -> Result<(PairId, bool), Revert> {
        let (a, b) = (calldata.felt()?, calldata.felt()?);
        let mut id = PairId::new(a, b);
        if matches!(self.path, Path::Stable | Path::Tiered) {
            id.stable = calldata.bool()?;
        }
        if matches!(self.path, Path::Tiered | Path::Pairs) {
            id.fee = self.read_fee(calldata)?;
        }
        Ok((id, id.tokens != [a, b]))
    }

    pub(super) fn read_fee(&self, calldata: &mut Calldata<'_>) -> Result<u64, Revert> {
        u64::try_from(calldata.u128()?)
            .ok()
            .filter(|fee| *fee < self.fee.scale)
            .ok_or_else(|| Revert::new("invalid fee"))
    }
}
