//! A lease market in a world of its own: a Solana node, a store, people who
//! sign and pay.

use crate::START_S;
use axum::{Router, body::Body, http::Request};
use chain::{RpcOptions, SolanaClient};
use leasing::{
    BookError, Booking, Draft, EpochWindow, ExtendError, Extension, FeeRate, Lease, Mode,
    RevokeError, Roles,
};
use primitives::{
    Clock, Entropy, Impossible, Lamports, ManualClock, PublicKey, SeededEntropy, Signature,
    SignedDuration, SolanaHash, Timestamp, Ulid,
};
use serde_json::{Value, json};
use services::{
    Refused,
    leasing::{
        Booked, Claim, ExtensionWish, KeyGuard, Leasing, LeasingOptions, Profile, Revoked, Settled,
        SolanaNodes, StoredAnswer, User, ValidatorView,
    },
};
use simnet::{SimulatedValidator, SolanaConfig, SolanaKeypair, SolanaNode};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use store::{Location, Store};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt as _;
use url::Url;

/// Slots after which a transaction of a market's node is final.
pub const FINALITY: u64 = 8;

/// The host in the texts that people of a market sign.
pub const DOMAIN: &str = "market.example";

const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// A lease market with everything that it stands on.
#[derive(Debug)]
pub struct Market {
    /// The node, to be told what happens.
    pub node: SolanaNode,
    /// Where its JSON-RPC is.
    pub node_url: Url,
    /// The nodes that the market asks.
    pub nodes: SolanaNodes,
    /// The time of everything.
    pub clock: Arc<ManualClock>,
    /// The randomness of everything.
    pub entropy: Arc<SeededEntropy>,
    /// Where its leases are kept.
    pub store: Store,
    /// The market.
    pub leasing: Leasing,
    /// Numbers that were used for nonces.
    used: AtomicU64,
    /// Dropping it removes the folder.
    vanishes: Option<TempDir>,
    _served: DropGuard,
}

