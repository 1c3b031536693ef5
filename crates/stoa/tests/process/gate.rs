//! A way to a node that can be closed at any request.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

/// Passes requests on to a node, up to a given number of them.
pub(crate) struct Gate {
    pub(crate) url: String,
    reached: Arc<Notify>,
}

impl Gate {
    /// Passes `open_for` requests on; the next one is held for ever.
    pub(crate) async fn new(node: &str, open_for: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let reached = Arc::new(Notify::new());
        let passed = Arc::new(AtomicUsize::new(0));
        let (node, told) = (node.to_owned(), Arc::clone(&reached));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (node, told, passed) = (node.clone(), Arc::clone(&told), Arc::clone(&passed));
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    while let Some(body) = next_request(&mut stream).await {
                        if passed.fetch_add(1, Ordering::SeqCst) >= open_for {
                            told.notify_one();
                            return std::future::pending().await;
                        }
                        let answer = super::harness::post(&node, body).await;
                        let head = format!(
                            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n",
                            answer.len()
                        );
                        if stream
                            .write_all(&[head.as_bytes(), &answer].concat())
                            .await
                            .is_err()
                        {
                            return;
                        }
                    }
                });
            }
        });
        Self { url, reached }
    }

    /// Waits until a request is held.
    pub(crate) async fn is_reached(&self) {
        self.reached.notified().await;
    }
}

/// The body of the next request, if there is one.
async fn next_request(stream: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(body)
}
