//! A funded wallet of the simulated Solana that pays as people's wallets do.

use crate::harness::call;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use ed25519_dalek::{Signer as _, SigningKey};
use primitives::{PublicKey, Signature};
use serde_json::{Value, json};

pub(crate) struct SolanaWallet(SigningKey);

impl SolanaWallet {
    pub(crate) async fn funded(solana: &str) -> Self {
        let accounts = call(solana, "sim_accounts", json!({})).await;
        let secret = &accounts["wallets"][3]["secret_key_bytes"];
        let secret: Vec<u8> = serde_json::from_value(secret.clone()).unwrap();
        Self(SigningKey::from_bytes(secret[..32].try_into().unwrap()))
    }

    pub(crate) fn address(&self) -> PublicKey {
        PublicKey::from_bytes(*self.0.verifying_key().as_bytes())
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Signature {
        Signature::from_bytes(self.0.sign(message).to_bytes())
    }

    /// What `sendTransaction` takes, for a transaction that the market has made for
    /// this wallet alone.
    pub(crate) fn signed(&self, made: &Value) -> Value {
        let mut transaction = STANDARD.decode(made.as_str().unwrap()).unwrap();
        let signature = self.0.sign(&transaction[65..]).to_bytes();
        transaction[1..65].copy_from_slice(&signature);
        json!([STANDARD.encode(&transaction), {"encoding": "base64"}])
    }
}
