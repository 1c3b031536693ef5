//! Somebody who tries calls out on the node: at any block, without effect, and
//! with whatever the calls sell.

use crate::World;
use axum::{Router, body::Body, http::Request};
use chain::ContractCall;
use primitives::{Address, BlockRef, Felt, U256, felt_from_hex, felt_to_hex};
use serde_json::{Value, json};
use tower::ServiceExt as _;
use trading::{Call, Gas};

/// Who may mint every token of a simulated network.
const MINTER: &str = "0xde9107e4";

/// No answer of a simulation is longer.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// An account of the world.
#[derive(Debug, Clone)]
pub struct Trader {
    /// The first of the world's accounts, in whose name calls are simulated.
    pub address: Address,
    node: Router,
}

/// What calls did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traded {
    /// How much less of the sold token there is.
    pub spent: U256,
    /// How much more of the bought one.
    pub received: U256,
}

impl World {
    /// The first of the world's accounts.
    pub fn trader(&self) -> Trader {
        let accounts = self.node.accounts();
        let account = accounts.first().expect("an account");
        Trader {
            address: account.address,
            node: self.node.router(),
        }
    }
}

impl Trader {
    /// What calls would do on top of a block to somebody who has so much of the
    /// sold token in addition, or why they would fail.
    pub async fn try_out(
        &self,
        at: BlockRef,
        [sold, bought]: [Address; 2],
        funds: U256,
        calls: &[Call],
    ) -> Result<Traded, String> {
        let balances = [sold, bought].map(|token| self.balance(token));
        let watched = [&balances[..], calls, &balances[..]].concat();
        let simulated = self.simulate(at, sold, funds, &watched).await;
        let execution = &simulated["transaction_trace"]["execute_invocation"];
        if let Some(reason) = execution["revert_reason"].as_str() {
            return Err(reason.to_owned());
        }
        let balances = balances_of(&execution["result"], calls.len());
        let [sold_before, bought_before, sold_after, bought_after] = balances;
        Ok(Traded {
            spent: sold_before - sold_after,
            received: bought_after - bought_before,
        })
    }

    /// What gas the node expects calls to need, in the same circumstances.
    pub async fn estimate(&self, at: BlockRef, sold: Address, funds: U256, calls: &[Call]) -> Gas {
        let simulated = self.simulate(at, sold, funds, calls).await;
        gas_of(&simulated["fee_estimation"])
    }

    async fn simulate(&self, at: BlockRef, sold: Address, funds: U256, calls: &[Call]) -> Value {
        let mint = self.mint(sold, funds);
        let funding = self.transaction(at, MINTER, &[mint]).await;
        let own = felt_to_hex(self.address.felt());
        let trade = self.transaction(at, &own, calls).await;
        let params = json!({
            "block_id": {"block_hash": felt_to_hex(at.hash)},
            "transactions": [funding, trade],
            "simulation_flags": ["SKIP_VALIDATE", "SKIP_FEE_CHARGE"],
        });
        let mut simulated = self.ask("starknet_simulateTransactions", &params).await;
        simulated[1].take()
    }

    /// What the node says to a question.
    pub async fn ask(&self, method: &str, params: &Value) -> Value {
        let question = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = Request::post("/starknet/rpc/v0_10")
            .header("content-type", "application/json")
            .body(Body::from(question.to_string()))
            .expect("a request");
        let answer = self.node.clone().oneshot(request).await.expect("an answer");
        let body = axum::body::to_bytes(answer.into_body(), MAX_ANSWER_BYTES).await;
        let answer: Value = serde_json::from_slice(&body.expect("a body")).expect("JSON");
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }

    fn mint(&self, token: Address, amount: U256) -> Call {
        let mut calldata = vec![self.address.felt()];
        calldata.extend(halves(amount));
        Call {
            to: token,
            entrypoint: "permissionedMint",
            calldata,
        }
    }

    fn balance(&self, token: Address) -> Call {
        Call {
            to: token,
            entrypoint: "balanceOf",
            calldata: vec![self.address.felt()],
        }
    }

    async fn transaction(&self, at: BlockRef, sender: &str, calls: &[Call]) -> Value {
        let block = json!({"block_hash": felt_to_hex(at.hash)});
        let params = json!({"block_id": block, "contract_address": sender});
        let nonce = self.ask("starknet_getNonce", &params).await;
        let nothing = json!({"max_amount": "0x0", "max_price_per_unit": "0x0"});
        json!({
            "type": "INVOKE",
            "version": "0x100000000000000000000000000000003",
            "sender_address": sender,
            "calldata": execution(calls).into_iter().map(felt_to_hex).collect::<Vec<_>>(),
            "signature": [],
            "nonce": nonce,
            "resource_bounds": {"l1_gas": nothing, "l2_gas": nothing, "l1_data_gas": nothing},
            "tip": "0x0",
            "paymaster_data": [],
            "account_deployment_data": [],
            "nonce_data_availability_mode": "L1",
            "fee_data_availability_mode": "L1",
        })
    }
}

/// The arguments by which an account is asked to make calls.
pub(crate) fn execution(calls: &[Call]) -> Vec<Felt> {
    let calls = calls.iter();
    let calls =
        calls.map(|call| ContractCall::new(call.to, call.entrypoint, call.calldata.clone()));
    chain::execution(&calls.collect::<Vec<_>>())
}

/// The first two and the last two results of the calls of a transaction.
fn balances_of(result: &Value, between: usize) -> [U256; 4] {
    let felts: Vec<Felt> = serde_json::from_value::<Vec<String>>(result.clone())
        .expect("felts")
        .iter()
        .map(|text| felt_from_hex(text).expect("a felt"))
        .collect();
    // How many results there are, then each with its length.
    let mut rest = felts.as_slice();
    let mut next = || {
        let (first, others) = rest.split_first().expect("another felt");
        rest = others;
        *first
    };
    let count = usize::try_from(next()).expect("a count");
    assert_eq!(count, between + 4);
    let mut results = Vec::new();
    for _ in 0..count {
        let length = usize::try_from(next()).expect("a length");
        results.push((0..length).map(|_| next()).collect::<Vec<_>>());
    }
    let places = [0, 1, between + 2, between + 3];
    places.map(|place| whole(results.get(place).expect("a result")))
}

fn whole(halves: &[Felt]) -> U256 {
    let half = |place: usize| {
        let felt = halves.get(place).expect("a half");
        U256::from_be_bytes(felt.to_bytes_be())
    };
    half(0) | (half(1) << 128)
}

fn halves(amount: U256) -> [Felt; 2] {
    let low = amount & U256::from(u128::MAX);
    [low, amount >> 128].map(|half| Felt::from_bytes_be(&half.to_be_bytes()))
}

fn gas_of(estimate: &Value) -> Gas {
    let amount = |name: &str| {
        let text = estimate[name].as_str().expect("an amount");
        let felt = felt_from_hex(text).expect("a number");
        u64::try_from(felt).expect("a small number")
    };
    Gas {
        l1: amount("l1_gas_consumed"),
        l1_data: amount("l1_data_gas_consumed"),
        l2: amount("l2_gas_consumed"),
    }
}
