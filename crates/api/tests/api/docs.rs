//! `/docs`.

use crate::support::{Bench, get};

#[tokio::test]
async fn the_page_and_its_files_are_served_from_here_alone() {
    let bench = Bench::new().await;
    for (path, kind) in [
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/docs.js", "text/javascript; charset=utf-8"),
        ("/docs/samples.js", "text/javascript; charset=utf-8"),
        ("/docs/docs.css", "text/css; charset=utf-8"),
        (
            "/docs/swagger-ui-bundle.js",
            "text/javascript; charset=utf-8",
        ),
        ("/docs/swagger-ui.css", "text/css; charset=utf-8"),
        ("/docs/licenses.txt", "text/plain; charset=utf-8"),
    ] {
        let answer = bench.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some(kind), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"));
        assert!(!policy.contains("unsafe"), "{policy}");
        let tag = answer.header("etag").unwrap();
        let again = bench.send(get(path).header("if-none-match", tag)).await;
        assert_eq!(again.status, 304, "{path}");
    }
    bench.get("/docs/other.js").await.refused(404);
    let page = bench.get("/docs").await;
    assert!(
        !page.text().contains("//"),
        "something is loaded from elsewhere"
    );
}

#[tokio::test]
async fn large_files_are_sent_compressed() {
    let bench = Bench::new().await;
    for path in ["/docs/swagger-ui-bundle.js", "/openapi.json"] {
        let whole = bench.get(path).await;
        let packed = bench
            .send(get(path).header("accept-encoding", "gzip"))
            .await;
        assert_eq!(packed.header("content-encoding"), Some("gzip"), "{path}");
        assert!(packed.body.len() * 3 < whole.body.len(), "{path}");
    }
}
