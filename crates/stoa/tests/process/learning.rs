//! A network on which nobody named a class: what the program says while nothing
//! is tradable, and how it learns.

use crate::harness::{FREE_PORTS, Home, Service, eventually, run, serve, text};
use serde_json::{Value, json};
use simnet::StarknetNode;
use std::fs;
use world::{Relay, World};

/// `SN_SEPOLIA`.
const SEPOLIA: &str = "0x534e5f5345504f4c4941";

/// Blocks within which the venues that are on trade often enough.
const ENOUGH: u32 = 200;

/// A simulated node that says that it follows the test network.
async fn sepolia(world: &World) -> Relay {
    let says = |method: &str, _: &Value, answer: &mut Value| {
        if method == "starknet_chainId" {
            answer["result"] = json!(SEPOLIA);
        }
    };
    Relay::start(&world.node, says).await
}

/// The venues of the simulated network, of whose classes nothing is said, nor
/// whether they are on.
fn unnamed_venues() -> String {
    let mut venues: Value = serde_json::from_str(&StarknetNode::venues()).unwrap();
    for venue in venues.as_array_mut().unwrap() {
        let venue = venue.as_object_mut().unwrap();
        venue.insert("classes".to_owned(), json!({}));
        venue.remove("enabled");
    }
    venues.to_string()
}

async fn json_of(service: &Service, path: &str) -> Value {
    let answer = service.get(path).await;
    serde_json::from_str(&answer.body).unwrap()
}

/// How many pools are tradable, and why others are not.
async fn pools(service: &Service) -> (u64, String) {
    let ready = json_of(service, "/readyz").await;
    let pools = &ready["parts"]["starknet"]["pools"];
    let summary = pools["summary"].as_str().unwrap().to_owned();
    (pools["tradable"].as_u64().unwrap(), summary)
}

/// Quotes of a stable for a hub.
async fn quotes(service: &Service) -> Value {
    let anchors: Value = serde_json::from_str(&StarknetNode::anchors()).unwrap();
    let [stable, hub] = ["stables", "hubs"].map(|role| anchors[role][0].as_str().unwrap());
    let path = format!(
        "/swap/v3/quotes?sellTokenAddress={stable}&buyTokenAddress={hub}&sellAmount=0xf4240"
    );
    json_of(service, &path).await
}

fn doctor(home: &Home, node: &str, venues: &str) -> String {
    let data = home.data().display().to_string();
    let mut command = crate::harness::stoa(&["doctor", "--data", &data, "--starknet-rpc", node]);
    command
        .args(FREE_PORTS)
        .env("STOA__STARKNET__VENUES", venues);
    text(&command.output().unwrap().stdout)
}

