//! The simulated Starknet node as a run sees it: wallets that sign and send, and what
//! became of that. Its answers may be spoiled, so that it is asked until it answers;
//! what is missing in an answer is never taken for more than there is.

use crate::{
    harness::{eventually, try_ask},
    schedule::DEEPEST,
};
use chain::{Broadcast, ContractCall, RpcOptions, StarkSigner, StarknetClient};
use primitives::{Address, Felt, SeededEntropy, felt_from_hex, felt_to_hex, selector};
use primitives::{U256, short_string};
use serde_json::{Value, json};
use std::sync::Arc;
use world::BOUNDS;

/// Events in one answer: more than a run makes of those that are asked for.
const EVENTS: u64 = 1_000;

/// An account that signs for itself.
pub(super) struct Wallet {
    pub(super) address: Address,
    pub(super) signer: StarkSigner,
}

/// The node, from the first block on that the run may change.
pub(super) struct Starknet {
    url: String,
    client: StarknetClient,
    first: u64,
}

impl Starknet {
    pub(super) async fn new(url: &str) -> Self {
        let entropy = Arc::new(SeededEntropy::new(0));
        let client = StarknetClient::new(url.parse().unwrap(), RpcOptions::default(), entropy);
        let mut node = Self {
            url: url.to_owned(),
            client: client.unwrap(),
            first: 0,
        };
        // A reorganisation may bring what was sent since into the blocks before.
        node.first = node.height().await - DEEPEST;
        node
    }

    /// One of the pre-funded accounts.
    pub(super) async fn wallet(&self, place: usize) -> Wallet {
        let accounts = self.ask("sim_accounts", &json!({})).await;
        let account = &accounts[place];
        Wallet {
            address: account["address"].as_str().unwrap().parse().unwrap(),
            signer: StarkSigner::new(felt(&account["private_key"])).unwrap(),
        }
    }

    /// What the node says, as soon as that can be read.
    pub(super) async fn ask(&self, method: &str, params: &Value) -> Value {
        let question = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        eventually(method, async || {
            let asked = try_ask("POST", &self.url, "nobody", &[], &question).await;
            asked.ok()?.1.get_mut("result").map(Value::take)
        })
        .await
    }

    /// Has a wallet make calls, if the node takes them: one that waits is in the way of
    /// the next. The chain tells in the end what became of the hash.
    pub(super) async fn execute(&self, wallet: &Wallet, calls: &[ContractCall]) -> Felt {
        let question = json!({"block_id": "pre_confirmed", "contract_address": wallet.address});
        let nonce = felt(&self.ask("starknet_getNonce", &question).await);
        let nonce = u64::try_from(nonce).unwrap();
        let mut broadcast = Broadcast::calls(wallet.address, calls, nonce, BOUNDS);
        let hash = broadcast.sign(&wallet.signer, short_string("SN_STOA"));
        let hash = hash.unwrap();
        if let Err(refused) = self.client.send(&broadcast, hash).await {
            eprintln!("{hash:#x} was not taken: {refused:?}");
        }
        hash
    }

    /// Events of these names since the run began.
    pub(super) async fn events(&self, names: &[&str]) -> Vec<Value> {
        let names: Vec<_> = names
            .iter()
            .map(|name| felt_to_hex(selector(name)))
            .collect();
        let filter = json!({
            "from_block": {"block_number": self.first}, "to_block": "latest",
            "keys": [names], "chunk_size": EVENTS,
        });
        let page = self
            .ask("starknet_getEvents", &json!({ "filter": filter }))
            .await;
        assert!(page.get("continuation_token").is_none());
        page["events"].as_array().unwrap().clone()
    }

    /// Every transaction since the run began.
    pub(super) async fn transactions(&self) -> Vec<Landed> {
        let mut all = Vec::new();
        for number in self.first..=self.height().await {
            let block = json!({"block_id": {"block_number": number}});
            let mut block = self.ask("starknet_getBlockWithReceipts", &block).await;
            let transactions = block["transactions"].as_array_mut().unwrap();
            all.extend(transactions.drain(..).map(Landed));
        }
        all
    }

    async fn height(&self) -> u64 {
        let height = self.ask("starknet_blockNumber", &json!([])).await;
        height.as_u64().unwrap()
    }
}

/// A transaction that a block has, with its receipt.
pub(super) struct Landed(Value);

impl Landed {
    pub(super) fn hash(&self) -> Felt {
        felt(&self.0["receipt"]["transaction_hash"])
    }

    pub(super) fn sender(&self) -> Option<Address> {
        self.0["transaction"]["sender_address"]
            .as_str()?
            .parse()
            .ok()
    }

    /// Whether a number is among what it was called with.
    pub(super) fn mentions(&self, number: u128) -> bool {
        let (number, calldata) = (Felt::from(number), &self.0["transaction"]["calldata"]);
        let mut calldata = calldata.as_array().into_iter().flatten();
        calldata.any(|it| felt(it) == number)
    }

    pub(super) fn fee(&self) -> u128 {
        u128::try_from(felt(&self.0["receipt"]["actual_fee"]["amount"])).unwrap()
    }

    pub(super) fn revert_reason(&self) -> Option<&str> {
        self.0["receipt"]["revert_reason"].as_str()
    }

    /// What a contract's event of this name has.
    pub(super) fn event(&self, from: &str, name: &str) -> Option<Vec<Felt>> {
        let (from, name) = (felt_from_hex(from).unwrap(), selector(name));
        let mut events = self.0["receipt"]["events"].as_array()?.iter();
        let event = events.find(|event| {
            felt(&event["from_address"]) == from && felt(&event["keys"][0]) == name
        })?;
        Some(event["data"].as_array()?.iter().map(felt).collect())
    }
}

/// A call that the API built.
pub(super) fn built_call(built: &Value) -> ContractCall {
    let to = built["contractAddress"].as_str().unwrap().parse().unwrap();
    let calldata = built["calldata"].as_array().unwrap();
    let calldata = calldata.iter().map(felt).collect();
    ContractCall::new(to, built["entrypoint"].as_str().unwrap(), calldata)
}

pub(super) fn felt(text: &Value) -> Felt {
    felt_from_hex(text.as_str().unwrap()).unwrap()
}

/// An amount of two halves.
pub(super) fn joined(low: Felt, high: Felt) -> U256 {
    let half = |felt: Felt| U256::from_be_bytes(felt.to_bytes_be());
    half(low) | (half(high) << 128)
}

/// An amount as the API writes it.
pub(super) fn amount(text: &Value) -> U256 {
    text.as_str().unwrap().parse().unwrap()
}
