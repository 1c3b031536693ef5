//! Public keys of an issuer (RFC 7517), and what each of them signed.

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA384, RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents,
    UnparsedPublicKey, VerificationAlgorithm,
};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::Value;

/// Keys of an issuer that are looked at. More than a handful are a mistake.
const MAX_KEYS: usize = 64;

/// What an uncompressed point begins with (SEC 1).
const UNCOMPRESSED: u8 = 4;

/// The secret half of every one of them is the issuer's alone. There is neither
/// `none` nor an algorithm with a shared secret.
const RSA: [(&str, &RsaParameters); 6] = [
    ("RS256", &RSA_PKCS1_2048_8192_SHA256),
    ("RS384", &RSA_PKCS1_2048_8192_SHA384),
    ("RS512", &RSA_PKCS1_2048_8192_SHA512),
    ("PS256", &RSA_PSS_2048_8192_SHA256),
    ("PS384", &RSA_PSS_2048_8192_SHA384),
    ("PS512", &RSA_PSS_2048_8192_SHA512),
];

/// A curve, what is signed with on it, and how long a coordinate is.
struct Curve {
    kind: &'static str,
    name: &'static str,
    algorithm: &'static str,
    verification: &'static dyn VerificationAlgorithm,
    coordinate_bytes: usize,
}

static CURVES: [Curve; 3] = [
    Curve {
        kind: "EC",
        name: "P-256",
        algorithm: "ES256",
        verification: &ECDSA_P256_SHA256_FIXED,
        coordinate_bytes: 32,
    },
    Curve {
        kind: "EC",
        name: "P-384",
        algorithm: "ES384",
        verification: &ECDSA_P384_SHA384_FIXED,
        coordinate_bytes: 48,
    },
    Curve {
        kind: "OKP",
        name: "Ed25519",
        algorithm: "EdDSA",
        verification: &ED25519,
        coordinate_bytes: 32,
    },
];

/// Whether tokens may be signed in this way.
pub(super) fn is_algorithm(name: &str) -> bool {
    RSA.iter().any(|(known, _)| *known == name)
        || CURVES.iter().any(|curve| curve.algorithm == name)
}

/// A key that tokens may be signed with.
pub(super) struct Key {
    id: String,
    /// The one way to use it, if the issuer says that there is only one.
    algorithm: Option<String>,
    material: Material,
}

enum Material {
    Rsa(RsaPublicKeyComponents<Vec<u8>>),
    Point {
        curve: &'static Curve,
        bytes: Vec<u8>,
    },
}

/// A key as the issuer writes it, as far as it is used.
#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    alg: Option<String>,
    n: Option<String>,
    e: Option<String>,
    crv: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Deserialize)]
struct JwkSet {
    keys: Vec<Value>,
}

/// The keys of a set that tokens may be signed with. What else is in it, such as
/// keys to encrypt with, is left out. `None` if the text is no set.
pub(super) fn read_keys(text: &[u8]) -> Option<Vec<Key>> {
    let set: JwkSet = serde_json::from_slice(text).ok()?;
    let keys = set.keys.into_iter();
    let keys = keys.filter_map(|key| Key::new(serde_json::from_value(key).ok()?));
    Some(keys.take(MAX_KEYS).collect())
}

