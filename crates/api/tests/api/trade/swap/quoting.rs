//! Quotes as they are answered.

use super::support::{AMOUNT, Desk, ETH, STRK, USDC, hex, sale};
use api::Dialect;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
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

/// What the plain dialect has beyond the published API, but for what depends on
/// a taker.
const ADDITIONS: [&str; 2] = ["gapBps", "swaps"];

#[tokio::test]
async fn a_quote_says_everything() {
    let desk = Desk::new().await;
    let quote = desk.quote(&sale(AMOUNT)).await;
    let mut fields = [&FIELDS[..], &ADDITIONS[..]].concat();
    fields.sort_unstable();
    assert_eq!(names(&quote), fields);
    assert!(quote["gapBps"].as_f64().unwrap() >= 0.0);
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

#[tokio::test]
async fn swaps_are_told_in_the_order_of_execution() {
    let desk = Desk::new().await;
    let snapshot = desk.station.snapshots.load().unwrap();
    let venues: Vec<&str> = snapshot
        .pools
        .registry()
        .venues()
        .iter()
        .map(|venue| venue.name.as_str())
        .collect();
    let mut forms = BTreeSet::new();
    for amount in ["1000000", AMOUNT, "500000000000000000000"] {
        for quote in desk.quotes(&format!("{}&size=5", sale(amount))).await {
            // What there is of each token before and after each swap.
            let mut held = BTreeMap::from([(ETH.to_owned(), hex(&quote["sellAmount"]))]);
            let swaps = quote["swaps"].as_array().unwrap();
            for swap in swaps {
                assert_eq!(
                    names(swap),
                    [
                        "buyAmount",
                        "buyTokenAddress",
                        "pool",
                        "sellAmount",
                        "sellTokenAddress",
                        "venue",
                    ]
                );
                assert!(venues.contains(&swap["venue"].as_str().unwrap()));
                let token = |name: &str| swap[name].as_str().unwrap().to_owned();
                let sold = held.get_mut(&token("sellTokenAddress")).unwrap();
                *sold -= hex(&swap["sellAmount"]);
                *held.entry(token("buyTokenAddress")).or_default() += hex(&swap["buyAmount"]);
                forms.insert(pool_form(swap));
            }
            let fee = hex(&quote["fee"]["platformFees"]);
            let bought = held.remove(USDC).unwrap();
            assert_eq!(bought, hex(&quote["buyAmount"]) + fee);
            assert!(held.values().all(|left| *left == 0), "{held:?}");
        }
    }
    assert!(forms.len() >= 2, "{forms:?}");
}

/// What kind of pool a swap names, as its venue does.
fn pool_form(swap: &Value) -> &'static str {
    let pool = swap["pool"].as_str().unwrap();
    match (swap["venue"].as_str().unwrap(), pool.split('/').count()) {
        ("Ekubo", 5) => {
            let mut tokens: Vec<&str> = pool.split('/').take(2).collect();
            let mut traded =
                ["sellTokenAddress", "buyTokenAddress"].map(|name| swap[name].as_str().unwrap());
            tokens.sort_unstable();
            traded.sort_unstable();
            assert_eq!(tokens, traded);
            "key"
        }
        ("mySwap", 1) => {
            pool.parse::<u64>().unwrap();
            "number"
        }
        (_, 1) => {
            assert!(pool.starts_with("0x") && pool.len() > 20, "{pool}");
            "contract"
        }
        _ => panic!("{swap}"),
    }
}

#[tokio::test]
async fn slippage_is_told_once_prices_have_moved() {
    let mut desk = Desk::new().await;
    // Either direction pays less at some time if prices move at all.
    let back = format!("sellTokenAddress={USDC}&buyTokenAddress={ETH}&sellAmount=1000000000");
    for _ in 0..3 {
        desk.world.node.mine(10).unwrap();
        desk.station.sync().await;
    }
    let mut moved = 0;
    for query in [sale(AMOUNT), back, sale("100000000000000000000")] {
        let quote = desk.quote(&query).await;
        let slippage = quote["estimatedSlippage"].as_f64().unwrap();
        assert!((0.0..100.0).contains(&slippage), "{slippage}");
        moved += usize::from(slippage > 0.0);
        // A process that begins now knows the same.
        let station = desk.world.station("store").await;
        desk = desk.reopened(station, swap_options());
        desk.station.sync().await;
        let again = desk.quote(&query).await;
        assert_eq!(again["estimatedSlippage"], quote["estimatedSlippage"]);
    }
    assert!(moved >= 2, "{moved}");
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
    let ekubo = sources.iter().find(|it| it["name"] == "Ekubo").unwrap();
    assert_eq!(ekubo["type"], "DEX");
    assert!(ekubo["tradablePools"].as_u64() > Some(0), "{ekubo}");
    assert!(ekubo["tradablePools"].as_u64() <= ekubo["pools"].as_u64());
    let class = &ekubo["classes"][0];
    let fields = "agreed classHash pinned pools rule verdict";
    assert_eq!(names(class), fields.split(' ').collect::<Vec<_>>());
    assert_eq!(
        (&class["pinned"], &class["pools"]),
        (&json!(true), &ekubo["pools"])
    );
    assert!(sources.iter().all(|it| it["name"] != "JediSwap v2"));
    let endur = sources.iter().find(|it| it["name"] == "Endur").unwrap();
    assert_eq!(endur["type"], "TOKEN_WRAPPER");
    assert_eq!(endur["tradablePools"], 1);
    assert_eq!(sources.len(), 8);
    let desk = Desk::with(Dialect::Avnu, swap_options()).await;
    let sources = desk.bench.get("/swap/v3/sources").await.json();
    let sources = sources.as_array().unwrap();
    assert!(sources.contains(&json!({"name": "Ekubo", "type": "DEX"})));
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
async fn who_finds_the_queue_full_is_told_so_and_when_to_ask_again() {
    let mut options = swap_options();
    options.queue = 0;
    let desk = Desk::with(Dialect::Plain, options).await;
    let answer = desk.ask(&sale(AMOUNT)).await;
    assert_eq!(
        answer.refused(503),
        ["too many quotes are waiting; try again in a moment"]
    );
    assert_eq!(answer.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn a_deadline_cuts_a_search_and_not_those_who_wait_for_one() {
    let mut options = swap_options();
    options.deadline = Duration::ZERO;
    let desk = Desk::with(Dialect::Plain, options).await;
    let query = sale(AMOUNT);
    let asked = (0..12).map(|_| desk.quotes(&query));
    for quotes in futures_util::future::join_all(asked).await {
        assert_eq!(quotes.len(), 1);
    }
}
