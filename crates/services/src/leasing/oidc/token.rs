//! A token of an issuer: what it says, and whether that is for us and for now.

use super::key::{Key, is_algorithm};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use primitives::Timestamp;
use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value};
use thiserror::Error;

/// Longer tokens are not looked at.
pub const MAX_TOKEN_BYTES: usize = 8 * 1024;

/// How far our clock and the issuer's may differ, in seconds.
const LEEWAY_S: f64 = 30.0;

/// Names of people are no longer (`OpenID` Connect Core, section 2).
const MAX_SUBJECT_BYTES: usize = 255;

/// What tokens of sessions call themselves: a JWT, or the JWT of an access token
/// (RFC 9068).
const TYPES: [&str; 3] = ["jwt", "at+jwt", "application/at+jwt"];

/// Why a token is not good, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum TokenFlaw {
    /// It is longer than any that is looked at.
    #[error("it is too long")]
    TooLong,
    /// It has not the form of a token, or lacks a claim that every token has.
    #[error("it is no token of a session")]
    Malformed,
    /// It is signed in a way that proves nothing here.
    #[error("its algorithm is none that an issuer can be known by")]
    Algorithm,
    /// It is of another issuer.
    #[error("it is of another issuer")]
    Issuer,
    /// It is for somebody else.
    #[error("it is for another audience")]
    Audience,
    /// It cannot be used yet, or is from the future.
    #[error("it cannot be used yet")]
    Early,
    /// Its time is over.
    #[error("its time is over")]
    Expired,
    /// The issuer has no key of the name that it gives.
    #[error("the issuer has no such key")]
    UnknownKey,
    /// The key did not sign it.
    #[error("its signature is not the key's")]
    Signature,
}

/// A token that is read and not verified.
pub(super) struct Token<'a> {
    header: Header,
    claims: Claims,
    /// What is signed.
    input: &'a str,
    signature: Vec<u8>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    typ: Option<String>,
    kid: String,
    /// Whoever must understand more must not go on.
    crit: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    /// Seconds; the standard allows parts of them.
    exp: f64,
    nbf: Option<f64>,
    iat: Option<f64>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl<'a> Token<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, TokenFlaw> {
        if text.len() > MAX_TOKEN_BYTES {
            return Err(TokenFlaw::TooLong);
        }
        let malformed = TokenFlaw::Malformed;
        let (input, signature) = text.rsplit_once('.').ok_or(malformed)?;
        let (header, claims) = input.split_once('.').ok_or(malformed)?;
        let decode = |part: &str| BASE64_URL_SAFE_NO_PAD.decode(part).map_err(|_| malformed);
        let header: Header = serde_json::from_slice(&decode(header)?).map_err(|_| malformed)?;
        let claims: Claims = serde_json::from_slice(&decode(claims)?).map_err(|_| malformed)?;
        let is_other = |typ: &String| !TYPES.iter().any(|known| known.eq_ignore_ascii_case(typ));
        if header.crit.is_some() || header.typ.as_ref().is_some_and(is_other) {
            return Err(malformed);
        }
        if !is_algorithm(&header.alg) {
            return Err(TokenFlaw::Algorithm);
        }
        // What is kept of it is printable, in any store and in any log.
        let is_printable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        let (subject, length) = (claims.sub.as_str(), 1..=MAX_SUBJECT_BYTES);
        if !length.contains(&subject.len()) || !subject.bytes().all(is_printable) {
            return Err(malformed);
        }
        Ok(Self {
            header,
            claims,
            input,
            signature: decode(signature)?,
        })
    }

    /// Whether it is this issuer's, for this audience, and for now.
    pub(super) fn check(
        &self,
        issuer: &str,
        audience: &str,
        now: Timestamp,
    ) -> Result<(), TokenFlaw> {
        let claims = &self.claims;
        if claims.iss != issuer {
            return Err(TokenFlaw::Issuer);
        }
        let is_for_us = match &claims.aud {
            Audience::One(one) => one == audience,
            Audience::Several(several) => several.iter().any(|one| one == audience),
        };
        if !is_for_us {
            return Err(TokenFlaw::Audience);
        }
        let now = now.as_duration().as_secs_f64();
        let mut beginnings = [claims.nbf, claims.iat].into_iter().flatten();
        if beginnings.any(|beginning| now + LEEWAY_S < beginning) {
            return Err(TokenFlaw::Early);
        }
        if now >= claims.exp + LEEWAY_S {
            return Err(TokenFlaw::Expired);
        }
        Ok(())
    }

    /// The name of the key that signed it, as it says.
    pub(super) fn kid(&self) -> &str {
        &self.header.kid
    }

    pub(super) fn is_signed_by(&self, key: &Key) -> bool {
        key.id() == self.header.kid
            && key.has_signed(&self.header.alg, self.input.as_bytes(), &self.signature)
    }

    pub(super) fn subject(&self) -> &str {
        &self.claims.sub
    }

    /// Whether a claim is a group, or lists it.
    pub(super) fn is_in_group(&self, claim: &str, group: &str) -> bool {
        match find(&self.claims.others, claim) {
            Some(Value::String(one)) => one == group,
            Some(Value::Array(several)) => several.iter().any(|one| one.as_str() == Some(group)),
            _ => false,
        }
    }
}

