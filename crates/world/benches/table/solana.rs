//! The simulated Solana node: taking payments against the bare check of their
//! signatures, and a page of an address's history against copying it.

use crate::{Goal, Row, median};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use ed25519_dalek::VerifyingKey;
use leasing::{Leg, Payment};
use primitives::{Lamports, ManualClock, PublicKey, Signature, SolanaHash, Timestamp};
use serde_json::{Value, json};
use simnet::{SolanaConfig, SolanaKeypair, SolanaNode};
use std::{hint::black_box, sync::Arc};
use tokio::time::Instant;

const TURNS: u64 = 9;
const PER_TURN: u64 = 400;

/// Payments in the history that is paged through, and pages in a turn.
const HISTORY: u64 = 40_000;
const PAGES: usize = 40;
const PAGE: usize = 1_000;

/// Slots after which everything is final.
const FINAL: u64 = 40;

pub(crate) fn rows() -> Vec<Row> {
    vec![taken(), paged()]
}

fn node() -> SolanaNode {
    let clock = ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap());
    SolanaNode::new(SolanaConfig::default(), Arc::new(clock))
}

fn taken() -> Row {
    let node = node();
    let payer = node.wallets().into_iter().next().unwrap();
    let mut ratios = Vec::new();
    for turn in 0..TURNS {
        let blockhash = blockhash(&node);
        let numbers = turn * PER_TURN..(turn + 1) * PER_TURN;
        let payments: Vec<_> = numbers.map(|it| payment(&payer, it, blockhash)).collect();
        let requests: Vec<_> = payments.iter().map(|bytes| sending(bytes)).collect();
        let start = Instant::now();
        for bytes in &payments {
            assert!(black_box(is_signed(bytes)));
        }
        let bare = start.elapsed();
        let start = Instant::now();
        let answers: Vec<_> = requests.iter().map(|it| node.answer(it).unwrap()).collect();
        ratios.push(bare.as_secs_f64() / start.elapsed().as_secs_f64());
        assert!(answers.iter().all(|answer| answer.contains("result")));
        node.mine(FINAL).unwrap();
    }
    Row {
        what: "payments on Solana, taken per second",
        baseline: "Ed25519 check alone",
        ratio: median(ratios),
        goal: Goal::AtLeast(0.5),
    }
}

fn paged() -> Row {
    let node = node();
    let payer = node.wallets().into_iter().next().unwrap();
    for number in 0..HISTORY {
        let request = sending(&payment(&payer, number, blockhash(&node)));
        assert!(node.answer(&request).unwrap().contains("result"));
        if number % PER_TURN == 0 {
            node.mine(FINAL).unwrap();
        }
    }
    node.mine(FINAL).unwrap();
    let requests = pages(&node, payer.public_key());
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let start = Instant::now();
        let answers: Vec<_> = requests.iter().map(|it| node.answer(it).unwrap()).collect();
        let asking = start.elapsed();
        let start = Instant::now();
        let copies: Vec<_> = answers.iter().map(|it| it.as_bytes().to_vec()).collect();
        let copying = start.elapsed();
        assert_eq!(black_box(copies).len(), PAGES);
        ratios.push(asking.as_secs_f64() / copying.as_secs_f64());
    }
    Row {
        what: "1,000 signatures of 40,000, time",
        baseline: "copying the same answer",
        ratio: median(ratios),
        goal: Goal::AtMost(5.0),
    }
}

/// Requests for one page after the other, each of which was asked for once.
fn pages(node: &SolanaNode, address: PublicKey) -> Vec<Vec<u8>> {
    let mut before: Option<Signature> = None;
    let mut requests = Vec::new();
    for _ in 0..PAGES {
        let config = json!({"before": before, "limit": PAGE});
        let request = request("getSignaturesForAddress", &json!([address, config]));
        let page = result(node, &request);
        let page = page.as_array().unwrap();
        assert_eq!(page.len(), PAGE);
        before = page.last().unwrap()["signature"]
            .as_str()
            .unwrap()
            .parse()
            .ok();
        requests.push(request);
    }
    requests
}

fn request(method: &str, params: &Value) -> Vec<u8> {
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    request.to_string().into_bytes()
}

fn result(node: &SolanaNode, request: &[u8]) -> Value {
    let answer = node.answer(request).unwrap();
    let mut answer: Value = serde_json::from_str(&answer).unwrap();
    answer.get_mut("result").unwrap().take()
}

fn blockhash(node: &SolanaNode) -> SolanaHash {
    let latest = result(node, &request("getLatestBlockhash", &json!([])));
    let text = latest
        .pointer("/value/blockhash")
        .unwrap()
        .as_str()
        .unwrap();
    text.parse().unwrap()
}

/// A signed payment to two wallets, as leases are paid.
fn payment(payer: &SolanaKeypair, number: u64, blockhash: SolanaHash) -> Vec<u8> {
    let leg = |byte, amount| Leg {
        wallet: PublicKey::from_bytes([byte; 32]),
        amount: Lamports::new(amount),
    };
    let memo = format!("LEASE-{number}").parse().unwrap();
    let payment = Payment::new(memo, leg(1, 1_000_000), leg(2, 900_000)).unwrap();
    let mut bytes = payment.transaction(payer.public_key(), blockhash).unwrap();
    let message = bytes.get(65..).unwrap();
    let signature = payer.sign(message);
    bytes
        .get_mut(1..65)
        .unwrap()
        .copy_from_slice(signature.as_bytes());
    bytes
}

fn sending(bytes: &[u8]) -> Vec<u8> {
    let text = BASE64_STANDARD.encode(bytes);
    request("sendTransaction", &json!([text, {"encoding": "base64"}]))
}

/// The bare work: check the one signature.
fn is_signed(bytes: &[u8]) -> bool {
    let signature = bytes.get(1..).unwrap().first_chunk().unwrap();
    let signature = ed25519_dalek::Signature::from_bytes(signature);
    let key = bytes.get(69..).unwrap().first_chunk().unwrap();
    let key = VerifyingKey::from_bytes(key).unwrap();
    key.verify_strict(bytes.get(65..).unwrap(), &signature)
        .is_ok()
}
