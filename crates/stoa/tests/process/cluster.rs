//! A cluster as `deploy/docker` has it, on this machine: two processes that answer, one
//! that indexes, one that does jobs, PostgreSQL and Redis of its own, and HAProxy with
//! the very file of that folder before them.

use crate::{
    harness::{Home, Service, call, eventually, get, run, simnet, stoa, text},
    market::register_as,
    own_postgres::OwnPostgres,
};
use ::simnet::SolanaKeypair;
use serde_json::{Value, json};
use std::{
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener},
    path::PathBuf,
    process::{self, Child, Command, Stdio},
};

const HAPROXY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../deploy/docker/haproxy.cfg"
);

/// What one process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    First,
    Second,
    Indexer,
    Jobs,
    /// A second one that does jobs, where it is asked for.
    Standby,
}

impl Part {
    pub(crate) const ALL: [Self; 4] = [Self::Indexer, Self::Jobs, Self::First, Self::Second];

    fn name(self) -> &'static str {
        match self {
            Self::First => "api-1",
            Self::Second => "api-2",
            Self::Indexer => "indexer",
            Self::Jobs => "jobs",
            Self::Standby => "standby",
        }
    }

    fn roles(self) -> &'static str {
        match self {
            Self::First | Self::Second => "api",
            Self::Indexer => "indexer",
            Self::Jobs | Self::Standby => "jobs",
        }
    }
}

/// Everything is ended when it is dropped.
pub(crate) struct Cluster {
    parts: Vec<(Part, SocketAddr, Option<Service>)>,
    _proxy: Daemon,
    redis: Option<Daemon>,
    redis_address: SocketAddr,
    pub(crate) postgres: OwnPostgres,
    pub(crate) nodes: Service,
    /// Where clients ask.
    pub(crate) base: String,
    /// Settings of every process besides those of a cluster.
    settings: &'static [(&'static str, &'static str)],
    home: Home,
}

impl Cluster {
    pub(crate) async fn start(settings: &'static [(&'static str, &'static str)]) -> Self {
        Self::of(&Part::ALL, settings).await
    }

    /// The same with a second process that does jobs.
    pub(crate) async fn with_standby(settings: &'static [(&'static str, &'static str)]) -> Self {
        let parts = [&Part::ALL[..], &[Part::Standby]].concat();
        Self::of(&parts, settings).await
    }

    async fn of(all: &[Part], settings: &'static [(&'static str, &'static str)]) -> Self {
        let home = Home::new();
        let nodes = Service::ready(simnet(&home.path("nodes"), &[]));
        let proxy_address = free_address();
        let parts = all.iter().map(|part| (*part, free_address(), None));
        let parts: Vec<_> = parts.collect();
        let proxy = proxy(&home, proxy_address, &parts);
        let mut cluster = Self {
            parts,
            _proxy: proxy,
            redis: None,
            redis_address: free_address(),
            postgres: OwnPostgres::start(),
            nodes,
            base: format!("http://{proxy_address}"),
            settings,
            home,
        };
        cluster.start_redis();
        for part in all {
            cluster.start_part(*part);
        }
        cluster.is_whole().await;
        cluster
    }

    /// Waits until HAProxy has somebody for every product: each has a pool of its own,
    /// which is looked at by itself.
    pub(crate) async fn is_whole(&self) {
        for path in ["/readyz", "/.well-known/jwks.json"] {
            let url = format!("{}{path}", self.base);
            let ready = async || (get(&url, None).await.status == 200).then_some(());
            eventually("the cluster is ready", ready).await;
        }
    }

    /// Waits until every process that answers serves what is the node's newest block now.
    pub(crate) async fn is_at_the_head(&self) {
        let head = call(self.nodes.line("node"), "starknet_blockNumber", json!([])).await;
        let head = head.as_u64();
        for part in [Part::Indexer, Part::First, Part::Second] {
            let served = async || {
                let health = self.part(part).get("/readyz").await.body;
                let health: Value = serde_json::from_str(&health).unwrap();
                let number = health.pointer("/parts/starknet/blockNumber");
                (number.and_then(Value::as_u64) >= head).then_some(())
            };
            eventually("the newest block is served", served).await;
        }
    }

    /// Whether the store holds what the chain says, from its first block on.
    pub(crate) fn verify(&self) {
        let node = self.nodes.line("node");
        let words = ["verify", "--from", "0", "--starknet-rpc", node];
        self.chore(&[&words, &["--store", self.postgres.url.as_str()]]);
    }

    /// Starts a process, and waits until it is ready.
    pub(crate) fn start_part(&mut self, part: Part) {
        let service = Service::ready(self.command(part));
        *self.slot(part) = Some(service);
    }

    pub(crate) fn part(&self, part: Part) -> &Service {
        let mut parts = self.parts.iter();
        let (.., service) = parts.find(|(it, ..)| *it == part).unwrap();
        service.as_ref().unwrap()
    }

    /// Every process.
    pub(crate) fn all(&self) -> impl Iterator<Item = Part> {
        self.parts.iter().map(|(part, ..)| *part)
    }

