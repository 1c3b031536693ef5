//! A lease market with a simulated node behind it, its people, and requests of
//! theirs.

use crate::support::{Answer, Bench, Setting, send};
use api::{ApiConfig, Slug};
use axum::{
    body::Body,
    http::{Request, header::AUTHORIZATION, request::Builder},
};
use chain::{RpcOptions, SolanaClient};
use leasing::{
    RegisterChallenge, Roles, Shared, ValidatorTerms, parse_sol, payout_challenge,
    reclaim_challenge,
};
use primitives::{Clock as _, Entropy, PublicKey, SeededEntropy, Ulid};
use serde_json::{Value, json};
use services::leasing::{Leasing, LeasingOptions, Profile, SolanaNodes, User};
use simnet::{SimulatedValidator, SolanaConfig, SolanaKeypair, SolanaNode};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use store::Location;
use tokio::net::TcpListener;
use url::Url;

const DOMAIN: &str = "lease.example";
pub(crate) const BASE_URL: &str = "https://lease.example";

/// Somebody with credentials.
pub(crate) struct Person {
    pub(crate) user: User,
    pub(crate) token: String,
}

pub(crate) struct Market {
    pub(crate) bench: Bench,
    pub(crate) leasing: Leasing,
    pub(crate) node: SolanaNode,
    pub(crate) node_url: Url,
    /// Books.
    pub(crate) trader: Person,
    /// Registers.
    pub(crate) owner: Person,
    /// May see everything.
    pub(crate) staff: Person,
    counter: AtomicU64,
}

/// What a validator offers.
#[derive(Clone, Copy)]
pub(crate) struct Offer {
    pub(crate) price_sol: &'static str,
    pub(crate) tier: &'static str,
    pub(crate) region: &'static str,
    pub(crate) shared: Option<(&'static str, i64)>,
    pub(crate) name: Option<&'static str>,
    pub(crate) endpoint: Option<&'static str>,
}

pub(crate) const OFFER: Offer = Offer {
    price_sol: "1.5",
    tier: "standard",
    region: "eu-central-1",
    shared: Some(("0.2", 2)),
    name: None,
    endpoint: None,
};

const TRADER: Roles = Roles {
    trader: true,
    validator: false,
    staff: false,
};
const VALIDATOR: Roles = Roles {
    trader: true,
    validator: true,
    staff: false,
};
const STAFF: Roles = Roles {
    trader: false,
    validator: false,
    staff: true,
};

impl Market {
    /// A market without limits.
    pub(crate) async fn new() -> Self {
        Self::configured(|config| config.marketplace.limits = None).await
    }

    pub(crate) async fn configured(configure: impl FnOnce(&mut ApiConfig)) -> Self {
        let bench = Box::pin(bench(configure)).await;
        Box::pin(Self::on(bench)).await
    }

    /// A market without limits on a store of the caller's.
    pub(crate) async fn at(location: &Location) -> Self {
        let mut setting = Setting::default();
        BASE_URL.clone_into(&mut setting.config.marketplace.base_url);
        setting.config.marketplace.limits = None;
        setting.location = Some(location.clone());
        let bench = Box::pin(Bench::with(setting)).await;
        Box::pin(Self::on(bench)).await
    }

    async fn on(bench: Bench) -> Self {
        let node = SolanaNode::new(
            SolanaConfig {
                finality_slots: 4,
                ..SolanaConfig::default()
            },
            bench.clock.clone(),
        );
        let node_url = serve(&node).await;
        let nodes = SolanaNodes::connected(connect(&node_url).await);
        let market = Self::over(bench, node, node_url, nodes).await;
        market.leasing.epoch_watch().round().await.unwrap();
        market
    }

    /// A market that no node has answered yet.
    pub(crate) async fn without_node() -> Self {
        let bench = bench(|config| config.marketplace.limits = None).await;
        let node = SolanaNode::new(SolanaConfig::default(), bench.clock.clone());
        let nowhere = "http://127.0.0.1:9/solana".parse().unwrap();
        Self::over(bench, node, nowhere, SolanaNodes::default()).await
    }

