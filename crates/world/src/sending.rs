//! An account of the world that signs and sends what it wants done.

use crate::{World, trader::execution};
use chain::StarkSigner;
use primitives::transaction_hash::{Bound, Invoke, ResourceBounds, Terms, Version};
use primitives::{felt_from_hex, felt_to_hex, short_string};
use serde_json::json;
use simnet::{Action, PrefundedAccount, SignedTransaction};
use trading::Call;

/// Enough for a few calls at any price of a simulated network.
pub const BOUNDS: ResourceBounds = ResourceBounds {
    l1_gas: Bound {
        max_amount: 0,
        max_price_per_unit: 100_000_000_000_000,
    },
    l2_gas: Bound {
        max_amount: 100_000_000,
        max_price_per_unit: 10_000_000_000,
    },
    l1_data_gas: Bound {
        max_amount: 100_000,
        max_price_per_unit: 100_000_000_000,
    },
};

impl World {
    /// Has the first of the world's accounts make calls, in a block of their own.
    pub async fn execute(&self, calls: &[Call]) {
        self.submit(calls).await;
        self.node.mine(1).expect("a block");
    }

    /// Has the first of the world's accounts make calls, in the next block.
    pub async fn submit(&self, calls: &[Call]) {
        let accounts = self.node.accounts();
        let account = accounts.first().expect("an account");
        self.submit_as(account, calls).await;
    }

    /// Has an account make calls in the next block, behind what is waiting.
    pub async fn submit_as(&self, account: &PrefundedAccount, calls: &[Call]) {
        let address = account.address.felt();
        let address_text = felt_to_hex(address);
        let params = json!({"block_id": "pre_confirmed", "contract_address": address_text});
        let nonce = self.trader().ask("starknet_getNonce", &params).await;
        let nonce = felt_from_hex(nonce.as_str().expect("a nonce")).expect("a number");
        let terms = Terms {
            nonce: u64::try_from(nonce).expect("a small number"),
            bounds: BOUNDS,
            ..Terms::default()
        };
        let invoke = Invoke {
            sender: address,
            calldata: execution(calls),
            account_deployment_data: Vec::new(),
        };
        let hash = invoke.hash(&terms, Version::V3, short_string("SN_STOA"));
        let signer = StarkSigner::new(account.private_key).expect("a key");
        let transaction = SignedTransaction {
            action: Action::Invoke(invoke),
            terms,
            signature: signer.sign(hash).expect("a signature").to_vec(),
        };
        self.node.submit(transaction).expect("it is taken");
    }
}
