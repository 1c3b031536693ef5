//! A registration of a validator, as it is sent: for people who sign by hand,
//! and for simulated ones.

use leasing::{RegisterChallenge, ValidatorTerms, format_sol};
use primitives::{Entropy, Signature, bytes_to_hex};
use serde_json::{Value, json};

/// The body of `POST /v1/validators`, signed with the identity's key.
pub(crate) fn body(
    challenge: &RegisterChallenge<'_>,
    sign: impl FnOnce(&[u8]) -> Signature,
) -> Value {
    let terms: &ValidatorTerms = challenge.terms;
    let shared = terms.shared.as_ref();
    json!({
        "identity_pubkey": challenge.identity,
        "payout_wallet": challenge.payout_wallet,
        "name": challenge.name,
        "tee_endpoint": challenge.endpoint,
        "tier": terms.tier.as_str(),
        "region": terms.region.as_str(),
        "price_sol": format_sol(terms.price),
        "shared_enabled": shared.is_some(),
        "shared_price_sol": shared.map(|shared| format_sol(shared.price)),
        "max_concurrent_shared_leases": shared.map(|shared| shared.seats),
        "timestamp": challenge.timestamp,
        "nonce": challenge.nonce,
        "signature": sign(challenge.text().as_bytes()),
    })
}

/// A word that nobody has used.
pub(crate) fn nonce(entropy: &(dyn Entropy + 'static)) -> String {
    let bytes: [u8; 16] = entropy.bytes();
    bytes_to_hex(&bytes)
}
