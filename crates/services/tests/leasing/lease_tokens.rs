//! Lease tokens: who gets one and when, who signs, and who knows the keys.

use crate::leases::{actions, asker, people, rejected};
use axum::{Json, Router, extract::State, routing};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use leasing::{
    Gateway, Jwks, LeaseState, MintError, Mode, TokenRefusal, TokenSecret, verify_lease_token,
};
use primitives::{Clock as _, SignedDuration};
use rstest::rstest;
use serde_json::{Value, json};
use services::{
    Fault, Refused,
    leasing::{
        Booked, Leasing, LeasingOptions, Minted, RemoteSigner, RotateError, TokenSigner, User,
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

/// A market with a paid lease of the current epoch and the next.
async fn leased(engine: Engine, seed: u64) -> (TestDatabase, Market, User, Booked) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(seed, &database.location).await;
    let (_, validator, trader) = people(&market, 0).await;
    let booking = market.booking(validator, 0, 2, Mode::Exclusive);
    let booked = market.book(&trader, &booking).await.unwrap();
    let memo = booked.lease.payment.memo().as_str();
    market.pay(memo, &market.wallet(2)).await;
    market.finalise();
    assert_eq!(market.settle().await.activated, 1);
    (database, market, trader, booked)
}

/// The same market with other options.
fn with(market: &Market, change: impl FnOnce(&mut LeasingOptions)) -> Leasing {
    let mut options = market.leasing.options().clone();
    change(&mut options);
    let leasing = Leasing::new(
        market.store.clone(),
        market.nodes.clone(),
        market.clock.clone(),
        market.entropy.clone(),
        options,
    );
    let position = market.leasing.epochs.current().unwrap();
    assert!(position.position.epoch > 0);
    leasing
}

/// What a gateway of the lease's validator says of a token.
fn checked(market: &Market, minted: &Minted, keys: &Jwks) -> Result<(), TokenRefusal> {
    let gateway = Gateway {
        identity: minted.identity,
        issuer: &market.leasing.options().uri,
        now: market.clock.now(),
        epoch: u64::try_from(market.epoch()).unwrap(),
    };
    verify_lease_token(&minted.token, keys, &gateway, |_| false).map(drop)
}

#[rstest]
#[tokio::test]
async fn a_token_is_minted_for_an_active_lease_in_its_epochs(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let (_database, market, trader, booked) = leased(engine, 1).await;
    let tokens = &market.leasing.lease_tokens;
    let minted = tokens.mint(asker(&trader), booked.lease.id).await.unwrap();
    let keys = tokens.published().await.unwrap();
    assert_eq!(keys.keys.len(), 1);
    assert_eq!(checked(&market, &minted, &keys), Ok(()));
    assert_eq!(minted.lifetime, SignedDuration::from_mins(10));
    let another = tokens.mint(asker(&trader), booked.lease.id).await.unwrap();
    assert_ne!(another.token, minted.token);
    // Each has its row.
    let rows = actions(&market, &booked).await;
    let minted_rows = rows.iter().filter(|row| *row == "lease.token_minted");
    assert_eq!(minted_rows.count(), 2);
    let stranger = market.user("stranger").await;
    let refused = tokens.mint(asker(&stranger), booked.lease.id).await;
    assert_eq!(rejected(refused), MintError::NotFound);
    let ahead = market.booking(booked.lease.validator, 4, 1, Mode::Exclusive);
    let ahead = market.book(&trader, &ahead).await.unwrap();
    let refused = tokens.mint(asker(&trader), ahead.lease.id).await;
    let pending = LeaseState::PendingPayment;
    assert_eq!(rejected(refused), MintError::NotActive(pending));
    market
        .pay(ahead.lease.payment.memo().as_str(), &market.wallet(2))
        .await;
    market.finalise();
    market.settle().await;
    let refused = tokens.mint(asker(&trader), ahead.lease.id).await;
    assert!(matches!(rejected(refused), MintError::OutOfRange { .. }));
    market.node.advance_epochs(2).unwrap();
    market.watch().await;
    let over = tokens.mint(asker(&trader), booked.lease.id).await;
    let completed = LeaseState::Completed;
    assert_eq!(rejected(over), MintError::NotActive(completed));
}

#[rstest]
#[tokio::test]
async fn no_token_without_its_row(#[values(Sqlite, Postgres)] engine: Engine) {
    let (database, market, trader, booked) = leased(engine, 2).await;
    let tokens = &market.leasing.lease_tokens;
    tokens.published().await.unwrap();
    if engine == Postgres {
        let function = "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN RAISE EXCEPTION 'spoiled'; END $$";
        database.execute("ledger", function).await.unwrap();
    }
    let action = match engine {
        Sqlite => "BEGIN SELECT RAISE (ABORT, 'spoiled'); END",
        Postgres => "FOR EACH ROW EXECUTE FUNCTION fail()",
    };
    let spoil = format!("CREATE TRIGGER spoiled BEFORE INSERT ON audit_log {action}");
    database.execute("ledger", &spoil).await.unwrap();
    let refused = tokens.mint(asker(&trader), booked.lease.id).await;
    assert!(
        matches!(refused, Err(Refused::Fault(Fault::Audit(_)))),
        "{refused:?}"
    );
}

#[rstest]
#[tokio::test]
async fn keys_are_replaced_without_a_gap(#[values(Sqlite, Postgres)] engine: Engine) {
    let (database, market, trader, booked) = leased(engine, 3).await;
    let replica = market.replica(&database.location).await;
    let tokens = &market.leasing.lease_tokens;
    let first = tokens.mint(asker(&trader), booked.lease.id).await.unwrap();
    let cached = tokens.published().await.unwrap();
    let rotated = tokens.rotate().await.unwrap();
    assert_eq!(
        rejected(tokens.rotate().await),
        RotateError::UnderWay(rotated.signs_from)
    );
    // Published at once, at every replica, and not yet used.
    let published = replica.lease_tokens.published().await.unwrap();
    assert_eq!(published.keys.len(), 2);
    assert_eq!(published, tokens.published().await.unwrap());
    // Whoever read the keys before, at most five minutes ago, knows every token.
    let kid = |minted: &Minted| {
        let header = minted.token.split_once('.').unwrap().0;
        let header = BASE64_URL_SAFE_NO_PAD.decode(header).unwrap();
        let header: Value = serde_json::from_slice(&header).unwrap();
        header["kid"].as_str().unwrap().to_owned()
    };
    for _ in 0..9 {
        market.advance(65);
        let minted = tokens.mint(asker(&trader), booked.lease.id).await.unwrap();
        assert_eq!(kid(&minted), kid(&first));
        assert_eq!(checked(&market, &minted, &cached), Ok(()));
    }
    market.advance(65);
    for leasing in [&market.leasing, &replica] {
        let minted = leasing.lease_tokens.mint(asker(&trader), booked.lease.id);
        let minted = minted.await;
        // A replica that counts epochs for itself has not been told one yet.
        let Ok(minted) = minted else {
            assert!(matches!(minted, Err(Refused::Fault(Fault::NoSolanaNode))));
            continue;
        };
        assert_eq!(kid(&minted), rotated.kid);
        assert_eq!(checked(&market, &minted, &published), Ok(()));
    }
    // The last token of the old key is known until it is over, and then some.
    let still = tokens.published().await.unwrap();
    assert_eq!(still.keys.len(), 2);
    market.advance(3_700);
    let after = tokens.published().await.unwrap();
    assert_eq!(after.keys.len(), 1);
    assert_eq!(after.keys[0].kid, rotated.kid);
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_that_begin_at_once_have_one_key(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = Market::at(4, &database.location).await;
    let other = market.replica(&database.location).await;
    let (a, b) = tokio::join!(
        market.leasing.lease_tokens.published(),
        other.lease_tokens.published()
    );
    let (a, b) = (a.unwrap(), b.unwrap());
    let after = market.leasing.lease_tokens.published().await.unwrap();
    assert_eq!(after.keys.len(), 1);
    for keys in [a, b] {
        assert!(keys.keys.iter().all(|key| after.keys.contains(key)));
    }
}

#[tokio::test]
async fn a_key_of_the_ledger_is_replaced_in_its_time() {
    let (_database, market, trader, booked) = leased(Sqlite, 5).await;
    let leasing = with(&market, |options| {
        options.token_rotation = SignedDuration::from_hours(1);
    });
    let tokens = &leasing.lease_tokens;
    assert_eq!(tokens.published().await.unwrap().keys.len(), 1);
    market.advance(3_601);
    assert_eq!(tokens.published().await.unwrap().keys.len(), 2);
    drop((trader, booked));
}

#[tokio::test]
async fn the_operators_key_signs_and_the_next_one_is_known_before() {
    let (_database, market, trader, booked) = leased(Sqlite, 6).await;
    let secret = |byte| TokenSecret::from_bytes(&[byte; 32]).unwrap();
    let next = secret(8).public().unwrap();
    let leasing = with(&market, |options| {
        options.token_signer = TokenSigner::Given {
            secret: secret(7),
            next: Some(next.clone()),
        };
    });
    leasing.epoch_watch().round().await.unwrap();
    let tokens = &leasing.lease_tokens;
    let minted = tokens.mint(asker(&trader), booked.lease.id).await.unwrap();
    let keys = tokens.published().await.unwrap();
    assert_eq!(keys.keys.len(), 2);
    assert!(keys.keys.contains(&next.jwk()));
    assert_eq!(checked(&market, &minted, &keys), Ok(()));
    assert_eq!(rejected(tokens.rotate().await), RotateError::NotOurs);
}

/// What a remote signer does.
#[derive(Clone)]
struct Behaviour(Arc<AtomicU8>);

const GOOD: u8 = 0;
const REFUSES: u8 = 1;
const LIES: u8 = 2;
const BABBLES: u8 = 3;

async fn signed(State(behaviour): State<Behaviour>, Json(asked): Json<Value>) -> Json<Value> {
    let secret = TokenSecret::from_bytes(&[9; 32]).unwrap();
    assert_eq!(asked["kid"], secret.public().unwrap().kid());
    let input = BASE64_URL_SAFE_NO_PAD.decode(asked["input"].as_str().unwrap());
    let signature = match behaviour.0.load(Ordering::Relaxed) {
        GOOD => secret.sign(&input.unwrap()),
        LIES => secret.sign(b"something else"),
        BABBLES => return Json(json!({"signature": 7})),
        _ => return Json(json!({})),
    };
    Json(json!({"signature": BASE64_URL_SAFE_NO_PAD.encode(signature)}))
}

#[tokio::test]
async fn a_remote_signer_signs_or_there_is_no_token() {
    let (_database, market, trader, booked) = leased(Sqlite, 7).await;
    let behaviour = Behaviour(Arc::new(AtomicU8::new(GOOD)));
    let key = TokenSecret::from_bytes(&[9; 32]).unwrap().public().unwrap();
    let jwks = json!({"keys": [key.jwk()]});
    let router = Router::new()
        .route("/kms/jwks", routing::get(async move || Json(jwks)))
        .route("/kms/sign", routing::post(signed))
        .with_state(behaviour.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/kms", listener.local_addr().unwrap());
    let served = tokio::spawn(async move { axum::serve(listener, router).await });
    let remote = RemoteSigner::new(url.parse().unwrap()).unwrap();
    let leasing = with(&market, |options| {
        options.token_signer = TokenSigner::Remote(remote);
    });
    leasing.epoch_watch().round().await.unwrap();
    let tokens = &leasing.lease_tokens;
    let mint = async || tokens.mint(asker(&trader), booked.lease.id).await;
    let minted = mint().await.unwrap();
    let keys = tokens.published().await.unwrap();
    assert_eq!(checked(&market, &minted, &keys), Ok(()));
    let rows = actions(&market, &booked).await.len();
    for wrong in [REFUSES, LIES, BABBLES] {
        behaviour.0.store(wrong, Ordering::Relaxed);
        let refused = mint().await;
        assert!(
            matches!(refused, Err(Refused::Fault(Fault::Signing(_)))),
            "{refused:?}"
        );
    }
    served.abort();
    market.advance(120);
    let refused = mint().await;
    assert!(
        matches!(refused, Err(Refused::Fault(Fault::Signing(_)))),
        "{refused:?}"
    );
    // What was published stays so, and nothing was written down.
    assert_eq!(tokens.published().await.unwrap(), keys);
    assert_eq!(actions(&market, &booked).await.len(), rows);
}
