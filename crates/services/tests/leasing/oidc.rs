//! Sessions of an external issuer: whom a token is of, which tokens are none,
//! and how often the issuer is asked.

use axum::http::StatusCode;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use primitives::Clock as _;
use rstest::rstest;
use serde_json::{Value, json};
use services::{
    Fault,
    leasing::{
        AuditFilter, Caller, ExternalIdentity, Issuer, IssuerError, IssuerOptions, Leasing,
        MAX_TOKEN_BYTES, Profile, Session,
    },
};
use world::{
    Engine::{self, Postgres, Sqlite},
    IssuerKey, Market, TestDatabase, TestIssuer,
    issuer::token_input,
};

/// A market that trusts an issuer with one key.
struct Stage {
    market: Market,
    leasing: Leasing,
    issuer: TestIssuer,
    key: IssuerKey,
}

impl Stage {
    async fn new() -> Self {
        Self::on(Market::new(1).await).await
    }

    async fn on(market: Market) -> Self {
        let key = IssuerKey::p256(1);
        let issuer = TestIssuer::new(&[&key]).await;
        let leasing = trusting(&market, issuer.options());
        Self {
            market,
            leasing,
            issuer,
            key,
        }
    }

    fn now(&self) -> i64 {
        self.market.clock.now().as_second()
    }

    fn claims(&self) -> Value {
        self.issuer.claims("ada", self.now())
    }

    /// A token of somebody.
    fn token(&self) -> String {
        self.key.token(&self.claims())
    }

    async fn recognise(&self, token: &str) -> Result<Option<Caller>, Fault> {
        self.leasing.accounts.recognise(token).await
    }

    async fn is_good(&self, token: &str) -> bool {
        self.recognise(token).await.unwrap().is_some()
    }

    /// Whether nobody can say if a token is good.
    async fn is_unclear(&self, token: &str) -> bool {
        matches!(self.recognise(token).await, Err(Fault::Issuer(_)))
    }
}

fn trusting(market: &Market, options: IssuerOptions) -> Leasing {
    let mut leasing_options = market.leasing.options().clone();
    leasing_options.issuer = Some(Issuer::new(options).unwrap());
    Leasing::new(
        market.store.clone(),
        market.nodes.clone(),
        market.clock.clone(),
        market.entropy.clone(),
        leasing_options,
    )
}

#[rstest]
#[tokio::test]
async fn whom_the_issuer_vouches_for_becomes_one_user(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let stage = Stage::on(Market::at(2, &database.location).await).await;
    let caller = stage.recognise(&stage.token()).await.unwrap().unwrap();
    let identity = ExternalIdentity {
        issuer: stage.issuer.name.clone(),
        subject: "ada".to_owned(),
    };
    let session = Session::External {
        identity,
        is_staff: false,
    };
    assert_eq!(caller, Caller::Unprovisioned(session.clone()));
    let accounts = &stage.leasing.accounts;
    let profile = Profile::default();
    // The same one, several times at once.
    let (a, b, c) = tokio::join!(
        accounts.provision(&caller, &profile),
        accounts.provision(&caller, &profile),
        accounts.provision(&caller, &profile),
    );
    let user = a.unwrap();
    assert_eq!((b.unwrap(), c.unwrap()), (user.clone(), user.clone()));
    assert!(user.roles.trader && user.roles.validator && !user.roles.staff);
    assert_eq!(user.address, None);
    let known = stage.recognise(&stage.token()).await.unwrap();
    let session = Some(session);
    assert_eq!(
        known,
        Some(Caller::User {
            user: user.clone(),
            session
        })
    );
    // Somebody else of the same issuer is somebody else.
    let other = stage.key.token(&stage.issuer.claims("Ada", stage.now()));
    let other = stage.recognise(&other).await.unwrap().unwrap();
    assert!(matches!(other, Caller::Unprovisioned(_)), "{other:?}");
    let filter = AuditFilter {
        action: Some("user.added".to_owned()),
        ..AuditFilter::default()
    };
    let rows = stage.leasing.audit_log.list(&user, &filter, None, 10).await;
    let rows = rows.unwrap().items;
    assert_eq!(rows.len(), 1, "{rows:?}");
    let detail: Value = serde_json::from_str(&rows[0].detail).unwrap();
    assert_eq!(detail["subject"], "ada");
    assert_eq!(detail["issuer"], stage.issuer.name);
}

