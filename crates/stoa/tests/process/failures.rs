//! What cannot work is said in one clear line, and the status is not 0.

use crate::{
    harness::{FREE_PORTS, Home, Service, run, serve, stoa, text},
    node::{MAIN, SilentNode},
};
use std::{fs, net::TcpListener};

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
    // Bound and closed again: nobody listens there.
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
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

#[test]
fn a_dead_redis_is_refused_without_its_password() {
    let home = Home::new();
    let address = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let line = complaint(&home, &["--redis", &format!("redis://:hunter2@{address}")]);
    assert!(
        line.contains(&format!("cannot use the Redis at redis://***@{address}")),
        "{line}"
    );
    assert!(!line.contains("hunter2"), "{line}");
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
