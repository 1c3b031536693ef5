//! Proof that somebody holds a key: a challenge signed with it.
//!
//! Wallets sign the bare text. The Solana command line and hardware wallets
//! sign it in an envelope, so that no signature of theirs can be one of a
//! transaction. There are three of them: the short one that the command line
//! has always made, and the two that the written standard has, versions 0 and 1.

use ed25519_dalek::VerifyingKey;
use primitives::{PublicKey, Signature};
use thiserror::Error;

/// What every envelope begins with. No transaction begins with its first byte.
const SIGNING_DOMAIN: &[u8] = b"\xffsolana offchain";

/// The longest text that every envelope takes: with the longest header it fills
/// a transaction's 1,232 bytes.
const MAX_ENVELOPED: usize = 1_147;

/// The format of a text of printable ASCII.
const RESTRICTED_ASCII: u8 = 0;

/// What was signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignedForm {
    /// The text itself.
    Raw,
    /// The envelope of `solana sign-offchain-message`: version 0 without the
    /// fields that the standard got later.
    CommandLine,
    /// Version 0 of the standard, for this signer alone and no application.
    Version0,
    /// Version 1 of the standard, for this signer alone.
    Version1,
}

/// The key did not sign the text in any form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a signature of the key over the text")]
pub struct NotSigned;

/// Checks that the holder of `key` signed `text`, and says in which form.
///
/// Strict: one signature has one form of bytes, and keys of small order, which
/// would sign anything, sign nothing. Envelopes are for printable ASCII of at
/// most 1,147 characters; another text can be signed raw.
pub fn verify_challenge(
    key: PublicKey,
    text: &str,
    signature: Signature,
) -> Result<SignedForm, NotSigned> {
    let verifier = VerifyingKey::from_bytes(key.as_bytes()).map_err(|_| NotSigned)?;
    if verifier.to_edwards().compress().as_bytes() != key.as_bytes() {
        // A second spelling of a point.
        return Err(NotSigned);
    }
    let signature = ed25519_dalek::Signature::from_bytes(signature.as_bytes());
    forms(key, text)
        .find(|(_, bytes)| verifier.verify_strict(bytes, &signature).is_ok())
        .map(|(form, _)| form)
        .ok_or(NotSigned)
}

/// All that a signature over the text may be made of.
fn forms(key: PublicKey, text: &str) -> impl Iterator<Item = (SignedForm, Vec<u8>)> {
    let enveloped = if is_enveloped(text) {
        [
            SignedForm::CommandLine,
            SignedForm::Version0,
            SignedForm::Version1,
        ]
        .as_slice()
    } else {
        &[]
    };
    [SignedForm::Raw]
        .iter()
        .chain(enveloped)
        .map(move |form| (*form, form.bytes(key, text)))
}

fn is_enveloped(text: &str) -> bool {
    let printable = |byte: u8| matches!(byte, 0x20..=0x7e);
    (1..=MAX_ENVELOPED).contains(&text.len()) && text.bytes().all(printable)
}

impl SignedForm {
    /// The bytes that are signed in this form.
    fn bytes(self, key: PublicKey, text: &str) -> Vec<u8> {
        let text = text.as_bytes();
        let [low, high, ..] = text.len().to_le_bytes();
        let length = [low, high];
        let no_application = [0; 32];
        let signer = key.as_bytes();
        match self {
            Self::Raw => text.to_vec(),
            Self::CommandLine => [SIGNING_DOMAIN, &[0, RESTRICTED_ASCII], &length, text].concat(),
            Self::Version0 => [
                SIGNING_DOMAIN,
                &[0],
                &no_application,
                &[RESTRICTED_ASCII, 1],
                signer,
                &length,
                text,
            ]
            .concat(),
            Self::Version1 => [SIGNING_DOMAIN, &[1, 1], signer, text].concat(),
        }
    }
}

#[cfg(test)]
mod tests;
