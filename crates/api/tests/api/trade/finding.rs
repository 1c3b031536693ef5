//! `GET /v1/{network}/tokens/{addressOrSymbol}`.

use crate::support::Bench;
use serde_json::json;

#[tokio::test]
async fn a_token_is_found_by_address_padded_or_not() {
    let bench = Bench::new().await;
    let padded = format!("0x{:0>64}", "30");
    for address in ["0x30", "0x0030", "0X30", &padded] {
        let token = bench.get(&format!("/v1/starknet/tokens/{address}")).await;
        assert_eq!(
            token.json(),
            json!({
                "address": "0x30", "name": "Ether", "symbol": "ETH", "decimals": 18,
                "logoUri": "https://logo.example/eth.svg", "lastDailyVolumeUsd": 0.0,
                "extensions": {"aggregatorId": "ethereum", "website": "https://ether.example"},
                "tags": ["Verified", "PLATFORM"]
            })
        );
    }
}

#[tokio::test]
async fn a_symbol_means_the_verified_token_in_any_case() {
    let bench = Bench::new().await;
    for (symbol, address) in [
        ("ETH", "0x30"),
        ("eth", "0x30"),
        ("WSTETH", "0x20"),
        ("PLN%20%C3%A9%2F%25", "0x50"),
        ("pln%20%C3%89%2f%25", "0x50"),
    ] {
        let token = bench.get(&format!("/v1/starknet/tokens/{symbol}")).await;
        assert_eq!(token.json()["address"], address, "{symbol}");
    }
}

#[tokio::test]
async fn an_unknown_token_is_not_found() {
    let bench = Bench::new().await;
    let messages = |path: &'static str| {
        let bench = &bench;
        async move {
            bench
                .get(&format!("/v1/starknet/tokens/{path}"))
                .await
                .refused(404)
        }
    };
    assert_eq!(messages("NOPE").await, [r#"token "NOPE" not found"#]);
    assert_eq!(messages("0x31").await, [r#"token "0x31" not found"#]);
    assert_eq!(messages("49d3").await, [r#"token "49d3" not found"#]);
}

#[tokio::test]
async fn a_malformed_address_is_told_what_is_wrong() {
    let bench = Bench::new().await;
    let long = "0".repeat(65);
    for (address, message) in [
        (
            "0x",
            r#"address "0x" must have 1 to 64 hexadecimal digits after 0x"#,
        ),
        (
            "0xg",
            r#"address "0xg" has a character that is not a hexadecimal digit"#,
        ),
        (
            &format!("0x{long}"),
            "must have 1 to 64 hexadecimal digits after 0x",
        ),
        (
            &format!("0x{}", "f".repeat(64)),
            "is not below the Starknet field prime",
        ),
    ] {
        let answer = bench.get(&format!("/v1/starknet/tokens/{address}")).await;
        let messages = answer.refused(400);
        assert!(messages[0].ends_with(message), "{messages:?}");
    }
    let answer = bench.get("/v1/starknet/tokens/%ff").await;
    assert_eq!(
        answer.refused(400),
        ["addressOrSymbol must be percent-encoded UTF-8"]
    );
}

#[tokio::test]
async fn other_slashes_are_other_paths() {
    let bench = Bench::new().await;
    for path in [
        "tokens/",
        "tokens//",
        "tokens/ETH/",
        "tokens//ETH",
        "/tokens",
    ] {
        bench
            .get(&format!("/v1/starknet/{path}"))
            .await
            .refused(404);
    }
}
