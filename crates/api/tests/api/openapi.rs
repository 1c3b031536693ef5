//! `/openapi/*.json`.

use crate::support::{Bench, schema};
use api::Dialect;
use axum::http::Request;
use serde_json::{Value, json};

/// The document of everything.
const WHOLE: &str = "openapi.json";

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Method, path and description of every operation.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(|(method, operation)| (method.to_uppercase(), path.clone(), operation.clone()))
    });
    operations.collect()
}

#[tokio::test]
async fn the_served_documents_are_the_generated_ones() {
    let bench = Bench::new().await;
    let documents = api::openapi_documents();
    assert_eq!(documents.len(), 6);
    for (name, text) in documents {
        let answer = bench.get(&format!("/openapi/{name}")).await;
        assert_eq!(
            (answer.status.as_u16(), answer.text()),
            (200, text.as_str()),
            "{name}"
        );
        assert_eq!(answer.json()["openapi"], "3.1.0");
    }
    let whole = bench.get("/openapi.json").await;
    assert_eq!(
        whole.text(),
        bench.get("/openapi/openapi.json").await.text()
    );
    bench.get("/openapi/other.json").await.refused(404);
}

#[test]
fn the_documents_in_the_repository_are_the_generated_ones() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi");
    let generated = api::openapi_documents();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), generated.len());
    for (name, text) in generated {
        let kept = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
        assert!(
            kept == text,
            "{name} has drifted: run `cargo run -p stoa -- openapi --out openapi`"
        );
    }
}

#[tokio::test]
async fn every_documented_operation_is_routed() {
    let bench = Bench::new().await;
    let mut paths = Vec::new();
    for (name, text) in api::openapi_documents() {
        // On another bench: tests/api/marketplace/openapi.rs.
        if ["marketplace.json", WHOLE].contains(&name) {
            continue;
        }
        for (method, path, _) in operations(&parse(&text)) {
            let uri = path
                .replace("{addressOrSymbol}", "ETH")
                .replace("{tokenAddress}", "0x30")
                .replace("{file}", "0x30.svg")
                .replace("{orderAddress}", "0x31")
                .replace("{poolAddress}", "0x32")
                .replace("{userAddress}", "0x33");
            let answer = bench
                .send(Request::builder().method(method.as_str()).uri(uri))
                .await;
            // Nobody can be staked with here, which is 404 too.
            let is_staking = path.starts_with("/staking/");
            let is_unknown = answer.text().contains("there is nothing at this path");
            let is_routed = match answer.status.as_u16() {
                404 => is_staking && !is_unknown,
                status => status != 405,
            };
            assert!(is_routed, "{name} {method} {path}");
            paths.push(path);
        }
    }
    paths.sort();
    let series = ["v1", "v3"].map(|version| {
        [
            "",
            "/exchange-tvl",
            "/exchange-tvl/line",
            "/exchange-volumes",
            "/exchange-volumes/line",
            "/prices/candle",
            "/prices/line",
            "/volumes/line",
        ]
        .map(|feed| format!("/{version}/tokens/{{tokenAddress}}{feed}"))
    });
    let others = [
        "/",
        "/dca/v3/orders",
        "/dca/v3/orders",
        "/dca/v3/orders/preview",
        "/dca/v3/orders/{orderAddress}/cancel",
        "/healthz",
        "/metrics",
        "/paymaster/v1/sponsor-activity",
        "/readyz",
        "/staking/v3",
        "/staking/v3/pools/{poolAddress}/members/{userAddress}",
        "/staking/v3/pools/{poolAddress}/members/{userAddress}/claim-rewards",
        "/staking/v3/pools/{poolAddress}/members/{userAddress}/claim-withdraw",
        "/staking/v3/pools/{poolAddress}/members/{userAddress}/initiate-withdraw",
        "/staking/v3/pools/{poolAddress}/members/{userAddress}/stake",
        "/swap/v3/build",
        "/swap/v3/quotes",
        "/swap/v3/sources",
        "/v1/starknet/tokens",
        "/v1/starknet/tokens/{addressOrSymbol}",
        "/v1/tokens",
        "/v1/tokens/prices",
        "/v1/tokens/prices",
        "/v1/tokens/short",
        "/v3/pools",
        "/v3/stream",
        "/v3/tokens",
        "/v3/tokens/prices",
        "/v3/tokens/table",
        "/v3/tokens/{tokenAddress}/trades",
        "/v3/venues",
        "/logo/{file}",
        "/udf/config",
        "/udf/history",
        "/udf/search",
        "/udf/symbols",
        "/udf/time",
    ];
    let mut expected: Vec<String> = others.map(str::to_owned).into();
    expected.extend(series.into_iter().flatten());
    expected.sort();
    assert_eq!(paths, expected);
}

