//! The Solana client and payments, against the simulated node over HTTP.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed step is a failed test"
)]

use base64::{Engine as _, prelude::BASE64_STANDARD};
use chain::{RpcOptions, SignaturePage, SolanaClient};
use leasing::{BelowRent, EpochClock, Leg, Memo, Payment, Verdict, verify_challenge};
use primitives::{
    Clock as _, Entropy, Lamports, ManualClock, PublicKey, SeededEntropy, Signature,
    SignedDuration, SolanaHash, Timestamp,
};
use serde_json::{Value, json};
use simnet::{FaultKind, SolanaConfig, SolanaKeypair, SolanaNode};
use std::{sync::Arc, time::Duration};
use tokio::net::TcpListener;
use url::Url;

const FINALITY: u64 = 8;

/// A node on a free port, its clock, and a client of it.
struct Bench {
    node: SolanaNode,
    clock: Arc<ManualClock>,
    url: Url,
    client: SolanaClient,
}

impl Bench {
    async fn start() -> Self {
        let start = Timestamp::from_second(1_800_000_000).unwrap();
        let clock = Arc::new(ManualClock::new(start));
        let config = SolanaConfig {
            finality_slots: FINALITY,
            ..SolanaConfig::default()
        };
        let node = SolanaNode::new(config, clock.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/solana", listener.local_addr().unwrap());
        let url: Url = url.parse().unwrap();
        let router = node.router();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let client = connect(&url, None).await.unwrap();
        Self {
            node,
            clock,
            url,
            client,
        }
    }

    /// What the node says to a signed transaction.
    async fn send(&self, transaction: &[u8]) -> Value {
        let params = json!([BASE64_STANDARD.encode(transaction), {"encoding": "base64"}]);
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": "sendTransaction", "params": params});
        let request = reqwest::Client::new()
            .post(self.url.clone())
            .header("content-type", "application/json")
            .body(body.to_string());
        let answer = request.send().await.unwrap().text().await.unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    /// The payment's transaction, not signed yet.
    async fn unsigned(&self, payment: &Payment, payer: &SolanaKeypair) -> Vec<u8> {
        let recent = self.client.recent_blockhash().await.unwrap();
        let bytes = payment.transaction(payer.public_key(), recent.blockhash);
        bytes.unwrap()
    }

    /// Whether the wallets hold enough for the chain to let this payment pass.
    async fn check_rent(&self, payment: &Payment) -> Result<(), BelowRent> {
        let payout = self.client.balance(payment.payout().wallet).await.unwrap();
        let platform = self.client.balance(payment.platform().wallet).await;
        let minimum = self.client.rent_minimum(0).await.unwrap();
        payment.check_rent(payout, platform.unwrap(), minimum)
    }
}

async fn connect(url: &Url, pinned: Option<SolanaHash>) -> Result<SolanaClient, chain::RpcError> {
    let options = RpcOptions {
        backoff_base: Duration::from_micros(10),
        backoff_cap: Duration::from_millis(1),
        ..RpcOptions::default()
    };
    let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(1));
    SolanaClient::connect(std::slice::from_ref(url), options, &entropy, pinned).await
}

/// The transaction with its payer's signature.
fn sign(mut bytes: Vec<u8>, payer: &SolanaKeypair) -> Vec<u8> {
    let signature = payer.sign(&bytes[65..]);
    bytes[1..65].copy_from_slice(signature.as_bytes());
    bytes
}

/// What wallets make of a transaction: a compute budget before our instructions,
/// a guard and a memo of the payer's own after them.
fn as_wallets_do(bytes: &[u8]) -> Vec<u8> {
    let budget: PublicKey = "ComputeBudget111111111111111111111111111111"
        .parse()
        .unwrap();
    let guard: PublicKey = "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95"
        .parse()
        .unwrap();
    let [readonly, keys] = [bytes[67], bytes[68]];
    let (head, rest) = bytes.split_at(69 + usize::from(keys) * 32);
    let (blockhash, instructions) = rest.split_at(32);
    let memo_program = instructions[1];
    let mut changed = head.to_vec();
    changed[67] = readonly + 2;
    changed[68] = keys + 2;
    changed.extend(budget.as_bytes());
    changed.extend(guard.as_bytes());
    changed.extend(blockhash);
    changed.push(instructions[0] + 3);
    changed.extend([keys, 0, 5, 2, 0x40, 0x0d, 0x03, 0]);
    changed.extend(&instructions[1..]);
    changed.extend([keys + 1, 1, 0, 2, 6, 0]);
    changed.extend([memo_program, 0, 14]);
    changed.extend(b"sent with love");
    changed
}

fn payment(memo: &str, payout: (PublicKey, u64), platform: (PublicKey, u64)) -> Payment {
    let leg = |(wallet, amount)| Leg {
        wallet,
        amount: Lamports::new(amount),
    };
    Payment::new(memo.parse().unwrap(), leg(payout), leg(platform)).unwrap()
}

#[tokio::test]
async fn a_payment_is_found_and_read_as_paid_whatever_the_wallet_added() {
    let bench = Bench::start().await;
    let wallets = bench.node.wallets();
    let platform = wallets[1].public_key();
    for (memo, fee, changed) in [
        ("LEASE-FEE", 25_000_000, false),
        ("LEASE-FREE", 0, false),
        ("LEASE-FEE-2", 25_000_000, true),
        ("LEASE-FREE-2", 0, true),
    ] {
        let payout = PublicKey::from_bytes([42; 32]);
        let payment = payment(memo, (payout, 1_500_000_000), (platform, fee));
        assert_eq!(bench.check_rent(&payment).await, Ok(()));
        let mut transaction = bench.unsigned(&payment, &wallets[0]).await;
        if changed {
            transaction = as_wallets_do(&transaction);
        }
        let answer = bench.send(&sign(transaction, &wallets[0])).await;
        let signature: Signature = serde_json::from_value(answer["result"].clone()).unwrap();

        let client = &bench.client;
        assert_eq!(client.transaction(signature).await.unwrap(), None);
        bench.node.mine(FINALITY + 1).unwrap();

        // Both by the reference and by the platform's wallet, fee or not.
        let memo: Memo = memo.parse().unwrap();
        for account in [memo.reference(), platform] {
            let page = SignaturePage {
                limit: 1,
                ..SignaturePage::default()
            };
            let found = client.signatures(account, page).await.unwrap();
            assert_eq!(found[0].signature, signature);
            assert!(!found[0].failed && found[0].time.is_some());
            let line = found[0].memo.as_ref().unwrap();
            assert!(Memo::mentioned(line).any(|found| found == memo), "{line}");
        }
        let landed = client.transaction(signature).await.unwrap().unwrap();
        assert_eq!(landed.payer, wallets[0].public_key());
        assert_eq!(landed.verdict(&payment), Verdict::Paid);
        assert_eq!(landed.memo(), Some(memo));
        assert_eq!(landed.memos.len(), 1 + usize::from(changed));
    }
}

#[tokio::test]
async fn the_rent_rule_is_the_nodes_to_the_lamport() {
    let bench = Bench::start().await;
    let wallets = bench.node.wallets();
    let minimum = bench.client.rent_minimum(0).await.unwrap().get();
    let fresh = |byte| PublicKey::from_bytes([byte; 32]);
    for (number, share, fee) in [
        (1, minimum, minimum),
        (2, minimum - 1, minimum),
        (3, minimum, minimum - 1),
        (4, minimum, 0),
        (5, 1, 0),
    ] {
        let memo = format!("RENT-{number}");
        let platform = fresh(100 + number);
        let payment = payment(&memo, (fresh(50 + number), share), (platform, fee));
        let allowed = bench.check_rent(&payment).await.is_ok();
        let transaction = bench.unsigned(&payment, &wallets[0]).await;
        let answer = bench.send(&sign(transaction, &wallets[0])).await;
        assert_eq!(answer["error"].is_null(), allowed, "{memo}: {answer}");
    }
}

#[tokio::test]
async fn the_epoch_clock_follows_the_node_and_goes_on_without_it() {
    let bench = Bench::start().await;
    let position = || async { bench.client.epoch_position().await.unwrap() };
    let mut epochs = EpochClock::new(position().await, bench.clock.now());
    for _ in 0..10 {
        bench.clock.advance(SignedDuration::from_secs(2));
        epochs.observe(position().await, bench.clock.now());
    }
    // Half an hour without asking: almost four epochs of 1,200 slots, 400 ms each.
    bench.clock.advance(SignedDuration::from_mins(30));
    let told = epochs.position(bench.clock.now());
    let real = position().await;
    assert!(told.slot.abs_diff(real.slot) <= 1, "{told:?} {real:?}");
    assert!(told.epoch.abs_diff(real.epoch) <= 1);

    bench.node.advance_epochs(3).unwrap();
    let later = position().await;
    assert!(later.epoch >= real.epoch + 2);
    epochs.observe(later, bench.clock.now());
    assert_eq!(epochs.position(bench.clock.now()), later);

    let schedule = bench.client.epoch_schedule().await.unwrap();
    assert_eq!(schedule.slots_per_epoch, later.slots_in_epoch);
}

#[tokio::test]
async fn validators_have_stakes_and_lead_every_slot_of_the_epoch() {
    let bench = Bench::start().await;
    let accounts = bench.client.vote_accounts().await.unwrap();
    let stakes = accounts.current.iter().chain(&accounts.delinquent);
    let stakes: Vec<_> = stakes
        .map(|account| (account, accounts.stake_of(account.identity).unwrap()))
        .collect();
    assert!(stakes.iter().any(|(_, whole)| whole.vote_accounts > 1));
    for (account, whole) in stakes {
        assert!(whole.stake >= account.activated_stake);
        assert!(whole.vote_accounts > 1 || whole.stake == account.activated_stake);
    }
    assert!(!accounts.delinquent.is_empty());

    let position = bench.client.epoch_position().await.unwrap();
    let leaders = bench.client.leader_schedule(position.slot, None).await;
    let leaders = leaders.unwrap().unwrap();
    let mut slots: Vec<_> = leaders.values().flatten().copied().collect();
    slots.sort_unstable();
    assert_eq!(slots, (0..position.slots_in_epoch).collect::<Vec<_>>());
    let (identity, own) = leaders.iter().next().unwrap();
    let one = bench.client.leader_schedule(position.slot, Some(*identity));
    assert_eq!(one.await.unwrap().unwrap().get(identity), Some(own));
    let far = position.slot + 10 * position.slots_in_epoch;
    assert_eq!(bench.client.leader_schedule(far, None).await.unwrap(), None);
}

#[tokio::test]
async fn a_validator_proves_its_identity_by_a_challenge() {
    let bench = Bench::start().await;
    let validators = bench.node.validators();
    let identity = &validators[0].identity;
    let text = "lease-market:v1:register:example";
    let signature = identity.sign(text.as_bytes());
    assert!(verify_challenge(identity.public_key(), text, signature).is_ok());
    let other = validators[1].identity.public_key();
    assert!(verify_challenge(other, text, signature).is_err());
}

#[tokio::test]
async fn the_node_is_pinned_and_its_passing_faults_are_not_seen() {
    let bench = Bench::start().await;
    let genesis = bench.node.genesis_hash();
    assert_eq!(bench.client.genesis(), genesis);
    assert!(bench.client.is_healthy().await.unwrap());
    assert!(connect(&bench.url, Some(genesis)).await.is_ok());
    let other = SolanaHash::from_bytes([9; 32]);
    assert!(connect(&bench.url, Some(other)).await.is_err());

    let wallet = bench.node.wallets()[0].public_key();
    let balance = bench.client.balance(wallet).await.unwrap();
    for kind in [
        FaultKind::Dropped,
        FaultKind::Http5xx,
        FaultKind::Malformed,
        FaultKind::Truncated,
        FaultKind::WrongId,
    ] {
        bench.node.fault("getBalance", kind, 2).unwrap();
        assert_eq!(bench.client.balance(wallet).await.unwrap(), balance);
    }
}
