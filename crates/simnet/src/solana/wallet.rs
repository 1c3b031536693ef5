//! Keys that everybody may know.

use super::digest::digest;
use super::wire::Transaction;
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use primitives::{PublicKey, Signature, SolanaHash};
use std::fmt;

/// A key pair of the simulated network. Its secret is none: it protects nothing
/// of value.
#[derive(Clone)]
pub struct SolanaKeypair(SigningKey);

impl SolanaKeypair {
    /// The pair that follows from the chain, a role and a number.
    pub(crate) fn derive(genesis: &SolanaHash, role: &str, number: u64) -> Self {
        let secret = digest(role, genesis.as_bytes(), &[number]);
        Self(SigningKey::from_bytes(&secret))
    }

    /// The wallet of whoever runs a market on a simulated network: the same one
    /// on all of them, so that every process of a market knows it.
    pub fn platform() -> Self {
        let everywhere = SolanaHash::from_bytes([0; 32]);
        Self::derive(&everywhere, "PLATFORM", 0)
    }

    /// The address.
    pub fn public_key(&self) -> PublicKey {
        PublicKey::from_bytes(self.0.verifying_key().to_bytes())
    }

    /// The secret and the public key, 32 bytes each, as wallets import them.
    pub fn to_bytes(&self) -> [u8; 64] {
        self.0.to_keypair_bytes()
    }

    /// The same in base58.
    pub fn secret_text(&self) -> String {
        bs58::encode(self.to_bytes()).into_string()
    }

    /// Signs a message.
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature::from_bytes(self.0.sign(message).to_bytes())
    }
}

impl fmt::Debug for SolanaKeypair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SolanaKeypair")
            .field(&self.public_key())
            .finish()
    }
}

/// Whether everybody signed who had to.
pub(crate) fn is_signed(transaction: &Transaction) -> bool {
    let message = transaction.message_bytes();
    let signers = transaction.message.keys.iter();
    signers
        .zip(&transaction.signatures)
        .all(|(key, signature)| {
            let signature = ed25519_dalek::Signature::from_bytes(signature.as_bytes());
            VerifyingKey::from_bytes(key.as_bytes())
                .is_ok_and(|key| key.verify_strict(message, &signature).is_ok())
        })
}
