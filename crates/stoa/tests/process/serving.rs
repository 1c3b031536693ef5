//! A service from its start to its end.

use crate::{
    harness::{
        FREE_PORTS, Home, PATIENCE, Service, eventually, get, run, serve, serve_shipped, text,
    },
    node::{MAIN, SilentNode},
};

#[tokio::test]
async fn a_fresh_folder_is_served_and_served_again_after_a_stop() {
    let home = Home::new();
    for signal in ["TERM", "INT"] {
        let service = Service::ready(serve_shipped(&home.data(), &[]));
        let tokens = service.get("/v1/starknet/tokens?size=5").await;
        assert_eq!(tokens.status, 200, "{}", tokens.body);
        let page: serde_json::Value = serde_json::from_str(&tokens.body).unwrap();
        assert_eq!(page["content"].as_array().unwrap().len(), 5);
        for path in [
            "/healthz",
            "/readyz",
            "/metrics",
            "/docs",
            "/openapi/trade.json",
        ] {
            assert_eq!(service.get(path).await.status, 200, "{path}");
        }
        assert_eq!(
            service.line("network"),
            "simulated Starknet, chain id SN_STOA"
        );
        assert_eq!(
            format!("{}/docs", service.line("api")),
            service.line("docs")
        );
        assert!(service.line("store").starts_with("sqlite:"));
        assert_eq!(service.end_with(signal).code(), Some(0), "SIG{signal}");
    }
}

#[tokio::test]
async fn another_process_can_follow_the_simulated_node_as_a_real_one() {
    let home = Home::new();
    let first = Service::ready(serve(&home.data(), &[]));
    let second = Service::ready(serve(
        &home.path("other"),
        &["--starknet-rpc", first.line("node")],
    ));
    assert_eq!(second.line("network"), first.line("network"));
    assert!(!second.said.iter().any(|line| line.starts_with("account ")));
    let doctor = run(&[
        &["doctor", "--starknet-rpc", first.line("node")],
        &FREE_PORTS[..],
    ]
    .concat());
    let found = text(&doctor.stdout);
    assert!(
        found.contains("ok    node      simulated Starknet"),
        "{found}"
    );
    let path = "/v1/starknet/tokens?size=100";
    agree(&first, &second, path).await;
    // Both find the aggregator beside the node.
    for service in [&first, &second] {
        polled(service).await;
    }
    let listed = format!("{}/coins/markets?vs_currency=usd", first.line("global"));
    assert!(get(&listed, None).await.body.contains("\"ethereum\""));
}

#[tokio::test]
async fn a_start_far_behind_its_node_ends_with_the_answers_of_one_that_was_not() {
    let home = Home::new();
    let first = Service::ready(serve(&home.data(), &[]));
    let mut command = serve(&home.path("other"), &["--starknet-rpc", first.line("node")]);
    command.env("STOA__STARKNET__HEAD_START", "20");
    let second = Service::ready(command);
    eventually("a complete history", async || {
        let ready = second.get("/readyz").await;
        (ready.status == 200 && !ready.body.contains("history")).then_some(())
    })
    .await;
    // Written where there was a head start, and nowhere else.
    let metric = "stoa_history_blocks_left";
    assert!(second.get("/metrics").await.body.contains(metric));
    assert!(!first.get("/metrics").await.body.contains(metric));
    agree(&first, &second, "/v1/starknet/tokens?size=100").await;
    assert_eq!(second.end_with("TERM").code(), Some(0));
    assert!(!home.path("other").join("near").exists());
}

/// Waits until both give one answer. Blocks come while they are asked, and one
/// may know the newest first.
async fn agree(first: &Service, second: &Service, path: &str) {
    eventually("both know the same block", async || {
        let answers = [first.get(path).await, second.get(path).await];
        assert!(answers.iter().all(|answer| answer.status == 200));
        (answers[0].body == answers[1].body).then_some(())
    })
    .await;
}

/// Waits until the service knows the wider market.
async fn polled(service: &Service) {
    let metrics = eventually("the wider market is known", async || {
        let metrics = service.get("/metrics").await.body;
        let is_polled = metrics.contains("stoa_global_polls_total{outcome=\"ok\"}");
        is_polled.then_some(metrics)
    });
    let metrics = metrics.await;
    assert!(metrics.contains("stoa_global_tokens 14"), "{metrics}");
}

#[tokio::test]
async fn one_process_indexes_and_another_answers() {
    let home = Home::new();
    let indexer = Service::ready(serve(&home.data(), &["--roles", "indexer"]));
    assert!(!indexer.said.iter().any(|line| line.starts_with("api ")));
    assert_eq!(indexer.get("/v1/starknet/tokens").await.status, 404);
    assert!(indexer.get("/readyz").await.body.contains("\"indexer\""));
    let api = Service::ready(serve(
        &home.data(),
        &[
            "--roles",
            "api",
            "--listen-trade",
            "127.0.0.1:0",
            "--listen-market",
            "127.0.0.1:0",
            "--no-rate-limit",
        ],
    ));
    let market = format!("{}/healthz", api.line("market"));
    assert_eq!(get(&market, None).await.status, 200);
    let tokens = api.get("/v1/starknet/tokens").await;
    assert_eq!((tokens.status, tokens.limit), (200, None));
    let alone = format!("{}/v1/starknet/tokens", api.line("trade"));
    assert_eq!(get(&alone, None).await.body, tokens.body);
    assert_eq!(api.end_with("TERM").code(), Some(0));
    assert_eq!(indexer.end_with("TERM").code(), Some(0));
}

#[test]
fn the_doctor_compares_what_replicas_say() {
    let home = Home::new();
    let first = Service::ready(serve(&home.data(), &[]));
    let second = Service::ready(serve(&home.data(), &["--roles", "api"]));
    let replicas = format!("{},{}", first.line("api"), second.line("api"));
    let output = run(&["doctor", "--replicas", &replicas]);
    let told = text(&output.stdout);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("2 say the same at block"), "{told}");

    second.end_with("TERM");
    let output = run(&["doctor", "--replicas", &replicas]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
}

#[test]
fn a_signal_during_the_start_ends_it_well() {
    let home = Home::new();
    let node = SilentNode::start(None);
    let service = Service::start(serve(&home.data(), &["--starknet-rpc", &node.url]));
    node.unanswered.recv_timeout(PATIENCE).unwrap();
    assert_eq!(service.end_with("TERM").code(), Some(0));
}

#[test]
fn a_second_signal_ends_the_process_at_once() {
    let home = Home::new();
    let node = SilentNode::start(Some(MAIN));
    let mut command = serve(&home.data(), &["--starknet-rpc", &node.url]);
    // A start asks nobody how long the chain is.
    command.env("STOA__STARKNET__HEAD_START", "0");
    let service = Service::start(command);
    // Once the indexer waits for an answer, the first signal waits for the indexer.
    while node.unanswered.recv_timeout(PATIENCE).unwrap() != "starknet_blockHashAndNumber" {}
    service.signal("TERM");
    assert_eq!(service.end_with("INT").code(), Some(130));
}
