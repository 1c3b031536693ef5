//! Whether a gateway lets the holder of a token in.

use super::{
    claims::LeaseClaims,
    key::{Jwks, TokenKey},
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use primitives::{PublicKey, Timestamp, Ulid};
use serde::{Deserialize, de::IgnoredAny};
use thiserror::Error;

/// No token of ours is longer.
const MAX_TOKEN_BYTES: usize = 4_096;

/// How far the clocks of a gateway and of the market may differ, in seconds.
const LEEWAY: i64 = 5;

/// What a gateway knows.
#[derive(Debug, Clone, Copy)]
pub struct Gateway<'a> {
    /// The identity of its validator.
    pub identity: PublicKey,
    /// The market that it trusts.
    pub issuer: &'a str,
    /// The time.
    pub now: Timestamp,
    /// The epoch, by its own node.
    pub epoch: u64,
}

/// Why a token is not good, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TokenRefusal {
    /// It is no token of this form.
    #[error("it is no lease token")]
    Malformed,
    /// It is signed in another way than lease tokens are.
    #[error("it is not signed with ES256")]
    Algorithm,
    /// The market does not publish the key that it names.
    #[error("the market has no such key; read the keys again")]
    UnknownKey,
    /// The key did not sign it.
    #[error("its signature is not the key's")]
    Signature,
    /// It is of another market.
    #[error("it is of another market")]
    Issuer,
    /// It is for another validator.
    #[error("it is for another validator")]
    Audience,
    /// It cannot be used yet.
    #[error("it cannot be used yet")]
    Early,
    /// Its time is over.
    #[error("its time is over")]
    Expired,
    /// The lease does not have this epoch.
    #[error("the lease does not have this epoch")]
    Epoch,
    /// The lease was revoked.
    #[error("the lease was revoked")]
    Revoked,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    typ: Option<String>,
    kid: Option<String>,
    /// Whoever must understand more must not go on.
    crit: Option<IgnoredAny>,
}

/// What a token says, if a gateway may let its holder in. `is_revoked` tells of
/// leases that were revoked since they were minted for.
pub fn verify_lease_token(
    token: &str,
    keys: &Jwks,
    gateway: &Gateway<'_>,
    is_revoked: impl FnOnce(Ulid) -> bool,
) -> Result<LeaseClaims, TokenRefusal> {
    let claims = signed_claims(token, keys)?;
    if claims.iss != gateway.issuer {
        return Err(TokenRefusal::Issuer);
    }
    if claims.aud != gateway.identity {
        return Err(TokenRefusal::Audience);
    }
    let now = gateway.now.as_second();
    if now < claims.nbf.saturating_sub(LEEWAY) {
        return Err(TokenRefusal::Early);
    }
    if now >= claims.exp.saturating_add(LEEWAY) {
        return Err(TokenRefusal::Expired);
    }
    let within = |epoch: i32| (claims.epoch_start..claims.epoch_end).contains(&epoch);
    if !i32::try_from(gateway.epoch).is_ok_and(within) {
        return Err(TokenRefusal::Epoch);
    }
    if is_revoked(claims.sub) {
        return Err(TokenRefusal::Revoked);
    }
    Ok(claims)
}

/// What a token says, if one of the keys signed it.
fn signed_claims(token: &str, keys: &Jwks) -> Result<LeaseClaims, TokenRefusal> {
    let malformed = TokenRefusal::Malformed;
    if token.len() > MAX_TOKEN_BYTES {
        return Err(malformed);
    }
    let (input, signature) = token.rsplit_once('.').ok_or(malformed)?;
    let (header, payload) = input.split_once('.').ok_or(malformed)?;
    let decode = |part: &str| BASE64_URL_SAFE_NO_PAD.decode(part).map_err(|_| malformed);
    let header: Header = serde_json::from_slice(&decode(header)?).map_err(|_| malformed)?;
    if header.alg != "ES256" || header.crit.is_some() {
        return Err(TokenRefusal::Algorithm);
    }
    if header
        .typ
        .is_some_and(|typ| !typ.eq_ignore_ascii_case("jwt"))
    {
        return Err(malformed);
    }
    let kid = header.kid.ok_or(TokenRefusal::UnknownKey)?;
    let key = keys.keys.iter().find(|key| key.kid == kid);
    let key = key.and_then(|key| TokenKey::try_from(key).ok());
    let key = key.ok_or(TokenRefusal::UnknownKey)?;
    if !key.has_signed(input.as_bytes(), &decode(signature)?) {
        return Err(TokenRefusal::Signature);
    }
    serde_json::from_slice(&decode(payload)?).map_err(|_| malformed)
}

#[cfg(test)]
mod tests;
