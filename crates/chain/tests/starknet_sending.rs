//! Sending to the simulated Starknet node over HTTP, with answers that get lost.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed step is a failed test"
)]

use chain::{
    Broadcast, BroadcastAction, ContractCall, Finality, RpcOptions, SendError, StarkSigner,
    StarknetClient, TransactionReceipt, TransactionStatus, execution,
};
use primitives::transaction_hash::{DeployAccount, Invoke, ResourceBounds, Terms, Version};
use primitives::{Address, Entropy, Felt, ManualClock, SeededEntropy, Timestamp, U256};
use simnet::{FaultKind, History, PrefundedAccount, StarknetConfig, StarknetNode};
use starknet_rust_core::utils::get_contract_address;
use std::{sync::Arc, time::Duration};
use tokio::net::TcpListener;

const ADD: &str = "starknet_addInvokeTransaction";
const STATUS: &str = "starknet_getTransactionStatus";

/// What can happen to any answer.
const FAULTS: [FaultKind; 8] = [
    FaultKind::Delay(Duration::from_secs(30)),
    FaultKind::Dropped,
    FaultKind::Http5xx,
    FaultKind::Http429,
    FaultKind::Malformed,
    FaultKind::Truncated,
    FaultKind::Oversized,
    FaultKind::WrongId,
];

/// A node, a client that gives up soon, and an account that pays.
struct Stage {
    node: StarknetNode,
    client: StarknetClient,
    chain_id: Felt,
    account: PrefundedAccount,
    signer: StarkSigner,
    /// Sent before.
    nonce: u64,
}

impl Stage {
    async fn start() -> Self {
        let clock = Arc::new(ManualClock::new(
            Timestamp::from_second(1_800_000_000).unwrap(),
        ));
        let config = StarknetConfig {
            block_time: None,
            history: History::blocks(2, Duration::from_secs(2)),
            pools: 0,
            ..StarknetConfig::default()
        };
        let node = StarknetNode::new(config, clock);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/starknet", listener.local_addr().unwrap());
        let router = node.router();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let options = RpcOptions {
            timeout: Duration::from_secs(2),
            backoff_base: Duration::from_millis(1),
            backoff_cap: Duration::from_millis(5),
            max_response_bytes: 1 << 20,
            ..RpcOptions::default()
        };
        let entropy = Arc::new(SeededEntropy::new(1)) as Arc<dyn Entropy>;
        let client = StarknetClient::new(url.parse().unwrap(), options, entropy).unwrap();
        let account = node.accounts().swap_remove(0);
        Self {
            chain_id: client.chain_id().await.unwrap(),
            signer: StarkSigner::new(account.private_key).unwrap(),
            node,
            client,
            account,
            nonce: 0,
        }
    }

    /// The token that fees are paid in.
    fn token(&self) -> Address {
        let mut funding = self.account.funding.iter();
        funding.find(|it| it.symbol == "STRK").unwrap().token
    }

    /// A transfer, signed, within what the node expects it to cost.
    async fn transfer(&mut self, to: Address, amount: u64) -> (Broadcast, Felt) {
        let arguments = vec![to.felt(), Felt::from(amount), Felt::ZERO];
        let call = ContractCall::new(self.token(), "transfer", arguments);
        let action = BroadcastAction::Invoke(Invoke {
            sender: self.account.address.felt(),
            calldata: execution(&[call]),
            account_deployment_data: Vec::new(),
        });
        let signer = self.signer.clone();
        let nonce = self.nonce;
        self.nonce += 1;
        self.signed(action, nonce, &signer).await
    }

    async fn signed(
        &self,
        action: BroadcastAction,
        nonce: u64,
        signer: &StarkSigner,
    ) -> (Broadcast, Felt) {
        let mut broadcast = Broadcast {
            action,
            terms: Terms {
                nonce,
                ..Terms::default()
            },
            signature: Vec::new(),
        };
        broadcast.terms.bounds = self.bounds(&broadcast).await;
        let hash = broadcast
            .action
            .hash(&broadcast.terms, Version::V3, self.chain_id);
        broadcast.signature = signer.sign(hash).unwrap().to_vec();
        (broadcast, hash)
    }

