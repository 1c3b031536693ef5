//! Compares routes with those of published routers, which are installed from
//! npm into a temporary folder and given the same pools. What each would sell
//! to which pool is executed by the same exact maths; nobody's own claim
//! counts. `./bench --peers` runs it; nothing else does.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a person reads the failure"
)]

use oracles::export::{self, Answered};
use oracles::generated::{GeneratedMarket, Plan, Query, Variant};
use oracles::measured::percentile;
use oracles::rivals::{Flows, Streets};
use routing::Graph;
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio, exit};

/// The routers, by the versions that were tried.
const PACKAGES: [&str; 3] = [
    "@sushiswap/tines@1.0.11",
    "viem@1.16.2",
    "@pancakeswap/smart-router@7.7.3",
];

const POOLS: usize = 2_000;
const QUERIES: usize = 200;
const SALES: usize = 40;

/// Whoever pays this much less than the best of all does not count as near.
const NEAR: f64 = 1e-4;

const OURS: &str = "this search";

/// Seconds that this thread has had a processor.
#[expect(clippy::cast_precision_loss, reason = "seconds of one measurement")]
fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// What one router buys in each sale, and the milliseconds it takes.
#[derive(Default)]
struct Answers {
    bought: BTreeMap<usize, f64>,
    milliseconds: Vec<f64>,
}

fn main() {
    let folder = std::env::temp_dir().join(format!("stoa-peers-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let result = compare(&folder);
    std::fs::remove_dir_all(&folder).unwrap();
    if let Err(problem) = result {
        eprintln!("{problem}");
        exit(1);
    }
}

fn compare(folder: &Path) -> Result<(), String> {
    install(folder)?;
    let market = GeneratedMarket::new(Plan {
        pools: POOLS,
        seed: 1,
        variant: Variant::ConstantProduct,
    });
    let queries = market.queries(1, QUERIES);
    let queries: Vec<Query> = queries
        .into_iter()
        .filter(|query| market.place(query.buy).is_some())
        .collect();
    let mut answers = asked(folder, &market, &queries)?;
    let sales: Vec<usize> = answers
        .values()
        .flat_map(|one| one.bought.keys().copied())
        .collect();
    answers.insert(OURS.to_owned(), ours(&market, &queries, &sales));
    print(&answers);
    Ok(())
}

fn install(folder: &Path) -> Result<(), String> {
    let npm = Command::new("npm")
        .args(["install", "--silent", "--no-save", "--prefix"])
        .arg(folder)
        .args(PACKAGES)
        .status();
    match npm {
        Ok(status) if status.success() => Ok(()),
        _ => Err(
            "the other routers could not be installed: is npm there, and its registry?".to_owned(),
        ),
    }
}

/// What the published routers answer.
fn asked(
    folder: &Path,
    market: &GeneratedMarket,
    queries: &[Query],
) -> Result<BTreeMap<String, Answers>, String> {
    let answered: Vec<Answered> = queries
        .iter()
        .map(|query| Answered {
            query: *query,
            order: query.asked(market),
            routes: Vec::new(),
        })
        .collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/run.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .arg(folder)
        .arg(SALES.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|problem| format!("node: {problem}"))?;
    let text = export::market(market, &answered).to_string();
    node.stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = node.wait_with_output().unwrap();
    let streets = Streets::new(market);
    let mut answers: BTreeMap<String, Answers> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let number = usize::try_from(answer["query"].as_u64().unwrap()).unwrap();
        let peer = answers
            .entry(answer["peer"].as_str().unwrap().to_owned())
            .or_default();
        peer.milliseconds
            .push(answer["milliseconds"].as_f64().unwrap());
        peer.bought.insert(
            number,
            settled(market, &streets, &queries[number], &answer["flows"]),
        );
    }
    Ok(answers)
}

/// What flows pay, each named by its pool, side and part of the trade.
fn settled(market: &GeneratedMarket, streets: &Streets, query: &Query, flows: &Value) -> f64 {
    let Some(trade) = streets.trade(query.sell, query.buy, f64::from(query.amount)) else {
        return 0.0;
    };
    let mut found = Flows::new();
    for flow in flows.as_array().unwrap() {
        let place = |at: usize| usize::try_from(flow[at].as_u64().unwrap()).unwrap();
        let street = 2 * place(0) + place(1);
        *found.entry(street).or_default() +=
            flow[2].as_f64().unwrap() * streets.same(street, &trade);
    }
    let route = streets.settled(&trade, &found, query.amount, market.pools());
    route.map_or(0.0, |route| f64::from(route.bought))
}

fn ours(market: &GeneratedMarket, queries: &[Query], sales: &[usize]) -> Answers {
    let graph = Graph::new(market.pools(), &BTreeSet::new());
    let mut answers = Answers::default();
    for number in sales {
        let order = queries[*number].asked(market);
        let start = now();
        let routes = routing::routes(&graph, market.pools(), &order, 1, &|| false);
        answers.milliseconds.push((now() - start) * 1e3);
        let bought = routes.first().map_or(0.0, |route| f64::from(route.bought));
        answers.bought.insert(*number, bought);
    }
    answers
}

fn print(answers: &BTreeMap<String, Answers>) {
    let mut best: BTreeMap<usize, f64> = BTreeMap::new();
    for (number, bought) in answers.values().flat_map(|one| &one.bought) {
        let most = best.entry(*number).or_default();
        *most = most.max(*bought);
    }
    println!("{POOLS} pools x·y = k, sales that somebody has a route for");
    for (name, one) in answers {
        let short = one.bought.iter().filter(|(number, _)| best[number] > 0.0);
        let short: Vec<f64> = short
            .map(|(number, bought)| 1.0 - bought / best[number])
            .collect();
        let near = short.iter().filter(|short| **short <= NEAR).count();
        let [middle, low, worst] = [0.5, 0.95, 1.0].map(|part| percentile(short.clone(), part));
        println!(
            "{name:<14} {near:>3} of {} within 10⁻⁴ of the best, short by p50 {middle:.1e} p95 {low:.1e} worst {worst:.1e}; {:.2} ms",
            short.len(),
            percentile(one.milliseconds.clone(), 0.5),
        );
    }
}
