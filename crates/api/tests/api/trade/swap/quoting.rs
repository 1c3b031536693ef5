//! Quotes as they are answered.

use super::support::{AMOUNT, Desk, ETH, STRK, USDC, hex, sale};
use api::Dialect;
use serde_json::{Value, json};
use std::time::Duration;
use world::swap_options;

const FIELDS: [&str; 18] = [
    "blockNumber",
    "buyAmount",
    "buyAmountInUsd",
    "buyTokenAddress",
    "buyTokenPriceInUsd",
    "chainId",
    "estimatedSlippage",
    "expiry",
    "fee",
    "gasFees",
    "gasFeesInUsd",
    "priceImpact",
    "quoteId",
    "routes",
    "sellAmount",
    "sellAmountInUsd",
    "sellTokenAddress",
    "sellTokenPriceInUsd",
];

fn names(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_quote_says_everything() {
    let desk = Desk::new().await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    assert_eq!(names(&quote), FIELDS);
    assert_eq!(quote["sellTokenAddress"], ETH);
    assert_eq!(quote["buyTokenAddress"], USDC);
    assert_eq!(quote["sellAmount"], AMOUNT);
    assert_eq!(quote["chainId"], "0x534e5f53544f41");
    let head = desk.station.snapshots.load().unwrap().head.number;
    assert_eq!(quote["blockNumber"], format!("{head:#x}"));
    assert_eq!(quote["expiry"], 1_800_000_030);
    assert_eq!(quote["quoteId"].as_str().unwrap().len(), 36);
    let number = |name: &str| quote[name].as_f64().unwrap();
    assert!((number("sellAmountInUsd") - number("sellTokenPriceInUsd")).abs() < 1e-6);
    let bought: f64 = hex(&quote["buyAmount"]).to_string().parse().unwrap();
    let whole = bought / 1e6 * number("buyTokenPriceInUsd");
    assert!((number("buyAmountInUsd") - whole).abs() < 1e-6 * whole);
    let impact = (number("buyAmountInUsd") / number("sellAmountInUsd") - 1.0) * 1e4;
    assert!((number("priceImpact") - impact).abs() < 1e-6);
    assert!(impact < 0.0 && impact > -500.0, "{impact}");
    assert!((0.0..100.0).contains(&number("estimatedSlippage")));
    assert!(hex(&quote["gasFees"]) > 0 && number("gasFeesInUsd") > 0.0);
    assert_eq!(
        names(&quote["fee"]),
        [
            "feeToken",
            "integratorFees",
            "integratorFeesBps",
            "integratorFeesInUsd",
            "platformFees",
            "platformFeesBps",
            "platformFeesInUsd",
        ]
    );
    assert_eq!(quote["fee"]["feeToken"], USDC, "dollars weigh more");
    let bps = hex(&quote["fee"]["platformFeesBps"]);
    assert!([2, 15].contains(&bps), "{bps}");
    let fee = hex(&quote["fee"]["platformFees"]);
    assert_eq!(fee, (hex(&quote["buyAmount"]) + fee) * bps / 10_000);
    assert_eq!(quote["fee"]["integratorFees"], "0x0");
}

#[tokio::test]
async fn the_other_dialect_has_its_own_names_of_fees() {
    let desk = Desk::with(Dialect::Avnu, swap_options()).await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    assert_eq!(names(&quote), FIELDS);
    assert_eq!(
        names(&quote["fee"]),
        [
            "avnuFees",
            "avnuFeesBps",
            "avnuFeesInUsd",
            "feeToken",
            "integratorFees",
            "integratorFeesBps",
            "integratorFeesInUsd",
        ]
    );
}

/// Siblings take everything together, and children begin where their parent
/// ends.
fn check_tree(routes: &Value, from: &Value, to: &Value) {
    let routes = routes.as_array().unwrap();
    let sum: f64 = routes
        .iter()
        .map(|it| it["percent"].as_f64().unwrap())
        .sum();
    assert!((sum - 1.0).abs() < 1e-9, "{routes:?}");
    for route in routes {
        assert_eq!(
            names(route),
            [
                "address",
                "alternativeSwapCount",
                "buyTokenAddress",
                "name",
                "percent",
                "routes",
                "sellTokenAddress",
            ]
        );
        assert_eq!(route["alternativeSwapCount"], 0);
        assert_eq!(&route["sellTokenAddress"], from);
        if &route["buyTokenAddress"] == to {
            assert_eq!(route["routes"], json!([]));
        } else {
            check_tree(&route["routes"], &route["buyTokenAddress"], to);
        }
    }
}

#[tokio::test]
async fn routes_are_a_tree_whose_siblings_add_to_one() {
    let desk = Desk::new().await;
    for amount in ["1000", "0xde0b6b3a7640000", "500000000000000000000"] {
        for quote in desk.quotes(&format!("{}&size=5", sale(amount))).await {
            let (from, to) = (&quote["sellTokenAddress"], &quote["buyTokenAddress"]);
            check_tree(&quote["routes"], from, to);
        }
    }
}

#[tokio::test]
async fn alternatives_are_different_and_the_best_is_first() {
    let desk = Desk::new().await;
    let best = desk.quote(&sale(AMOUNT)).await;
    let quotes = desk.quotes(&format!("{}&size=5", sale(AMOUNT))).await;
    assert!((2..=5).contains(&quotes.len()), "{}", quotes.len());
    assert_eq!(quotes[0]["buyAmount"], best["buyAmount"]);
    let net = |quote: &Value| {
        quote["buyAmountInUsd"].as_f64().unwrap() - quote["gasFeesInUsd"].as_f64().unwrap()
    };
    for pair in quotes.windows(2) {
        assert_ne!(pair[0]["routes"], pair[1]["routes"]);
        assert_ne!(pair[0]["quoteId"], pair[1]["quoteId"]);
        assert!(net(&pair[0]) >= net(&pair[1]) * (1.0 - 1e-6));
    }
}

#[tokio::test]
async fn an_amount_may_be_written_in_any_form() {
    let desk = Desk::new().await;
    let bought = desk.quote(&sale(AMOUNT)).await["buyAmount"].clone();
    for amount in [
        "0x0de0b6b3a7640000",
        "0xDE0B6B3A7640000",
        "1000000000000000000",
    ] {
        assert_eq!(desk.quote(&sale(amount)).await["buyAmount"], bought);
    }
    let padded = sale(AMOUNT).replace("0x49d3", "0x049d3");
    assert_eq!(desk.quote(&padded).await["buyAmount"], bought);
}

#[tokio::test]
async fn a_purchase_has_the_smallest_amount_that_is_enough() {
    let desk = Desk::new().await;
    let query = format!("sellTokenAddress={STRK}&buyTokenAddress={USDC}&buyAmount=0x5f5e100");
    let quote = desk.quote(&query).await;
    assert_eq!(quote["buyAmount"], "0x5f5e100");
    let sold = hex(&quote["sellAmount"]);
    assert!(sold > 0);
    // The same fee rules do not hold for a sale, so that only the order of
    // magnitude can be compared.
    let sale = format!("sellTokenAddress={STRK}&buyTokenAddress={USDC}&sellAmount={sold}");
    let bought = hex(&desk.quote(&sale).await["buyAmount"]);
    assert!((99_000_000..=100_000_000).contains(&bought), "{bought}");
}

#[tokio::test]
async fn only_what_is_asked_for_is_used() {
    let desk = Desk::new().await;
    let amount = "300000000000000000000";
    for quote in desk
        .quotes(&format!("{}&onlyDirect=true", sale(amount)))
        .await
    {
        let routes = quote["routes"].as_array().unwrap();
        assert!(routes.iter().all(|it| it["buyTokenAddress"] == USDC));
    }
    let sources = desk.bench.get("/swap/v3/sources").await.json();
    let all: Vec<&str> = sources
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    for name in &all {
        let query = format!(
            "{}&excludeSources={}&excludeSources=Unheard",
            sale(amount),
            name.to_uppercase().replace(' ', "%20")
        );
        for quote in desk.quotes(&query).await {
            let text = quote["routes"].to_string();
            assert!(!text.contains(&format!("\"name\":\"{name}\"")), "{text}");
        }
    }
    let none: Vec<String> = all
        .iter()
        .map(|name| format!("excludeSources={}", name.replace(' ', "%20")))
        .collect();
    let query = format!("{}&{}", sale(amount), none.join("&"));
    assert_eq!(desk.quotes(&query).await, Vec::<Value>::new());
}

#[tokio::test]
async fn sources_are_the_exchanges_that_routes_may_pass() {
    let desk = Desk::new().await;
    let sources = desk.bench.get("/swap/v3/sources").await.json();
    let sources = sources.as_array().unwrap();
    assert!(sources.contains(&json!({"name": "Ekubo", "type": "DEX"})));
    assert!(sources.iter().all(|it| it["name"] != "JediSwap v2"));
    assert_eq!(sources.len(), 7);
}

#[tokio::test]
async fn an_integrator_is_paid_and_the_buyer_gets_less() {
    let desk = Desk::new().await;
    let alone = desk.quote(&sale(AMOUNT)).await;
    for fees in ["30", "0x1e", "0x01e"] {
        let query = format!(
            "{}&integratorFees={fees}&integratorFeeRecipient=0xfee&integratorName=My%20app",
            sale(AMOUNT)
        );
        let quote = desk.quote(&query).await;
        assert_eq!(quote["fee"]["integratorFeesBps"], "0x1e");
        let fee = hex(&quote["fee"]["integratorFees"]);
        let total = hex(&quote["buyAmount"]) + fee + hex(&quote["fee"]["platformFees"]);
        assert_eq!(fee, total * 30 / 10_000);
        assert!(hex(&quote["buyAmount"]) < hex(&alone["buyAmount"]));
    }
}

#[tokio::test]
async fn where_there_is_no_way_there_are_no_quotes() {
    let desk = Desk::new().await;
    // More than all pools hold.
    let query = format!(
        "sellTokenAddress={ETH}&buyTokenAddress={USDC}&buyAmount=0x{}",
        "f".repeat(64)
    );
    assert_eq!(desk.quotes(&query).await, Vec::<Value>::new());
    // What a unit buys is lost in rounding.
    assert_eq!(desk.quotes(&sale("1")).await, Vec::<Value>::new());
}

#[tokio::test]
async fn what_waits_too_long_is_refused_with_the_time_to_ask_again() {
    let mut options = swap_options();
    options.deadline = Duration::ZERO;
    let desk = Desk::with(Dialect::Plain, options).await;
    let answer = desk.ask(&sale(AMOUNT)).await;
    assert_eq!(
        answer.refused(503),
        ["too many quotes are asked for; try again in a moment"]
    );
    assert_eq!(answer.header("retry-after"), Some("1"));
}