#[tokio::test]
async fn every_way_to_sign_that_proves_something_is_understood() {
    let stage = Stage::new().await;
    let rsa = IssuerKey::rsa("rsa");
    stage.issuer.publish(&[&stage.key, &rsa]);
    assert!(stage.is_good(&stage.token()).await);
    for algorithm in ["RS256", "PS256"] {
        let header = json!({"alg": algorithm, "kid": "rsa"});
        let token = rsa.token_with(&header, &stage.claims());
        assert!(stage.is_good(&token).await, "{algorithm}");
        // What one of them signed is not what the other would have.
        let other = if algorithm == "RS256" {
            "PS256"
        } else {
            "RS256"
        };
        let header = json!({"alg": other, "kid": "rsa"});
        let (_, signature) = token.rsplit_once('.').unwrap();
        let forged = format!("{}.{signature}", token_input(&header, &stage.claims()));
        assert!(!stage.is_good(&forged).await, "{other}");
    }
}

#[tokio::test]
async fn a_token_that_is_not_the_issuers_for_us_and_now_is_none() {
    let stage = Stage::new().await;
    let (now, key) = (stage.now(), &stage.key);
    assert!(stage.is_good(&stage.token()).await);
    let with = |name: &str, value: Value| {
        let mut claims = stage.claims();
        claims[name] = value;
        claims
    };
    for (name, value) in [
        ("iss", json!(format!("{}/", stage.issuer.name))),
        ("iss", json!("https://evil.example")),
        ("aud", json!("another")),
        ("aud", json!(["another", "lease-market2"])),
        ("exp", json!(now - 30)),
        ("exp", json!(null)),
        ("nbf", json!(now + 31)),
        ("iat", json!(now + 31)),
        ("sub", json!("")),
        ("sub", json!("a\0b")),
    ] {
        let token = key.token(&with(name, value.clone()));
        assert!(!stage.is_good(&token).await, "{name} {value}");
    }
    let header = |algorithm: &str, kid: &str| json!({"alg": algorithm, "kid": kid});
    let none = token_input(&header("none", key.kid()), &stage.claims());
    let good = stage.token();
    let (input, signature) = good.rsplit_once('.').unwrap();
    let (head, _) = input.split_once('.').unwrap();
    let others = key.token(&with("sub", json!("bo")));
    let others = others.rsplit_once('.').unwrap().0;
    let others = others.split_once('.').unwrap().1;
    let padded = format!("{good}{}", "A".repeat(MAX_TOKEN_BYTES));
    let stranger = IssuerKey::p256(9);
    for (why, token) in [
        ("unsigned", format!("{none}.")),
        ("unsigned, with a signature", format!("{none}.{signature}")),
        ("without a signature", format!("{input}.")),
        (
            "of another's claims",
            format!("{head}.{others}.{signature}"),
        ),
        ("shortened", good[..good.len() - 2].to_owned()),
        (
            "by a stranger",
            stranger.token_with(&header("ES256", key.kid()), &stage.claims()),
        ),
        (
            "without the name of a key",
            key.token_with(&json!({"alg": "ES256"}), &stage.claims()),
        ),
        (
            "of another curve",
            key.token_with(&header("ES384", key.kid()), &stage.claims()),
        ),
        (
            "of another kind",
            key.token_with(&header("RS256", key.kid()), &stage.claims()),
        ),
        ("too long", padded),
        ("garbage", "a.b.c".to_owned()),
        ("dots", "..".to_owned()),
        ("a dot", ".".to_owned()),
        ("NUL", "a.\0.c".to_owned()),
    ] {
        assert!(!stage.is_good(&token).await, "{why}");
    }
    assert!(stage.is_good(&good).await);
}

#[tokio::test]
async fn no_letter_of_a_token_can_be_another() {
    let stage = Stage::new().await;
    let good = stage.token();
    assert!(stage.is_good(&good).await);
    for at in 0..good.len() {
        let mut letters = good.clone().into_bytes();
        letters[at] = if letters[at] == b'A' { b'B' } else { b'A' };
        let forged = String::from_utf8(letters).unwrap();
        assert!(!stage.is_good(&forged).await, "{at}: {forged}");
        // Names of keys that were never there are looked for seldom.
        assert_eq!(stage.issuer.readings(), 1);
    }
}

/// The oldest trick: a public key is no secret, so nothing may be shared by it.
#[tokio::test]
async fn the_public_key_is_no_shared_secret() {
    let stage = Stage::new().await;
    let rsa = IssuerKey::rsa("rsa");
    stage.issuer.publish(&[&rsa]);
    let header = json!({"alg": "HS256", "kid": "rsa"});
    let input = token_input(&header, &stage.claims());
    let secret = BASE64_URL_SAFE_NO_PAD.decode(rsa.jwk()["n"].as_str().unwrap());
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, &secret.unwrap());
    let code = aws_lc_rs::hmac::sign(&key, input.as_bytes());
    let token = format!("{input}.{}", BASE64_URL_SAFE_NO_PAD.encode(code));
    assert!(!stage.is_good(&token).await);
    assert_eq!(stage.issuer.readings(), 0, "not even looked at");
}

