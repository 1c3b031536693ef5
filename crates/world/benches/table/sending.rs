//! Taking signed transactions against the two things that cannot be left out:
//! their hash and the check of their signature. Sending them from an account of
//! the service, each with its row, against a node that takes them from nowhere.

use crate::{Goal, Row, median};
use chain::{ContractCall, RpcOptions, StarkSigner, StarknetClient};
use futures_util::{StreamExt as _, stream};
use primitives::transaction_hash::{Bound, Invoke, ResourceBounds, Terms, Version};
use primitives::{
    Address, Clock, Entropy, Felt, ManualClock, SeededEntropy, SignedDuration, Timestamp, selector,
    short_string,
};
use services::SenderOptions;
use simnet::{Action, History, SignedTransaction, StarknetConfig, StarknetNode};
use starknet_crypto::{rfc6979_generate_k, sign, verify};
use std::{hint::black_box, sync::Arc, time::Duration};
use store::{SendingAccount, Store};
use tokio::{net::TcpListener, time::Instant};
use world::{Engine, TestDatabase};

const TURNS: u64 = 7;
const PER_TURN: u64 = 150;

/// Sends that are under way at once.
const AT_ONCE: usize = 8;

/// Enough for a transfer at any price of a simulated network.
const BOUNDS: ResourceBounds = ResourceBounds {
    l1_gas: Bound {
        max_amount: 0,
        max_price_per_unit: 100_000_000_000_000,
    },
    l2_gas: Bound {
        max_amount: 10_000_000,
        max_price_per_unit: 10_000_000_000,
    },
    l1_data_gas: Bound {
        max_amount: 100_000,
        max_price_per_unit: 100_000_000_000,
    },
};

pub(crate) fn rows() -> Vec<Row> {
    let (taken, node_seconds) = signed_transactions();
    vec![taken, sent_transactions(node_seconds)]
}

fn clock() -> Arc<dyn Clock> {
    let start = Timestamp::from_second(1_800_000_000).unwrap();
    Arc::new(ManualClock::new(start))
}

fn node() -> StarknetNode {
    let config = StarknetConfig {
        block_time: None,
        history: History::blocks(8, Duration::from_secs(2)),
        ..StarknetConfig::default()
    };
    StarknetNode::new(config, clock())
}

/// The row, and the seconds that the node takes for a turn.
fn signed_transactions() -> (Row, f64) {
    let node = node();
    let sender = Sender::new(&node);
    let (mut ratios, mut seconds) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        let nonces = turn * PER_TURN..(turn + 1) * PER_TURN;
        let transactions: Vec<_> = nonces.map(|nonce| sender.transfer(nonce)).collect();
        let start = Instant::now();
        for (invoke, transaction) in &transactions {
            assert!(black_box(sender.check(invoke, transaction)));
        }
        let bare = start.elapsed();
        let start = Instant::now();
        for (_, transaction) in transactions {
            node.submit(transaction).unwrap();
        }
        let taking = start.elapsed().as_secs_f64();
        ratios.push(bare.as_secs_f64() / taking);
        seconds.push(taking);
        node.mine(1).unwrap();
    }
    let row = Row {
        what: "signed transactions, taken per second",
        baseline: "hash and signature check alone",
        ratio: median(ratios),
        goal: Goal::AtLeast(0.5),
    };
    (row, median(seconds))
}

/// Sending over HTTP, with estimate, row and signature, several at once.
fn sent_transactions(node_seconds: f64) -> Row {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let ratios = runtime.block_on(async {
        let node = node();
        let database = TestDatabase::new(Engine::Sqlite).await;
        let (sender, token) = sender(&node, database.store().await).await;
        let mut ratios = Vec::new();
        for turn in 0..TURNS {
            let start = Instant::now();
            let numbers = turn * PER_TURN..(turn + 1) * PER_TURN;
            let sent = stream::iter(numbers).map(|number| send(&sender, token, number));
            let sent: Vec<()> = sent.buffer_unordered(AT_ONCE).collect().await;
            ratios.push(node_seconds / start.elapsed().as_secs_f64());
            assert_eq!(sent.len() as u64, PER_TURN);
            node.mine(1).unwrap();
            sender.follow().await.unwrap();
        }
        ratios
    });
    Row {
        what: "own transactions, sent per second",
        baseline: "those that the node takes from nowhere",
        ratio: median(ratios),
        goal: Goal::AtLeast(0.25),
    }
}

