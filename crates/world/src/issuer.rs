//! An issuer of sessions (`OpenID` Connect) with keys of its own, behind real
//! HTTP. It does what a test wants of it, also what no issuer should do.

use aws_lc_rs::{
    rand::SystemRandom,
    rsa::{KeyPair as RsaKeyPair, KeySize},
    signature::{KeyPair as _, RSA_PKCS1_SHA256, RSA_PSS_SHA256},
};
use axum::{Router, extract::State, http::StatusCode, routing::get};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use leasing::TokenSecret;
use serde_json::{Value, json};
use services::leasing::IssuerOptions;
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard},
};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::sync::{CancellationToken, DropGuard};

/// For whom its tokens are.
pub const AUDIENCE: &str = "lease-market";

/// The group of its people who are staff.
pub const STAFF_GROUP: &str = "market-staff";

/// An issuer of sessions.
#[derive(Debug)]
pub struct TestIssuer {
    /// What it calls itself.
    pub name: String,
    stage: Arc<Stage>,
    _served: DropGuard,
}

#[derive(Debug)]
struct Stage {
    script: Mutex<Script>,
    /// Answers wait for a permit here.
    gate: Semaphore,
}

/// What the issuer says.
#[derive(Debug, Clone)]
struct Script {
    description: Value,
    keys: Vec<Value>,
    /// In the place of the keys.
    instead: Option<(StatusCode, String)>,
    readings: u64,
}

/// A key that signs tokens.
pub enum IssuerKey {
    /// ES256.
    P256 {
        /// Its name.
        kid: String,
        /// Its secret half.
        secret: TokenSecret,
    },
    /// RS256 or PS256.
    Rsa {
        /// Its name.
        kid: String,
        /// Its secret half.
        pair: Box<RsaKeyPair>,
    },
}

impl fmt::Debug for IssuerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IssuerKey")
    }
}

impl IssuerKey {
    /// A key of the curve P-256, of a number.
    pub fn p256(number: u8) -> Self {
        let secret = TokenSecret::from_bytes(&[number; 32]).expect("a key");
        let kid = format!("p256-{number}");
        Self::P256 { kid, secret }
    }

    /// A new RSA key.
    pub fn rsa(kid: &str) -> Self {
        let pair = RsaKeyPair::generate(KeySize::Rsa2048).expect("a key");
        Self::Rsa {
            kid: kid.to_owned(),
            pair: Box::new(pair),
        }
    }

    /// Its name.
    pub fn kid(&self) -> &str {
        match self {
            Self::P256 { kid, .. } | Self::Rsa { kid, .. } => kid,
        }
    }

    /// Its public half.
    pub fn jwk(&self) -> Value {
        match self {
            Self::P256 { kid, secret } => {
                let mut jwk = json!(secret.public().expect("a key").jwk());
                jwk["kid"] = json!(kid);
                jwk
            }
            Self::Rsa { kid, pair } => {
                // RSAPublicKey of RFC 8017: of this size the modulus is always there.
                let modulus = &pair.public_key().as_ref()[9..265];
                let n = BASE64_URL_SAFE_NO_PAD.encode(modulus);
                json!({"kty": "RSA", "use": "sig", "kid": kid, "n": n, "e": "AQAB"})
            }
        }
    }

    /// A token with these claims, as an issuer writes it.
    pub fn token(&self, claims: &Value) -> String {
        let algorithm = match self {
            Self::P256 { .. } => "ES256",
            Self::Rsa { .. } => "RS256",
        };
        let header = json!({"alg": algorithm, "typ": "JWT", "kid": self.kid()});
        self.token_with(&header, claims)
    }

