//! The maintained Rust client, unmodified: it estimates, signs, sends, waits and
//! reads back.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking"
)]

use crate::serving::listen;
use primitives::{ManualClock, Timestamp};
use simnet::{History, PrefundedAccount, StarknetConfig, StarknetNode};
use starknet_rust_accounts::{
    Account, AccountFactory, ConnectedAccount, ExecutionEncoding, OpenZeppelinAccountFactory,
    SingleOwnerAccount,
};
use starknet_rust_core::types::{
    BlockId, BlockTag, Call, ExecutionResult, Felt, FunctionCall, StarknetError,
    TransactionFinalityStatus, TransactionReceipt, TransactionReceiptWithBlockInfo,
};
use starknet_rust_core::utils::get_selector_from_name;
use starknet_rust_providers::jsonrpc::{HttpTransport, JsonRpcClient};
use starknet_rust_providers::{Provider, ProviderError, Url};
use starknet_rust_signers::{LocalWallet, SigningKey};
use std::sync::Arc;
use std::time::Duration;

const STRK: Felt =
    Felt::from_hex_unchecked("0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d");

type Client = Arc<JsonRpcClient<HttpTransport>>;
type Sender = SingleOwnerAccount<Client, LocalWallet>;

async fn serve() -> (StarknetNode, Client) {
    let config = StarknetConfig {
        block_time: None,
        history: History::blocks(5, Duration::from_secs(10)),
        pools: 24,
        ..StarknetConfig::default()
    };
    let clock = ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap());
    let node = StarknetNode::new(config, Arc::new(clock));
    let address = listen(node.router()).await;
    let url = format!("http://{address}/starknet/rpc/v0_10");
    let transport = HttpTransport::new(Url::parse(&url).unwrap());
    (node, Arc::new(JsonRpcClient::new(transport)))
}

async fn sender(client: &Client, account: &PrefundedAccount) -> Sender {
    let key = SigningKey::from_secret_scalar(account.private_key);
    let chain_id = client.chain_id().await.unwrap();
    let mut sender = SingleOwnerAccount::new(
        Arc::clone(client),
        LocalWallet::from(key),
        account.address.felt(),
        chain_id,
        ExecutionEncoding::New,
    );
    sender.set_block_id(BlockId::Tag(BlockTag::PreConfirmed));
    sender
}

fn transfer(to: Felt, amount: u64) -> Call {
    Call {
        to: STRK,
        selector: get_selector_from_name("transfer").unwrap(),
        calldata: vec![to, Felt::from(amount), Felt::ZERO],
    }
}

async fn balance(client: &Client, owner: Felt) -> Felt {
    let call = FunctionCall {
        contract_address: STRK,
        entry_point_selector: get_selector_from_name("balanceOf").unwrap(),
        calldata: vec![owner],
    };
    let latest = BlockId::Tag(BlockTag::Latest);
    client.call(call, latest).await.unwrap()[0]
}

async fn receipt(client: &Client, hash: Felt) -> TransactionReceiptWithBlockInfo {
    client.get_transaction_receipt(hash).await.unwrap()
}

#[tokio::test]
async fn a_transfer_is_estimated_signed_sent_and_read_back() {
    let (node, client) = serve().await;
    let [from, to] = [0, 1].map(|index| node.accounts()[index].clone());
    let account = sender(&client, &from).await;
    let (mine, theirs) = (
        balance(&client, from.address.felt()).await,
        balance(&client, to.address.felt()).await,
    );
    let execution = account.execute_v3(vec![transfer(to.address.felt(), 1_000)]);
    let estimate = execution.estimate_fee().await.unwrap();
    assert!(estimate.overall_fee > 0);
    let simulated = execution.simulate(false, false).await.unwrap();
    assert_eq!(simulated.fee_estimation.overall_fee, estimate.overall_fee);
    let hash = execution.send().await.unwrap().transaction_hash;

    let pending = receipt(&client, hash).await;
    assert_eq!(
        pending.receipt.finality_status(),
        &TransactionFinalityStatus::PreConfirmed
    );
    node.mine(1).unwrap();
    let sealed = receipt(&client, hash).await;
    assert_eq!(sealed.block.block_hash(), Some(node.head().hash));
    assert_eq!(
        sealed.receipt.execution_result(),
        &ExecutionResult::Succeeded
    );
    let TransactionReceipt::Invoke(invoked) = &sealed.receipt else {
        panic!("an invoke was sent");
    };
    let fee = invoked.actual_fee.amount;
    assert_eq!(fee, Felt::from(estimate.overall_fee));
    let amount = Felt::from(1_000);
    assert_eq!(
        balance(&client, from.address.felt()).await,
        mine - amount - fee
    );
    assert_eq!(balance(&client, to.address.felt()).await, theirs + amount);
    let sent = client.get_transaction_by_hash(hash, None).await.unwrap();
    assert_eq!(sent.transaction_hash(), &hash);
    assert_eq!(account.get_nonce().await.unwrap(), Felt::ONE);
}

#[tokio::test]
async fn a_refusal_is_the_error_of_the_specification() {
    let (node, client) = serve().await;
    let mut thief = node.accounts()[0].clone();
    thief.private_key = Felt::from(0x1234);
    let account = sender(&client, &thief).await;
    let execution = account
        .execute_v3(vec![transfer(Felt::TWO, 1)])
        .nonce(Felt::ZERO)
        .l1_gas(0)
        .l1_gas_price(100_000_000_000_000)
        .l1_data_gas(10_000)
        .l1_data_gas_price(100_000_000_000)
        .l2_gas(10_000_000)
        .l2_gas_price(10_000_000_000)
        .tip(0);
    let starknet_rust_accounts::AccountError::Provider(ProviderError::StarknetError(error)) =
        execution.send().await.unwrap_err()
    else {
        panic!("the node's own error was expected");
    };
    assert!(
        matches!(error, StarknetError::ValidationFailure(_)),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_account_is_deployed() {
    let (node, client) = serve().await;
    let rich = sender(&client, &node.accounts()[0]).await;
    let latest = BlockId::Tag(BlockTag::Latest);
    let class_hash = client
        .get_class_hash_at(latest, rich.address())
        .await
        .unwrap();
    let signer = LocalWallet::from(SigningKey::from_secret_scalar(Felt::from(0x5a17)));
    let chain_id = client.chain_id().await.unwrap();
    let mut factory =
        OpenZeppelinAccountFactory::new(class_hash, chain_id, signer, Arc::clone(&client))
            .await
            .unwrap();
    factory.set_block_id(BlockId::Tag(BlockTag::PreConfirmed));
    let deployment = factory.deploy_v3(Felt::from(7));
    let address = deployment.address();
    let funds = transfer(address, 1 << 60);
    rich.execute_v3(vec![funds]).send().await.unwrap();
    let result = deployment.send().await.unwrap();
    assert_eq!(result.contract_address, address);
    node.mine(1).unwrap();
    let done = receipt(&client, result.transaction_hash).await;
    assert_eq!(done.receipt.execution_result(), &ExecutionResult::Succeeded);
    assert_eq!(
        client.get_class_hash_at(latest, address).await.unwrap(),
        class_hash
    );
}
