//! A node, a store, and an account that sends.

use axum::{
    body::to_bytes,
    extract::{Request, State},
    http::StatusCode,
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use chain::{ContractCall, RpcOptions, StarkSigner, StarknetClient};
use primitives::{
    Address, Clock, Entropy, Felt, ManualClock, SeededEntropy, SignedDuration, Timestamp, U256,
    short_string,
};
use services::{Sender, SenderOptions};
use simnet::{History, PrefundedAccount, StarknetConfig, StarknetNode};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use store::{SendRow, SendingAccount, Store};
use tokio::net::TcpListener;
use url::Url;
use world::{Engine, TestDatabase};

pub(crate) const ONE: u128 = 1_000_000_000_000_000_000;

/// How long a sender waits before it sends something again.
pub(crate) const PATIENCE: SignedDuration = SignedDuration::from_secs(20);

/// Blocks that make something final.
pub(crate) const DEPTH: u64 = 2;

pub(crate) struct Stage {
    pub(crate) node: StarknetNode,
    pub(crate) url: Url,
    pub(crate) client: StarknetClient,
    /// While it is set, transactions do not reach the node.
    pub(crate) deaf: Arc<AtomicBool>,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    pub(crate) account: PrefundedAccount,
    pub(crate) options: SenderOptions,
}

impl Stage {
    pub(crate) async fn on(engine: Engine) -> Self {
        let clock = Arc::new(ManualClock::new(
            Timestamp::from_second(1_800_000_000).unwrap(),
        ));
        let config = StarknetConfig {
            block_time: None,
            history: History::blocks(4, Duration::from_secs(2)),
            pools: 0,
            ..StarknetConfig::default()
        };
        let node = StarknetNode::new(config, clock.clone());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/starknet", listener.local_addr().unwrap());
        let url: Url = url.parse().unwrap();
        let deaf = Arc::new(AtomicBool::new(false));
        let hears = from_fn_with_state(Arc::clone(&deaf), hear);
        let router = node.router().layer(hears);
        tokio::spawn(async move { axum::serve(listener, router).await });
        let account = node.accounts().swap_remove(0);
        let database = TestDatabase::new(engine).await;
        Self {
            client: client(url.clone()),
            store: database.store().await,
            options: options(fee_token(&account)),
            node,
            url,
            deaf,
            clock,
            database,
            account,
        }
    }

    /// A sender of the account, as any process has one.
    pub(crate) fn sender(&self) -> Sender {
        self.sender_of(&self.account, self.options)
    }

    pub(crate) fn sender_of(&self, account: &PrefundedAccount, options: SenderOptions) -> Sender {
        let signer = StarkSigner::new(account.private_key).unwrap();
        self.sender_with(vec![self.client.clone()], account.address, signer, options)
    }

    pub(crate) fn sender_with(
        &self,
        nodes: Vec<StarknetClient>,
        address: Address,
        signer: StarkSigner,
        options: SenderOptions,
    ) -> Sender {
        let account = SendingAccount {
            chain_id: short_string("SN_STOA"),
            address,
        };
        let clock = self.clock.clone() as Arc<dyn Clock>;
        Sender::new(self.store.clone(), nodes, account, signer, clock, options)
    }

    /// Somebody is given one unit.
    pub(crate) fn gift(&self, to: Address) -> [ContractCall; 1] {
        gift(self.options.fee_token, to)
    }

    pub(crate) async fn held(&self, owner: Address) -> U256 {
        let at = self.node.head();
        let balance = self.client.balance(self.options.fee_token, owner, at).await;
        balance.unwrap().unwrap()
    }

    /// How many transactions the chain has of the account.
    pub(crate) async fn used(&self) -> u64 {
        let at = self.node.head();
        let nonces = self.client.nonces(&[self.account.address], at).await;
        nonces.unwrap()[0].unwrap()
    }

    /// The row as it is now.
    pub(crate) async fn row(&self, purpose: &str) -> Option<SendRow> {
        let chain_id = short_string("SN_STOA");
        let row = self.store.ledger().find_send(chain_id, purpose).await;
        row.unwrap()
    }

    /// A block, and enough on top of it.
    pub(crate) fn mine_final(&self) {
        self.node.mine(1 + u32::try_from(DEPTH).unwrap()).unwrap();
    }

    /// Longer than anything is waited for.
    pub(crate) fn wait(&self) {
        self.clock.advance(PATIENCE + PATIENCE);
    }
}

async fn hear(State(deaf): State<Arc<AtomicBool>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap();
    let is_sent = String::from_utf8_lossy(&body).contains("starknet_addInvokeTransaction");
    if is_sent && deaf.load(Ordering::Relaxed) {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    next.run(Request::from_parts(parts, body.into())).await
}

pub(crate) fn client(url: Url) -> StarknetClient {
    let options = RpcOptions {
        timeout: Duration::from_secs(5),
        backoff_base: Duration::from_millis(1),
        backoff_cap: Duration::from_millis(5),
        ..RpcOptions::default()
    };
    let entropy = Arc::new(SeededEntropy::new(1)) as Arc<dyn Entropy>;
    StarknetClient::new(url, options, entropy).unwrap()
}

pub(crate) fn options(fee_token: Address) -> SenderOptions {
    SenderOptions {
        fee_token,
        max_fee: 10 * ONE,
        reserve: 10 * ONE,
        in_flight: 16,
        room_percent: 50,
        patience: PATIENCE,
        depth: DEPTH,
        stuck_blocks: 5,
        replacements: 3,
    }
}

pub(crate) fn gift(token: Address, to: Address) -> [ContractCall; 1] {
    let arguments = vec![to.felt(), Felt::ONE, Felt::ZERO];
    [ContractCall::new(token, "transfer", arguments)]
}

/// The token that fees are paid in.
pub(crate) fn fee_token(account: &PrefundedAccount) -> Address {
    let mut funding = account.funding.iter();
    funding.find(|it| it.symbol == "STRK").unwrap().token
}

pub(crate) fn somebody(number: u64) -> Address {
    Address::new(Felt::from(0xabc0_0000_u64 + number))
}
