//! Taking signed transactions against the two things that cannot be left out:
//! their hash and the check of their signature.

use crate::{Goal, Row, median};
use primitives::transaction_hash::{Bound, Invoke, ResourceBounds, Terms, Version};
use primitives::{Clock, Felt, ManualClock, Timestamp, selector, short_string};
use simnet::{Action, History, SignedTransaction, StarknetConfig, StarknetNode};
use starknet_crypto::{rfc6979_generate_k, sign, verify};
use std::{hint::black_box, sync::Arc, time::Duration};
use tokio::time::Instant;

const TURNS: u64 = 7;
const PER_TURN: u64 = 150;

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

pub(crate) fn signed_transactions() -> Row {
    let clock = ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap());
    let config = StarknetConfig {
        block_time: None,
        history: History::blocks(8, Duration::from_secs(2)),
        ..StarknetConfig::default()
    };
    let node = StarknetNode::new(config, Arc::new(clock) as Arc<dyn Clock>);
    let sender = Sender::new(&node);
    let mut ratios = Vec::new();
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
        ratios.push(bare.as_secs_f64() / start.elapsed().as_secs_f64());
        node.mine(1).unwrap();
    }
    Row {
        what: "signed transactions, taken per second",
        baseline: "hash and signature check alone",
        ratio: median(ratios),
        goal: Goal::AtLeast(0.5),
    }
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