impl Key {
    fn new(jwk: Jwk) -> Option<Self> {
        if jwk.purpose.is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let decode = |text: Option<String>| BASE64_URL_SAFE_NO_PAD.decode(text?).ok();
        let material = if jwk.kty == "RSA" {
            Material::Rsa(RsaPublicKeyComponents {
                n: without_zeros(decode(jwk.n)?),
                e: without_zeros(decode(jwk.e)?),
            })
        } else {
            let (kind, name) = (jwk.kty, jwk.crv?);
            let mut curves = CURVES.iter();
            let curve = curves.find(|curve| curve.kind == kind && curve.name == name)?;
            let of_length = |bytes: &Vec<u8>| bytes.len() == curve.coordinate_bytes;
            let x = decode(jwk.x).filter(of_length)?;
            let bytes = if kind == "EC" {
                [vec![UNCOMPRESSED], x, decode(jwk.y).filter(of_length)?].concat()
            } else {
                x
            };
            Material::Point { curve, bytes }
        };
        Some(Self {
            id: jwk.kid?,
            algorithm: jwk.alg,
            material,
        })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Whether a signature over a text is this key's, made in this very way.
    pub(super) fn has_signed(&self, algorithm: &str, text: &[u8], signature: &[u8]) -> bool {
        let is_other = |only: &String| only != algorithm;
        if self.algorithm.as_ref().is_some_and(is_other) {
            return false;
        }
        match &self.material {
            Material::Rsa(key) => RSA.iter().any(|(name, parameters)| {
                *name == algorithm && key.verify(parameters, text, signature).is_ok()
            }),
            Material::Point { curve, bytes } => {
                let key = UnparsedPublicKey::new(curve.verification, bytes);
                curve.algorithm == algorithm && key.verify(text, signature).is_ok()
            }
        }
    }
}

/// Some issuers write a zero before the number, which is then no other.
fn without_zeros(bytes: Vec<u8>) -> Vec<u8> {
    bytes.into_iter().skip_while(|byte| *byte == 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use leasing::TokenSecret;
    use serde_json::json;

    /// An example of RFC 8037, appendix A.4.
    const ED25519_KEY: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    const ED25519_TEXT: &str = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
    const ED25519_SIGNATURE: &str =
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

    fn keys(set: &Value) -> Vec<Key> {
        read_keys(set.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_key_knows_what_it_signed_and_how() {
        let secret = TokenSecret::from_bytes(&[7; 32]).unwrap();
        let jwk = secret.public().unwrap().jwk();
        let found = keys(&json!({"keys": [jwk]}));
        let signature = secret.sign(b"text");
        assert_eq!(found[0].id(), jwk.kid);
        assert!(found[0].has_signed("ES256", b"text", &signature));
        assert!(!found[0].has_signed("ES256", b"tent", &signature));
        for other in ["ES384", "RS256", "HS256", "none", "EdDSA", ""] {
            assert!(!found[0].has_signed(other, b"text", &signature), "{other}");
        }
    }

    #[test]
    fn an_example_of_the_standard_is_verified() {
        let jwk = json!({"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": ED25519_KEY});
        let found = keys(&json!({"keys": [jwk]}));
        let signature = BASE64_URL_SAFE_NO_PAD.decode(ED25519_SIGNATURE).unwrap();
        assert!(found[0].has_signed("EdDSA", ED25519_TEXT.as_bytes(), &signature));
        assert!(!found[0].has_signed("EdDSA", b"else", &signature));
    }

    #[test]
    fn what_signs_nothing_is_left_out() {
        let good = json!({"kty": "OKP", "crv": "Ed25519", "kid": "a", "x": ED25519_KEY});
        let with = |name: &str, value: Value| {
            let mut changed = good.clone();
            changed[name] = value;
            changed
        };
        let mut nameless = good.clone();
        nameless.as_object_mut().unwrap().remove("kid");
        let set = json!({"keys": [
            with("use", json!("enc")),
            with("kty", json!("oct")),
            with("crv", json!("X25519")),
            with("x", json!("AAAA")),
            with("x", json!(7)),
            nameless,
            "text",
            {"kty": "RSA", "kid": "b", "n": "AQAB"},
            good,
        ]});
        let found = keys(&set);
        assert_eq!(found.iter().map(Key::id).collect::<Vec<_>>(), ["a"]);
        for other in ["", "[]", "{}", r#"{"keys": {}}"#] {
            assert!(read_keys(other.as_bytes()).is_none(), "{other}");
        }
        let many: Vec<_> = std::iter::repeat_n(with("use", json!("sig")), 99).collect();
        assert_eq!(keys(&json!({"keys": many})).len(), MAX_KEYS);
    }

    #[test]
    fn nothing_is_signed_without_a_secret_of_the_issuers_own() {
        for refused in ["none", "None", "HS256", "HS512", "rs256", "RS256 ", ""] {
            assert!(!is_algorithm(refused), "{refused}");
        }
        assert!(is_algorithm("RS256") && is_algorithm("ES256") && is_algorithm("PS512"));
    }
}
