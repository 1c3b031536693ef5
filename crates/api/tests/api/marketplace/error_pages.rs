//! `/errors/{slug}`.

use super::support::{Ask, BASE_URL, Market};
use api::Slug;

#[tokio::test]
async fn every_slug_has_a_page_that_explains_it() {
    let market = Market::new().await;
    let all = market.send(Ask::get("/errors")).await;
    assert_eq!(all.status, 200);
    for slug in Slug::ALL {
        let entry = slug.entry();
        let page = market
            .send(Ask::get(&format!("/errors/{}", entry.slug)))
            .await;
        assert_eq!(page.status, 200, "{}", entry.slug);
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        for text in [entry.slug, entry.title, &entry.statuses[0].to_string()] {
            assert!(page.text().contains(text), "{}: {text}", entry.slug);
        }
        assert!(all.text().contains(&format!("/errors/{}", entry.slug)));
    }
    market
        .send(Ask::get("/errors/no-such-slug"))
        .await
        .problem(404, "not-found");
}

#[tokio::test]
async fn the_type_of_a_problem_leads_to_its_page() {
    let market = Market::new().await;
    let problem = market
        .send(Ask::get("/v1/me"))
        .await
        .problem(401, "auth-required");
    let path = problem["type"]
        .as_str()
        .unwrap()
        .strip_prefix(BASE_URL)
        .unwrap()
        .to_owned();
    assert_eq!(market.send(Ask::get(&path)).await.status, 200);
}

#[tokio::test]
async fn the_pages_may_be_elsewhere() {
    let market = Market::configured(|config| {
        config.marketplace.errors_url = Some("https://docs.example/errors".to_owned());
    })
    .await;
    let answer = market.send(Ask::get("/v1/me")).await;
    assert!(
        answer
            .text()
            .contains(r#""type":"https://docs.example/errors/auth-required""#)
    );
}
