//! Each way in which a node can fail has its own error, and only those that
//! may pass are tried again, a bounded number of times.

use crate::node::{Node, Reply, client, options, respond};
use chain::{RpcError, RpcOptions};
use metrics_exporter_prometheus::PrometheusBuilder;
use primitives::Felt;
use serde_json::{Value, json};
use std::{num::NonZeroUsize, time::Duration};
use tokio::{io::AsyncReadExt as _, net::TcpListener};

const ATTEMPTS: usize = 3;

fn chain_id(body: &Value) -> Reply {
    respond(body, |_| Ok(json!("0x534e5f53544f41")))
}

/// The error of a node that always does the same, and how often it was asked.
async fn failure(options: RpcOptions, reply: fn(&Value) -> Reply) -> (RpcError, usize) {
    let node = Node::start(move |_, body| reply(body)).await;
    let error = node.client_with(options).chain_id().await.unwrap_err();
    (error, node.requests())
}

/// That an answer of this kind is tried again, and the error after all attempts.
async fn transient(reply: fn(&Value) -> Reply) -> RpcError {
    let node = Node::start(move |nth, body| {
        if nth < ATTEMPTS {
            reply(body)
        } else {
            chain_id(body)
        }
    })
    .await;
    node.client().chain_id().await.unwrap();
    assert_eq!(node.requests(), ATTEMPTS);

    let (error, requests) = failure(options(), reply).await;
    assert_eq!(requests, ATTEMPTS, "{error:?}");
    assert!(error.is_transient(), "{error:?}");
    error
}

/// The error of an answer that is final at once.
async fn last(reply: fn(&Value) -> Reply) -> RpcError {
    let (error, requests) = failure(options(), reply).await;
    assert_eq!(requests, 1, "{error:?}");
    assert!(!error.is_transient(), "{error:?}");
    error
}

#[tokio::test]
async fn a_silent_node_times_out_in_every_attempt() {
    let hasty = RpcOptions {
        timeout: Duration::from_millis(50),
        ..options()
    };
    let (error, requests) = failure(hasty, |_| Reply::Silence).await;
    assert!(matches!(error, RpcError::Timeout { .. }), "{error:?}");
    assert_eq!(requests, ATTEMPTS);
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_a_connect_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = client(url.parse().unwrap(), options())
        .chain_id()
        .await
        .unwrap_err();
    assert!(matches!(error, RpcError::Connect { .. }), "{error:?}");
    assert!(error.to_string().contains(&url), "{error}");
}

#[tokio::test]
async fn a_dropped_connection_is_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let dropping = tokio::spawn(async move {
        for _ in 0..ATTEMPTS {
            let (mut socket, _) = listener.accept().await.unwrap();
            let _ = socket.read(&mut [0; 64]).await.unwrap();
        }
    });
    let error = client(url.parse().unwrap(), options())
        .chain_id()
        .await
        .unwrap_err();
    assert!(matches!(error, RpcError::Transport { .. }), "{error:?}");
    dropping.await.unwrap();
}