    async fn over(bench: Bench, node: SolanaNode, node_url: Url, nodes: SolanaNodes) -> Self {
        let platform = node.wallets()[0].public_key();
        let leasing = Leasing::new(
            bench.store.clone(),
            nodes,
            bench.clock.clone(),
            Arc::new(SeededEntropy::new(7)),
            LeasingOptions::new(DOMAIN, platform),
        );
        Self {
            trader: person(&leasing, TRADER).await,
            owner: person(&leasing, VALIDATOR).await,
            staff: person(&leasing, STAFF).await,
            bench: bench.leasing(leasing.clone()),
            leasing,
            node,
            node_url,
            counter: AtomicU64::new(0),
        }
    }

    /// The same market on another chain, which has other validators.
    pub(crate) async fn on_another_chain(self) -> Self {
        let config = SolanaConfig {
            seed: 99,
            ..SolanaConfig::default()
        };
        let node = SolanaNode::new(config, self.bench.clock.clone());
        let node_url = serve(&node).await;
        let moved = Self {
            node,
            node_url,
            ..self
        };
        moved.with_entropy(Arc::new(SeededEntropy::new(8))).await
    }

    /// The same market as its operator wants it otherwise, just started.
    pub(crate) async fn with_options(self, change: impl FnOnce(&mut LeasingOptions)) -> Self {
        let mut options = self.leasing.options().clone();
        change(&mut options);
        let leasing = Leasing::new(
            self.bench.store.clone(),
            SolanaNodes::connected(connect(&self.node_url).await),
            self.bench.clock.clone(),
            Arc::new(SeededEntropy::new(9)),
            options,
        );
        Self {
            bench: self.bench.leasing(leasing.clone()),
            leasing,
            ..self
        }
    }

    /// The same market with another source of randomness.
    pub(crate) async fn with_entropy(self, entropy: Arc<dyn Entropy>) -> Self {
        let leasing = Leasing::new(
            self.bench.store.clone(),
            SolanaNodes::connected(connect(&self.node_url).await),
            self.bench.clock.clone(),
            entropy,
            self.leasing.options().clone(),
        );
        Self {
            bench: self.bench.leasing(leasing.clone()),
            leasing,
            ..self
        }
    }

    /// Somebody else.
    pub(crate) async fn person(&self, roles: Roles) -> Person {
        person(&self.leasing, roles).await
    }

    pub(crate) async fn another_trader(&self) -> Person {
        self.person(TRADER).await
    }

    pub(crate) fn wallet(&self, number: usize) -> SolanaKeypair {
        self.node.wallets()[number].clone()
    }

    /// A wallet that is no platform's, with something in it.
    pub(crate) fn payout(&self) -> PublicKey {
        self.wallet(1).public_key()
    }

    pub(crate) fn validator(&self, number: usize) -> SimulatedValidator {
        self.node.validators()[number].clone()
    }

    /// A number that was not there before.
    fn next(&self) -> u64 {
        self.counter.fetch_add(1, Ordering::Relaxed)
    }

    /// A key for a guarded request.
    pub(crate) fn key(&self) -> String {
        let mut random = [0; 10];
        random[2..].copy_from_slice(&self.next().to_be_bytes());
        Ulid::new(self.bench.clock.now(), random).to_string()
    }

    pub(crate) fn epoch(&self) -> i64 {
        let position = self.leasing.epochs.current().unwrap().position;
        i64::try_from(position.epoch).unwrap()
    }

    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        send(&self.bench.router, ask.request, ask.body).await
    }

    /// A registration that the identity signed.
    pub(crate) fn registration(&self, number: usize, offer: Offer) -> Value {
        let nonce = format!("nonce-number-{:06}", self.next());
        self.registration_at(number, offer, self.bench.clock.now().as_second(), &nonce)
    }