impl Market {
    /// A market on SQLite, in a folder that vanishes.
    pub async fn new(seed: u64) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let location = Location::Sqlite {
            dir: folder.path().join("market"),
        };
        let mut market = Self::at(seed, &location).await;
        market.vanishes = Some(folder);
        market
    }

    /// A market on a store of the caller's.
    pub async fn at(seed: u64, location: &Location) -> Self {
        let store = Store::open(location).await.expect("a store");
        store.migrate().await.expect("a schema");
        let start = Timestamp::from_second(START_S).expect("a time within the calendar");
        let clock = Arc::new(ManualClock::new(start));
        let entropy = Arc::new(SeededEntropy::new(seed));
        let config = SolanaConfig {
            seed,
            finality_slots: FINALITY,
            ..SolanaConfig::default()
        };
        let node = SolanaNode::new(config, Arc::clone(&clock) as Arc<dyn Clock>);
        let stop = CancellationToken::new();
        let node_url = serve(&node, stop.clone()).await;
        let nodes = SolanaNodes::connected(connect(&node_url, &entropy).await);
        let leasing = Leasing::new(
            store.clone(),
            nodes.clone(),
            Arc::clone(&clock) as Arc<dyn Clock>,
            Arc::clone(&entropy) as Arc<dyn Entropy>,
            options(&node),
        );
        let market = Self {
            node,
            node_url,
            nodes,
            clock,
            entropy,
            store,
            leasing,
            used: AtomicU64::new(0),
            vanishes: None,
            _served: stop.drop_guard(),
        };
        market.watch().await;
        market
    }

    /// The same market, whose traders may leave as much unpaid as they like: for
    /// measurements, which book again and again.
    pub async fn without_cap(self) -> Self {
        self.configured(|options| options.max_unpaid = u32::MAX)
            .await
    }

    /// The same market as its operator wants it otherwise, just started.
    pub async fn configured(mut self, change: impl FnOnce(&mut LeasingOptions)) -> Self {
        let mut options = self.leasing.options().clone();
        change(&mut options);
        self.leasing = Leasing::new(
            self.store.clone(),
            self.nodes.clone(),
            Arc::clone(&self.clock) as Arc<dyn Clock>,
            Arc::clone(&self.entropy) as Arc<dyn Entropy>,
            options,
        );
        self.watch().await;
        self
    }

    /// Another replica on the same ledger and node, with connections of its own.
    pub async fn replica(&self, location: &Location) -> Leasing {
        Leasing::new(
            Store::open(location).await.expect("a store"),
            self.nodes.clone(),
            Arc::clone(&self.clock) as Arc<dyn Clock>,
            Arc::clone(&self.entropy) as Arc<dyn Entropy>,
            self.leasing.options().clone(),
        )
    }

    /// The wallet that fees go to.
    pub fn platform(&self) -> SolanaKeypair {
        self.wallet(0)
    }

    /// A funded wallet; the first is the platform's.
    pub fn wallet(&self, number: usize) -> SolanaKeypair {
        self.node.wallets()[number].clone()
    }

    /// A validator of the cluster that is always there.
    pub fn chain_validator(&self, number: usize) -> SimulatedValidator {
        // One in five comes and goes.
        let steady = self.node.validators();
        let mut steady = steady
            .into_iter()
            .enumerate()
            .filter(|(index, _)| index % 5 != 3);
        steady.nth(number).expect("a validator").1
    }

    /// Lets time pass, for the chain too.
    pub fn advance(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// Makes what was sent final. One slot in 25 has no block: neither the one
    /// that takes the transaction nor the last final one may be such.
    pub fn finalise(&self) {
        self.node.mine(FINALITY + 3).expect("slots");
    }

    /// Makes the blockhash another one, so that what is sent next is another
    /// transaction. No two slots without a block follow each other.
    pub fn renew_blockhash(&self) {
        self.node.mine(2).expect("slots");
    }

    /// The current epoch, as the node has it.
    pub fn epoch(&self) -> i64 {
        let epoch = self
            .leasing
            .epochs
            .current()
            .expect("an epoch")
            .position
            .epoch;
        i64::try_from(epoch).expect("a small number")
    }

    /// One round of the watch over epochs.
    pub async fn watch(&self) {
        let mut watch = self.leasing.epoch_watch();
        watch.round().await.expect("a node that answers");
    }

    /// One round of settlement.
    pub async fn settle(&self) -> Settled {
        let mut settlement = self.leasing.settlement();
        settlement.round().await.expect("a node that answers")
    }

    /// One round of the sweeper.
    pub async fn sweep(&self) -> u32 {
        let mut sweeper = self.leasing.sweeper();
        sweeper.round().await.expect("a store that answers")
    }

    /// A user with all roles but staff's.
    pub async fn user(&self, name: &str) -> User {
        let roles = Roles {
            trader: true,
            validator: true,
            staff: false,
        };
        self.user_with(name, roles).await
    }

    /// A user with roles.
    pub async fn user_with(&self, name: &str, roles: Roles) -> User {
        let profile = Profile {
            display_name: Some(name.to_owned()),
            email: None,
        };
        let user = self.leasing.accounts.add_user(None, &profile, roles).await;
        user.expect("a user")
    }

    /// An API token of a user.
    pub async fn token(&self, user: &User) -> String {
        let token = self.leasing.tokens.create(user.id, "test", None).await;
        token.expect("a token").token
    }

    /// A nonce that was not used before.
    pub fn nonce(&self) -> String {
        format!("nonce-{:016}", self.used.fetch_add(1, Ordering::Relaxed))
    }

    /// A key of idempotency that was not used before.
    pub fn key(&self) -> Ulid {
        let entropy: &dyn Entropy = &*self.entropy;
        let mut random = [0; 10];
        entropy.fill(&mut random);
        Ulid::new(self.clock.now(), random)
    }

    /// A registration of a validator of the cluster, signed: 1.5 SOL for all of
    /// it, 0.25 SOL for one of `seats`.
    pub fn draft(
        &self,
        owner: &User,
        validator: &SimulatedValidator,
        payout: PublicKey,
        seats: u32,
    ) -> Draft {
        let mut draft = Draft {
            identity_pubkey: Some(validator.identity.public_key().to_string()),
            payout_wallet: Some(payout.to_string()),
            tier: Some("standard".to_owned()),
            region: Some("eu-central-1".to_owned()),
            price_sol: Some("1.5".to_owned()),
            timestamp: Some(self.clock.now().as_second()),
            nonce: Some(self.nonce()),
            ..Draft::default()
        };
        if seats > 0 {
            draft.shared_price_sol = Some("0.25".to_owned());
            draft.max_concurrent_shared_leases = Some(seats.into());
        }
        self.sign_draft(&mut draft, owner, &validator.identity);
        draft
    }

    /// Signs a registration for an owner anew, as it is now.
    pub fn sign_draft(&self, draft: &mut Draft, owner: &User, identity: &SolanaKeypair) {
        draft.signature = Some(Signature::from_bytes([0; 64]).to_string());
        let options = self.leasing.options();
        let checked = draft.check(&options.regions, options.platform_wallet);
        let checked = checked.expect("a draft whose fields are good");
        let text = checked.challenge(DOMAIN, owner.id);
        draft.signature = Some(identity.sign(text.as_bytes()).to_string());
    }

    /// Registers the validator of this number for an owner, with its payout
    /// wallet being one that nobody pays from.
    pub async fn validator(&self, owner: &User, number: usize, seats: u32) -> ValidatorView {
        let payout = self.wallet(1).public_key();
        let draft = self.draft(owner, &self.chain_validator(number), payout, seats);
        let view = self
            .leasing
            .validators
            .register(Some(owner), &draft, None)
            .await;
        view.expect("a registration")
    }

    /// Lists many more validators like one that is registered, each at another
    /// price. They are not of the cluster.
    pub async fn list_more(&self, like: Ulid, count: u32) {
        let ledger = self.store.ledger();
        let like = ledger.validator(like).await.expect("a store that answers");
        let mut row = like.expect("a validator");
        let entropy: &dyn Entropy = &*self.entropy;
        let mut tx = ledger.begin().await.expect("a transaction");
        for _ in 0..count {
            row.id = self.key();
            row.identity = PublicKey::from_bytes(entropy.bytes());
            let price = row.terms.price.get() + 1_000_000;
            row.terms.price = Lamports::new(price);
            tx.insert_validator(&row).await.expect("a validator");
        }
        tx.commit().await.expect("all of them");
    }

    /// A booking from an epoch counted from the current one.
    pub fn booking(&self, validator: Ulid, ahead: i64, count: i64, mode: Mode) -> Booking {
        let window = EpochWindow::new(self.epoch() + ahead, count);
        Booking {
            validator,
            window: window.expect("a window"),
            mode,
        }
    }

    /// Books with a key of its own.
    pub async fn book(&self, user: &User, booking: &Booking) -> Result<Booked, Refused<BookError>> {
        self.book_with(&self.leasing, user, booking).await
    }

    /// The same, by a given replica.
    pub async fn book_with(
        &self,
        leasing: &Leasing,
        user: &User,
        booking: &Booking,
    ) -> Result<Booked, Refused<BookError>> {
        let guard = self.guard(leasing, user).await;
        let booked = leasing.leases.book(user, booking, guard, answer).await;
        booked.map(|(booked, _)| booked)
    }

    /// Asks for further epochs of a lease, with a key of its own.
    pub async fn extend(
        &self,
        user: &User,
        lease: Ulid,
        count: i32,
    ) -> Result<Extension, Refused<ExtendError>> {
        self.extend_with(&self.leasing, user, lease, count).await
    }

    /// The same, by a given replica.
    pub async fn extend_with(
        &self,
        leasing: &Leasing,
        user: &User,
        lease: Ulid,
        count: i32,
    ) -> Result<Extension, Refused<ExtendError>> {
        let made_before = leasing.leases.extensions_made(lease).await?;
        let wish = ExtensionWish {
            lease,
            count,
            made_before,
        };
        let guard = self.guard(leasing, user).await;
        let render = |extension: &Extension| Ok(answer_about(extension.id));
        let extended = leasing.leases.extend(user, wish, guard, render).await;
        extended.map(|(extension, _)| extension)
    }

    /// Ends a lease, with a key of its own.
    pub async fn revoke(
        &self,
        user: &User,
        lease: &Lease,
    ) -> Result<Revoked, Refused<RevokeError>> {
        self.revoke_with(&self.leasing, user, lease).await
    }

    /// The same, by a given replica.
    pub async fn revoke_with(
        &self,
        leasing: &Leasing,
        user: &User,
        lease: &Lease,
    ) -> Result<Revoked, Refused<RevokeError>> {
        let guard = self.guard(leasing, user).await;
        let which = (lease.validator, lease.id);
        let render = |revoked: &Revoked| Ok(answer_about(revoked.lease.id));
        let revoked = leasing.leases.revoke(user, which, "a test", guard, render);
        revoked.await.map(|(revoked, _)| revoked)
    }

    /// A key that a request holds.
    pub async fn guard(&self, leasing: &Leasing, user: &User) -> KeyGuard {
        let claim = leasing
            .keys
            .claim(user.id, "POST", "/v1/leases", self.key(), [0; 32]);
        match claim.await.expect("a store that answers") {
            Claim::Fresh(guard) => guard,
            other => panic!("a fresh key is {other:?}"),
        }
    }

    /// Asks for the transaction of a memo, signs it and sends it. Answers with
    /// its name.
    pub async fn pay(&self, memo: &str, payer: &SolanaKeypair) -> Signature {
        let unsigned = self.leasing.payments.transaction(memo, payer.public_key());
        let unsigned = unsigned.await.expect("a transaction");
        self.send(&sign(unsigned.transaction, payer)).await
    }

    /// Sends a signed transaction. Answers with its name.
    pub async fn send(&self, transaction: &[u8]) -> Signature {
        let params = json!([base64_of(transaction), {"encoding": "base64"}]);
        let result = self.ask("sendTransaction", &params).await;
        serde_json::from_value(result).expect("a signature")
    }

    /// The newest blockhash.
    pub async fn blockhash(&self) -> SolanaHash {
        let recent = self
            .nodes
            .client()
            .expect("a client")
            .recent_blockhash()
            .await;
        recent.expect("a blockhash").blockhash
    }

    /// What the node says to a question.
    pub async fn ask(&self, method: &str, params: &Value) -> Value {
        let question = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = Request::post("/solana")
            .header("content-type", "application/json")
            .body(Body::from(question.to_string()))
            .expect("a request");
        let router: Router = self.node.router();
        let answer = router.oneshot(request).await.expect("an answer");
        let body = axum::body::to_bytes(answer.into_body(), MAX_ANSWER_BYTES).await;
        let answer: Value = serde_json::from_slice(&body.expect("a body")).expect("JSON");
        assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
        answer["result"].clone()
    }
}

