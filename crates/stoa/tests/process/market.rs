//! The lease market of the real binary: its people, its operators, its races.

use crate::harness::{Home, Service, ask, call, eventually, run, serve, simnet, stoa, text};
use ::simnet::SolanaKeypair;
use serde_json::{Value, json};
use std::{fs, ops::Range, process::Command};
use store::Location;
use world::{Engine, TestDatabase};

pub(crate) const TRADER: &str = "demo-trader-token";
const OWNER: &str = "demo-validator-token";

/// Flags of a market without anybody in it.
const QUIET: [&str; 1] = ["--no-sim-people"];

pub(crate) fn base(service: &Service) -> String {
    let health = service.line("health");
    health.strip_suffix("/readyz").unwrap().to_owned()
}

/// Registers the first simulated validator, with a body that the program signs.
pub(crate) async fn register(
    service: &Service,
    solana: &str,
    home: &Home,
    offer: &[&str],
) -> Value {
    register_as(OWNER, &base(service), solana, home, offer).await
}

/// The same, for whoever has `bearer`.
pub(crate) async fn register_as(
    bearer: &str,
    base: &str,
    solana: &str,
    home: &Home,
    offer: &[&str],
) -> Value {
    let accounts = call(solana, "sim_accounts", json!({})).await;
    let identity = &accounts["validators"][0]["secret_key_bytes"];
    let file = home.path("identity.json");
    fs::write(&file, identity.to_string()).unwrap();
    let (_, me) = ask("GET", &format!("{base}/v1/me"), bearer, &[], &Value::Null).await;
    let account = me["data"]["public_id"].as_str().unwrap();
    let payout = accounts["wallets"][1]["address"].as_str().unwrap();
    let file = file.display().to_string();
    let domain = base.strip_prefix("http://").unwrap();
    let fixed = [
        "validator",
        "sign-challenge",
        "--keypair",
        &file,
        "--domain",
        domain,
        "--account",
        account,
        "--payout-wallet",
        payout,
        "--tier",
        "standard",
        "--region",
        "eu-central-1",
        "--price-sol",
        "1.5",
    ];
    let signed = run(&[&fixed, offer].concat());
    assert!(signed.status.success(), "{}", text(&signed.stderr));
    let body: Value = serde_json::from_slice(&signed.stdout).unwrap();
    let url = format!("{base}/v1/validators");
    let (status, answer) = ask("POST", &url, bearer, &[], &body).await;
    assert_eq!(status, 201, "{answer}");
    answer["data"].clone()
}

pub(crate) async fn book(base: &str, number: u128, body: &Value) -> (u16, Value) {
    book_as(TRADER, base, number, body).await
}

pub(crate) async fn book_as(bearer: &str, base: &str, number: u128, body: &Value) -> (u16, Value) {
    let key = key(number);
    let headers = [("idempotency-key", key.as_str())];
    ask("POST", &format!("{base}/v1/leases"), bearer, &headers, body).await
}

/// A ULID of a number.
fn key(number: u128) -> String {
    const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let digit = |place: u32| {
        let digit = (number >> (5 * place)) & 31;
        char::from(*DIGITS.get(usize::try_from(digit).unwrap()).unwrap())
    };
    (0..26).rev().map(digit).collect()
}

