//! Accounts that several Stark keys own, of which so many have to sign together.

use super::checked;
use crate::starknet::contract::{Calldata, Env};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::failure::Returned;
use crate::starknet::hash::{felt, from_felt};
use crate::starknet::state::Variable;
use primitives::{Felt, OrImpossible as _, U256};

/// The owners by their place, how many there are, and how many have to sign.
const SIGNERS: Variable = Variable::felt("Account_signers");
const COUNT: Variable = Variable::felt("Account_signer_count");
const THRESHOLD: Variable = Variable::felt("Account_threshold");

/// Keys that own one account.
const MAX_SIGNERS: usize = 32;

/// Remembers how many have to sign, and who.
pub(super) fn construct(env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
    let (threshold, signers) = (calldata.u128()?, calldata.felts()?);
    let count = U256::from(signers.len());
    let threshold = U256::from(threshold);
    let known = signers.len() <= MAX_SIGNERS && threshold > U256::ZERO && threshold <= count;
    ensure(known, "Account: invalid threshold")?;
    for (place, signer) in signers.iter().enumerate() {
        let is_new = signers.iter().take(place).all(|other| other != signer);
        ensure(is_new, "Account: repeated signer")?;
        env.write(SIGNERS, &[Felt::from(place)], from_felt(*signer));
    }
    env.write(COUNT, &[], count);
    env.write(THRESHOLD, &[], threshold);
    Ok(vec![])
}

/// The owners.
pub(super) fn signers(env: &Env<'_, '_>) -> Vec<Felt> {
    let count = usize::try_from(env.read(COUNT, &[])).ok();
    let count = count.filter(|count| *count <= MAX_SIGNERS);
    let count = count.or_impossible("an account counts its owners");
    let places = 0..count.unwrap_or(0);
    let signer = |place: usize| felt(env.read(SIGNERS, &[Felt::from(place)]));
    places.map(signer).collect()
}

/// How many of them have to sign.
pub(super) fn threshold(env: &Env<'_, '_>) -> Felt {
    felt(env.read(THRESHOLD, &[]))
}

/// Whether enough owners signed a hash: a list of signatures, each of which has the
/// kind of its key, 0 for a Stark key, the key, and the two numbers.
pub(super) fn are_enough(env: &Env<'_, '_>, hash: Felt, signature: &[Felt]) -> bool {
    let Some((count, signatures)) = signature.split_first() else {
        return false;
    };
    let (signatures, rest) = signatures.as_chunks::<4>();
    if !rest.is_empty() || *count != Felt::from(signatures.len()) {
        return false;
    }
    let mut missing = signers(env);
    let all = missing.len();
    for [kind, signer, r, s] in signatures {
        let Some(place) = missing.iter().position(|other| other == signer) else {
            return false;
        };
        // Nobody counts twice.
        missing.swap_remove(place);
        if *kind != Felt::ZERO || !checked::is_signed(*signer, hash, [*r, *s]) {
            return false;
        }
    }
    U256::from(all - missing.len()) >= env.read(THRESHOLD, &[])
}