/// A transaction of one signer with its signature.
pub fn sign(mut transaction: Vec<u8>, payer: &SolanaKeypair) -> Vec<u8> {
    let signature = payer.sign(&transaction[65..]);
    transaction[1..65].copy_from_slice(signature.as_bytes());
    transaction
}

/// An answer that says which lease it is about.
pub fn answer(booked: &Booked) -> Result<StoredAnswer, Impossible> {
    Ok(answer_about(booked.lease.id))
}

fn answer_about(id: Ulid) -> StoredAnswer {
    StoredAnswer {
        status: 201,
        content_type: "application/json".to_owned(),
        body: id.to_string().into_bytes(),
    }
}

fn options(node: &SolanaNode) -> LeasingOptions {
    let platform = node.wallets()[0].public_key();
    LeasingOptions {
        fee: FeeRate::new(250).expect("a fee"),
        published_tokens: true,
        chain_id: "localnet".to_owned(),
        ..LeasingOptions::new(DOMAIN, platform)
    }
}

async fn connect(url: &Url, entropy: &Arc<SeededEntropy>) -> SolanaClient {
    let entropy = Arc::clone(entropy) as Arc<dyn Entropy>;
    let options = RpcOptions {
        backoff_base: Duration::from_micros(10),
        backoff_cap: Duration::from_millis(1),
        ..RpcOptions::default()
    };
    let client = SolanaClient::connect(std::slice::from_ref(url), options, &entropy, None).await;
    client.expect("a client")
}

/// Serves the node on a free port until told to stop.
async fn serve(node: &SolanaNode, stop: CancellationToken) -> Url {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let router = node.router();
    tokio::spawn(async move {
        let served = axum::serve(listener, router);
        served
            .with_graceful_shutdown(stop.cancelled_owned())
            .await
            .expect("the node is served");
    });
    Url::parse(&format!("http://{address}/solana")).expect("a url")
}

fn base64_of(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.encode(bytes)
}
