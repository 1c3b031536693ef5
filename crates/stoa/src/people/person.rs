//! Somebody with a wallet, who signs in with it.

use super::client::{ApiClient, Refusal};
use anyhow::Context as _;
use ed25519_dalek::{Signer as _, SigningKey};
use primitives::{PublicKey, Signature};
use serde_json::json;
use sha2::{Digest as _, Sha256};

/// The wallet, and the session that it was signed in to.
pub(super) struct Person {
    key: SigningKey,
    name: String,
    session: Option<String>,
}

impl Person {
    /// The same person in every process of a seed: a market that goes on has
    /// the people that it had.
    pub(super) fn new(seed: u64, role: &str, number: u64) -> Self {
        let secret = Sha256::new()
            .chain_update("a simulated person: ")
            .chain_update(role)
            .chain_update(seed.to_le_bytes())
            .chain_update(number.to_le_bytes())
            .finalize();
        Self {
            key: SigningKey::from_bytes(&secret.into()),
            name: format!("simulated {role} {}", number.saturating_add(1)),
            session: None,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn wallet(&self) -> PublicKey {
        PublicKey::from_bytes(self.key.verifying_key().to_bytes())
    }

    pub(super) fn sign(&self, bytes: &[u8]) -> Signature {
        Signature::from_bytes(self.key.sign(bytes).to_bytes())
    }

    /// What proves who they are; they sign in if they are not.
    pub(super) async fn bearer(&mut self, market: &ApiClient) -> anyhow::Result<String> {
        if let Some(session) = &self.session {
            return Ok(session.clone());
        }
        let address = self.wallet();
        let challenge = market
            .post("/v1/auth/challenge", None, &json!({ "address": address }))
            .await?;
        let text = challenge["message"].as_str().context("no message")?;
        let signature = self.sign(text.as_bytes());
        let body = json!({
            "address": address, "nonce": challenge["nonce"], "signature": signature,
        });
        let session = market.post("/v1/auth/session", None, &body).await?;
        let token = session["session_token"].as_str().context("no session")?;
        if session["user"].is_null() {
            let profile = json!({ "display_name": self.name });
            market.post("/v1/users", Some(token), &profile).await?;
        }
        self.session = Some(token.to_owned());
        Ok(token.to_owned())
    }

    /// Forgets the session if that is why something failed.
    pub(super) fn sign_out_after(&mut self, failure: &anyhow::Error) {
        if Refusal::is_of_a_session(failure) {
            self.session = None;
        }
    }
}
