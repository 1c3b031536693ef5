//! Keys of lease tokens: on the curve P-256, named by their thumbprints.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use p256::{
    ecdsa::{
        Signature, SigningKey, VerifyingKey,
        signature::{Signer as _, Verifier as _},
    },
    pkcs8::DecodePrivateKey as _,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use thiserror::Error;

/// What is no key of lease tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a key of the curve P-256")]
pub struct NotTokenKey;

/// The public half of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenKey {
    key: VerifyingKey,
    /// Its coordinates, one after the other.
    point: [u8; 64],
}

/// The secret half. It is never shown.
#[derive(Clone)]
pub struct TokenSecret(SigningKey);

/// A public key as JSON (RFC 7517).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jwk {
    /// `EC`.
    pub kty: String,
    /// `P-256`.
    pub crv: String,
    /// The first coordinate.
    pub x: String,
    /// The second coordinate.
    pub y: String,
    /// `sig`.
    #[serde(rename = "use", default)]
    pub purpose: Option<String>,
    /// `ES256`.
    #[serde(default)]
    pub alg: Option<String>,
    /// Its name.
    pub kid: String,
}

/// Public keys as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jwks {
    /// Any number of them; tokens name theirs by its `kid`.
    pub keys: Vec<Jwk>,
}

impl TokenKey {
    /// The key of its two coordinates, one after the other.
    pub fn from_point(point: &[u8; 64]) -> Result<Self, NotTokenKey> {
        let mut encoded = [4; 65];
        encoded[1..].copy_from_slice(point);
        let key = VerifyingKey::from_sec1_bytes(&encoded).map_err(|_| NotTokenKey)?;
        Ok(Self { key, point: *point })
    }

    /// Its two coordinates, one after the other.
    pub fn point(&self) -> [u8; 64] {
        self.point
    }

    /// Its name: its thumbprint (RFC 7638).
    pub fn kid(&self) -> String {
        let (x, y) = self.coordinates();
        let canonical = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(canonical))
    }

    /// The key as JSON.
    pub fn jwk(&self) -> Jwk {
        let (x, y) = self.coordinates();
        Jwk {
            kty: "EC".to_owned(),
            crv: "P-256".to_owned(),
            x,
            y,
            purpose: Some("sig".to_owned()),
            alg: Some("ES256".to_owned()),
            kid: self.kid(),
        }
    }

    /// Whether a signature is this key's over a text.
    pub fn has_signed(&self, text: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.key.verify(text, &signature).is_ok())
    }

    fn coordinates(&self) -> (String, String) {
        let (x, y) = self.point.split_at(32);
        let encode = |half| BASE64_URL_SAFE_NO_PAD.encode(half);
        (encode(x), encode(y))
    }
}

impl TryFrom<&Jwk> for TokenKey {
    type Error = NotTokenKey;

    fn try_from(jwk: &Jwk) -> Result<Self, NotTokenKey> {
        let is_other = |found: &Option<String>, must: &str| {
            found.as_deref().is_some_and(|found| found != must)
        };
        if jwk.kty != "EC"
            || jwk.crv != "P-256"
            || is_other(&jwk.purpose, "sig")
            || is_other(&jwk.alg, "ES256")
        {
            return Err(NotTokenKey);
        }
        let mut point = [0; 64];
        let (left, right) = point.split_at_mut(32);
        for (half, text) in [(left, &jwk.x), (right, &jwk.y)] {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(text);
            let bytes: [u8; 32] = bytes
                .ok()
                .and_then(|bytes| bytes.try_into().ok())
                .ok_or(NotTokenKey)?;
            half.copy_from_slice(&bytes);
        }
        Self::from_point(&point)
    }
}

impl TokenSecret {
    /// The key of its 32 bytes. A few are none: try others then.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, NotTokenKey> {
        let key = SigningKey::from_slice(bytes);
        key.map(Self).map_err(|_| NotTokenKey)
    }

    /// The key of a PKCS#8 file.
    pub fn from_pem(text: &str) -> Result<Self, NotTokenKey> {
        let key = SigningKey::from_pkcs8_pem(text);
        key.map(Self).map_err(|_| NotTokenKey)
    }

    /// The 32 secret bytes, which `from_bytes` takes.
    pub fn to_bytes(&self) -> [u8; 32] {
        self.0.to_bytes().into()
    }

    /// The public half.
    pub fn public(&self) -> Result<TokenKey, NotTokenKey> {
        let point = self.0.verifying_key().to_sec1_point(false);
        let point = point.as_bytes().get(1..).ok_or(NotTokenKey)?;
        TokenKey::from_point(point.try_into().map_err(|_| NotTokenKey)?)
    }

    /// Its signature over a text, of 64 bytes.
    pub fn sign(&self, text: &[u8]) -> [u8; 64] {
        let signature: Signature = self.0.sign(text);
        signature.to_bytes().into()
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSecret")
    }
}
