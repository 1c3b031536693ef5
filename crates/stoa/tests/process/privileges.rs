//! A service whose role of PostgreSQL may change rows and nothing else.

use crate::{
    harness::{Home, Service, run, serve, text},
    market::{base, book, register},
    own_postgres::OwnPostgres,
};
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use std::process::Command;

const ROLES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../deploy/postgres/roles.sql"
);

fn make_roles(server: &OwnPostgres) {
    let output = Command::new("psql")
        .args(["--dbname", &server.url, "--quiet", "--set=ON_ERROR_STOP=1"])
        .args([
            "--set",
            "password='secret'",
            "--set",
            "owner_password='other'",
        ])
        .args(["--file", ROLES])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn migrate(address: &str, data: &str) -> std::process::Output {
    run(&["migrate", "--store", address, "--data", data])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_serves_needs_no_right_to_change_tables() {
    let home = Home::new();
    let server = OwnPostgres::start();
    make_roles(&server);
    let data = home.data().display().to_string();
    let serving = server.url.replace("//postgres@", "//stoa:secret@");
    let owning = server.url.replace("//postgres@", "//stoa_owner:other@");

    let refused = serve(&home.data(), &["--store", &serving])
        .output()
        .unwrap();
    assert!(!refused.status.success());
    let migrated = migrate(&owning, &data);
    assert!(migrated.status.success(), "{}", text(&migrated.stderr));

    let mut command = serve(&home.data(), &["--no-sim-people", "--store", &serving]);
    command.env("STOA__STORE__MIGRATE", "never");
    let service = Service::ready(command);
    let validator = register(&service, service.line("solana"), &home, &[]).await;
    let body = json!({
        "validator_id": validator["public_id"], "epoch_start": 1_000, "epoch_count": 2,
    });
    let (status, booked) = book(&base(&service), 1, &body).await;
    assert_eq!(status, 201, "{booked}");

    let mut connection = PgConnection::connect(&serving).await.unwrap();
    for statement in [
        "DROP TABLE ledger.lease",
        "ALTER TABLE ledger.lease ADD COLUMN more TEXT",
        "CREATE TABLE ledger.another (id TEXT)",
        "CREATE TABLE public.another (id TEXT)",
    ] {
        let outcome = sqlx::raw_sql(statement).execute(&mut connection).await;
        let refusal = outcome.unwrap_err().to_string();
        assert!(
            refusal.contains("permission denied") || refusal.contains("must be owner"),
            "{statement}: {refusal}"
        );
    }
}

#[tokio::test]
async fn a_store_that_nobody_migrated_is_refused_where_only_an_operator_may() {
    let home = Home::new();
    let mut command = serve(&home.data(), &[]);
    command.env("STOA__STORE__MIGRATE", "never");
    let refused = command.output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(!home.data().join("ledger.db").exists());
    let data = home.data().display().to_string();
    assert!(run(&["migrate", "--data", &data]).status.success());
    let mut command = serve(&home.data(), &[]);
    command.env("STOA__STORE__MIGRATE", "never");
    drop(Service::ready(command));
}
