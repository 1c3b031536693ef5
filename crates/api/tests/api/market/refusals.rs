//! What market data refuses.

use super::support::{Operation, post};
use crate::support::Bench;
use api::Dialect;

const CANDLES: &str = "/v3/tokens/0x30/prices/candle";
const FORM: &str = "must be a date such as 2026-01-31, or a date-time with an offset such as \
    2026-01-31T12:00:00Z, not";

#[tokio::test]
async fn each_wrong_value_is_named_with_what_is_allowed() {
    let bench = Bench::new().await;
    let resolution = |value: &str| {
        format!("resolution must be one of 1, 5, 15, 1H, 4H, 1D, 1W, 1M, 1Y, not {value:?}")
    };
    for (query, message) in [
        (
            "startDate=yesterday",
            format!(r#"startDate {FORM} "yesterday""#),
        ),
        ("startDate=", format!(r#"startDate {FORM} """#)),
        (
            "endDate=2023-02-29",
            format!(r#"endDate {FORM} "2023-02-29""#),
        ),
        (
            "endDate=2023-01-01T00:00:00",
            format!(r#"endDate {FORM} "2023-01-01T00:00:00""#),
        ),
        (
            "startDate=1969-12-31",
            r#"startDate must be from 1970-01-01 to 2100-01-01, not "1969-12-31""#.to_owned(),
        ),
        (
            "endDate=2100-01-02",
            r#"endDate must be from 1970-01-01 to 2100-01-01, not "2100-01-02""#.to_owned(),
        ),
        (
            "startDate=2023-01-02&endDate=2023-01-01",
            "startDate must not be after endDate, but 2023-01-02T00:00:00Z is after \
             2023-01-01T00:00:00Z"
                .to_owned(),
        ),
        ("resolution=2H", resolution("2H")),
        ("resolution=1h", resolution("1h")),
        ("resolution=", resolution("")),
        (
            "partial=no",
            r#"partial must be true or false, not "no""#.to_owned(),
        ),
        (
            "partial=true&partial=true",
            "partial may be given once".to_owned(),
        ),
        (
            "resolution=1&resolution=5",
            "resolution may be given once".to_owned(),
        ),
        (
            "startDate=2023-01-01&startDate=2023-01-01",
            "startDate may be given once".to_owned(),
        ),
        ("in=USD&in=USD", "in may be given once".to_owned()),
        (
            "in=USD&quoteTokenAddress=usd",
            "in and quoteTokenAddress mean the same; give one of them".to_owned(),
        ),
        (
            "in=EUR",
            r#"in, which must be USD or a token, "EUR" must begin with 0x"#.to_owned(),
        ),
        (
            "quoteTokenAddress=0x31",
            r#"in must be USD or the address of a known token, not "0x31""#.to_owned(),
        ),
    ] {
        let answer = bench.get(&format!("{CANDLES}?{query}")).await;
        assert_eq!(answer.refused(400), [message], "{query}");
    }
}

#[tokio::test]
async fn other_parameters_are_checked_too() {
    let bench = Bench::new().await;
    for (path, message) in [
        (
            "/v3/tokens/0x30?withPriceFeed=1",
            r#"withPriceFeed must be true or false, not "1""#,
        ),
        (
            "/v3/tokens/0x30/exchange-volumes?startDate=2023-01-02&endDate=2023-01-01",
            "startDate must not be after endDate, which is 2023-01-01T00:00:00Z",
        ),
        (
            "/v1/tokens/0x30/exchange-volumes?startDate=2023-12-01",
            "startDate must not be after endDate, which is now",
        ),
        (
            "/v1/tokens/0x30/exchange-volumes?startDate=1970-01-01&endDate=2023-01-01",
            "the range has 19359 days, at most 5000 are added up; begin later",
        ),
        (
            "/v3/tokens/0x30/exchange-volumes?partial=0",
            r#"partial must be true or false, not "0""#,
        ),
        (
            "/v1/tokens/0x30/exchange-tvl?date=2023-01-01&endDate=2023-01-01",
            "date and endDate mean the same; give one of them",
        ),
        (
            "/v3/tokens/0x30/exchange-tvl?date=2023-01-01&date=2023-01-01",
            "date may be given once",
        ),
    ] {
        assert_eq!(bench.get(path).await.refused(400), [message], "{path}");
    }
}

#[tokio::test]
async fn too_many_points_are_told_what_would_fit() {
    let bench = Bench::new().await;
    for (range, resolution, message) in [
        (
            "startDate=2023-01-01&endDate=2023-01-05",
            "1",
            "the range has 5760 points, at most 5000 are answered; resolution 5 would fit",
        ),
        (
            "startDate=1970-01-01&endDate=2020-01-01",
            "1",
            "the range has 26297280 points, at most 5000 are answered; resolution 1W would fit",
        ),
        (
            "startDate=2000-01-01",
            "1D",
            "the range has 8719 points, at most 5000 are answered; resolution 1W would fit",
        ),
    ] {
        let answer = bench
            .get(&format!("{CANDLES}?{range}&resolution={resolution}"))
            .await;
        assert_eq!(answer.refused(400), [message]);
    }
    // 5,000 minutes exactly, and what the future is cut to.
    for range in [
        "startDate=2023-01-01&endDate=2023-01-04T11:20:00Z&resolution=1",
        "startDate=2023-11-12&endDate=2100-01-01&resolution=1",
    ] {
        assert_eq!(bench.get(&format!("{CANDLES}?{range}")).await.status, 200);
    }
    let one_more = "startDate=2023-01-01&endDate=2023-01-04T11:20:01Z&resolution=1";
    bench
        .get(&format!("{CANDLES}?{one_more}"))
        .await
        .refused(400);
}

#[tokio::test]
async fn everything_wrong_with_a_request_is_told_at_once() {
    let bench = Bench::new().await;
    let query = "startDate=x&endDate=y&resolution=z&partial=w&in=0x77";
    let answer = bench
        .get(&format!("/v1/tokens/0xg/prices/line?{query}"))
        .await;
    let messages = answer.refused(400);
    let first_words: Vec<_> = messages
        .iter()
        .map(|it| it.split(' ').next().unwrap())
        .collect();
    assert_eq!(
        first_words,
        [
            "tokenAddress",
            "in",
            "startDate",
            "endDate",
            "resolution",
            "partial"
        ]
    );
    let answer = bench.get("/v3/tokens/0x77/prices/line?resolution=z").await;
    assert_eq!(answer.refused(400).len(), 2);
}

#[tokio::test]
async fn an_unknown_token_of_a_path_is_a_wrong_value_in_plain_and_not_found_in_avnu() {
    for (dialect, status) in [(Dialect::Plain, 400), (Dialect::Avnu, 404)] {
        let bench = Bench::configured(|config| config.dialect = dialect).await;
        for operation in Operation::all("0x77").iter().filter(|it| it.takes_token) {
            let answer = operation.ask(&bench, "0x77", &[]).await;
            assert_eq!(answer.refused(status), [r#"token "0x77" not found"#]);
        }
        let answer = bench.get("/v3/tokens/0x77/prices/line?resolution=z").await;
        assert!(answer.refused(400)[0].starts_with("resolution must be"));
    }
}

#[tokio::test]
async fn a_malformed_token_of_a_path_is_a_wrong_value_in_both_dialects() {
    for dialect in [Dialect::Plain, Dialect::Avnu] {
        let bench = Bench::configured(|config| config.dialect = dialect).await;
        for operation in Operation::all("0xg").iter().filter(|it| it.takes_token) {
            let answer = operation.ask(&bench, "0xg", &[]).await;
            let message = r#"tokenAddress "0xg" has a character that is not a hexadecimal digit"#;
            assert_eq!(answer.refused(400), [message]);
        }
        let answer = bench.get("/v3/tokens/%ff/prices/line").await;
        assert_eq!(
            answer.refused(400),
            ["tokenAddress must be percent-encoded UTF-8"]
        );
    }
}

#[tokio::test]
async fn a_token_without_a_price_has_no_record_but_empty_series() {
    for (dialect, status) in [(Dialect::Plain, 400), (Dialect::Avnu, 404)] {
        let bench = Bench::configured(|config| config.dialect = dialect).await;
        for path in ["/v3/tokens/0x30", "/v1/tokens/0x30"] {
            let answer = bench.get(path).await;
            assert_eq!(answer.refused(status), [r#"token "0x30" has no price yet"#]);
        }
        for operation in Operation::all("0x30").iter().filter(|it| it.takes_token) {
            if operation.path.ends_with("0x30") {
                continue;
            }
            let answer = operation.ask(&bench, "0x30", &[]).await;
            let nothing = if operation.path.contains("/trades") {
                "{\"content\":[],\"next\":null}\n"
            } else {
                "[]\n"
            };
            assert_eq!((answer.status.as_u16(), answer.text()), (200, nothing));
            assert_eq!(answer.header("x-partial-bucket"), None);
        }
    }
}

#[tokio::test]
async fn prices_of_none_or_too_many_tokens_are_refused() {
    let bench = Bench::new().await;
    let body = |count: usize| format!(r#"{{"tokens":[{}]}}"#, vec![r#""0x30""#; count].join(","));
    let number =
        |name: &str, most, given| format!("{name} must have 1 to {most} addresses, not {given}");
    for path in ["/v3/tokens/prices", "/v1/tokens/prices"] {
        for count in [0, 51, 1_000] {
            let answer = post(&bench, path, body(count)).await;
            assert_eq!(answer.refused(400), [number("tokens", 50, count)]);
        }
        assert_eq!(post(&bench, path, body(50)).await.status, 200);
    }
    for count in [0, 11] {
        let query = "token=0x30&".repeat(count);
        let answer = bench.get(&format!("/v1/tokens/prices?{query}")).await;
        assert_eq!(answer.refused(400), [number("token", 10, count)]);
    }
    let query = "token=0x30&".repeat(10);
    assert_eq!(
        bench
            .get(&format!("/v1/tokens/prices?{query}"))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn each_malformed_address_is_named() {
    let bench = Bench::new().await;
    let messages = |name: &str| {
        [
            format!(r#"{name}: "ETH" must begin with 0x"#),
            format!(r#"{name}: "0x" must have 1 to 64 hexadecimal digits after 0x"#),
        ]
    };
    for path in ["/v3/tokens/prices", "/v1/tokens/prices"] {
        let body = r#"{"tokens":["0x30","ETH","0x"]}"#.to_owned();
        assert_eq!(
            post(&bench, path, body).await.refused(400),
            messages("tokens")
        );
        for (body, problem) in [
            ("{}", "missing field `tokens`"),
            ("[]", "must be an object, not an array"),
            (r#" [["0x30"]]"#, "must be an object, not an array"),
            ("null", "must be an object"),
            (r#"{"tokens":"0x30"}"#, "invalid type: string"),
            (
                r#"{"tokens":[48]}"#,
                "invalid type: integer `48`, expected a token address",
            ),
            (r#"{"tokens":["0x30""#, "EOF while parsing"),
            ("", "EOF while parsing"),
        ] {
            let answer = post(&bench, path, body.to_owned()).await;
            let messages = answer.refused(400);
            let whole = format!("request body: {problem}");
            assert!(messages[0].starts_with(&whole), "{messages:?}");
        }
    }
    let answer = bench
        .get("/v1/tokens/prices?token=0x30&token=ETH&token=0x")
        .await;
    assert_eq!(answer.refused(400), messages("token"));
}
