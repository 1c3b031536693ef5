//! Requests to the simulated nodes, which `stoa simnet` serves to others: JSON-RPC of
//! Starknet and of Solana with signed transactions in it, and the aggregator's queries.
//! The first byte says which; no answer is one of a failed server.

#![no_main]

use axum::{
    Router,
    body::{Body, to_bytes},
    http::Request,
};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use primitives::{Clock, ManualClock, Timestamp};
use simnet::{History, SolanaConfig, SolanaNode, StarknetConfig, StarknetNode};
use std::{cell::LazyCell, sync::Arc, time::Duration};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

struct Nodes {
    runtime: Runtime,
    starknet: Router,
    solana: Router,
}

thread_local! {
    static NODES: LazyCell<Nodes> = LazyCell::new(nodes);
}

fn nodes() -> Nodes {
    let start = Timestamp::from_second(1_800_000_000).expect("a time");
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(start));
    let config = StarknetConfig {
        block_time: None,
        history: History::blocks(8, Duration::from_secs(2)),
        pools: 24,
        ..StarknetConfig::default()
    };
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let _inside = runtime.enter();
    let starknet = StarknetNode::new(config, Arc::clone(&clock)).router();
    let solana = SolanaNode::new(SolanaConfig::default(), clock).router();
    drop(_inside);
    Nodes {
        runtime,
        starknet,
        solana,
    }
}

// Its making is not part of the time of the first input.
fuzz_target!(init: NODES.with(|it| _ = LazyCell::force(it)), |text: &str| {
    let Some((kind, text)) = text.split_at_checked(1) else {
        return;
    };
    NODES.with(|nodes| {
        let post = |path: &str| {
            let request = Request::post(path).header("content-type", "application/json");
            request.body(Body::from(text.to_owned()))
        };
        let (router, request) = match kind {
            "s" => (&nodes.solana, post("/solana")),
            "a" => {
                let path = format!("/aggregator/api/v3/coins/markets?{}", text.trim());
                (&nodes.starknet, Request::get(path).body(Body::empty()))
            }
            _ => (&nodes.starknet, post("/starknet/rpc/v0_10")),
        };
        if let Ok(request) = request {
            nodes
                .runtime
                .block_on(answered(router.clone(), request, text));
        }
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed)
});

async fn answered(router: Router, request: Request<Body>, asked: &str) {
    let answer = router.oneshot(request).await.expect("an answer");
    let status = answer.status();
    let body = to_bytes(answer.into_body(), usize::MAX)
        .await
        .expect("a body");
    assert!(!status.is_server_error(), "{status} to {asked:?}");
    if status.is_success() && !body.is_empty() {
        let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(&body).is_ok();
        assert!(is_json, "no JSON in answer to {asked:?}");
    }
}
