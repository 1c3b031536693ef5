//! What cannot work is said in one clear line, and the status is not 0.

use crate::{
    harness::{FREE_PORTS, Home, Service, call, eventually, run, serve, simnet, stoa, text},
    node::{MAIN, SilentNode},
};
use ::simnet::SolanaKeypair;
use serde_json::{Value, json};
use std::{
    fs,
    net::{SocketAddr, TcpListener},
};

/// Serves, expecting to fail, and returns the line that says why.
fn complaint(home: &Home, more: &[&str]) -> String {
    let output = serve(&home.data(), more).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let stderr = text(&output.stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(!text(&output.stdout).contains("ready"));
    stderr.trim_end().to_owned()
}

#[test]
fn a_taken_port_is_named_with_the_way_out() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for flag in ["--listen", "--sim-listen"] {
        let mut command = stoa(&["serve"]);
        let home = Home::new();
        command.arg("--data").arg(home.data());
        for other in ["--listen", "--sim-listen"] {
            command.args([
                other,
                if other == flag {
                    &address
                } else {
                    "127.0.0.1:0"
                },
            ]);
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(
            text(&output.stderr),
            format!(
                "error: cannot listen on {address}: address in use; \
                 choose another with {flag} or stop the other program\n"
            )
        );
    }
}

#[test]
fn a_file_in_the_place_of_the_folder_is_refused() {
    let home = Home::new();
    fs::write(home.data(), "not a folder").unwrap();
    let line = complaint(&home, &[]);
    assert!(
        line.starts_with("error: cannot use the store sqlite:"),
        "{line}"
    );
}

#[test]
fn a_damaged_database_is_refused() {
    let home = Home::new();
    fs::create_dir(home.data()).unwrap();
    for file in ["ledger.db", "chain.db"] {
        fs::write(home.data().join(file), "x".repeat(8_192)).unwrap();
    }
    let line = complaint(&home, &[]);
    assert!(
        line.contains("ledger.db is damaged or not a database"),
        "{line}"
    );
    assert!(line.contains("must not be deleted"), "{line}");
}

#[test]
fn a_dead_node_is_refused_without_its_key() {
    let home = Home::new();
    let address = dead_address();
    let line = complaint(
        &home,
        &["--starknet-rpc", &format!("http://{address}/v1/hunter2")],
    );
    let expected = format!("error: cannot use the Starknet node http://{address}/***: ");
    assert!(line.starts_with(&expected), "{line}");
    assert!(!line.contains("hunter2"), "{line}");
}

/// `SN_MINE`.
const MINE: &str = "0x534e5f4d494e45";

#[test]
fn a_store_of_another_chain_is_refused_and_kept() {
    let home = Home::new();
    let simulated = Service::ready(serve(&home.data(), &[]));
    assert_eq!(simulated.end_with("TERM").code(), Some(0));
    let line = complaint(
        &home,
        &["--starknet-rpc", &SilentNode::start(Some(MAIN)).url],
    );
    assert!(line.contains("cannot use the store sqlite:"), "{line}");
    assert!(line.contains("see --data and --store"), "{line}");
    let data = home.data().display().to_string();
    let found = text(&run(&[&["doctor", "--data", &data], &FREE_PORTS[..]].concat()).stdout);
    assert!(found.contains("ok    store"), "{found}");
    assert!(found.contains("blocks up to"), "{found}");
}

#[test]
fn a_chain_that_nobody_named_is_refused() {
    let home = Home::new();
    let node = SilentNode::start(Some(MINE)).url;
    let line = complaint(&home, &["--starknet-rpc", &node]);
    assert!(
        line.contains("set starknet.expect_chain_id = \"SN_MINE\""),
        "{line}"
    );
    let mut command = serve(&home.data(), &["--starknet-rpc", &node]);
    let output = command
        .env("STOA__STARKNET__EXPECT_CHAIN_ID", "SN_MAIN")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = text(&output.stderr);
    assert!(stderr.contains("expect_chain_id is SN_MAIN"), "{stderr}");
}

#[test]
fn a_token_list_that_cannot_be_used_is_refused() {
    let home = Home::new();
    let absent = home.path("absent.json").display().to_string();
    let line = complaint(&home, &["--token-list", &absent]);
    assert!(line.contains("cannot read the token list"), "{line}");
    let broken = home.path("broken.json");
    fs::write(&broken, "[1, 2").unwrap();
    let line = complaint(&home, &["--token-list", &broken.display().to_string()]);
    assert!(line.contains("cannot use the token list"), "{line}");
}

#[tokio::test]
async fn without_its_redis_it_starts_and_says_so_without_the_password() {
    let home = Home::new();
    let address = dead_address();
    let redis = format!("redis://:hunter2@{address}");
    let (log, mut command) = (home.path("log"), serve(&home.data(), &["--redis", &redis]));
    command.stderr(fs::File::create(&log).unwrap());
    let service = Service::ready(command);
    let health: Value = serde_json::from_str(&service.get("/readyz").await.body).unwrap();
    assert_eq!(health["parts"]["redis"]["ready"], false, "{health}");
    assert_eq!(service.get("/v1/starknet/tokens").await.status, 200);
    service.end_with("TERM");
    let told = fs::read_to_string(log).unwrap();
    assert!(told.contains("redis does not answer"), "{told}");
    assert!(!told.contains("hunter2"), "{told}");
}

#[tokio::test]
async fn without_its_node_it_serves_what_the_store_has() {
    let home = Home::new();
    let node = Service::ready(simnet(&home.path("node"), &[]));
    let url = node.line("node").to_owned();
    call(&url, "sim_pause", json!({})).await;
    let flags = ["--no-leasing", "--starknet-rpc", &url];
    let service = Service::ready(serve(&home.data(), &flags));
    let tokens = service.get("/v1/starknet/tokens").await;
    service.end_with("TERM");
    node.end_with("TERM");

    let mut service = Service::start(serve(&home.data(), &flags));
    service.wait_for("health");
    let again = service.get("/v1/starknet/tokens").await;
    assert_eq!((again.status, again.body), (200, tokens.body));
    let health = service.get("/readyz").await;
    assert_eq!(health.status, 503);
    assert!(health.body.contains("does not answer"), "{}", health.body);
}

#[tokio::test]
async fn without_its_solana_node_it_serves_what_the_ledger_has_until_one_answers() {
    let home = Home::new();
    let node = Service::ready(simnet(&home.path("node"), &[]));
    let (starknet, solana) = (node.line("node").to_owned(), node.line("solana").to_owned());
    let command = |data: &str| {
        let flags = ["--starknet-rpc", &starknet, "--solana-rpc", &solana];
        let mut command = serve(&home.path(data), &flags);
        let wallet = SolanaKeypair::platform().public_key().to_string();
        command.env("STOA__LEASING__PLATFORM_WALLET", wallet);
        command
    };
    let service = Service::ready(command("data"));
    let validators = service.get("/v1/validators").await;
    assert_eq!(validators.status, 200, "{}", validators.body);
    service.end_with("TERM");
    node.end_with("TERM");

    let mut service = Service::start(command("data"));
    service.wait_for("health");
    let again = service.get("/v1/validators").await;
    assert_eq!((again.status, again.body), (200, validators.body));
    let health = service.get("/readyz?product=leasing").await;
    assert_eq!(health.status, 503);
    assert!(health.body.contains("no node has said"), "{}", health.body);
    let refused = command("empty").output().unwrap();
    assert!(!refused.status.success());
    let told = text(&refused.stderr);
    assert!(told.contains("cannot use the Starknet node"), "{told}");

    // The node comes back where it was.
    let address = solana.strip_prefix("http://").unwrap();
    let address = address.split('/').next().unwrap();
    let mut command = stoa(&["simnet", "--sim-listen", address, "--data"]);
    command.arg(home.path("node"));
    let _node = Service::ready(command);
    eventually("the lease market is ready", async || {
        let health = service.get("/readyz?product=leasing").await;
        (health.status == 200).then_some(())
    })
    .await;
    // A ledger that no cluster is known of has nothing to serve.
    let refused = serve(
        &home.path("other"),
        &[
            "--starknet-rpc",
            &starknet,
            "--solana-rpc",
            &format!("http://{}", dead_address()),
        ],
    )
    .env(
        "STOA__LEASING__PLATFORM_WALLET",
        SolanaKeypair::platform().public_key().to_string(),
    )
    .output()
    .unwrap();
    assert!(!refused.status.success());
    let told = text(&refused.stderr);
    assert!(told.contains("cannot use the Solana node"), "{told}");
}

/// Bound and closed again: nobody listens there.
fn dead_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

#[test]
fn wrong_usage_has_a_status_of_its_own() {
    for arguments in [
        &["serve", "--listen", "nowhere"][..],
        &["serve", "--colour", "blue"],
        &["serve", "--config", "/absent/stoa.toml"],
        &["dance"],
        &["key", "create"],
        &[],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}