    pub(crate) fn registration_at(
        &self,
        number: usize,
        offer: Offer,
        timestamp: i64,
        nonce: &str,
    ) -> Value {
        let identity = self.validator(number).identity;
        let terms = ValidatorTerms {
            price: parse_sol(offer.price_sol).unwrap(),
            shared: offer.shared.map(|(price, seats)| Shared {
                price: parse_sol(price).unwrap(),
                seats: u32::try_from(seats).unwrap(),
            }),
            tier: offer.tier.parse().unwrap(),
            region: offer.region.parse().unwrap(),
        };
        let (key, payout) = (identity.public_key(), self.payout());
        let challenge = RegisterChallenge {
            domain: DOMAIN,
            account: self.owner.user.id,
            identity: key,
            payout_wallet: payout,
            name: offer.name,
            endpoint: offer.endpoint,
            terms: &terms,
            timestamp,
            nonce,
        };
        let challenge = challenge.text();
        let mut body = json!({
            "identity_pubkey": key.to_string(),
            "payout_wallet": payout.to_string(),
            "tier": offer.tier,
            "region": offer.region,
            "price_sol": offer.price_sol,
            "timestamp": timestamp,
            "nonce": nonce,
            "signature": identity.sign(challenge.as_bytes()).to_string(),
        });
        if let Some((price, seats)) = offer.shared {
            body["shared_price_sol"] = json!(price);
            body["max_concurrent_shared_leases"] = json!(seats);
        }
        if let Some(name) = offer.name {
            body["name"] = json!(name);
        }
        if let Some(endpoint) = offer.endpoint {
            body["tee_endpoint"] = json!(endpoint);
        }
        body
    }

    /// A change of the payout wallet that the identity signed.
    pub(crate) fn payout_change(&self, number: usize, wallet: PublicKey) -> Value {
        let identity = self.validator(number).identity;
        let nonce = format!("nonce-number-{:06}", self.next());
        let timestamp = self.bench.clock.now().as_second();
        let key = identity.public_key();
        let challenge = payout_challenge(DOMAIN, key, wallet, timestamp, &nonce);
        json!({
            "identity_pubkey": key.to_string(),
            "payout_wallet": wallet.to_string(),
            "timestamp": timestamp,
            "nonce": nonce,
            "signature": identity.sign(challenge.as_bytes()).to_string(),
        })
    }

    /// A wish of a person to have a validator, that the identity signed.
    pub(crate) fn reclaim(&self, number: usize, person: &Person, wallet: PublicKey) -> Value {
        let identity = self.validator(number).identity;
        let nonce = format!("nonce-number-{:06}", self.next());
        let timestamp = self.bench.clock.now().as_second();
        let (account, key) = (person.user.id, identity.public_key());
        let challenge = reclaim_challenge(DOMAIN, account, key, wallet, timestamp, &nonce);
        json!({
            "identity_pubkey": key.to_string(),
            "payout_wallet": wallet.to_string(),
            "timestamp": timestamp,
            "nonce": nonce,
            "signature": identity.sign(challenge.as_bytes()).to_string(),
        })
    }

    /// Registers a validator of the owner's; answers with its id.
    pub(crate) async fn register(&self, number: usize, offer: Offer) -> String {
        let body = self.registration(number, offer);
        let ask = Ask::post("/v1/validators").by(&self.owner).json(&body);
        self.send(ask).await.id(201)
    }

    /// The service token of a validator of the owner's.
    pub(crate) async fn gateway(&self, validator: &str) -> String {
        let path = format!("/v1/validators/{validator}/service-tokens");
        let ask = Ask::post(&path).by(&self.owner);
        let made = self
            .send(ask.json(&json!({"name": "gateway"})))
            .await
            .data(201);
        made["token"].as_str().unwrap().to_owned()
    }

    /// Asks to book, with a new key.
    pub(crate) async fn ask_to_book(&self, trader: &Person, body: &Value) -> Answer {
        let ask = Ask::post("/v1/leases").by(trader).key(&self.key());
        self.send(ask.json(body)).await
    }

    /// Books some epochs from the next one on.
    pub(crate) async fn book(&self, validator: &str) -> Value {
        let body = booking(validator, self.epoch() + 1, 2);
        self.ask_to_book(&self.trader, &body).await.data(201)
    }

    /// What the market says of a lease.
    pub(crate) async fn lease(&self, id: &str) -> Value {
        let path = format!("/v1/leases/{id}");
        self.send(Ask::get(&path).by(&self.staff)).await.data(200)
    }

    /// Everything that a refusal must leave as it is.
    pub(crate) async fn everything(&self) -> Value {
        let mut all = Vec::new();
        for person in [&self.trader, &self.owner] {
            for path in ["/v1/leases?limit=50", "/v1/api-tokens", "/v1/me"] {
                all.push(self.send(Ask::get(path).by(person)).await.json());
            }
        }
        let validators = "/v1/validators?limit=50&sort=newest";
        all.push(self.send(Ask::get(validators)).await.json());
        Value::Array(all)
    }
}

