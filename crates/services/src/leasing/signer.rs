//! Who signs lease tokens: a key at hand, or a service that has one.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use leasing::{Jwks, TokenKey, TokenSecret};
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use thiserror::Error;
use url::Url;

/// How long a remote signer may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// No answer of a remote signer is longer.
const MAX_ANSWER_BYTES: u64 = 64 * 1024;

/// Keys of a remote signer that are looked at.
const MAX_KEYS: usize = 16;

/// Where the key of lease tokens is.
#[derive(Debug, Clone, Default)]
pub enum TokenSigner {
    /// In the ledger, made there.
    #[default]
    Ledger,
    /// In the operator's hands.
    Given {
        /// The one that signs.
        secret: TokenSecret,
        /// The one that will: it is only published.
        next: Option<TokenKey>,
    },
    /// With a service that signs.
    Remote(RemoteSigner),
}

/// Why nothing was signed.
#[derive(Debug, Error)]
pub enum SignError {
    /// The remote signer did not answer, or said no.
    #[error("the remote signer does not sign")]
    Remote(#[source] reqwest::Error),
    /// Its answer is longer than any can be, or not of its form.
    #[error("the answer of the remote signer cannot be read")]
    Answer,
    /// It has no key that can be used.
    #[error("the remote signer has no key of the curve P-256")]
    NoKey,
    /// What it answered is no signature of its key.
    #[error("the remote signer answered with something that its key did not sign")]
    Forged,
}

/// A key that signs, wherever its secret half is.
#[derive(Debug, Clone)]
pub(super) enum Signer {
    /// It is at hand.
    Local(TokenSecret),
    /// A service has it.
    Remote(RemoteSigner),
}

impl Signer {
    /// The signature of a key over a text.
    pub(super) async fn sign(&self, key: &TokenKey, text: &[u8]) -> Result<[u8; 64], SignError> {
        match self {
            Self::Local(secret) => Ok(secret.sign(text)),
            Self::Remote(remote) => remote.sign(key, text).await,
        }
    }
}

/// A service that signs: `GET jwks` tells its keys, the one to be used first;
/// `POST sign` with a `kid` and an `input` answers with a `signature`.
#[derive(Debug, Clone)]
pub struct RemoteSigner {
    http: reqwest::Client,
    jwks: Url,
    sign: Url,
}

#[derive(Deserialize)]
struct Signed {
    signature: String,
}

impl RemoteSigner {
    /// The signer at an address, which ends with a slash or gets one.
    pub fn new(mut base: Url) -> Result<Self, SignError> {
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        let path = |name| base.join(name).map_err(|_| SignError::Answer);
        let http = reqwest::Client::builder().timeout(PATIENCE).no_proxy();
        Ok(Self {
            jwks: path("jwks")?,
            sign: path("sign")?,
            http: http.build().map_err(SignError::Remote)?,
        })
    }

    /// Its keys, the one to be used first.
    pub(super) async fn keys(&self) -> Result<Vec<TokenKey>, SignError> {
        let answer = self.http.get(self.jwks.clone()).send().await;
        let jwks: Jwks = read(answer).await?;
        let keys = jwks.keys.iter().take(MAX_KEYS);
        let keys: Vec<_> = keys
            .filter_map(|key| TokenKey::try_from(key).ok())
            .collect();
        if keys.is_empty() {
            return Err(SignError::NoKey);
        }
        Ok(keys)
    }

    async fn sign(&self, key: &TokenKey, text: &[u8]) -> Result<[u8; 64], SignError> {
        let body = json!({"kid": key.kid(), "input": BASE64_URL_SAFE_NO_PAD.encode(text)});
        let request = self.http.post(self.sign.clone());
        let request = request.header(CONTENT_TYPE, "application/json");
        let Signed { signature } = read(request.body(body.to_string()).send().await).await?;
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(signature);
        let bytes = bytes.map_err(|_| SignError::Answer)?;
        let signature: [u8; 64] = bytes.try_into().map_err(|_| SignError::Answer)?;
        // A token that nobody could verify is none.
        if key.has_signed(text, &signature) {
            Ok(signature)
        } else {
            Err(SignError::Forged)
        }
    }
}

async fn read<T: for<'de> Deserialize<'de>>(
    answer: Result<reqwest::Response, reqwest::Error>,
) -> Result<T, SignError> {
    let answer = answer.and_then(reqwest::Response::error_for_status);
    let mut answer = answer.map_err(SignError::Remote)?;
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(SignError::Remote)? {
        body.extend_from_slice(&chunk);
        if u64::try_from(body.len()).unwrap_or(u64::MAX) > MAX_ANSWER_BYTES {
            return Err(SignError::Answer);
        }
    }
    serde_json::from_slice(&body).map_err(|_| SignError::Answer)
}
