//! The Redis of all tests, a way to it that can be cut, and one of a test's own, which
//! can be stopped, killed and started again.

use std::{
    env,
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};
use tempfile::TempDir;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, UnixStream},
};
use tokio_util::sync::CancellationToken;

/// Where the Redis is that all tests share.
pub fn redis_url() -> String {
    env::var("STOA_TEST_REDIS").expect("STOA_TEST_REDIS is not set: run ./test, which starts Redis")
}

/// A way to the Redis of all tests, until it is cut.
pub async fn cuttable_redis(cut: CancellationToken) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a listener that is bound");
    let socket = redis_url().replace("redis+unix://", "");
    tokio::spawn(cut.clone().run_until_cancelled_owned(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let mut far = UnixStream::connect(&socket).await.expect("a Redis");
            let both = async move { copy_bidirectional(&mut near, &mut far).await };
            tokio::spawn(cut.clone().run_until_cancelled_owned(both));
        }
    }));
    format!("redis://{address}")
}

/// A running Redis that keeps nothing on disk and ends with the test.
#[derive(Debug)]
pub struct OwnRedis {
    server: Child,
    folder: TempDir,
}

impl OwnRedis {
    /// Starts one, and waits until it takes connections.
    pub fn start() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let server = server(folder.path().join("redis.sock"));
        Self { server, folder }
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("redis+unix://{}", self.socket().display())
    }

    /// It takes connections and answers nothing, until [`Self::go_on`].
    pub fn hang(&self) {
        self.signal("-STOP");
    }

    /// It answers again.
    pub fn go_on(&self) {
        self.signal("-CONT");
    }

    /// It is gone.
    pub fn kill(&mut self) {
        self.server.kill().expect("a process of ours");
        self.server.wait().expect("a process of ours");
    }

    /// Starts it again where it was, without what it knew.
    pub fn restart(&mut self) {
        self.server = server(self.socket());
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("redis.sock")
    }

    fn signal(&self, name: &str) {
        let id = self.server.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status();
        assert!(sent.expect("kill").success());
    }
}

impl Drop for OwnRedis {
    fn drop(&mut self) {
        // Ends one that hangs, too.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn server(socket: PathBuf) -> Child {
    let mut server = Command::new("redis-server")
        .args(["--port", "0", "--save", "", "--appendonly", "no"])
        .arg("--unixsocket")
        .arg(socket)
        .stdout(Stdio::piped())
        .spawn()
        .expect("redis-server: run ./test, which installs it");
    let output = server.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    // Versions differ in how they begin the sentence.
    let is_ready = lines.any(|line| line.contains("eady to accept connections"));
    assert!(is_ready, "redis-server does not start");
    server
}
