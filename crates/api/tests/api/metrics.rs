//! `/metrics`.

use crate::support::Bench;

#[tokio::test]
async fn requests_are_counted_by_route_and_not_by_path() {
    let bench = Bench::new().await;
    let guard = metrics::set_default_local_recorder(&bench.recorder);
    bench.get("/v1/starknet/tokens/ETH").await;
    bench.get("/v1/starknet/tokens/NOPE").await;
    bench.get("/v1/starknet/tokens/0x30").await;
    bench.get("/made/up").await;
    drop(guard);
    let answer = bench.get("/metrics").await;
    assert_eq!(
        answer.header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    let route = r#"route="/v1/starknet/tokens/{addressOrSymbol}""#;
    for line in [
        format!(r#"stoa_http_requests_total{{method="GET",{route},status="200"}} 2"#),
        format!(r#"stoa_http_requests_total{{method="GET",{route},status="404"}} 1"#),
        r#"stoa_http_requests_total{method="GET",route="none",status="404"} 1"#.to_owned(),
        format!("stoa_http_request_seconds_count{{{route}}} 3"),
    ] {
        assert!(
            answer.text().lines().any(|it| it == line),
            "{line}\n{}",
            answer.text()
        );
    }
    assert!(!answer.text().contains("NOPE"));
}
