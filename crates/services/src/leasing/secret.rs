//! Secrets that callers send: a public id, by which the row is found, and 32
//! random bytes. Only a digest is kept: with so much randomness a plain one
//! cannot be searched.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use primitives::Entropy;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// What API tokens, sessions, onboarding tokens, keys of leases, tokens of
/// validators' gateways and tickets of streams begin with.
pub(super) const TOKEN: &str = "lm";
pub(super) const SESSION: &str = "ls";
pub(super) const ONBOARDING: &str = "lo";
pub(super) const LEASE_KEY: &str = "lk";
pub(super) const SERVICE: &str = "sv";
pub(super) const STREAM: &str = "st";

const ID_LENGTH: usize = 8;
const SECRET_LENGTH: usize = 43;

/// No bearer is longer.
const MAX_LENGTH: usize = 128;

/// A secret that was just made.
pub(super) struct Secret {
    pub(super) id: String,
    pub(super) text: String,
}

impl Secret {
    pub(super) fn new(prefix: &str, entropy: &dyn Entropy) -> Self {
        let id = random_word(entropy, ID_LENGTH);
        let mut bytes = [0; 32];
        entropy.fill(&mut bytes);
        let secret = BASE64_URL_SAFE_NO_PAD.encode(bytes);
        Self {
            text: format!("{prefix}_{id}_{secret}"),
            id,
        }
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        digest(&self.text)
    }
}

/// What a text that somebody sent may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Presented<'a> {
    /// A session of this id.
    Session(&'a str),
    /// An API token of this id.
    Token(&'a str),
    /// The key of a lease, of this id.
    LeaseKey(&'a str),
    /// The service token of a validator, of this id.
    Service(&'a str),
    /// A text that everybody knows, which is its own id.
    Published(&'a str),
}

impl<'a> Presented<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        if text.is_empty() || text.len() > MAX_LENGTH {
            return None;
        }
        let mut parts = text.splitn(3, '_');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(kind @ (TOKEN | SESSION | LEASE_KEY | SERVICE)), Some(id), Some(secret)) => {
                if id.len() != ID_LENGTH || secret.len() != SECRET_LENGTH || !is_word(text) {
                    return None;
                }
                Some(match kind {
                    TOKEN => Self::Token(id),
                    SESSION => Self::Session(id),
                    SERVICE => Self::Service(id),
                    _ => Self::LeaseKey(id),
                })
            }
            _ if is_word(text) => Some(Self::Published(text)),
            _ => None,
        }
    }
}

/// Whether a text may be the id of something kept: letters, digits, `-` and `_`.
/// Others are not even looked for.
pub(super) fn is_word(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(letter)
}

pub(super) fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// Whether a text hashes to a digest, in the same time whatever it is.
pub(super) fn is_digest_of(kept: &[u8; 32], text: &str) -> bool {
    kept.as_slice().ct_eq(digest(text).as_slice()).into()
}

/// Small letters and digits, five random bits each.
pub(super) fn random_word(entropy: &dyn Entropy, length: usize) -> String {
    const DIGITS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = vec![0; length];
    entropy.fill(&mut bytes);
    bytes
        .iter()
        .filter_map(|byte| DIGITS.get(usize::from(byte % 32)).copied().map(char::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::SeededEntropy;

    #[test]
    fn a_secret_is_found_by_its_id_and_known_by_its_digest() {
        let entropy = SeededEntropy::new(1);
        let secret = Secret::new(TOKEN, &entropy);
        assert_eq!(secret.text.len(), 3 + ID_LENGTH + 1 + SECRET_LENGTH);
        assert_eq!(
            Presented::parse(&secret.text),
            Some(Presented::Token(&secret.id))
        );
        assert!(is_digest_of(&secret.digest(), &secret.text));
        assert!(!is_digest_of(&secret.digest(), &secret.text.to_uppercase()));
        let session = Secret::new(SESSION, &entropy);
        assert_eq!(
            Presented::parse(&session.text),
            Some(Presented::Session(&session.id))
        );
    }

    #[test]
    fn texts_of_another_form_are_found_by_themselves_or_not_at_all() {
        assert_eq!(
            Presented::parse("demo-trader-token"),
            Some(Presented::Published("demo-trader-token"))
        );
        assert_eq!(Presented::parse("demo trader"), None);
        assert_eq!(Presented::parse("a\0b"), None);
        assert_eq!(Presented::parse("lm_short_secret"), None);
        assert_eq!(Presented::parse(""), None);
        assert_eq!(Presented::parse(&"a".repeat(129)), None);
    }
}