/// The list of venues with what was learned.
fn classes(home: &Home, venues: &str) -> String {
    let data = home.data().display().to_string();
    let mut command = crate::harness::stoa(&["classes", "--data", &data]);
    command.env("STOA__STARKNET__VENUES", venues);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_network_becomes_tradable_by_what_its_contracts_do() {
    let world = World::with_history(11, 2).await;
    let relay = sepolia(&world).await;
    let home = Home::new();
    let lists = [
        ("venues", unnamed_venues()),
        ("anchors", StarknetNode::anchors()),
    ];
    let [venues, anchors] = lists.map(|(name, list)| {
        let path = home.path(name);
        fs::write(&path, list).unwrap();
        path.display().to_string()
    });
    let start = || {
        let mut command = serve(&home.data(), &["--starknet-rpc", relay.url.as_str()]);
        command.env("STOA__STARKNET__VENUES", &venues);
        command.env("STOA__STARKNET__ANCHORS", &anchors);
        let exchange = primitives::felt_to_hex(StarknetNode::exchange().felt());
        command.env("STOA__SWAP__EXCHANGE", exchange);
        Service::ready(command)
    };
    let service = start();
    assert_eq!(
        service.line("network"),
        "Starknet Sepolia, chain id SN_SEPOLIA"
    );
    let (tradable, summary) = pools(&service).await;
    assert_eq!(tradable, 0, "{summary}");
    assert!(summary.contains("too few swaps were seen"), "{summary}");
    assert!(summary.contains("their venue is switched off"), "{summary}");
    assert_eq!(quotes(&service).await, json!([]));
    let metrics = service.get("/metrics").await.body;
    let unproven = "stoa_pools{venue=\"Ekubo\",state=\"class\"}";
    assert!(metrics.contains(unproven), "{metrics}");
    assert_eq!(service.end_with("TERM").code(), Some(0));
    let found = doctor(&home, relay.url.as_str(), &venues);
    assert!(found.contains("warn  pools     0 of "), "{found}");

    let service = start();
    world.node.mine(ENOUGH).unwrap();
    eventually("pools are tradable", async || {
        (pools(&service).await.0 >= 8).then_some(())
    })
    .await;
    eventually("there is a quote", async || {
        quotes(&service).await.get(0).map(drop)
    })
    .await;
    let quote = quotes(&service).await;
    assert_eq!(quote[0]["chainId"], SEPOLIA, "{quote}");
    let sources = json_of(&service, "/swap/v3/sources").await;
    let sources = sources.as_array().unwrap();
    let ekubo = sources.iter().find(|source| source["name"] == "Ekubo");
    let ekubo = ekubo.unwrap();
    assert_eq!(ekubo["type"], "DEX");
    assert_eq!(ekubo["classes"][0]["verdict"], "learned", "{ekubo}");
    assert_eq!(ekubo["classes"][0]["rule"], "ekubo_exact", "{ekubo}");
    assert!(ekubo["tradablePools"].as_u64().unwrap() > 0, "{ekubo}");
    // Rules of our own stay off on a real network until somebody switches them on.
    assert!(!sources.iter().any(|source| source["name"] == "Nostra"));
    let metrics = service.get("/metrics").await.body;
    let learned = "stoa_classes{venue=\"Ekubo\",verdict=\"learned\"} 1";
    assert!(metrics.contains(learned), "{metrics}");
    assert_eq!(service.end_with("TERM").code(), Some(0));
    let found = doctor(&home, relay.url.as_str(), &venues);
    assert!(found.contains("ok    pools     "), "{found}");

    // What was learned can be shipped as a list: a service that has read nothing yet
    // trades with those classes.
    let learned = home.path("learned");
    fs::write(&learned, classes(&home, &venues)).unwrap();
    let other = Home::new();
    let mut command = serve(&other.data(), &["--starknet-rpc", relay.url.as_str()]);
    command
        .env("STOA__STARKNET__VENUES", &learned)
        .env("STOA__STARKNET__ANCHORS", &anchors);
    let service = Service::ready(command);
    let sources = json_of(&service, "/swap/v3/sources").await;
    let sources = sources.as_array().unwrap();
    let ekubo = sources.iter().find(|source| source["name"] == "Ekubo");
    assert_eq!(ekubo.unwrap()["classes"][0]["pinned"], true, "{sources:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_test_network_needs_no_lists() {
    let world = World::with_history(12, 2).await;
    let relay = sepolia(&world).await;
    let home = Home::new();
    let service = Service::ready(serve(&home.data(), &["--starknet-rpc", relay.url.as_str()]));
    assert_eq!(
        service.line("network"),
        "Starknet Sepolia, chain id SN_SEPOLIA"
    );
    let sources = json_of(&service, "/swap/v3/sources").await;
    assert_eq!(sources[0]["name"], "Ekubo");
    assert_eq!(sources[0]["tradablePools"], 0);
    assert_eq!(pools(&service).await.1, "0 of 0 pools are tradable");
    drop(service);
    // Nothing has to be named.
    let asked = [
        "doctor",
        "--data",
        &home.path("other").display().to_string(),
        "--starknet-rpc",
        relay.url.as_str(),
    ];
    let found = text(&run(&[&asked[..], &FREE_PORTS[..]].concat()).stdout);
    assert!(!found.contains("is known here"), "{found}");
}
