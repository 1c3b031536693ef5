//! Sockets.

use crate::support::Bench;
use api::{ConnectionLimits, Connections};
use axum::{Router, body::Body, routing::get};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

pub(crate) const DRAIN: Duration = Duration::from_secs(20);

/// Serves a router at an address of its own, until told to stop.
pub(crate) async fn served(
    router: Router,
    drain: Duration,
) -> (
    SocketAddr,
    CancellationToken,
    JoinHandle<std::io::Result<()>>,
) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let connections = Connections::new(ConnectionLimits::default());
    let served = api::serve(listener, router, connections, stop.clone(), drain);
    (address, stop, tokio::spawn(served))
}

#[tokio::test]
async fn a_client_is_answered_over_a_socket_and_counted_by_its_address() {
    let bench = Bench::new().await;
    let (address, stop, server) = served(bench.router.clone(), DRAIN).await;
    let url = format!("http://{address}/v1/starknet/tokens/ETH");
    let client = reqwest::Client::new();
    for remaining in ["299", "298"] {
        let response = client.get(&url).send().await.unwrap();
        assert_eq!(response.headers()["x-ratelimit-remaining"], remaining);
        assert!(response.text().await.unwrap().contains("\"Ether\""));
    }
    stop.cancel();
    server.await.unwrap().unwrap();
    assert!(client.get(&url).send().await.unwrap_err().is_connect());
}

/// A route that says when it was reached and answers when it is let go.
fn gate() -> (Router, Arc<Notify>, Arc<Notify>) {
    let (reached, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&reached), Arc::clone(&go));
    let route = get(move || async move {
        tell.notify_one();
        wait.notified().await;
        "done"
    });
    (Router::new().route("/gate", route), reached, go)
}

#[tokio::test]
async fn a_request_in_flight_is_answered_before_the_end() {
    let (router, reached, go) = gate();
    let (address, stop, server) = served(router, DRAIN).await;
    let request = tokio::spawn(reqwest::get(format!("http://{address}/gate")));
    reached.notified().await;
    stop.cancel();
    go.notify_one();
    let response = request.await.unwrap().unwrap();
    assert_eq!(response.text().await.unwrap(), "done");
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_request_that_does_not_end_is_cut_off() {
    let (router, reached, _go) = gate();
    let (address, stop, server) = served(router, Duration::from_millis(1)).await;
    let request = tokio::spawn(reqwest::get(format!("http://{address}/gate")));
    reached.notified().await;
    stop.cancel();
    server.await.unwrap().unwrap();
    assert!(request.await.unwrap().is_err());
}

#[tokio::test]
async fn an_idle_connection_does_not_hold_up_the_end() {
    let bench = Bench::new().await;
    let (address, stop, server) = served(bench.router.clone(), DRAIN).await;
    let mut idle = TcpStream::connect(address).await.unwrap();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .unwrap();
    let mut first = [0; 15];
    idle.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200 OK");
    stop.cancel();
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn too_many_headers_are_refused() {
    let bench = Bench::new().await;
    let (address, stop, server) = served(bench.router.clone(), DRAIN).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("GET /healthz HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(101));
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer, b"HTTP/1.1 431");
    stop.cancel();
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn headers_have_64_kib() {
    let bench = Bench::new().await;
    let (address, stop, server) = served(bench.router.clone(), DRAIN).await;
    for (length, is_read) in [(65_000, true), (66_000, false)] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let long = "a".repeat(length);
        let head =
            format!("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx: {long}\r\n\r\n");
        // The server may hang up before it has everything.
        let _ = stream.write_all(head.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert_eq!(answer.starts_with(b"HTTP/1.1 200"), is_read, "{length}");
    }
    stop.cancel();
    server.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_endless_header_is_not_read_to_its_end() {
    let bench = Bench::new().await;
    let (address, stop, server) = served(bench.router.clone(), DRAIN).await;
    let (mut read, mut write) = TcpStream::connect(address).await.unwrap().into_split();
    let endless = tokio::spawn(async move {
        let begun = write.write_all(b"GET /healthz HTTP/1.1\r\nx: ").await;
        let mut sent = begun;
        while sent.is_ok() {
            sent = write.write_all(&[b'a'; 4_096]).await;
        }
    });
    // The server hangs up, with an answer or without one.
    let _ = read.read_to_end(&mut Vec::new()).await;
    endless.await.unwrap();
    stop.cancel();
    server.await.unwrap().unwrap();
}

/// A server with few connections.
async fn narrow(limits: ConnectionLimits) -> SocketAddr {
    let bench = Bench::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = bench.router.clone();
    let connections = Connections::new(limits);
    let forever = CancellationToken::new();
    tokio::spawn(api::serve(listener, router, connections, forever, DRAIN));
    address
}

/// What a new connection hears when it asks for a sign of life.
async fn status(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A refusal may come before the request is sent.
    let _ = stream
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        .await;
    let mut first = [0; 12];
    let read = stream.read_exact(&mut first).await;
    read.map_or_else(
        |error| error.to_string(),
        |_| String::from_utf8_lossy(&first).into(),
    )
}

#[tokio::test]
async fn an_address_that_holds_its_share_of_connections_is_refused_more() {
    let address = narrow(ConnectionLimits {
        per_address: 3,
        ..ConnectionLimits::default()
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(TcpStream::connect(address).await.unwrap());
    }
    assert_eq!(status(address).await, "HTTP/1.1 429");
    held.pop();
    // The server hears of the end a moment later.
    while status(address).await == "HTTP/1.1 429" {
        tokio::task::yield_now().await;
    }
    assert_eq!(status(address).await, "HTTP/1.1 200");
}

#[tokio::test]
async fn connections_that_do_nothing_make_room() {
    let address = narrow(ConnectionLimits {
        total: 5,
        per_address: 1_000,
        exempt: Vec::new(),
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..50 {
        held.push(TcpStream::connect(address).await.unwrap());
    }
    for _ in 0..10 {
        assert_eq!(status(address).await, "HTTP/1.1 200");
    }
}

#[tokio::test]
async fn an_answer_that_goes_on_makes_no_room_for_others() {
    let (send, receive) = tokio::sync::mpsc::channel::<String>(1);
    let body = futures_util::stream::unfold(receive, |mut receive| async move {
        let piece = receive.recv().await?;
        Some((Ok::<_, std::convert::Infallible>(piece), receive))
    });
    let body = Arc::new(Mutex::new(Some(Body::from_stream(body))));
    let route = get(move || async move { body.lock().unwrap().take().unwrap() });
    let router = Router::new()
        .route("/long", route)
        .route("/healthz", get(|| async { "ok" }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let limits = ConnectionLimits {
        total: 2,
        ..ConnectionLimits::default()
    };
    let forever = CancellationToken::new();
    tokio::spawn(api::serve(
        listener,
        router,
        Connections::new(limits),
        forever,
        DRAIN,
    ));
    let mut long = reqwest::get(format!("http://{address}/long"))
        .await
        .unwrap();
    send.send("first".to_owned()).await.unwrap();
    assert_eq!(long.chunk().await.unwrap().unwrap(), "first");
    // Each of these is idle after its answer, and the next one takes its place.
    let mut held = Vec::new();
    for _ in 0..10 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
        stream.write_all(request).await.unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        held.push(stream);
    }
    send.send("last".to_owned()).await.unwrap();
    drop(send);
    assert_eq!(long.text().await.unwrap(), "last");
}