/// Sends one unit to nobody in particular.
async fn send(sender: &services::Sender, token: Address, number: u64) {
    let arguments = vec![Felt::from(0x1234_u32), Felt::ONE, Felt::ZERO];
    let call = ContractCall::new(token, "transfer", arguments);
    sender.submit(&number.to_string(), &[call]).await.unwrap();
}

async fn sender(node: &StarknetNode, store: Store) -> (services::Sender, Address) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/starknet", listener.local_addr().unwrap());
    let router = node.router();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let entropy = Arc::new(SeededEntropy::new(1)) as Arc<dyn Entropy>;
    let client = StarknetClient::new(url.parse().unwrap(), RpcOptions::default(), entropy);
    let account = node.accounts().swap_remove(0);
    let token = account.funding.iter().find(|it| it.symbol == "STRK");
    let token = token.unwrap().token;
    let options = SenderOptions {
        fee_token: token,
        max_fee: 10_u128.pow(19),
        reserve: 0,
        in_flight: 1_000,
        room_percent: 50,
        patience: SignedDuration::from_secs(60),
        depth: 0,
        stuck_blocks: 5,
        replacements: 3,
    };
    let sending = SendingAccount {
        chain_id: short_string("SN_STOA"),
        address: account.address,
    };
    let signer = StarkSigner::new(account.private_key).unwrap();
    let nodes = vec![client.unwrap()];
    let sender = services::Sender::new(store, nodes, sending, signer, clock(), options);
    (sender, token)
}

/// An account of the world, and a token that it holds.
struct Sender {
    address: Felt,
    private_key: Felt,
    public_key: Felt,
    token: Felt,
}

impl Sender {
    fn new(node: &StarknetNode) -> Self {
        let account = node.accounts().into_iter().next().unwrap();
        let token = account.funding.first().unwrap().token;
        Self {
            address: account.address.felt(),
            private_key: account.private_key,
            public_key: account.public_key,
            token: token.felt(),
        }
    }

    /// Sends one unit to nobody in particular.
    fn transfer(&self, nonce: u64) -> (Invoke, SignedTransaction) {
        let call = [self.token, selector("transfer"), Felt::THREE];
        let arguments = [Felt::from(0x1234_u32), Felt::ONE, Felt::ZERO];
        let invoke = Invoke {
            sender: self.address,
            calldata: [[Felt::ONE].as_slice(), &call, &arguments].concat(),
            account_deployment_data: Vec::new(),
        };
        let terms = Terms {
            nonce,
            bounds: BOUNDS,
            ..Terms::default()
        };
        let hash = invoke.hash(&terms, Version::V3, short_string("SN_STOA"));
        let k = rfc6979_generate_k(&hash, &self.private_key, None);
        let signature = sign(&self.private_key, &hash, &k).unwrap();
        let transaction = SignedTransaction {
            action: Action::Invoke(invoke.clone()),
            terms,
            signature: vec![signature.r, signature.s],
        };
        (invoke, transaction)
    }

    /// The bare work: hash the transaction, check its signature.
    fn check(&self, invoke: &Invoke, transaction: &SignedTransaction) -> bool {
        let hash = invoke.hash(&transaction.terms, Version::V3, short_string("SN_STOA"));
        let [r, s] = transaction.signature.as_slice() else {
            return false;
        };
        verify(&self.public_key, &hash, r, s).unwrap()
    }
}
