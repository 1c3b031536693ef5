//! Backups of a service that goes on taking bookings.

use crate::{
    harness::{Home, Service, ask, run, serve, text},
    market::{TRADER, base, book_as, register},
};
use ::simnet::SolanaKeypair;
use serde_json::{Value, json};
use std::{path::Path, process::Command, sync::Arc};
use store::Location;
use tokio::sync::{Mutex, Notify};
use world::{Engine, TestDatabase};

/// Bookings before and after the beginning of a backup.
const EACH: usize = 8;

/// Answers that were given, in the order of their bookings.
#[derive(Default)]
struct Acknowledged {
    answers: Mutex<Vec<Value>>,
    one_more: Notify,
}

impl Acknowledged {
    async fn at_least(&self, count: usize) {
        while self.answers.lock().await.len() < count {
            self.one_more.notified().await;
        }
    }
}

/// A market of what was restored, on the nodes of the first one.
fn restored_market(data: &Path, first: &Service, store: &[&str]) -> Command {
    let (starknet, solana) = (first.line("node"), first.line("solana"));
    let ground = ["--starknet-rpc", starknet, "--solana-rpc", solana];
    let mut command = serve(data, &[&ground, store].concat());
    let platform = SolanaKeypair::platform().public_key().to_string();
    command.env("STOA__LEASING__PLATFORM_WALLET", platform);
    command
}

/// A booking of an epoch of its own. Its number is also its idempotency key.
async fn book_epoch(bearer: &str, base: &str, validator: &Value, number: usize) -> Value {
    let body = json!({
        "validator_id": validator["public_id"], "epoch_start": 1_000 + number, "epoch_count": 1,
    });
    let (status, answer) = book_as(bearer, base, number as u128, &body).await;
    assert_eq!(status, 201, "{answer}");
    answer
}

fn stoa(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// A bearer of the trader that is good on any network.
async fn lasting_bearer(service: &Service, ground: &[&str]) -> String {
    let url = format!("{}/v1/me", base(service));
    let (_, me) = ask("GET", &url, TRADER, &[], &Value::Null).await;
    let user = me["data"]["public_id"].as_str().unwrap();
    let made = stoa(
        &[
            &["token", "create", "--user", user, "--name", "a test"],
            ground,
        ]
        .concat(),
    );
    let mut lines = made.lines();
    let token = lines.find_map(|line| line.strip_prefix("token ")).unwrap();
    token.trim().to_owned()
}

async fn what_was_acknowledged_is_in_the_backup(store: &[&str], restored: &[&str]) {
    let home = Home::new();
    let flags = [&["--no-sim-people", "--no-rate-limit"], store].concat();
    let service = Service::ready(serve(&home.data(), &flags));
    let validator = register(&service, service.line("solana"), &home, &[]).await;
    let data = home.data().display().to_string();
    let ground = [&["--data", &data], store].concat();
    let bearer = lasting_bearer(&service, &ground).await;
    let acknowledged = Arc::new(Acknowledged::default());
    let bookings = {
        let (base, validator) = (base(&service), validator.clone());
        let bearer = bearer.clone();
        let acknowledged = Arc::clone(&acknowledged);
        tokio::spawn(async move {
            for number in 0.. {
                let answer = book_epoch(&bearer, &base, &validator, number).await;
                acknowledged.answers.lock().await.push(answer);
                acknowledged.one_more.notify_one();
            }
        })
    };
    acknowledged.at_least(EACH).await;
    let before = acknowledged.answers.lock().await.clone();
    let copy = home.path("copy").display().to_string();
    let arguments = [&["backup", "--out", &copy], &ground[..]].concat();
    let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
    let backup = tokio::task::spawn_blocking(move || {
        stoa(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    });
    backup.await.unwrap();
    acknowledged.at_least(before.len() + EACH).await;
    bookings.abort();

    let data = home.path("restored");
    let folder = data.display().to_string();
    stoa(&[&["restore", "--from", &copy, "--data", &folder], restored].concat());
    let again = Service::ready(restored_market(&data, &service, restored));
    for (number, answer) in before.iter().enumerate() {
        // The key of a booking that is there replays its answer.
        let replayed = book_epoch(&bearer, &base(&again), &validator, number).await;
        assert_eq!(replayed, *answer);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_bookings_has_every_acknowledged_one() {
    what_was_acknowledged_is_in_the_backup(&[], &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn so_has_one_of_postgresql() {
    let databases = [
        TestDatabase::new(Engine::Postgres).await,
        TestDatabase::new(Engine::Postgres).await,
    ];
    let [store, restored] = databases
        .each_ref()
        .map(|database| match &database.location {
            Location::Postgres { url } => ["--store", url.as_str()],
            Location::Sqlite { .. } => panic!("a database on the server"),
        });
    what_was_acknowledged_is_in_the_backup(&store, &restored).await;
}