#[test]
fn every_operation_of_the_api_is_described_with_its_refusals_and_headers() {
    for (name, text) in api::openapi_documents() {
        if ["trade.json", "market.json"].contains(&name) {
            check_descriptions(&parse(&text));
        }
    }
}

fn check_descriptions(document: &Value) {
    let mut ids = Vec::new();
    for (method, path, operation) in operations(document) {
        ids.push(operation["operationId"].clone());
        for field in ["summary", "description", "operationId"] {
            assert!(operation[field].is_string(), "{method} {path} {field}");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(parameter["description"].is_string(), "{parameter}");
            assert!(!parameter["example"].is_null(), "{parameter}");
        }
        let answers = operation["responses"].as_object().unwrap();
        // Pictures are not counted, so that nobody is refused one for what he is.
        let is_counted = !path.starts_with("/logo/");
        for status in ["200", "503"] {
            assert!(answers.contains_key(status), "{method} {path} {status}");
        }
        for status in ["401", "429", "500"] {
            let is_there = answers.contains_key(status);
            assert_eq!(is_there, is_counted, "{method} {path} {status}");
        }
        let limits = [
            "X-RateLimit-Limit",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset",
        ];
        for (status, answer) in answers {
            let answer = resolved(document, answer);
            let limits = limits.into_iter().filter(|_| is_counted);
            for header in limits.chain(["X-Request-Id"]) {
                let header = resolved(document, &answer["headers"][header]);
                assert!(
                    header["description"].is_string(),
                    "{method} {path} {status}"
                );
            }
            let contents = answer["content"].as_object();
            let content = contents.and_then(|it| it.values().next());
            let schema = content.map_or(&Value::Null, |it| &it["schema"]);
            // Pictures and times are no JSON.
            if schema["type"] == "string" {
                continue;
            }
            let named = [&schema["$ref"], &schema["items"]["$ref"]];
            let is_named = named.iter().any(|it| it.is_string());
            assert_eq!(is_named, status != "304", "{method} {path} {status}");
        }
    }
    let given = ids.len();
    ids.sort_by_key(Value::to_string);
    ids.dedup();
    assert_eq!(ids.len(), given);
}

fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

#[test]
fn every_reference_leads_somewhere() {
    for (name, text) in api::openapi_documents() {
        let document = parse(&text);
        for part in text.split("\"$ref\": \"#").skip(1) {
            let pointer = part.split('"').next().unwrap();
            assert!(document.pointer(pointer).is_some(), "{name}: {pointer}");
        }
    }
}

#[test]
fn limits_are_documented_as_they_are_enforced() {
    let (_, text) = &api::openapi_documents()[0];
    let document = parse(text);
    let parameters = document["paths"]["/v1/starknet/tokens"]["get"]["parameters"].clone();
    let schema = |name: &str| {
        let all = parameters.as_array().unwrap();
        all.iter().find(|it| it["name"] == name).unwrap()["schema"].clone()
    };
    assert_eq!(
        (&schema("size")["minimum"], &schema("size")["maximum"]),
        (&json!(1), &json!(100))
    );
    assert_eq!(schema("size")["default"], 20);
    assert_eq!(schema("page")["maximum"], 1_000_000_000);
    assert_eq!(schema("search")["maxLength"], 200);
    assert_eq!(schema("sort")["maxItems"], 5);
    assert_eq!(
        document["components"]["schemas"]["Tag"]["enum"],
        json!(["Unknown", "Verified", "Community", "Unruggable", "PLATFORM"])
    );
    let required = document["components"]["schemas"]["Token"]["required"]
        .as_array()
        .unwrap()
        .len();
    assert!(required >= 7);
}

#[tokio::test]
async fn the_served_document_has_the_network_and_the_dialect_of_the_service() {
    let bench = Bench::configured(|config| {
        config.network = "sepolia".parse().unwrap();
        config.dialect = Dialect::Avnu;
    })
    .await;
    let document = bench.get("/openapi/trade.json").await;
    assert!(document.json()["paths"]["/v1/sepolia/tokens"].is_object());
    assert!(document.text().contains("coingeckoId") && document.text().contains("\"AVNU\""));
    for word in ["{network}", "starknet/tokens", "aggregatorId", "PLATFORM"] {
        assert!(!document.text().contains(word), "{word}");
    }
}

