//! Hashing typed data against the bare hashes of the same lists of elements.

use crate::{Goal, Row, median};
use primitives::typed_data::TypedData;
use primitives::{Felt, felt_to_hex};
use serde_json::{Value, json};
use starknet_types_core::hash::{Pedersen, Poseidon, StarkHash};
use std::hint::black_box;
use tokio::time::Instant;

const TURNS: usize = 15;
const PER_TURN: usize = 4;
const CALLS: usize = 8;
const CALLDATA: usize = 12;

/// An account, as large as most elements of a document.
const ACCOUNT: Felt =
    Felt::from_hex_unchecked("0x402cf917e04ae77824b265838c2974eb9e9728322f21adf376a8f5576a83348");

pub(crate) fn rows() -> Vec<Row> {
    vec![
        Row {
            what: "typed data of revision 1, hashed",
            baseline: "Poseidon of the same lists, time",
            ratio: ratio(&outside_execution("1"), Poseidon::hash_array),
            goal: Goal::AtMost(1.3),
        },
        Row {
            what: "typed data of revision 0, hashed",
            baseline: "Pedersen of the same lists, time",
            ratio: ratio(&outside_execution("0"), Pedersen::hash_array),
            goal: Goal::AtMost(1.3),
        },
    ]
}

fn ratio(document: &Value, bare: fn(&[Felt]) -> Felt) -> f64 {
    let lists = lists();
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let start = Instant::now();
        for _ in 0..PER_TURN {
            for list in &lists {
                black_box(bare(black_box(list)));
            }
        }
        let alone = start.elapsed();
        let start = Instant::now();
        for _ in 0..PER_TURN {
            let data = TypedData::parse(black_box(document)).unwrap();
            black_box(data.hash(ACCOUNT).unwrap());
        }
        ratios.push(start.elapsed().as_secs_f64() / alone.as_secs_f64());
    }
    median(ratios)
}

/// Elements of which no two are the same.
fn elements(count: usize) -> Vec<Felt> {
    let numbers = 1..=count;
    numbers.map(|number| ACCOUNT * Felt::from(number)).collect()
}

/// What an account signs that lets others make calls in its name.
fn outside_execution(revision: &str) -> Value {
    let felt = felt_to_hex(ACCOUNT);
    let calldata: Vec<String> = elements(CALLDATA).into_iter().map(felt_to_hex).collect();
    let call = json!({"To": felt, "Selector": felt, "Calldata": calldata});
    let domain = members(&[
        ("name", "felt"),
        ("version", "felt"),
        ("chainId", "felt"),
        ("revision", "felt"),
    ]);
    json!({
        "types": {
            "StarknetDomain": domain,
            "StarkNetDomain": domain,
            "OutsideExecution": members(&[
                ("Caller", "felt"),
                ("Nonce", "felt"),
                ("Execute After", "felt"),
                ("Execute Before", "felt"),
                ("Calls", "Call*"),
            ]),
            "Call": members(&[("To", "felt"), ("Selector", "selector"), ("Calldata", "felt*")]),
        },
        "primaryType": "OutsideExecution",
        "domain": {"name": felt, "version": felt, "chainId": felt, "revision": revision},
        "message": {
            "Caller": felt,
            "Nonce": felt,
            "Execute After": felt,
            "Execute Before": felt,
            "Calls": vec![call; CALLS],
        },
    })
}

fn members(members: &[(&str, &str)]) -> Value {
    let members = members.iter();
    members
        .map(|(name, kind)| json!({"name": name, "type": kind}))
        .collect()
}

/// As many elements in as many lists as are hashed for it: domain, calls,
/// message and the whole; for every call its calldata and itself. A type's hash
/// is one of them.
fn lists() -> Vec<Vec<Felt>> {
    let mut lists = [5, CALLS, 6, 4].map(elements).to_vec();
    for _ in 0..CALLS {
        lists.extend([CALLDATA, 4].map(elements));
    }
    lists
}
