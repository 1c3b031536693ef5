//! The texts that an identity signs: one line of printable ASCII each, so that
//! the command line and hardware wallets can sign them.
//!
//! A text names everything that it is for: the market, the account that is to
//! own the validator, and the listing to the last letter. Whoever gets hold of a
//! signature can do nothing with it that its signer did not mean.

use crate::terms::ValidatorTerms;
use primitives::{PublicKey, Ulid, bytes_to_hex};
use sha2::{Digest as _, Sha256};

/// What a registration signs.
#[derive(Debug, Clone, Copy)]
pub struct RegisterChallenge<'a> {
    /// The market's domain.
    pub domain: &'a str,
    /// The user who is to own the validator.
    pub account: Ulid,
    /// The validator.
    pub identity: PublicKey,
    /// Where its share goes.
    pub payout_wallet: PublicKey,
    /// What people call it.
    pub name: Option<&'a str>,
    /// Where lessees connect.
    pub endpoint: Option<&'a str>,
    /// What it offers.
    pub terms: &'a ValidatorTerms,
    /// In seconds since 1970.
    pub timestamp: i64,
    /// Used once.
    pub nonce: &'a str,
}

impl RegisterChallenge<'_> {
    /// One line of printable ASCII, which the identity signs.
    pub fn text(&self) -> String {
        let Self {
            domain,
            account,
            identity,
            payout_wallet,
            timestamp,
            nonce,
            ..
        } = self;
        let digest = bytes_to_hex(&Sha256::digest(self.listing()));
        format!(
            "lease-market:v2:register:{domain}:{account}:{identity}:{payout_wallet}:{timestamp}:\
             {nonce}:{digest}"
        )
    }

    /// The listing as JSON of one form (RFC 8785), of which the digest is made.
    /// Lamports are texts: as numbers, some readers would round them.
    pub fn listing(&self) -> String {
        format!(
            r#"{{"name":{},"tee_endpoint":{},"terms":{}}}"#,
            json(self.name),
            json(self.endpoint),
            self.terms.canonical()
        )
    }
}

/// A text of ours as JSON: it has no control characters.
fn json(text: Option<&str>) -> String {
    text.map_or_else(
        || "null".to_owned(),
        |text| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
    )
}

/// The text that an identity signs to change its payout wallet.
pub fn payout_challenge(
    domain: &str,
    identity: PublicKey,
    payout_wallet: PublicKey,
    timestamp: i64,
    nonce: &str,
) -> String {
    format!("lease-market:v1:payout-wallet:{domain}:{identity}:{payout_wallet}:{timestamp}:{nonce}")
}

/// The text that an identity signs to become an account's, with its wallet.
pub fn reclaim_challenge(
    domain: &str,
    account: Ulid,
    identity: PublicKey,
    payout_wallet: PublicKey,
    timestamp: i64,
    nonce: &str,
) -> String {
    format!(
        "lease-market:v1:reclaim:{domain}:{account}:{identity}:{payout_wallet}:{timestamp}:{nonce}"
    )
}