    async fn bounds(&self, broadcast: &Broadcast) -> ResourceBounds {
        let estimate = self.client.estimate_fee(broadcast, self.node.head()).await;
        let estimate = estimate.unwrap();
        assert!(estimate.overall_fee > 0);
        estimate.bounds(50).unwrap()
    }

    async fn held(&self, owner: Address) -> U256 {
        let at = self.node.head();
        let balance = self.client.balance(self.token(), owner, at).await;
        balance.unwrap().unwrap()
    }

    /// The receipt of what was sent, in a block of now.
    async fn landed(&self, hash: Felt) -> TransactionReceipt {
        self.node.mine(1).unwrap();
        let receipts = self.client.transaction_receipts(&[hash]).await;
        receipts.unwrap().remove(0).unwrap()
    }

    async fn sent_before(&self) -> u64 {
        let at = self.node.head();
        let nonces = self.client.nonces(&[self.account.address], at).await;
        nonces.unwrap()[0].unwrap()
    }
}

fn somebody(number: usize) -> Address {
    Address::new(Felt::from(0xabc0_0000_u64) + Felt::from(number))
}

#[tokio::test]
async fn what_is_sent_lands_and_its_receipt_says_what_it_cost() {
    let mut stage = Stage::start().await;
    let (transfer, hash) = stage.transfer(somebody(0), 7).await;
    assert_eq!(stage.client.transaction_status(hash).await.unwrap(), None);
    stage.client.send(&transfer, hash).await.unwrap();
    assert!(
        stage
            .client
            .transaction_status(hash)
            .await
            .unwrap()
            .is_some()
    );
    let receipt = stage.landed(hash).await;
    assert_eq!(receipt.block, Some(stage.node.head()));
    assert_eq!(receipt.executed.finality, Finality::AcceptedOnL2);
    assert_eq!(receipt.executed.revert_reason, None);
    assert!(receipt.fee > 0);
    assert_eq!(stage.held(somebody(0)).await, U256::from(7));
    // The node has it already, and that is no failure.
    stage.client.send(&transfer, hash).await.unwrap();
}

#[tokio::test]
async fn a_reverted_transaction_says_why_and_still_costs() {
    let mut stage = Stage::start().await;
    // The estimate is of a transfer that works, the sent one moves more.
    let (mut transfer, _) = stage.transfer(somebody(0), 7).await;
    let BroadcastAction::Invoke(invoke) = &mut transfer.action else {
        unreachable!()
    };
    invoke.calldata[6] = Felt::ONE;
    let hash = transfer
        .action
        .hash(&transfer.terms, Version::V3, stage.chain_id);
    transfer.signature = stage.signer.sign(hash).unwrap().to_vec();
    stage.client.send(&transfer, hash).await.unwrap();
    let receipt = stage.landed(hash).await;
    assert!(
        receipt
            .executed
            .revert_reason
            .is_some_and(|reason| !reason.is_empty())
    );
    assert!(receipt.fee > 0);
    let status = stage.client.transaction_status(hash).await.unwrap();
    let Some(TransactionStatus::Executed(executed)) = status else {
        panic!("{status:?}")
    };
    assert!(executed.revert_reason.is_some());
    transfer.terms.nonce += 1;
    let failing = stage
        .client
        .estimate_fee(&transfer, stage.node.head())
        .await;
    let failing = failing.unwrap_err();
    assert!(failing.is_execution_failure(), "{failing:?}");
}

#[tokio::test]
async fn what_a_node_refuses_is_not_sent() {
    let mut stage = Stage::start().await;
    let (mut transfer, hash) = stage.transfer(somebody(0), 7).await;
    transfer.signature[0] += Felt::ONE;
    let refused = stage.client.send(&transfer, hash).await.unwrap_err();
    assert!(matches!(refused, SendError::Refused(_)), "{refused:?}");
    assert_eq!(stage.client.transaction_status(hash).await.unwrap(), None);
}