async fn bench(configure: impl FnOnce(&mut ApiConfig)) -> Bench {
    let configure = |config: &mut ApiConfig| {
        BASE_URL.clone_into(&mut config.marketplace.base_url);
        configure(config);
    };
    Bench::configured(configure).await
}

async fn serve(node: &SolanaNode) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/solana", listener.local_addr().unwrap());
    let router = node.router();
    tokio::spawn(async move { axum::serve(listener, router).await });
    url.parse().unwrap()
}

async fn connect(url: &Url) -> SolanaClient {
    let options = RpcOptions {
        backoff_base: Duration::from_micros(10),
        backoff_cap: Duration::from_millis(1),
        ..RpcOptions::default()
    };
    let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(1));
    let nodes = std::slice::from_ref(url);
    let client = SolanaClient::connect(nodes, options, &entropy, None).await;
    client.unwrap()
}

async fn person(leasing: &Leasing, roles: Roles) -> Person {
    let user = leasing
        .accounts
        .add_user(None, &Profile::default(), roles)
        .await;
    let user = user.unwrap();
    let made = leasing.tokens.create(user.id, "test", None).await.unwrap();
    Person {
        user,
        token: made.token,
    }
}

/// A wish to book.
pub(crate) fn booking(validator: &str, start: i64, count: i64) -> Value {
    json!({"validator_id": validator, "epoch_start": start, "epoch_count": count})
}

/// A request.
pub(crate) struct Ask {
    request: Builder,
    body: Body,
}

impl Ask {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self {
            request: Request::builder().method(method).uri(path),
            body: Body::empty(),
        }
    }

    pub(crate) fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub(crate) fn post(path: &str) -> Self {
        Self::new("POST", path)
    }

    pub(crate) fn by(self, person: &Person) -> Self {
        self.bearer(&person.token)
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header(AUTHORIZATION.as_str(), &format!("Bearer {token}"))
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.header("idempotency-key", key)
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.text(&body.to_string())
    }

    /// A body that is declared to be JSON.
    pub(crate) fn text(self, body: &str) -> Self {
        self.header("content-type", "application/json").raw(body)
    }

    /// A body of JSON that never comes.
    pub(crate) fn endless(self) -> Self {
        let never = futures_util::stream::pending::<Result<bytes::Bytes, std::io::Error>>();
        let mut ask = self.header("content-type", "application/json");
        ask.body = Body::from_stream(never);
        ask
    }

    /// A body of which nothing is said.
    pub(crate) fn raw(mut self, body: &str) -> Self {
        self.body = Body::from(body.to_owned());
        self
    }
}

impl Answer {
    /// What is in the envelope of an answer with this status.
    #[track_caller]
    pub(crate) fn data(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        self.json()["data"].clone()
    }

    /// The public id of what was answered.
    #[track_caller]
    pub(crate) fn id(&self, status: u16) -> String {
        self.data(status)["public_id"].as_str().unwrap().to_owned()
    }

    /// The document of a refusal, which is checked against the table.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, slug: &str) -> Value {
        let told = self.slug();
        let found = (self.status.as_u16(), told.as_deref());
        assert_eq!(found, (status, Some(slug)), "{}", self.text());
        let body: Value = serde_json::from_slice(&self.body).unwrap();
        let entry = Slug::named(slug).unwrap().entry();
        assert!(entry.statuses.contains(&status));
        assert_eq!(body["type"], format!("{BASE_URL}/errors/{slug}"));
        assert_eq!(body["title"], entry.title);
        assert_eq!(body["status"], status);
        assert!(!body["detail"].as_str().unwrap().is_empty());
        assert!(body["instance"].as_str().unwrap().starts_with('/'));
        let members = [
            "type",
            "title",
            "status",
            "detail",
            "instance",
            "extensions",
            "message",
        ];
        let flat = body.as_object().unwrap().keys();
        assert!(
            flat.into_iter()
                .all(|name| members.contains(&name.as_str()))
        );
        assert!(self.header("x-request-id").is_some());
        assert_eq!(self.header("cache-control"), Some("no-store"));
        body
    }
}
