//! What the token list refuses.

use crate::support::{Bench, Setting};

const TAGS: &str = "Unknown, Verified, Community, Unruggable, PLATFORM";
const PROPERTIES: &str = "address, name, symbol, decimals, lastDailyVolumeUsd";

#[tokio::test]
async fn each_wrong_value_is_named_with_what_is_allowed() {
    let bench = Bench::new().await;
    let long = "a".repeat(201);
    let page = |value| format!("page must be a whole number from 0 to 1000000000, not {value}");
    let size = |value| format!("size must be a whole number from 1 to 100, not {value}");
    for (query, message) in [
        ("page=-1", page(r#""-1""#)),
        ("page=", page(r#""""#)),
        ("page=1.0", page(r#""1.0""#)),
        ("page=%2B1", page(r#""+1""#)),
        ("page=1000000001", page(r#""1000000001""#)),
        (
            "page=99999999999999999999999",
            page(r#""99999999999999999999999""#),
        ),
        ("size=0", size(r#""0""#)),
        ("size=101", size(r#""101""#)),
        ("size=ten", size(r#""ten""#)),
        ("size=%D9%A1", size(r#""١""#)),
        ("page=0&page=0", "page may be given once".to_owned()),
        ("size=1&size=2", "size may be given once".to_owned()),
        ("search=a&search=b", "search may be given once".to_owned()),
        (
            &format!("search={long}"),
            "search must have at most 200 characters".to_owned(),
        ),
        (
            "tag=Verifed",
            format!(r#"tag must be one of {TAGS}, not "Verifed""#),
        ),
        (
            "tag=AVNU",
            format!(r#"tag must be one of {TAGS}, not "AVNU""#),
        ),
        ("tag=", format!(r#"tag must be one of {TAGS}, not """#)),
        (
            "tag=Verified,Community",
            format!(r#"tag must be one of {TAGS}, not "Verified,Community""#),
        ),
        (
            "sort=symbol",
            r#"sort must be a property and a direction such as symbol,asc, not "symbol""#
                .to_owned(),
        ),
        (
            "sort=price,asc",
            format!(r#"sort property must be one of {PROPERTIES}, not "price""#),
        ),
        (
            "sort=Symbol,asc",
            format!(r#"sort property must be one of {PROPERTIES}, not "Symbol""#),
        ),
        (
            "sort=symbol,up",
            r#"sort direction must be asc or desc, not "up""#.to_owned(),
        ),
        (
            "sort=symbol,asc,",
            r#"sort direction must be asc or desc, not "asc,""#.to_owned(),
        ),
        (
            &"sort=name,asc&".repeat(6),
            "sort may be given at most 5 times".to_owned(),
        ),
    ] {
        let answer = bench.get(&format!("/v1/starknet/tokens?{query}")).await;
        assert_eq!(answer.refused(400), [message], "{query}");
    }
}

#[tokio::test]
async fn everything_wrong_with_a_query_is_told_at_once() {
    let bench = Bench::new().await;
    let answer = bench
        .get("/v1/starknet/tokens?page=-1&size=0&tag=x&tag=y&sort=a,asc&sort=name,b")
        .await;
    let messages = answer.refused(400);
    let first_words: Vec<_> = messages
        .iter()
        .map(|text| text.split(' ').next().unwrap())
        .collect();
    assert_eq!(first_words, ["tag", "tag", "sort", "sort", "page", "size"]);
}

#[tokio::test]
async fn a_flood_of_wrong_values_has_a_short_answer() {
    let bench = Bench::new().await;
    let answer = bench
        .get(&format!("/v1/starknet/tokens?{}", "tag=x&".repeat(1_000)))
        .await;
    assert_eq!(answer.refused(400).len(), 20);
}

#[tokio::test]
async fn before_the_first_block_nothing_is_answered_as_empty_or_not_found() {
    let bench = Bench::with(Setting {
        more_tokens: None,
        ..Setting::default()
    })
    .await;
    for path in ["/v1/starknet/tokens", "/v1/starknet/tokens/ETH"] {
        let answer = bench.get(path).await;
        assert_eq!(
            answer.refused(503),
            ["no block has been read yet; try again in a moment"]
        );
        assert_eq!(answer.header("retry-after"), Some("1"));
    }
}
