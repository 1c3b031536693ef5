//! `/docs`.

use crate::support::Bench;

#[tokio::test]
async fn the_page_shows_every_document_and_loads_nothing_else() {
    let bench = Bench::new().await;
    let answer = bench.get("/docs").await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        answer.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    let page = answer.text();
    for (name, _) in api::openapi_documents() {
        assert!(page.contains(&format!("/openapi/{name}")), "{name}");
    }
    assert!(!page.contains("__DOCUMENTS__"));
    assert!(!page.contains("http://") && !page.contains("https://"));
    assert!(!page.contains("innerHTML"));
}