    /// A token with this very header, signed by the key whatever that says.
    pub fn token_with(&self, header: &Value, claims: &Value) -> String {
        let input = token_input(header, claims);
        let signature = match self {
            Self::P256 { secret, .. } => secret.sign(input.as_bytes()).to_vec(),
            Self::Rsa { pair, .. } => {
                let padding = match header["alg"].as_str() {
                    Some("PS256") => &RSA_PSS_SHA256,
                    _ => &RSA_PKCS1_SHA256,
                };
                let mut signature = vec![0; pair.public_modulus_len()];
                let random = SystemRandom::new();
                pair.sign(padding, &random, input.as_bytes(), &mut signature)
                    .expect("a signature");
                signature
            }
        };
        format!("{input}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }
}

/// The part of a token that is signed.
pub fn token_input(header: &Value, claims: &Value) -> String {
    let encode = |part: &Value| BASE64_URL_SAFE_NO_PAD.encode(part.to_string());
    format!("{}.{}", encode(header), encode(claims))
}

impl TestIssuer {
    /// An issuer that publishes these keys.
    pub async fn new(keys: &[&IssuerKey]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let name = format!("http://{}", listener.local_addr().expect("an address"));
        let stage = Arc::new(Stage {
            script: Mutex::new(Script {
                description: json!({"issuer": name, "jwks_uri": format!("{name}/jwks")}),
                keys: keys.iter().map(|key| key.jwk()).collect(),
                instead: None,
                readings: 0,
            }),
            gate: Semaphore::new(Semaphore::MAX_PERMITS),
        });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(description))
            .route("/jwks", get(jwks))
            .with_state(Arc::clone(&stage));
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        let served = axum::serve(listener, router).with_graceful_shutdown(stopped);
        tokio::spawn(async move { served.await });
        Self {
            name,
            stage,
            _served: stop.drop_guard(),
        }
    }

    /// How a market trusts it.
    pub fn options(&self) -> IssuerOptions {
        IssuerOptions {
            issuer: self.name.parse().expect("an address"),
            audience: AUDIENCE.to_owned(),
            jwks_url: None,
            groups_claim: "groups".to_owned(),
            staff_group: Some(STAFF_GROUP.to_owned()),
        }
    }

    /// The claims of a token for somebody, for five minutes.
    pub fn claims(&self, subject: &str, now_s: i64) -> Value {
        json!({
            "iss": self.name,
            "sub": subject,
            "aud": AUDIENCE,
            "iat": now_s,
            "exp": now_s + 300,
        })
    }

    /// The same of somebody who is staff.
    pub fn staff_claims(&self, subject: &str, now_s: i64) -> Value {
        let mut claims = self.claims(subject, now_s);
        claims["groups"] = json!(["people", STAFF_GROUP]);
        claims
    }

    /// Publishes these keys and no others.
    pub fn publish(&self, keys: &[&IssuerKey]) {
        self.script().keys = keys.iter().map(|key| key.jwk()).collect();
    }

    /// Says something else of itself.
    pub fn describe(&self, name: &str, value: &str) {
        self.script().description[name] = json!(value);
    }

    /// Answers this when it is asked for its keys.
    pub fn answer(&self, status: StatusCode, text: &str) {
        self.script().instead = Some((status, text.to_owned()));
    }

    /// Answers with its keys again.
    pub fn recover(&self) {
        self.script().instead = None;
    }

    /// How often its keys were asked for.
    pub fn readings(&self) -> u64 {
        self.script().readings
    }

    /// Lets nobody have keys until [`Self::release`].
    pub fn hold(&self) {
        self.stage.gate.forget_permits(Semaphore::MAX_PERMITS);
    }

    /// Lets them have keys again.
    pub fn release(&self) {
        self.stage.gate.add_permits(Semaphore::MAX_PERMITS);
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.stage.script.lock().expect("a script")
    }
}

async fn description(State(stage): State<Arc<Stage>>) -> String {
    let script = stage.script.lock().expect("a script");
    script.description.to_string()
}

async fn jwks(State(stage): State<Arc<Stage>>) -> (StatusCode, String) {
    stage.script.lock().expect("a script").readings += 1;
    drop(stage.gate.acquire().await.expect("a gate"));
    let script = stage.script.lock().expect("a script");
    let keys = || (StatusCode::OK, json!({"keys": script.keys}).to_string());
    script.instead.clone().unwrap_or_else(keys)
}