/// The claim of a name; if there is none, what a path with dots leads to.
fn find<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let by_path = || {
        let mut steps = name.split('.');
        let first = claims.get(steps.next()?)?;
        steps.try_fold(first, |value, step| value.get(step))
    };
    claims.get(name).or_else(by_path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};
    use serde_json::json;

    const NOW: i64 = 1_800_000_000;

    fn written(header: &Value, claims: &Value) -> String {
        let encode = |part: &Value| BASE64_URL_SAFE_NO_PAD.encode(part.to_string());
        format!("{}.{}.AAAA", encode(header), encode(claims))
    }

    fn header() -> Value {
        json!({"alg": "ES256", "kid": "a", "typ": "JWT"})
    }

    fn claims() -> Value {
        json!({"iss": "https://id.example", "sub": "ada", "aud": "market", "exp": NOW + 300})
    }

    fn with(mut of: Value, name: &str, value: Value) -> Value {
        of[name] = value;
        of
    }

    fn flaw(header: &Value, claims: &Value) -> Option<TokenFlaw> {
        let text = written(header, claims);
        let now = Timestamp::from_second(NOW).unwrap();
        let checked =
            Token::read(&text).and_then(|token| token.check("https://id.example", "market", now));
        checked.err()
    }

    #[test]
    fn a_token_is_for_us_and_for_now() {
        assert_eq!(flaw(&header(), &claims()), None);
        let several = json!(["other", "market"]);
        assert_eq!(flaw(&header(), &with(claims(), "aud", several)), None);
        let cases = [
            ("iss", json!("https://id.example/"), TokenFlaw::Issuer),
            ("iss", json!("https://evil.example"), TokenFlaw::Issuer),
            ("aud", json!("marke"), TokenFlaw::Audience),
            ("aud", json!([]), TokenFlaw::Audience),
            ("aud", json!(7), TokenFlaw::Malformed),
            ("sub", json!(""), TokenFlaw::Malformed),
            ("sub", json!("a\0b"), TokenFlaw::Malformed),
            ("sub", json!("a\u{202e}b"), TokenFlaw::Malformed),
            ("sub", json!("a".repeat(256)), TokenFlaw::Malformed),
            ("exp", json!("soon"), TokenFlaw::Malformed),
            ("exp", json!(null), TokenFlaw::Malformed),
            ("exp", json!(NOW - 30), TokenFlaw::Expired),
            ("exp", json!(-1), TokenFlaw::Expired),
            ("nbf", json!(NOW + 31), TokenFlaw::Early),
            ("iat", json!(NOW + 31), TokenFlaw::Early),
        ];
        for (name, value, expected) in cases {
            let changed = with(claims(), name, value.clone());
            assert_eq!(flaw(&header(), &changed), Some(expected), "{name} {value}");
        }
    }

    #[test]
    fn clocks_may_differ_a_little() {
        for (name, seconds) in [("exp", -29), ("nbf", 30), ("iat", 30)] {
            let changed = with(claims(), name, json!(NOW + seconds));
            assert_eq!(flaw(&header(), &changed), None, "{name}");
        }
        assert_eq!(
            flaw(&header(), &with(claims(), "exp", json!(1.8e9 - 29.5))),
            None
        );
    }

    #[test]
    fn a_header_names_a_key_and_an_algorithm_that_proves_something() {
        let cases = [
            ("alg", json!("none"), TokenFlaw::Algorithm),
            ("alg", json!("HS256"), TokenFlaw::Algorithm),
            ("alg", json!(null), TokenFlaw::Malformed),
            ("kid", json!(null), TokenFlaw::Malformed),
            ("typ", json!("logout+jwt"), TokenFlaw::Malformed),
            ("crit", json!(["b64"]), TokenFlaw::Malformed),
        ];
        for (name, value, expected) in cases {
            let changed = with(header(), name, value.clone());
            assert_eq!(flaw(&changed, &claims()), Some(expected), "{name} {value}");
        }
        let access = with(header(), "typ", json!("at+JWT"));
        assert_eq!(flaw(&access, &claims()), None);
    }

    #[test]
    fn garbage_is_none() {
        for text in ["", ".", "..", "...", "a.b.c", "e30.e30.", "e30.e30.e30.e30"] {
            assert_eq!(
                Token::read(text).err(),
                Some(TokenFlaw::Malformed),
                "{text}"
            );
        }
        let long = "a".repeat(MAX_TOKEN_BYTES + 1);
        assert_eq!(Token::read(&long).err(), Some(TokenFlaw::TooLong));
        let twice = r#"{"iss":"a","iss":"b","sub":"x","aud":"y","exp":1}"#;
        let encode = |part: &str| BASE64_URL_SAFE_NO_PAD.encode(part);
        let twice = format!("{}.{}.", encode(&header().to_string()), encode(twice));
        assert_eq!(Token::read(&twice).err(), Some(TokenFlaw::Malformed));
    }

    proptest! {
        #[test]
        fn whatever_is_sent_is_read_or_refused(
            text in any::<String>(),
            parts in vec(vec(any::<u8>(), 0..64), 3),
        ) {
            Token::read(&text).err();
            let parts = parts.iter().map(|part| BASE64_URL_SAFE_NO_PAD.encode(part));
            let text = parts.collect::<Vec<_>>().join(".");
            prop_assert!(Token::read(&text).is_err());
        }
    }

    #[test]
    fn groups_are_found_by_name_or_by_path() {
        let is_in = |name: &str, value: Value, claim: &str| {
            let text = written(&header(), &with(claims(), name, value));
            Token::read(&text).unwrap().is_in_group(claim, "staff")
        };
        assert!(is_in("groups", json!(["a", "staff"]), "groups"));
        assert!(is_in("groups", json!("staff"), "groups"));
        let nested = json!({"roles": ["staff"]});
        assert!(is_in("realm_access", nested.clone(), "realm_access.roles"));
        let address = "https://id.example/roles";
        assert!(is_in(address, json!(["staff"]), address));
        for (value, claim) in [
            (json!(["Staff", "staffs"]), "groups"),
            (json!([["staff"]]), "groups"),
            (json!({"staff": true}), "groups"),
            (json!(["staff"]), "roles"),
            (nested, "groups.rolls"),
            (json!(null), "groups"),
        ] {
            assert!(!is_in("groups", value.clone(), claim), "{value} {claim}");
        }
    }
}
