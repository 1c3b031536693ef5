//! Ids, CORS, compression and the log.

use crate::support::{Bench, Setting, get};
use axum::http::Request;
use std::{
    io::Write,
    sync::{Arc, Mutex},
};

const TOKENS: &str = "/v1/starknet/tokens";

#[tokio::test]
async fn a_given_request_id_is_echoed_on_every_answer() {
    let bench = Bench::new().await;
    for path in [TOKENS, "/nothing", "/healthz", "/v1/starknet/tokens?size=0"] {
        let answer = bench.send(get(path).header("x-request-id", "mine.1")).await;
        assert_eq!(answer.header("x-request-id"), Some("mine.1"), "{path}");
    }
}

#[tokio::test]
async fn a_missing_or_unsafe_id_is_replaced() {
    let bench = Bench::new().await;
    let first = bench
        .get(TOKENS)
        .await
        .header("x-request-id")
        .unwrap()
        .to_owned();
    assert_eq!(first.len(), 36);
    let answer = bench
        .send(get(TOKENS).header("x-request-id", "<script>"))
        .await;
    let second = answer.header("x-request-id").unwrap();
    assert_eq!(second.len(), 36);
    assert_ne!(first, second);
}

#[tokio::test]
async fn any_page_may_call_the_api_and_read_its_headers() {
    let bench = Bench::new().await;
    for path in [TOKENS, "/nothing"] {
        let answer = bench
            .send(get(path).header("origin", "https://app.example"))
            .await;
        assert_eq!(
            answer.header("access-control-allow-origin"),
            Some("*"),
            "{path}"
        );
        let exposed = answer.header("access-control-expose-headers").unwrap();
        for header in [
            "x-request-id",
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
            "retry-after",
            "etag",
            "x-partial-bucket",
            "signature",
        ] {
            assert!(exposed.split(", ").any(|name| name == header), "{exposed}");
        }
    }
}

#[tokio::test]
async fn a_preflight_allows_what_clients_send() {
    let bench = Bench::new().await;
    let preflight = Request::options(TOKENS)
        .header("origin", "https://app.example")
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "x-api-key,content-type,ask-signature",
        );
    let answer = bench.send(preflight).await;
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(
        answer.header("access-control-allow-methods"),
        Some("GET, POST, PUT, PATCH, DELETE, OPTIONS")
    );
    let allowed = answer.header("access-control-allow-headers").unwrap();
    for header in [
        "x-api-key",
        "content-type",
        "if-none-match",
        "ask-signature",
        "api-key",
        "x-paymaster-api-key",
        "authorization",
        "idempotency-key",
        "accept",
        "cache-control",
    ] {
        assert!(allowed.split(", ").any(|name| name == header), "{allowed}");
    }
    assert!(answer.header("x-request-id").is_some());
}

#[tokio::test]
async fn large_bodies_are_compressed_for_those_who_accept_it() {
    let bench = Bench::with(Setting {
        more_tokens: Some(100),
        ..Setting::default()
    })
    .await;
    let gzip = |path| get(path).header("accept-encoding", "gzip, br");
    let plain = bench.get(&format!("{TOKENS}?size=100")).await;
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(plain.header("vary"), Some("accept-encoding"));
    let packed = bench.send(gzip("/v1/starknet/tokens?size=100")).await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert_eq!(packed.header("vary"), plain.header("vary"));
    assert_eq!(packed.body.get(..2), Some([0x1f, 0x8b].as_slice()));
    assert!(packed.body.len() * 3 < plain.body.len());
    let small = bench.send(gzip("/v1/starknet/tokens?size=1")).await;
    assert_eq!(small.header("content-encoding"), None);
    assert_eq!(small.header("vary"), None);
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_request_has_one_log_line_without_its_secrets() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(move || writer.clone())
        .finish();
    let bench = Bench::new().await;
    let guard = tracing::subscriber::set_default(subscriber);
    let request = get("/v1/starknet/tokens/ETH?secret=hidden").header("x-request-id", "mine");
    bench.send(request.header("x-api-key", "hidden")).await;
    let simulated = get("/v1/starknet/tokens/ETH").header("user-agent", api::SIMULATED_PERSON);
    bench.send(simulated).await;
    drop(guard);
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert_eq!(lines[0]["fields"]["status"], 401);
    let duration = lines[0]["fields"]["duration_ms"].as_f64().unwrap();
    let digits = duration.to_string();
    let after_point = digits.split_once('.').map_or(0, |(_, rest)| rest.len());
    assert!(after_point <= 2, "{digits}");
    assert_eq!(lines[0]["level"], "DEBUG");
    assert_eq!(lines[0]["span"]["request_id"], "mine");
    assert_eq!(lines[0]["span"]["method"], "GET");
    assert_eq!(
        lines[0]["span"]["route"],
        "/v1/starknet/tokens/{addressOrSymbol}"
    );
    assert!(!text.contains("hidden"));
}
