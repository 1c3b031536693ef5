//! Starts the binary, reads what it says, and asks it over HTTP.

use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};
use tempfile::TempDir;
use tokio::time::Instant;

/// A line that does not come within this time will not come.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

pub(crate) const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
pub(crate) const STRK: &str = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
pub(crate) const USDC: &str = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";

/// A folder for the data of one test.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path("data")
    }
}

/// The binary with a clean environment: nothing of the caller's configures it.
pub(crate) fn stoa(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stoa"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("STOA__") {
            command.env_remove(name);
        }
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs a command to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    stoa(arguments).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Flags that take any free ports.
pub(crate) const FREE_PORTS: [&str; 4] = ["--listen", "127.0.0.1:0", "--sim-listen", "127.0.0.1:0"];

/// A small market with little history: most tests are not about it, and it is made in a
/// sixth of the time.
const SMALL: [(&str, &str); 2] = [
    ("STOA__SIMNET__POOLS", "24"),
    ("STOA__SIMNET__TRANSACTIONS_PER_BLOCK", "1"),
];

/// `serve` on free ports, with its data in `data`, beside a small market.
pub(crate) fn serve(data: &Path, more: &[&str]) -> Command {
    let mut command = serve_shipped(data, more);
    command.envs(SMALL);
    command
}

/// The same with the market that users find.
pub(crate) fn serve_shipped(data: &Path, more: &[&str]) -> Command {
    let mut command = stoa(&["serve"]);
    command.args(FREE_PORTS);
    command.env("STOA__SERVER__LOG", "warn");
    // Nodes that were told to stand still do so for as long as a slow machine needs.
    command.env("STOA__STARKNET__MAX_HEAD_AGE", "1h");
    command.arg("--data").arg(data).args(more);
    command
}

/// `simnet` on a free port, with its data in `data`.
pub(crate) fn simnet(data: &Path, more: &[&str]) -> Command {
    let mut command = stoa(&["simnet", "--sim-listen", "127.0.0.1:0"]);
    command.env("STOA__SERVER__LOG", "warn");
    command.arg("--data").arg(data).args(more);
    command
}

/// A running service; killed when dropped.
pub(crate) struct Service {
    child: Child,
    lines: Receiver<String>,
    /// What it said so far.
    pub(crate) said: Vec<String>,
}

impl Service {
    /// Starts a service and waits until it says that it is ready.
    pub(crate) fn ready(command: Command) -> Self {
        let mut service = Self::start(command);
        service.wait_for("ready");
        service
    }

    /// Starts a service; its log goes where ours does, unless the command says otherwise.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = lines(child.stdout.take().unwrap());
        Self {
            child,
            lines,
            said: Vec::new(),
        }
    }

    /// Waits for the line that begins with `word`.
    pub(crate) fn wait_for(&mut self, word: &str) {
        while !self.said.iter().any(|line| line.starts_with(word)) {
            let line = self.lines.recv_timeout(PATIENCE).unwrap();
            self.said.push(line);
        }
    }

    /// The value of the line that begins with `word`.
    pub(crate) fn line(&self, word: &str) -> &str {
        self.said
            .iter()
            .find_map(|line| line.strip_prefix(word)?.strip_prefix(' '))
            .map(str::trim)
            .unwrap()
    }

    /// Asks for a path of the API.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.get_with_key(path, None).await
    }

    pub(crate) async fn get_with_key(&self, path: &str, key: Option<&str>) -> Answer {
        let base = self.line("health").strip_suffix("/readyz").unwrap();
        get(&format!("{base}{path}"), key).await
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, signal: &str) {
        let kill = format!("kill -{signal} {}", self.child.id());
        assert!(
            Command::new("sh")
                .args(["-c", &kill])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Sends a signal and waits for the end.
    pub(crate) fn end_with(mut self, signal: &str) -> ExitStatus {
        self.signal(signal);
        // The end of its output is the end of the process, or soon after it.
        while self.lines.recv_timeout(PATIENCE).is_ok() {}
        self.child.wait().unwrap()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    receiver
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) limit: Option<String>,
    pub(crate) body: String,
}

pub(crate) async fn get(url: &str, key: Option<&str>) -> Answer {
    let mut request = http().get(url).timeout(PATIENCE);
    if let Some(key) = key {
        request = request.header("x-api-key", key);
    }
    let response = request.send().await.unwrap();
    let limit = response.headers().get("x-ratelimit-limit");
    Answer {
        status: response.status().as_u16(),
        limit: limit.map(|value| value.to_str().unwrap().to_owned()),
        body: response.text().await.unwrap(),
    }
}

/// A client without certificates and proxy: everything is on loopback.
fn http() -> reqwest::Client {
    reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .build()
        .unwrap()
}

/// Posts JSON and returns what comes back.
pub(crate) async fn post(url: &str, body: Vec<u8>) -> Vec<u8> {
    let request = http().post(url).timeout(PATIENCE);
    let request = request.header("content-type", "application/json");
    let answer = request.body(body).send().await.unwrap();
    answer.bytes().await.unwrap().to_vec()
}

/// Calls a method of a node.
pub(crate) async fn call(url: &str, method: &str, params: Value) -> Value {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let answer = post(url, body.to_string().into_bytes()).await;
    let mut answer: Value = serde_json::from_slice(&answer).unwrap();
    assert!(answer.get("error").is_none(), "{method}: {answer}");
    answer.get_mut("result").unwrap().take()
}

/// Asks the lease market, as whoever has `bearer`; `Null` is no body.
pub(crate) async fn ask(
    method: &str,
    url: &str,
    bearer: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> (u16, Value) {
    try_ask(method, url, bearer, headers, body).await.unwrap()
}

/// The same where the answer may be lost.
pub(crate) async fn try_ask(
    method: &str,
    url: &str,
    bearer: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> reqwest::Result<(u16, Value)> {
    let method = method.parse().unwrap();
    let mut request = http().request(method, url).timeout(PATIENCE);
    request = request.bearer_auth(bearer);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if !body.is_null() {
        request = request.header("content-type", "application/json");
        request = request.body(body.to_string());
    }
    let answer = request.send().await?;
    let status = answer.status().as_u16();
    let text = answer.text().await?;
    // A proxy speaks no JSON.
    Ok((
        status,
        serde_json::from_str(&text).unwrap_or(Value::String(text)),
    ))
}

/// What an attempt gives in the end. Another process cannot tell when, so that it
/// is asked again and again.
pub(crate) async fn eventually<T>(what: &str, mut attempt: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = attempt().await {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