    /// Ends a process and waits for that.
    pub(crate) fn end_part(&mut self, part: Part, signal: &str) {
        let service = self.slot(part).take().unwrap();
        service.end_with(signal);
    }

    fn slot(&mut self, part: Part) -> &mut Option<Service> {
        let mut parts = self.parts.iter_mut();
        let (.., service) = parts.find(|(it, ..)| *it == part).unwrap();
        service
    }

    fn command(&self, part: Part) -> Command {
        let mut parts = self.parts.iter();
        let (_, address, _) = parts.find(|(it, ..)| *it == part).unwrap();
        let mut command = stoa(&["serve", "--roles", part.roles()]);
        let platform = SolanaKeypair::platform().public_key().to_string();
        let (node, solana) = (self.nodes.line("node"), self.nodes.line("solana"));
        // For whoever looks into a run that failed.
        let log = std::env::var("STOA_SIMULATE_LOG").unwrap_or_else(|_| "error".to_owned());
        command
            .args(["--listen", &address.to_string()])
            .args(["--starknet-rpc", node, "--solana-rpc", solana])
            .args(["--store", &self.postgres.url])
            .args(["--redis", &format!("redis://{}", self.redis_address)])
            .args(["--public-url", &self.base])
            .arg("--data")
            .arg(self.home.path(part.name()))
            .env("STOA__SERVER__LOG", log)
            .env("STOA__SERVER__NOTICE", "3s")
            .env("STOA__SERVER__TRUSTED_PROXIES", "127.0.0.1/32")
            .env("STOA__LEASING__PLATFORM_WALLET", platform)
            .envs(self.settings.iter().copied());
        command
    }

    pub(crate) fn start_redis(&mut self) {
        self.redis = Some(Daemon::start(redis(self.redis_address)));
    }

    pub(crate) fn stop_redis(&mut self) {
        self.redis = None;
    }

    /// A user's bearer.
    pub(crate) fn bearer(&self, role: &str) -> String {
        let store = ["--store", self.postgres.url.as_str()];
        let added = self.chore(&[&["user", "add", "--name", role, "--role", role], &store]);
        let user = added.split_whitespace().nth(1).unwrap();
        let made = self.chore(&[
            &["token", "create", "--user", user, "--name", "test"],
            &store,
        ]);
        let mut lines = made.lines();
        let token = lines.find_map(|line| line.strip_prefix("token ")).unwrap();
        token.trim().to_owned()
    }

    /// A registered validator.
    pub(crate) async fn validator(&self) -> Value {
        let bearer = self.bearer("validator");
        let solana = self.nodes.line("solana");
        register_as(&bearer, &self.base, solana, &self.home, &[]).await
    }

    /// A chore of an operator with sponsors.
    pub(crate) fn sponsor(&self, words: &[&str]) -> String {
        let store = ["--store", self.postgres.url.as_str()];
        self.chore(&[&["sponsor"], words, &store])
    }

    fn chore(&self, words: &[&[&str]]) -> String {
        let data = self.home.path("chores").display().to_string();
        let output = run(&[&words.concat()[..], &["--data", &data]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    }
}

/// A program that runs until it is dropped.
pub(crate) struct Daemon(Child);

impl Daemon {
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// HAProxy with the file that is deployed, but for the places.
fn proxy(
    home: &Home,
    address: SocketAddr,
    parts: &[(Part, SocketAddr, Option<Service>)],
) -> Daemon {
    let mut text = fs::read_to_string(HAPROXY).unwrap();
    let mut replace = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    };
    replace("bind :8080", &format!("bind {address}"));
    replace("maxconn 20000", "maxconn 1000");
    // Who stands still is not waited for that long here.
    replace("timeout server 30s", "timeout server 6s");
    replace(" resolvers docker init-addr none", "");
    replace(
        "resolvers docker\n  nameserver dns 127.0.0.11:53\n  hold valid 5s\n",
        "",
    );
    for (part, address, _) in parts.iter().filter(|(part, ..)| part.roles() == "api") {
        let place = format!("{}:8080", part.name());
        replace(&place, &address.to_string());
    }
    let file: PathBuf = home.path("haproxy.cfg");
    fs::write(&file, text).unwrap();
    let mut command = Command::new("haproxy");
    command.args(["-q", "-f"]).arg(file);
    Daemon::start(command)
}

/// A Redis that keeps nothing.
pub(crate) fn redis(address: SocketAddr) -> Command {
    let mut command = Command::new("redis-server");
    command
        .args(["--save", "", "--appendonly", "no"])
        .args(["--bind", &address.ip().to_string()])
        .args(["--port", &address.port().to_string()]);
    command
}

/// An address that was free a moment ago, for whoever starts again with the same one.
/// Its host is this process's own: connections of others take their ports at 127.0.0.1,
/// and may take any there that nobody listens at.
pub(crate) fn free_address() -> SocketAddr {
    let [_, high, middle, low] = process::id().to_be_bytes();
    let host = Ipv4Addr::new(127, high.saturating_add(1), middle, low);
    let listener = TcpListener::bind((IpAddr::V4(host), 0)).unwrap();
    listener.local_addr().unwrap()
}
