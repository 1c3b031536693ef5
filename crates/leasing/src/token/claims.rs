//! What a lease token says, and how it is written.

use crate::lease::Lease;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use primitives::{Impossible, OrImpossible as _, PublicKey, SignedDuration, Timestamp, Ulid};
use serde::{Deserialize, Serialize};

/// How long a token can be used.
pub const TOKEN_LIFETIME: SignedDuration = SignedDuration::from_mins(10);

/// A token is good a moment before it was made: clocks differ.
const BEFORE: i64 = 5;

/// What a lease token says. Times are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseClaims {
    /// The market.
    pub iss: String,
    /// The identity of the validator that it is for.
    pub aud: PublicKey,
    /// The lease.
    pub sub: Ulid,
    /// This token.
    pub jti: Ulid,
    /// When it was made.
    pub iat: i64,
    /// From when it can be used.
    pub nbf: i64,
    /// Until when.
    pub exp: i64,
    /// How the validator is leased: `exclusive` or `shared`.
    pub mode: String,
    /// The first epoch that is paid.
    pub epoch_start: i32,
    /// The epoch after the last.
    pub epoch_end: i32,
    /// The user who booked.
    pub trader: Ulid,
}

impl LeaseClaims {
    /// What a token of a lease says that is made now.
    pub fn new(lease: &Lease, issuer: &str, identity: PublicKey, id: Ulid, now: Timestamp) -> Self {
        let iat = now.as_second();
        Self {
            iss: issuer.to_owned(),
            aud: identity,
            sub: lease.id,
            jti: id,
            iat,
            nbf: iat.saturating_sub(BEFORE),
            exp: iat.saturating_add(TOKEN_LIFETIME.as_secs()),
            mode: lease.mode.to_string(),
            epoch_start: lease.window.start(),
            epoch_end: lease.window.end(),
            trader: lease.trader,
        }
    }
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'static str,
    typ: &'static str,
    kid: &'a str,
}

/// The text that the key of a name signs.
pub fn signing_input(kid: &str, claims: &LeaseClaims) -> Result<String, Impossible> {
    let header = Header {
        alg: "ES256",
        typ: "JWT",
        kid,
    };
    Ok(format!("{}.{}", encoded(&header)?, encoded(claims)?))
}

/// The token, once it is signed.
pub fn assembled(input: &str, signature: &[u8; 64]) -> String {
    format!("{input}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
}

fn encoded(part: &impl Serialize) -> Result<String, Impossible> {
    let json = serde_json::to_vec(part).or_impossible("maps with text keys can be written")?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(json))
}