#[tokio::test]
async fn an_account_deploys_itself_where_its_key_says() {
    let mut stage = Stage::start().await;
    let at = stage.node.head();
    let classes = stage.client.classes(&[stage.account.address], at).await;
    let class_hash = classes.unwrap()[0].unwrap();
    let owner = StarkSigner::new(Felt::from(0x5707_u64)).unwrap();
    let key = owner.public_key();
    let address = get_contract_address(key, class_hash, &[key], Felt::ZERO);
    let address = Address::new(address);
    let (funding, hash) = stage.transfer(address, 10_u64.pow(19)).await;
    stage.client.send(&funding, hash).await.unwrap();
    stage.node.mine(1).unwrap();
    let deployment = BroadcastAction::DeployAccount {
        deployment: DeployAccount {
            class_hash,
            salt: key,
            constructor_calldata: vec![key],
        },
        address,
    };
    let (deployment, hash) = stage.signed(deployment, 0, &owner).await;
    stage.client.send(&deployment, hash).await.unwrap();
    stage.node.mine(1).unwrap();
    let classes = stage.client.classes(&[address], stage.node.head()).await;
    assert_eq!(classes.unwrap(), [Some(class_hash)]);
}

#[tokio::test]
async fn a_lost_answer_is_neither_a_lost_nor_a_second_transaction() {
    let mut stage = Stage::start().await;
    let mut number = 0;
    for fault in FAULTS {
        for (adding, asking) in [(1, 0), (2, 0), (1, 1), (2, 2)] {
            number += 1;
            let (transfer, hash) = stage.transfer(somebody(number), 1).await;
            stage.node.fault(ADD, fault, adding).unwrap();
            if asking > 0 {
                stage.node.fault(STATUS, fault, asking).unwrap();
            }
            let sent = stage.client.send(&transfer, hash).await;
            stage.node.clear_faults("*");
            match sent {
                Ok(()) => {}
                // A question whose answer is too long is not repeated.
                Err(SendError::Unknown(_)) if fault == FaultKind::Oversized && asking > 0 => {
                    stage.client.send(&transfer, hash).await.unwrap();
                }
                Err(error) => panic!("{fault:?}, {adding}, {asking}: {error:?}"),
            }
            stage.node.mine(1).unwrap();
            assert_eq!(stage.held(somebody(number)).await, U256::ONE, "{fault:?}");
        }
    }
    assert_eq!(stage.sent_before().await, stage.nonce);
}

#[tokio::test]
async fn where_every_answer_is_lost_it_is_said_that_nothing_is_known() {
    let mut stage = Stage::start().await;
    for (number, fault) in FAULTS.into_iter().enumerate().skip(1) {
        let (transfer, hash) = stage.transfer(somebody(number), 1).await;
        stage.node.fault(ADD, fault, 1_000).unwrap();
        stage.node.fault(STATUS, fault, 1_000).unwrap();
        let sent = stage.client.send(&transfer, hash).await.unwrap_err();
        assert!(matches!(sent, SendError::Unknown(_)), "{fault:?}: {sent:?}");
        stage.node.clear_faults("*");
        // Later, the same transaction again: it happens once.
        stage.client.send(&transfer, hash).await.unwrap();
        stage.node.mine(1).unwrap();
        assert_eq!(stage.held(somebody(number)).await, U256::ONE, "{fault:?}");
    }
    assert_eq!(stage.sent_before().await, stage.nonce);
}

#[tokio::test]
async fn a_node_that_cannot_answer_says_nothing_of_a_signature_or_an_account() {
    let stage = Stage::start().await;
    let (account, at, hash) = (stage.account.address, stage.node.head(), Felt::from(77));
    let signature = stage.signer.sign(hash).unwrap();
    let client = &stage.client;
    let valid = || client.is_valid_signature(account, hash, &signature, at);
    assert!(valid().await.unwrap());
    assert!(client.account_facts(account, at).await.unwrap().is_some());
    let other = client.is_valid_signature(account, Felt::ONE, &signature, at);
    assert!(!other.await.unwrap());
    let fault = FaultKind::Http5xx;
    stage.node.fault("starknet_call", fault, 1_000).unwrap();
    assert!(valid().await.is_err());
    assert!(client.account_facts(account, at).await.is_err());
}