#[tokio::test]
async fn a_body_that_is_cut_short_is_tried_again() {
    let error = transient(|_| Reply::CutShort(r#"{"jsonrpc":"2.0","id":1,"res"#)).await;
    assert!(matches!(error, RpcError::Transport { .. }), "{error:?}");
}

#[tokio::test]
async fn server_errors_are_tried_again() {
    let error = transient(|_| Reply::Status(500, None)).await;
    assert!(matches!(error, RpcError::HttpStatus { .. }), "{error:?}");
}

#[tokio::test]
async fn other_statuses_are_final_and_redirects_are_not_followed() {
    for reply in [
        (|_: &Value| Reply::Status(400, None)) as fn(&Value) -> Reply,
        |_| Reply::Status(401, None),
        |_| Reply::Status(404, None),
        |_| Reply::Status(307, Some(("location", "/elsewhere"))),
    ] {
        let error = last(reply).await;
        assert!(matches!(error, RpcError::HttpStatus { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_busy_node_is_left_alone_as_long_as_it_asks_within_the_cap() {
    let wait = Duration::from_millis(60);
    let node = Node::start(|nth, body| {
        if nth == 1 {
            Reply::Status(429, Some(("retry-after", "3600")))
        } else {
            chain_id(body)
        }
    })
    .await;
    let patient = RpcOptions {
        backoff_cap: wait,
        ..options()
    };
    let started = tokio::time::Instant::now();
    node.client_with(patient).chain_id().await.unwrap();
    assert!(started.elapsed() >= wait);
    assert_eq!(node.requests(), 2);

    match transient(|_| Reply::Status(429, Some(("retry-after", "7")))).await {
        RpcError::HttpStatus { retry_after, .. } => {
            assert_eq!(retry_after, Some(Duration::from_secs(7)));
        }
        error => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn what_is_not_json_or_not_the_promised_form_is_malformed() {
    for reply in [
        (|_: &Value| Reply::Text("<html>502</html>".into())) as fn(&Value) -> Reply,
        |_| Reply::Text(String::new()),
        |_| Reply::Text(r#"{"jsonrpc":"2.0","id":1,"#.into()),
        |_| Reply::Text("17".into()),
        |body| respond(body, |_| Ok(json!(17))),
        |body| respond(body, |_| Ok(json!("SN_STOA"))),
        |body| json!({"jsonrpc": "2.0", "id": body["id"]}).into(),
    ] {
        let error = transient(reply).await;
        assert!(matches!(error, RpcError::Malformed { .. }), "{error:?}");
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[tokio::test]
async fn an_answer_to_another_question_is_not_taken() {
    let error = transient(|_| json!({"jsonrpc": "2.0", "id": 99, "result": "0x1"}).into()).await;
    assert!(matches!(error, RpcError::WrongId { .. }), "{error:?}");
}

#[tokio::test]
async fn an_error_of_the_node_is_final_with_its_code_and_words() {
    match last(|body| respond(body, |_| Err((-32_601, "Method not found")))).await {
        RpcError::Node { method, source } => {
            assert_eq!(method, "starknet_chainId");
            assert_eq!(
                (source.code, &*source.message),
                (-32_601, "Method not found")
            );
        }
        error => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn an_internal_error_of_the_node_is_tried_again() {
    for reply in [
        (|body: &Value| respond(body, |_| Err((-32_603, "internal")))) as fn(&Value) -> Reply,
        |body| respond(body, |_| Err((-32_005, "limit exceeded"))),
    ] {
        let error = transient(reply).await;
        assert!(matches!(error, RpcError::Node { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn an_oversized_answer_is_given_up_compressed_or_not() {
    let small = RpcOptions {
        max_response_bytes: 64 * 1024,
        ..options()
    };
    // Zeros shrink to a thousandth on the wire, so only their expansion exceeds the limit.
    let bomb = |_: &Value| Reply::Text("0".repeat(16 * 1024 * 1024));
    let (error, requests) = failure(small, bomb).await;
    assert!(
        matches!(error, RpcError::TooLarge { limit: 65_536 }),
        "{error:?}"
    );
    assert_eq!(requests, 1);

    // Too short to be compressed by the node, so its length is announced.
    let tiny = RpcOptions {
        max_response_bytes: 20,
        ..options()
    };
    let (error, _) = failure(tiny, |_| Reply::Text("0".repeat(25))).await;
    assert!(
        matches!(error, RpcError::TooLarge { limit: 20 }),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_answer_of_exactly_the_limit_is_read() {
    let node = Node::start(|_, body| chain_id(body)).await;
    let Reply::Text(text) = chain_id(&json!({"id": 1})) else {
        panic!("not a text")
    };
    let exact = RpcOptions {
        max_response_bytes: text.len(),
        ..options()
    };
    assert_eq!(
        node.client_with(exact).chain_id().await.unwrap(),
        Felt::from_hex_unchecked("0x534e5f53544f41")
    );
}

#[tokio::test]
async fn no_more_requests_run_at_once_than_allowed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let two = RpcOptions {
        concurrency: NonZeroUsize::new(2).unwrap(),
        ..options()
    };
    let client = client(url.parse().unwrap(), two);
    let callers: Vec<_> = (0..5)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.chain_id().await })
        })
        .collect();
    let held = [
        listener.accept().await.unwrap(),
        listener.accept().await.unwrap(),
    ];
    let third = tokio::time::timeout(Duration::from_millis(100), listener.accept()).await;
    assert!(third.is_err(), "a third request came while two were held");
    drop(held);
    listener.accept().await.unwrap();
    for caller in callers {
        caller.abort();
    }
}

#[tokio::test]
async fn requests_retries_and_times_are_measured() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _guard = metrics::set_default_local_recorder(&recorder);
    let node = Node::start(|nth, body| {
        if nth == 1 {
            Reply::Status(503, None)
        } else {
            chain_id(body)
        }
    })
    .await;
    node.client().chain_id().await.unwrap();
    let text = recorder.handle().render();
    for line in [
        r#"stoa_rpc_requests_total{method="starknet_chainId",outcome="http_status"} 1"#,
        r#"stoa_rpc_requests_total{method="starknet_chainId",outcome="ok"} 1"#,
        r#"stoa_rpc_retries_total{method="starknet_chainId"} 1"#,
        r#"stoa_rpc_seconds_count{method="starknet_chainId"} 2"#,
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}
