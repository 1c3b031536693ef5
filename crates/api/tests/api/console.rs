//! The console: pages for people beside the API for programs.

use crate::support::{Bench, get, send};
use axum::{body::Body, http::Request};

const BROWSER: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

const PAGES: [&str; 14] = [
    "/",
    "/token/0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7",
    "/swap",
    "/pools",
    "/venues",
    "/orders",
    "/staking",
    "/paymaster",
    "/validators",
    "/validators/01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "/leases",
    "/staff",
    "/status",
    "/simulator",
];

fn browsing(path: &str) -> axum::http::request::Builder {
    get(path).header("accept", BROWSER)
}

#[tokio::test]
async fn a_browser_gets_the_page_at_every_path_of_the_console() {
    let bench = Bench::new().await;
    for path in PAGES {
        let answer = send(&bench.router, browsing(path), Body::empty()).await;
        assert_eq!(answer.status, 200, "{path}");
        let kind = answer.header("content-type");
        assert_eq!(kind, Some("text/html; charset=utf-8"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-cache"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
            "{policy}"
        );
        let page = answer.text();
        assert!(!page.contains("__SETTINGS__") && !page.contains("simulated"));
    }
}

#[tokio::test]
async fn to_programs_the_paths_are_as_unknown_as_any() {
    let bench = Bench::new().await;
    for path in PAGES.iter().skip(1) {
        bench.get(path).await.refused(404);
    }
    let first = bench.get("/").await;
    assert_eq!(first.header("allow"), Some("POST"));
    first.refused(405);
    for path in ["/nothing", "/swap/nothing", "/assets/nothing.js"] {
        let answer = send(&bench.router, browsing(path), Body::empty()).await;
        answer.refused(404);
    }
    // Steering is for simulated networks alone.
    bench.get("/simulator/accounts").await.refused(404);
}

#[tokio::test]
async fn the_paymaster_stays_at_the_address_itself() {
    let bench = Bench::new().await;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"paymaster_isAvailable","params":[]}"#;
    let asked = Request::post("/")
        .header("accept", BROWSER)
        .header("content-type", "application/json");
    let answer = send(&bench.router, asked, Body::from(call)).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["id"], 1);
    let put = send(&bench.router, Request::put("/"), Body::empty()).await;
    put.refused(405);
}

#[tokio::test]
async fn a_page_that_is_known_is_not_sent_again() {
    let bench = Bench::new().await;
    let first = send(&bench.router, browsing("/"), Body::empty()).await;
    let tag = first.header("etag").unwrap();
    let again = browsing("/").header("if-none-match", tag);
    let again = send(&bench.router, again, Body::empty()).await;
    assert_eq!(again.status, 304);
    assert_eq!(again.text(), "");
}

#[tokio::test]
async fn files_whose_names_change_with_them_are_kept_for_ever() {
    let bench = Bench::new().await;
    let page = send(&bench.router, browsing("/"), Body::empty()).await;
    let page = page.text().to_owned();
    let named = page.split('"').filter(|it| it.starts_with("/assets/"));
    let named: Vec<&str> = named.collect();
    assert!(named.len() >= 2, "{named:?}");
    for path in named {
        let packed = get(path).header("accept-encoding", "gzip");
        let packed = send(&bench.router, packed, Body::empty()).await;
        assert_eq!(packed.status, 200, "{path}");
        assert_eq!(packed.header("content-encoding"), Some("gzip"), "{path}");
        let caching = packed.header("cache-control");
        assert_eq!(caching, Some("public, max-age=31536000, immutable"));
        let plain = bench.get(path).await;
        assert_eq!(plain.header("content-encoding"), None, "{path}");
    }
    for path in ["/favicon.svg", "/licenses.txt"] {
        assert_eq!(bench.get(path).await.status, 200, "{path}");
    }
}