#[tokio::test]
async fn operators_make_users_and_their_tokens() {
    let home = Home::new();
    let data = home.data().display().to_string();
    let chore = |arguments: &[&str]| {
        let output = run(&[arguments, &["--data", &data]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let added = chore(&["user", "add", "--name", "Ada", "--role", "trader,staff"]);
    let id = added.split_whitespace().nth(1).unwrap();
    assert!(chore(&["user", "list"]).contains("Ada"));
    let made = chore(&["token", "create", "--user", id, "--name", "laptop"]);
    let value = |word: &str| {
        let mut lines = made.lines();
        let value = lines.find_map(|line| line.strip_prefix(word)).unwrap();
        value.trim().to_owned()
    };
    let (token_id, token) = (value("id "), value("token "));
    assert!(!chore(&["token", "list", "--user", id]).contains(&token));

    let service = Service::ready(serve(&home.data(), &QUIET));
    let me = format!("{}/v1/me", base(&service));
    let (status, answer) = ask("GET", &me, &token, &[], &Value::Null).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["data"]["roles"], json!(["trader", "staff"]));
    assert_eq!(service.end_with("TERM").code(), Some(0));

    chore(&["token", "revoke", "--user", id, &token_id]);
    let service = Service::ready(serve(&home.data(), &QUIET));
    let me = format!("{}/v1/me", base(&service));
    let (status, _) = ask("GET", &me, &token, &[], &Value::Null).await;
    assert_eq!(status, 401);
}

#[tokio::test]
async fn a_market_is_alive_by_itself() {
    let home = Home::new();
    let service = Service::ready(serve(&home.data(), &[]));
    let url = format!("{}/v1/validators", base(&service));
    eventually("somebody comes to the market", async || {
        let (status, answer) = ask("GET", &url, TRADER, &[], &Value::Null).await;
        assert_eq!(status, 200, "{answer}");
        let validators = answer["data"].as_array()?;
        (!validators.is_empty()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_booking_outlives_a_kill_and_its_key_replays_it() {
    let home = Home::new();
    let service = Service::ready(serve(&home.data(), &QUIET));
    let validator = register(&service, service.line("solana"), &home, &[]).await;
    let body = json!({
        "validator_id": validator["public_id"], "epoch_start": 1_000, "epoch_count": 2,
    });
    let (status, booked) = book(&base(&service), 1, &body).await;
    assert_eq!(status, 201, "{booked}");
    service.end_with("KILL");

    let service = Service::ready(serve(&home.data(), &QUIET));
    assert_eq!(book(&base(&service), 1, &body).await, (201, booked));
    let (status, refused) = book(&base(&service), 2, &body).await;
    assert_eq!(status, 409, "{refused}");
}

/// Books as clients do: where the database has no connection to spare for too long,
/// which the machine decides, they ask again with the same key.
async fn book_patiently(base: &str, number: u128, body: &Value) -> u16 {
    const ATTEMPTS: usize = 20;
    for _ in 0..ATTEMPTS {
        let (status, answer) = book(base, number, body).await;
        if status != 500 {
            return status;
        }
        assert!(answer.to_string().contains("database-error"), "{answer}");
    }
    panic!("no answer in {ATTEMPTS} attempts");
}

/// Sends bookings to both replicas at once; returns the statuses.
async fn race(replicas: [&str; 2], keys: Range<u128>, body: &Value) -> Vec<u16> {
    let bookings = keys.map(|number| {
        let base = if number.is_multiple_of(2) {
            replicas[0].to_owned()
        } else {
            replicas[1].to_owned()
        };
        let body = body.clone();
        tokio::spawn(async move { book_patiently(&base, number, &body).await })
    });
    let mut statuses = Vec::new();
    for booking in bookings.collect::<Vec<_>>() {
        statuses.push(booking.await.unwrap());
    }
    statuses
}

#[tokio::test]
async fn of_200_bookings_at_two_replicas_as_many_win_as_there_are_places() {
    const SEATS: usize = 7;
    let home = Home::new();
    let database = TestDatabase::new(Engine::Postgres).await;
    let Location::Postgres { url } = &database.location else {
        panic!("a database on the server");
    };
    let flags = ["--no-sim-people", "--no-rate-limit", "--store", url];
    let first = Service::ready(serve(&home.data(), &flags));
    let more = ["--roles", "api", "--starknet-rpc", first.line("node")];
    let second = Service::ready(serve(
        &home.path("second"),
        &[&flags[..], &more[..]].concat(),
    ));
    let seats = SEATS.to_string();
    let offer = ["--shared-price-sol", "0.2", "--seats", &seats];
    let validator = register(&first, first.line("solana"), &home, &offer).await;
    let bases = [base(&first), base(&second)];
    let replicas = [bases[0].as_str(), bases[1].as_str()];
    for (mode, start, places) in [("exclusive", 1_000_u32, 1), ("shared", 2_000, SEATS)] {
        let body = json!({
            "validator_id": validator["public_id"], "mode": mode,
            "epoch_start": start, "epoch_count": 30,
        });
        let keys = u128::from(start)..u128::from(start) + 200;
        let statuses = race(replicas, keys, &body).await;
        let count = |status| statuses.iter().filter(|it| **it == status).count();
        assert_eq!(
            (count(201), count(409)),
            (places, 200 - places),
            "{statuses:?}"
        );
    }
}

#[tokio::test]
async fn a_ledger_of_a_simulated_network_is_refused_on_another() {
    let home = Home::new();
    let service = Service::ready(serve(&home.data(), &QUIET));
    let me = format!("{}/v1/me", base(&service));
    let (status, _) = ask("GET", &me, "demo-staff-token", &[], &Value::Null).await;
    assert_eq!(status, 200);
    assert_eq!(service.end_with("TERM").code(), Some(0));

    // Another cluster, as a real one is: its genesis is another.
    let elsewhere = Service::ready(simnet(&home.path("elsewhere"), &["--sim-seed", "77"]));
    let flags = |data: &std::path::Path| {
        let mut command = serve(data, &["--solana-rpc", elsewhere.line("solana")]);
        let accounts = SolanaKeypair::platform().public_key().to_string();
        command.env("STOA__LEASING__PLATFORM_WALLET", accounts);
        command
    };
    let refused = flags(&home.data()).output().unwrap();
    assert!(!refused.status.success());
    let told = text(&refused.stderr);
    assert!(told.contains("made for the cluster with genesis"), "{told}");
    assert!(told.contains("--data or --store"), "{told}");
    let (data, platform) = (
        home.data().display().to_string(),
        "STOA__LEASING__PLATFORM_WALLET",
    );
    let asked = [
        "doctor",
        "--data",
        &data,
        "--solana-rpc",
        elsewhere.line("solana"),
    ];
    let wallet = SolanaKeypair::platform().public_key().to_string();
    let doctor = stoa(&asked).env(platform, wallet).output().unwrap();
    let told = text(&doctor.stdout);
    assert!(told.contains("FAIL  leases"), "{told}");
    assert!(told.contains("made for the cluster with genesis"), "{told}");

    // With a store of its own it starts, and knows nobody.
    let service = Service::ready(flags(&home.path("own")));
    let me = format!("{}/v1/me", base(&service));
    for token in [TRADER, OWNER, "demo-staff-token"] {
        let (status, _) = ask("GET", &me, token, &[], &Value::Null).await;
        assert_eq!(status, 401, "{token}");
    }
}

#[test]
fn a_gateway_checks_tokens_at_the_command_line() {
    let home = Home::new();
    let secret = leasing::TokenSecret::from_bytes(&[5; 32]).unwrap();
    let key = secret.public().unwrap();
    let identity = SolanaKeypair::platform().public_key();
    let date = Command::new("date").arg("+%s").output().unwrap();
    let now: i64 = text(&date.stdout).trim().parse().unwrap();
    let lease = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    let claims = leasing::LeaseClaims {
        iss: "https://leases.example".to_owned(),
        aud: identity,
        sub: lease.parse().unwrap(),
        jti: lease.parse().unwrap(),
        iat: now,
        nbf: now,
        exp: now + 600,
        mode: "exclusive".to_owned(),
        epoch_start: 800,
        epoch_end: 803,
        trader: lease.parse().unwrap(),
    };
    let input = leasing::signing_input(&key.kid(), &claims).unwrap();
    let token = leasing::assembled(&input, &secret.sign(input.as_bytes()));
    let (keys, revoked) = (home.path("jwks.json"), home.path("revoked.json"));
    fs::write(&keys, json!({"keys": [key.jwk()]}).to_string()).unwrap();
    let feed = json!({"data": [{"lease_id": lease}]});
    fs::write(&revoked, feed.to_string()).unwrap();
    let (keys, revoked) = (keys.display().to_string(), revoked.display().to_string());
    let identity = identity.to_string();
    let verify = |epoch: &str, more: &[&str]| {
        let fixed = [
            "lease-token",
            "verify",
            "--jwks",
            &keys,
            "--issuer",
            "https://leases.example",
            "--identity",
            &identity,
            "--epoch",
            epoch,
        ];
        run(&[&fixed, more, &[&token]].concat())
    };
    let good = verify("801", &[]);
    assert!(good.status.success(), "{}", text(&good.stderr));
    let said: Value = serde_json::from_slice(&good.stdout).unwrap();
    assert_eq!(said["sub"], lease);
    for (epoch, more, why) in [
        ("803", vec![], "does not have this epoch"),
        ("801", vec!["--revocations", &revoked], "was revoked"),
    ] {
        let refused = verify(epoch, &more);
        assert!(!refused.status.success());
        let told = text(&refused.stderr);
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn an_operator_makes_a_new_key_of_lease_tokens() {
    let home = Home::new();
    let data = home.data().display().to_string();
    let rotate = || run(&["lease-token", "rotate", "--data", &data]);
    let first = rotate();
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert!(text(&first.stdout).contains("kid"));
    // The first one signs at once, the next one in ten minutes.
    assert!(rotate().status.success());
    let third = rotate();
    assert!(!third.status.success());
    assert!(
        text(&third.stderr).contains("signs from"),
        "{}",
        text(&third.stderr)
    );
}

#[tokio::test]
async fn an_operator_checks_the_audit_log() {
    let home = Home::new();
    let data = home.data().display().to_string();
    let added = run(&["user", "add", "--name", "Ada", "--data", &data]);
    assert!(added.status.success(), "{}", text(&added.stderr));
    let verify = |more: &[&str]| {
        let fixed = ["audit", "verify", "--data", &data];
        run(&[&fixed, more].concat())
    };
    let first = verify(&[]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let told = text(&first.stdout);
    assert!(
        told.contains("nothing") && told.contains("1 rows"),
        "{told}"
    );
    // A market that runs closes it.
    let service = Service::ready(serve(&home.data(), &QUIET));
    let closed = eventually("the audit log is closed", async || {
        let told = text(&verify(&[]).stdout);
        let mut lines = told.lines();
        let closed = lines.find_map(|line| line.strip_prefix("closed"))?;
        let closed = closed.trim().to_owned();
        (closed != "nothing").then_some(closed)
    });
    let closed = closed.await;
    assert_eq!(service.end_with("TERM").code(), Some(0));
    let again = verify(&["--expect", &closed]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    let (position, _) = closed.split_once(':').unwrap();
    let other = format!("{position}:{}", "0".repeat(64));
    let refused = verify(&["--expect", &other]);
    assert_eq!(refused.status.code(), Some(1));
    let told = text(&refused.stderr);
    assert!(told.contains("is not the one that was expected"), "{told}");
    assert_eq!(verify(&["--expect", "x"]).status.code(), Some(2));
}
