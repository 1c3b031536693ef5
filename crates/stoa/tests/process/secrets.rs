//! Secrets never reach the log: both products are used with every kind of them, with
//! all parts and all libraries at their most talkative, until everything that the
//! service stands on is gone.

use crate::{
    cluster::Daemon,
    harness::{Home, Service, ask, call, eventually, get, run, serve, simnet, text},
    market::{base, book_as, register_as},
    own_postgres::OwnPostgres,
    replicas::quotes_url,
    secret_settings::{Secrets, name_keys, name_nodes, start_redis},
    solana_wallet::SolanaWallet,
    sponsors::pay_as,
};
use serde_json::{Value, json};
use std::{
    fs::{self, File},
    io::{Read as _, Seek as _, SeekFrom},
    time::SystemTime,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use world::{IssuerKey, TestIssuer};

/// Everything that anybody logs: a lone `trace` would be that of our own parts.
const EVERYTHING: &str = "trace,stoa=trace";

/// A service with secrets in all of its settings.
struct Run {
    home: Home,
    secrets: Secrets,
    nodes: Service,
    postgres: OwnPostgres,
    redis: Daemon,
    store: String,
    issuer: (TestIssuer, IssuerKey),
    service: Service,
    base: String,
    wallet: SolanaWallet,
}

impl Run {
    async fn begin() -> Self {
        let home = Home::new();
        let mut secrets = Secrets::default();
        let nodes = Service::ready(simnet(&home.path("nodes"), &[]));
        let postgres = OwnPostgres::start();
        let password = secrets.invent("password of PostgreSQL");
        let store = postgres.url.replace('@', &format!(":{password}@"));
        let (redis, redis_url) = start_redis(&secrets.invent("password of Redis"));
        let key = IssuerKey::p256(7);
        let issuer = TestIssuer::new(&[&key]).await;

        let mut command = serve(&home.data(), &["--no-rate-limit", "--store", &store]);
        command
            .env("STOA__SERVER__LOG", EVERYTHING)
            .env("STOA__SHARED__REDIS", redis_url)
            .env("STOA__OIDC__ISSUER", &issuer.name)
            .env("STOA__OIDC__AUDIENCE", world::issuer::AUDIENCE)
            .env("STOA__WEBHOOKS__ALLOW_LOOPBACK", "true")
            .stderr(File::create(home.path("log")).unwrap());
        name_nodes(&mut command, &nodes, &mut secrets);
        name_keys(&mut command, &home, &mut secrets);
        let service = Service::ready(command);
        let base = base(&service);
        Self {
            wallet: SolanaWallet::funded(nodes.line("solana")).await,
            issuer: (issuer, key),
            home,
            secrets,
            nodes,
            postgres,
            redis,
            store,
            service,
            base,
        }
    }

    /// What an operator's command shows on the line of a word.
    fn shown(&mut self, what: &'static str, words: &[&str], word: &str) -> String {
        let output = run(&[words, &["--store", &self.store]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let told = text(&output.stdout);
        let mut lines = told.lines();
        let value = lines.find_map(|line| line.strip_prefix(word)).unwrap();
        self.secrets.given(what, &json!(value.trim()))
    }

    async fn ask(&self, method: &str, path: &str, bearer: &str, body: Value) -> Value {
        let url = format!("{}{path}", self.base);
        let (status, answer) = ask(method, &url, bearer, &[], &body).await;
        assert!(status < 300, "{method} {path}: {status} {answer}");
        answer["data"].clone()
    }

    /// Keys of callers and sponsors, known ones and others.
    async fn trade(&mut self) {
        let words = ["key", "create", "--name", "app"];
        let key = self.shown("API key", &words, "secret ");
        let unknown = self.secrets.invent("unknown API key");
        for (key, expected) in [(key, 200), (format!("stoa_{unknown}"), 401)] {
            let url = format!("{}/v1/starknet/tokens", self.base);
            assert_eq!(get(&url, Some(&key)).await.status, expected);
        }
        let words = ["sponsor", "create", "--name", "game", "--credits", "5"];
        let sponsor = self.shown("sponsor's key", &words, "secret ");
        let sent = pay_as(&self.service, &sponsor, 7, &json!({"mode": "sponsored"})).await;
        let hash = sent["transaction_hash"].as_str().unwrap();
        assert!(hash.starts_with("0x"), "{sent}");
        let path = format!("{}/paymaster/v1/sponsor-activity", self.base);
        let headers = [("api-key", sponsor.as_str())];
        let (status, _) = ask("GET", &path, "nobody", &headers, &Value::Null).await;
        assert_eq!(status, 200);
    }

    /// Signs in with the wallet.
    async fn sign_in(&mut self) -> String {
        let address = self.wallet.address();
        let wish = json!({"address": address});
        let challenge = self.ask("POST", "/v1/auth/challenge", "", wish).await;
        let message = challenge["message"].as_str().unwrap();
        let signature = self.wallet.sign(message.as_bytes());
        let wish = json!({
            "address": address, "nonce": challenge["nonce"], "signature": signature,
        });
        let session = self.ask("POST", "/v1/auth/session", "", wish).await;
        let session = self.secrets.given("session", &session["session_token"]);
        let wish = json!({"display_name": "Ada"});
        self.ask("POST", "/v1/users", &session, wish).await;
        session
    }

    /// Everything that signs somebody in, or opens something.
    async fn credentials(&mut self, session: &str) {
        let wish = json!({"name": "bot"});
        let token = self.ask("POST", "/v1/api-tokens", session, wish).await;
        let token = self.secrets.given("API token", &token["token"]);
        self.ask("GET", "/v1/me", &token, Value::Null).await;

        let path = "/v1/onboarding/sessions";
        let onboarding = self.ask("POST", path, session, json!({})).await;
        let token = self
            .secrets
            .given("onboarding", &onboarding["onboard_token"]);
        let path = format!("/v1/onboarding/sessions/{token}");
        self.ask("GET", &path, "", Value::Null).await;

        let path = "/v1/stream-tickets";
        let ticket = self.ask("POST", path, session, json!({})).await;
        let ticket = self.secrets.given("ticket", &ticket["ticket"]);
        self.open_stream(&ticket).await;

        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
        let claims = self.issuer.0.claims("eve", i64::try_from(now).unwrap());
        let token = json!(self.issuer.1.token(&claims));
        let token = self.secrets.given("JWT", &token);
        let wish = json!({"display_name": "Eve"});
        self.ask("POST", "/v1/users", &token, wish).await;
        let token = json!(IssuerKey::p256(8).token(&claims));
        let token = self.secrets.given("JWT of a stranger", &token);
        let url = format!("{}/v1/me", self.base);
        let (status, _) = ask("GET", &url, &token, &[], &Value::Null).await;
        assert_eq!(status, 401);
    }

    /// The beginning of a stream is enough.
    async fn open_stream(&self, ticket: &str) {
        let host = self.base.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!("GET /v1/stream?ticket={ticket} HTTP/1.1\r\nhost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut begin = [0; 15];
        stream.read_exact(&mut begin).await.unwrap();
        assert_eq!(&begin, b"HTTP/1.1 200 OK");
    }

    /// A webhook whose receiver is the service itself, at an address that is a secret.
    async fn be_told(&mut self, session: &str) {
        let token = self.secrets.invent("webhook's address");
        let url = format!("{}/healthz?token={token}", self.base);
        let wish = json!({"url": url, "events": ["lease.activated"]});
        let hook = self.ask("POST", "/v1/webhooks", session, wish).await;
        let given = hook["secret"].as_str().unwrap().strip_prefix("whsec_");
        self.secrets
            .0
            .push(("webhook's secret", given.unwrap().to_owned()));
        let path = format!("/v1/webhooks/{}", hook["public_id"].as_str().unwrap());
        let again = self
            .ask("POST", &format!("{path}/secret"), session, json!({}))
            .await;
        let given = again["secret"].as_str().unwrap().strip_prefix("whsec_");
        self.secrets
            .0
            .push(("webhook's secret", given.unwrap().to_owned()));
        self.ask("POST", &format!("{path}/test"), session, json!({}))
            .await;
        eventually("it is delivered", async || {
            let path = format!("{path}/deliveries");
            let deliveries = self.ask("GET", &path, session, Value::Null).await;
            let delivery = &deliveries[0];
            (delivery["attempts"].as_u64() >= Some(1)).then_some(())
        })
        .await;
    }

    /// A lease from its booking to its token.
    async fn lease(&mut self, session: &str) {
        let words = ["user", "add", "--name", "Owner", "--role", "validator"];
        let added = run(&[&words[..], &["--store", &self.store]].concat());
        let user = text(&added.stdout);
        let user = user.split_whitespace().nth(1).unwrap();
        let words = ["token", "create", "--user", user, "--name", "laptop"];
        let owner = self.shown("owner's token", &words, "token ");
        let solana = self.nodes.line("solana").to_owned();
        let validator = register_as(&owner, &self.base, &solana, &self.home, &[]).await;
        let id = validator["public_id"].as_str().unwrap();
        let path = format!("/v1/validators/{id}/service-tokens");
        let service = self
            .ask("POST", &path, &owner, json!({"name": "gateway"}))
            .await;
        let service = self.secrets.given("service token", &service["token"]);

        let epoch = self.ask("GET", "/v1/epoch", "", Value::Null).await;
        let start = epoch["epoch"].as_u64().unwrap() + 2;
        let wish = json!({"validator_id": id, "epoch_start": start, "epoch_count": 2});
        let (status, booked) = book_as(session, &self.base, 1, &wish).await;
        assert_eq!(status, 201, "{booked}");
        self.pay(&booked["data"]["payment"]["memo"]).await;
        let lease = booked["data"]["lease_id"].as_str().unwrap();
        let path = format!("/v1/leases/{lease}");
        call(&solana, "sim_mine", json!({"slots": 40})).await;
        eventually("it is paid", async || {
            let lease = self.ask("GET", &path, session, Value::Null).await;
            (lease["state"] != "pending_payment").then_some(())
        })
        .await;
        call(&solana, "sim_advanceEpochs", json!({"count": 2})).await;
        eventually("it has begun", async || {
            let url = format!("{}{path}/token", self.base);
            let (status, _) = ask("POST", &url, session, &[], &json!({})).await;
            (status == 200).then_some(())
        })
        .await;
        let made = self
            .ask("POST", &format!("{path}/credentials"), session, json!({}))
            .await;
        self.secrets.given("key of a lease", &made["api_key"]);
        let made = self
            .ask("POST", &format!("{path}/api-keys"), session, json!({}))
            .await;
        let key = self.secrets.given("key of a lease", &made["api_key"]);
        let minted = self
            .ask("POST", &format!("{path}/token"), &key, json!({}))
            .await;
        self.secrets.given("lease token", &minted["token"]);
        let url = format!("{}/v1/usage/reports", self.base);
        let (status, _) = ask("POST", &url, &service, &[], &json!({"reports": []})).await;
        assert!(matches!(status, 200 | 400), "{status}");
    }

    /// Pays as a wallet does.
    async fn pay(&self, memo: &Value) {
        let account = self.wallet.address();
        let url = format!("{}/v1/chain-pay/{}", self.base, memo.as_str().unwrap());
        let (status, answer) = ask("POST", &url, "", &[], &json!({"account": account})).await;
        assert_eq!(status, 200, "{answer}");
        let params = self.wallet.signed(&answer["transaction"]);
        call(self.nodes.line("solana"), "sendTransaction", params).await;
    }

    /// What fails is logged with its cause, where addresses like to be.
    async fn lose_everything(self) -> (String, Secrets) {
        let file = self.home.path("log");
        let so_far = fs::metadata(&file).unwrap().len();
        let is_told = |word: &str| {
            let mut log = File::open(&file).unwrap();
            log.seek(SeekFrom::Start(so_far)).unwrap();
            let mut new = Vec::new();
            log.read_to_end(&mut new).unwrap();
            text(&new).contains(word).then_some(())
        };
        drop(self.redis);
        eventually("Redis is missed", async || {
            get(&quotes_url(&self.base), None).await;
            is_told("redis does not answer")
        })
        .await;
        self.nodes.end_with("KILL");
        for word in ["indexing paused", "the lease market is held up"] {
            eventually(word, async || is_told(word)).await;
        }
        self.postgres.stop();
        let word = "the store does not say whose duty it is";
        eventually(word, async || is_told(word)).await;
        let said = self.service.said.join("\n");
        self.service.end_with("TERM");
        let log = text(&fs::read(&file).unwrap());
        (log + &said, self.secrets)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_ever_logged() {
    let mut run = Run::begin().await;
    run.trade().await;
    let session = run.sign_in().await;
    run.credentials(&session).await;
    run.be_told(&session).await;
    run.lease(&session).await;
    let path = "/v1/auth/session";
    run.ask("DELETE", path, &session, Value::Null).await;
    let (log, secrets) = run.lose_everything().await;
    // Libraries are heard, and requests are told with their routes.
    for seen in [
        "\"target\":\"hyper",
        "\"target\":\"sqlx",
        path,
        "\"level\":\"TRACE\"",
    ] {
        assert!(log.contains(seen), "{seen}");
    }
    assert!(secrets.0.len() > 25, "{}", secrets.0.len());
    assert_eq!(secrets.found_in(&log), Vec::<String>::new());
}
