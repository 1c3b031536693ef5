//! Tokens, good and bad.

use super::*;
use crate::{
    lease::Stage,
    lease::samples::{at, id, key, lease, receipt},
    token::{Jwk, TokenSecret, assembled, signing_input},
};
use proptest::prelude::*;

const ISSUER: &str = "https://market.example";

fn secret(byte: u8) -> TokenSecret {
    TokenSecret::from_bytes(&[byte; 32]).unwrap()
}

fn jwks(bytes: &[u8]) -> Jwks {
    let keys = bytes.iter().map(|byte| secret(*byte).public().unwrap());
    Jwks {
        keys: keys.map(|key| key.jwk()).collect(),
    }
}

/// A lease of epochs 5 to 7, minted for at second 100.
fn claims() -> LeaseClaims {
    let lease = lease(Stage::Active { receipt: receipt() });
    LeaseClaims::new(&lease, ISSUER, key(60), id(50), at(100))
}

fn token(signer: u8, claims: &LeaseClaims) -> String {
    let secret = secret(signer);
    let kid = secret.public().unwrap().kid();
    let input = signing_input(&kid, claims).unwrap();
    assembled(&input, &secret.sign(input.as_bytes()))
}

fn gateway() -> Gateway<'static> {
    Gateway {
        identity: key(60),
        issuer: ISSUER,
        now: at(100),
        epoch: 5,
    }
}

fn verified(token: &str, gateway: &Gateway<'_>) -> Result<LeaseClaims, TokenRefusal> {
    verify_lease_token(token, &jwks(&[1, 2]), gateway, |_| false)
}

#[test]
fn a_good_token_says_what_was_minted() {
    let claims = claims();
    assert_eq!(claims.exp - claims.iat, 600);
    assert_eq!(claims.nbf, claims.iat - 5);
    for signer in [1, 2] {
        let token = token(signer, &claims);
        assert_eq!(verified(&token, &gateway()), Ok(claims.clone()));
    }
}

#[test]
fn a_key_is_named_by_its_thumbprint() {
    // The example of RFC 7517, appendix A.1, and its thumbprint by Python.
    let jwk = Jwk {
        kty: "EC".to_owned(),
        crv: "P-256".to_owned(),
        x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4".to_owned(),
        y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM".to_owned(),
        purpose: None,
        alg: None,
        kid: "1".to_owned(),
    };
    let key = TokenKey::try_from(&jwk).unwrap();
    assert_eq!(key.kid(), "cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s");
    assert_eq!(TokenKey::from_point(&key.point()), Ok(key.clone()));
    assert_eq!(TokenKey::try_from(&key.jwk()), Ok(key));
    for (field, value) in [
        ("kty", "RSA"),
        ("crv", "P-384"),
        ("x", "AA"),
        ("y", "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"),
        ("use", "enc"),
        ("alg", "ES384"),
    ] {
        let mut json = serde_json::to_value(&jwk).unwrap();
        json.as_object_mut()
            .unwrap()
            .insert(field.to_owned(), value.into());
        let other: Jwk = serde_json::from_value(json).unwrap();
        assert!(TokenKey::try_from(&other).is_err(), "{field}");
    }
}

#[test]
fn refusals_say_why() {
    let good = token(1, &claims());
    let refused = |gateway| verified(&good, &gateway).unwrap_err();
    let usual = gateway();
    let issuer = "https://other.example";
    assert_eq!(refused(Gateway { issuer, ..usual }), TokenRefusal::Issuer);
    let identity = key(61);
    assert_eq!(
        refused(Gateway { identity, ..usual }),
        TokenRefusal::Audience
    );
    for (second, refusal) in [
        (89, Some(TokenRefusal::Early)),
        (90, None),
        (704, None),
        (705, Some(TokenRefusal::Expired)),
    ] {
        let now = at(second);
        let found = verified(&good, &Gateway { now, ..usual }).err();
        assert_eq!(found, refusal, "{second}");
    }
    for (epoch, is_in) in [
        (4, false),
        (5, true),
        (7, true),
        (8, false),
        (1 << 40, false),
    ] {
        let found = verified(&good, &Gateway { epoch, ..usual });
        assert_eq!(found.is_ok(), is_in, "{epoch}");
    }
    let revoked = verify_lease_token(&good, &jwks(&[1]), &usual, |lease| lease == id(9));
    assert_eq!(revoked, Err(TokenRefusal::Revoked));
    let unknown = verify_lease_token(&good, &jwks(&[2]), &usual, |_| false);
    assert_eq!(unknown, Err(TokenRefusal::UnknownKey));
    // The name of one key, the signature of another.
    let input = good.rsplit_once('.').unwrap().0;
    let forged = assembled(input, &secret(2).sign(input.as_bytes()));
    assert_eq!(verified(&forged, &usual), Err(TokenRefusal::Signature));
}

#[test]
fn only_tokens_of_this_form_are_looked_at() {
    let payload = serde_json::to_vec(&claims()).unwrap();
    let payload = BASE64_URL_SAFE_NO_PAD.encode(payload);
    let kid = secret(1).public().unwrap().kid();
    let with_header = |header: &str| {
        let input = format!("{}.{payload}", BASE64_URL_SAFE_NO_PAD.encode(header));
        assembled(&input, &secret(1).sign(input.as_bytes()))
    };
    for (header, refusal) in [
        (
            format!(r#"{{"alg":"none","kid":"{kid}"}}"#),
            TokenRefusal::Algorithm,
        ),
        (
            format!(r#"{{"alg":"HS256","kid":"{kid}"}}"#),
            TokenRefusal::Algorithm,
        ),
        (
            format!(r#"{{"alg":"ES256","kid":"{kid}","crit":["x"]}}"#),
            TokenRefusal::Algorithm,
        ),
        (
            format!(r#"{{"alg":"ES256","kid":"{kid}","typ":"JWE"}}"#),
            TokenRefusal::Malformed,
        ),
        (r#"{"alg":"ES256"}"#.to_owned(), TokenRefusal::UnknownKey),
        ("[]".to_owned(), TokenRefusal::Malformed),
    ] {
        assert_eq!(
            verified(&with_header(&header), &gateway()),
            Err(refusal),
            "{header}"
        );
    }
    for text in ["", ".", "..", "a.b.c", &"x".repeat(5_000)] {
        assert_eq!(
            verified(text, &gateway()),
            Err(TokenRefusal::Malformed),
            "{text:.10}"
        );
    }
}

proptest! {
    #[test]
    fn one_changed_letter_spoils_a_token(place in any::<prop::sample::Index>(), letter in "[A-Za-z0-9_-]") {
        let good = token(1, &claims());
        let place = place.index(good.len());
        let mut spoiled = good.clone();
        spoiled.replace_range(place..=place, &letter);
        prop_assume!(spoiled != good);
        prop_assert!(verified(&spoiled, &gateway()).is_err());
    }

    #[test]
    fn no_text_makes_the_check_panic(text in ".{0,80}") {
        let _ = verified(&text, &gateway());
    }
}
