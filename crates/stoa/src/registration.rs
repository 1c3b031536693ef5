//! A registration of a validator, as it is sent: for people who sign by hand,
//! and for simulated ones.

use leasing::{Terms, format_sol, register_challenge};
use primitives::{Entropy, PublicKey, Signature};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Where a share goes, on which market, and when that was signed.
#[derive(Debug)]
pub(crate) struct Signing<'a> {
    /// The market's domain.
    pub(crate) domain: &'a str,
    /// The validator.
    pub(crate) identity: PublicKey,
    /// Where its share goes.
    pub(crate) payout_wallet: PublicKey,
    /// Unix seconds.
    pub(crate) timestamp: i64,
    /// Used once.
    pub(crate) nonce: &'a str,
}

/// The body of `POST /v1/validators`, signed with the identity's key.
pub(crate) fn body(
    signing: &Signing<'_>,
    terms: &Terms,
    sign: impl FnOnce(&[u8]) -> Signature,
) -> Value {
    let Signing {
        domain,
        identity,
        payout_wallet,
        timestamp,
        nonce,
    } = *signing;
    let text = register_challenge(domain, identity, payout_wallet, timestamp, nonce, terms);
    let shared = terms.shared.as_ref();
    json!({
        "identity_pubkey": identity,
        "payout_wallet": payout_wallet,
        "tier": terms.tier.as_str(),
        "region": terms.region.as_str(),
        "price_sol": format_sol(terms.price),
        "shared_enabled": shared.is_some(),
        "shared_price_sol": shared.map(|shared| format_sol(shared.price)),
        "max_concurrent_shared_leases": shared.map(|shared| shared.seats),
        "timestamp": timestamp,
        "nonce": nonce,
        "signature": sign(text.as_bytes()),
    })
}

/// A word that nobody has used.
pub(crate) fn nonce(entropy: &(dyn Entropy + 'static)) -> String {
    let bytes: [u8; 16] = entropy.bytes();
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