#[tokio::test]
async fn only_the_plain_dialect_documents_what_it_adds() {
    let additions = [
        ("trade.json", "Quote", "gapBps"),
        ("trade.json", "Quote", "swaps"),
        ("trade.json", "Quote", "exceedsBalance"),
        ("market.json", "NetworkFigures", "usdTvlUncounted"),
        ("market.json", "MarketV1", "networkTvlUncounted"),
    ];
    for (dialect, has_additions) in [(Dialect::Plain, true), (Dialect::Avnu, false)] {
        let bench = Bench::configured(|config| config.dialect = dialect).await;
        for (name, schema, key) in additions {
            let document = bench.get(&format!("/openapi/{name}")).await.json();
            let schemas = &document["components"]["schemas"];
            let schema = &schemas[schema];
            assert!(schema["properties"].is_object(), "{name} {key}");
            let is_there = schema["properties"].get(key).is_some();
            assert_eq!(is_there, has_additions, "{dialect} {key}");
            let required = schema["required"].as_array().unwrap();
            let must_be_there = has_additions && key == "swaps";
            assert_eq!(required.contains(&json!(key)), must_be_there, "{key}");
            let has_swaps = schemas.get("QuoteSwap").is_some();
            assert_eq!(has_swaps, has_additions && name == "trade.json");
        }
    }
}

fn whole() -> Value {
    let (name, text) = api::openapi_documents().pop().unwrap();
    assert_eq!(name, WHOLE);
    parse(&text)
}

#[test]
fn the_whole_document_has_every_operation_of_every_part() {
    let whole = whole();
    let mut ids = Vec::new();
    for (name, text) in api::openapi_documents() {
        let part = parse(&text);
        assert_eq!(part["servers"][0]["url"], "/", "{name}");
        if name == WHOLE {
            continue;
        }
        for (method, path, mut operation) in operations(&part) {
            ids.push(operation["operationId"].to_string());
            let same = &whole["paths"][&path][method.to_lowercase()];
            let inherited = part.get("security").cloned().unwrap_or_else(|| json!([]));
            if operation["security"].is_null() {
                operation["security"] = inherited;
            }
            assert_eq!(*same, operation, "{name} {method} {path}");
        }
        for (kind, named) in part["components"].as_object().unwrap() {
            for (component, content) in named.as_object().unwrap() {
                let same = &whole["components"][kind][component];
                assert_eq!(same, content, "{name} {kind} {component}");
            }
        }
    }
    assert_eq!(operations(&whole).len(), ids.len());
    ids.sort();
    let given = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), given);
}

#[test]
fn every_tag_is_described_once() {
    let whole = whole();
    let tags = whole["tags"].as_array().unwrap();
    for (method, path, operation) in operations(&whole) {
        let [tag] = operation["tags"].as_array().unwrap().as_slice() else {
            panic!("{method} {path} has not one tag");
        };
        let described = tags.iter().filter(|it| it["name"] == *tag);
        let texts = described.map(|it| it["description"].as_str().unwrap());
        assert_eq!(texts.count(), 1, "{tag}");
    }
}

#[test]
fn what_a_quote_needs_is_marked_as_required() {
    let whole = whole();
    let parameters = &whole["paths"]["/swap/v3/quotes"]["get"]["parameters"];
    let required = parameters.as_array().unwrap().iter();
    let required = required.filter(|it| it["required"] == json!(true));
    let names: Vec<&str> = required.map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["sellTokenAddress", "buyTokenAddress"]);
}

/// Bodies that are no text have no examples.
const BINARY: &str = "application/vnd.apache.parquet";

#[test]
fn every_body_and_every_success_has_an_example_that_fits() {
    let whole = whole();
    let mut problems = Vec::new();
    for (method, path, operation) in operations(&whole) {
        let answers = operation["responses"].as_object().unwrap().iter();
        let successes = answers.filter(|(status, _)| status.starts_with('2'));
        let bodies = successes.map(|(status, answer)| (status.as_str(), answer));
        for (what, body) in bodies.chain([("request", &operation["requestBody"])]) {
            for (kind, content) in body["content"].as_object().into_iter().flatten() {
                if kind == BINARY {
                    continue;
                }
                let checked = match content.get("example") {
                    None => Err("has no example".to_owned()),
                    Some(example) => schema::check(example, &content["schema"], &whole),
                };
                if let Err(problem) = checked {
                    problems.push(format!("{method} {path} {what} {kind}: {problem}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[tokio::test]
async fn examples_speak_the_dialect_of_the_service() {
    let bench = Bench::configured(|config| config.dialect = Dialect::Avnu).await;
    let document = bench.get("/openapi.json").await.json();
    for (method, path, operation) in operations(&document) {
        let content = &operation["responses"]["200"]["content"]["application/json"];
        if let Some(example) = content.get("example") {
            let fits = schema::check(example, &content["schema"], &document);
            assert_eq!(fits, Ok(()), "{method} {path}");
        }
    }
}