#[tokio::test]
async fn what_could_never_be_good_does_not_ask_the_issuer() {
    let stage = Stage::new().await;
    let mut foreign = stage.claims();
    foreign["iss"] = json!("https://evil.example");
    for token in [
        "a.b.c".to_owned(),
        format!("a.{}.c", "b".repeat(MAX_TOKEN_BYTES)),
        stage.key.token(&foreign),
    ] {
        assert!(!stage.is_good(&token).await);
    }
    assert_eq!(stage.issuer.readings(), 0);
    assert!(stage.is_good(&stage.token()).await);
    assert!(stage.is_good(&stage.token()).await);
    assert_eq!(stage.issuer.readings(), 1);
}

#[tokio::test]
async fn a_new_key_is_learned_and_a_withdrawn_one_forgotten() {
    let stage = Stage::new().await;
    assert!(stage.is_good(&stage.token()).await);
    let next = IssuerKey::p256(2);
    stage.issuer.publish(&[&stage.key, &next]);
    let by_next = || next.token(&stage.claims());
    assert!(!stage.is_good(&by_next()).await, "asked just now");
    stage.market.advance(10);
    assert!(stage.is_good(&by_next()).await);
    assert_eq!(stage.issuer.readings(), 2);
    stage.issuer.publish(&[&next]);
    stage.market.advance(299);
    assert!(stage.is_good(&stage.token()).await, "not known yet");
    stage.market.advance(1);
    assert!(!stage.is_good(&stage.token()).await);
    assert!(stage.is_good(&by_next()).await);
    assert_eq!(stage.issuer.readings(), 3);
}

#[tokio::test]
async fn names_of_unknown_keys_ask_the_issuer_seldom() {
    let stage = Stage::new().await;
    assert!(stage.is_good(&stage.token()).await);
    stage.market.advance(10);
    for number in 2..40 {
        let token = IssuerKey::p256(number).token(&stage.claims());
        assert!(!stage.is_good(&token).await);
    }
    assert_eq!(stage.issuer.readings(), 2);
}

#[tokio::test]
async fn many_at_once_make_one_question() {
    let stage = Stage::new().await;
    stage.issuer.hold();
    let token = stage.token();
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (accounts, token) = (stage.leasing.accounts.clone(), token.clone());
        asking.spawn(async move { accounts.recognise(&token).await.unwrap().is_some() });
    }
    // Until the one question is asked, and everybody else has had their turn.
    while stage.issuer.readings() == 0 {
        tokio::task::yield_now().await;
    }
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    stage.issuer.release();
    assert_eq!(asking.join_all().await, [true; 50]);
    assert_eq!(stage.issuer.readings(), 1);
}

#[tokio::test]
async fn a_caller_who_goes_away_leaves_the_answer_to_the_others() {
    let stage = Stage::new().await;
    stage.issuer.hold();
    let (accounts, token) = (stage.leasing.accounts.clone(), stage.token());
    let asked = tokio::spawn({
        let token = token.clone();
        async move { accounts.recognise(&token).await }
    });
    while stage.issuer.readings() == 0 {
        tokio::task::yield_now().await;
    }
    asked.abort();
    assert!(asked.await.unwrap_err().is_cancelled());
    stage.issuer.release();
    assert!(stage.is_good(&token).await);
    assert_eq!(stage.issuer.readings(), 1);
}

#[tokio::test]
async fn known_keys_outlast_a_silent_issuer_for_an_hour() {
    let stage = Stage::new().await;
    assert!(stage.is_good(&stage.token()).await);
    stage.issuer.answer(StatusCode::SERVICE_UNAVAILABLE, "");
    let unknown = || IssuerKey::p256(2).token(&stage.claims());
    stage.market.advance(300);
    assert!(stage.is_good(&stage.token()).await);
    assert!(stage.is_unclear(&unknown()).await);
    assert_eq!(stage.issuer.readings(), 2, "no more than once in a while");
    stage.market.advance(3_299);
    assert!(stage.is_good(&stage.token()).await);
    stage.market.advance(1);
    assert!(stage.is_unclear(&stage.token()).await);
    // A token that could never be good is refused, whoever is silent.
    assert!(!stage.is_good("a.b.c").await);
    stage.issuer.recover();
    stage.market.advance(10);
    assert!(stage.is_good(&stage.token()).await);
    assert!(!stage.is_good(&unknown()).await);
}

