//! What the person who starts the program is told, and what not.

use crate::harness::{Home, Service, eventually, serve, simnet, text};
use serde_json::Value;
use std::{
    fs::{self, File},
    process::{Command, Stdio},
};

/// Whether a line says something about an account.
fn tells_accounts(line: &str) -> bool {
    ["account ", "wallet ", "bearer ", "  key", "  holds"]
        .iter()
        .any(|beginning| line.starts_with(beginning))
}

#[tokio::test]
async fn the_banner_is_short_and_begins_at_once() {
    let home = Home::new();
    let service = Service::ready(serve(&home.data(), &[]));
    assert!(service.said[0].starts_with("stoa "), "{:?}", service.said);
    assert!(service.said.len() <= 15, "{:?}", service.said);
    assert!(!service.said.iter().any(|line| tells_accounts(line)));
    assert!(service.line("accounts").contains("--accounts"));
    let begins_at = |line: &String| line.find("http").or(line.find("ws:"));
    assert!(service.said.iter().filter_map(begins_at).all(|at| at == 11));
}

#[tokio::test]
async fn accounts_are_shown_with_balances_to_those_who_ask() {
    let home = Home::new();
    let service = Service::ready(serve(&home.data(), &["--accounts"]));
    let count = |word: &str| {
        let lines = service.said.iter().filter(|line| line.starts_with(word));
        lines.count()
    };
    assert_eq!((count("account "), count("wallet ")), (10, 10));
    assert_eq!((count("  key"), count("  holds")), (20, 20));
    assert!(service.line("account").starts_with("0x"));
    let held = service.line("  holds");
    for symbol in ["ETH", "STRK", "USDC"] {
        assert!(held.contains(symbol), "{held}");
    }
    assert!(service.line("bearer").starts_with("demo-trader-token"));
    assert_eq!(service.line("sponsor"), "demo-sponsor-key");
    drop(service);

    let node = Service::ready(simnet(&home.path("node"), &["--accounts"]));
    assert!(node.line("account").starts_with("0x"));
    assert!(!node.said.iter().any(|line| line.starts_with("bearer ")));
}

/// The log of a service that was asked once, after its simulated people did something.
async fn log_of_a_busy_service(home: &Home, level: &str) -> Vec<Value> {
    let path = home.path(&format!("{level}.log"));
    let mut command = serve(&home.path(level), &["--log", level]);
    command.stderr(File::create(&path).unwrap());
    let service = Service::ready(command);
    assert_eq!(service.get("/v1/starknet/tokens").await.status, 200);
    eventually("simulated people ask for something", async || {
        let figures = service.get("/metrics").await.body;
        let is_theirs = |line: &str| {
            line.starts_with("stoa_http_requests_total{") && line.contains("route=\"/v1/auth/")
        };
        figures.lines().any(is_theirs).then_some(())
    })
    .await;
    assert_eq!(service.end_with("TERM").code(), Some(0));
    let log = fs::read_to_string(path).unwrap();
    log.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn requests_are_logged_on_demand_and_those_of_simulated_people_are_not() {
    let home = Home::new();
    let is_request = |line: &&Value| line["message"] == "answered";
    let usual = log_of_a_busy_service(&home, "info").await;
    assert_eq!(usual.iter().filter(is_request).count(), 0, "{usual:?}");
    let all = log_of_a_busy_service(&home, "debug").await;
    let routes: Vec<_> = all
        .iter()
        .filter(is_request)
        .map(|line| line["span"]["route"].as_str().unwrap())
        .collect();
    let tokens = |route: &&&str| **route == "/v1/starknet/tokens";
    assert_eq!(routes.iter().filter(tokens).count(), 1, "{routes:?}");
    let mut others = routes.iter().filter(|route| !tokens(route));
    assert!(others.all(|route| *route == "/metrics"), "{routes:?}");
}

#[tokio::test]
async fn a_quiet_service_says_nothing() {
    let home = Home::new();
    let mut command = serve(&home.data(), &["--quiet"]);
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    // The first line would have come before this file.
    let store = home.data().join("chain.db");
    eventually("the store is opened", async || store.exists().then_some(())).await;
    let kill = format!("kill -TERM {}", child.id());
    let killed = Command::new("sh").args(["-c", &kill]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "");
}

#[tokio::test]
async fn every_figure_says_what_it_is() {
    let home = Home::new();
    let service = Service::ready(serve(&home.data(), &[]));
    // Most are there once something has happened that they count.
    let figures = eventually("there are figures", async || {
        let figures = service.get("/metrics").await.body;
        (figures.matches("# TYPE ").count() > 20).then_some(figures)
    })
    .await;
    let named = |beginning: &'static str| {
        let lines = figures
            .lines()
            .filter_map(move |line| line.strip_prefix(beginning));
        lines.filter_map(|line| line.split(' ').next())
    };
    let explained: Vec<_> = named("# HELP ").collect();
    for name in named("# TYPE ") {
        assert!(explained.contains(&name), "{name}");
    }
    for name in ["stoa_build_info", "process_resident_memory_bytes"] {
        assert!(explained.contains(&name), "{name}");
    }
}