#[tokio::test]
async fn an_issuer_that_answers_nonsense_is_silent() {
    let stage = Stage::new().await;
    let large = format!("{{\"keys\": [], \"x\": \"{}\"}}", "x".repeat(300 * 1024));
    for (status, text) in [
        (StatusCode::INTERNAL_SERVER_ERROR, "{\"keys\": []}"),
        (StatusCode::FOUND, "{\"keys\": []}"),
        (StatusCode::OK, "<html>"),
        (StatusCode::OK, "{}"),
        (StatusCode::OK, &large),
    ] {
        stage.issuer.answer(status, text);
        stage.market.advance(10);
        let told: String = text.chars().take(20).collect();
        assert!(stage.is_unclear(&stage.token()).await, "{status} {told}");
    }
    // No keys at all are an answer: nobody is good by them.
    stage.issuer.answer(StatusCode::OK, "{\"keys\": []}");
    stage.market.advance(10);
    assert!(!stage.is_good(&stage.token()).await);
}

#[tokio::test]
async fn an_issuer_that_hangs_is_silent() {
    let stage = Stage::new().await;
    stage.issuer.hold();
    let asked = stage.recognise(&stage.token()).await;
    let Err(Fault::Issuer(error)) = asked else {
        panic!("{asked:?}");
    };
    assert!(matches!(*error, IssuerError::Slow), "{error:?}");
}

#[tokio::test]
async fn an_issuer_describes_itself_and_nobody_else() {
    let stage = Stage::new().await;
    let issuer = Issuer::new(stage.issuer.options()).unwrap();
    assert_eq!(issuer.probe().await.unwrap().count, 1);
    let jwks = format!("{}/jwks", stage.issuer.name);
    stage.issuer.describe("issuer", "https://evil.example");
    let error = issuer.probe().await.unwrap_err();
    assert!(matches!(error, IssuerError::OtherName { .. }), "{error:?}");
    assert!(stage.is_unclear(&stage.token()).await);
    stage.issuer.describe("issuer", &stage.issuer.name);
    stage
        .issuer
        .describe("jwks_uri", "http://evil.example/jwks");
    let error = issuer.probe().await.unwrap_err();
    assert!(
        matches!(error, IssuerError::InsecureKeys { .. }),
        "{error:?}"
    );
    // Told where the keys are, nobody asks for the description.
    let options = IssuerOptions {
        jwks_url: Some(jwks.parse().unwrap()),
        ..stage.issuer.options()
    };
    let leasing = trusting(&stage.market, options);
    let found = leasing.accounts.recognise(&stage.token()).await.unwrap();
    assert!(found.is_some());
}

#[tokio::test]
async fn staff_is_who_the_token_says_and_for_as_long() {
    let stage = Stage::new().await;
    let staff = || {
        stage
            .key
            .token(&stage.issuer.staff_claims("ada", stage.now()))
    };
    let caller = stage.recognise(&staff()).await.unwrap().unwrap();
    let (accounts, profile) = (&stage.leasing.accounts, Profile::default());
    let user = accounts.provision(&caller, &profile).await.unwrap();
    assert!(!user.roles.staff, "nothing is kept of it");
    let is_staff = async |token: &str| match stage.recognise(token).await.unwrap() {
        Some(Caller::User { user, .. }) => user.roles.staff,
        other => panic!("{other:?}"),
    };
    assert!(is_staff(&staff()).await);
    assert!(!is_staff(&stage.token()).await);
    let mut claims = stage.claims();
    claims["groups"] = json!(["market-staff2", "MARKET-STAFF"]);
    assert!(!is_staff(&stage.key.token(&claims)).await);
    // Where no group is named, nobody is staff by a token.
    let options = IssuerOptions {
        staff_group: None,
        ..stage.issuer.options()
    };
    let leasing = trusting(&stage.market, options);
    let found = leasing.accounts.recognise(&staff()).await.unwrap();
    assert!(
        matches!(&found, Some(Caller::User { user, .. }) if !user.roles.staff),
        "{found:?}"
    );
}

#[tokio::test]
async fn without_an_issuer_its_tokens_are_none() {
    let stage = Stage::new().await;
    let found = stage
        .market
        .leasing
        .accounts
        .recognise(&stage.token())
        .await;
    assert_eq!(found.unwrap(), None);
    assert_eq!(stage.issuer.readings(), 0);
}
