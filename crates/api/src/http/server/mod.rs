//! Sockets: connections in, answers out, until told to stop.

mod connections;
mod sending;
mod write_deadline;

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
};
use connections::Admission;
pub use connections::{ConnectionLimits, Connections};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt;
use write_deadline::WriteDeadline;

/// A request's headers must arrive in this time; an idle connection is closed
/// after it.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// A client that reads nothing of an answer for so long is cut off.
const WRITE_PATIENCE: Duration = Duration::from_secs(20);

/// What a client hears whose address has enough connections.
const REFUSAL: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\n\
    connection: close\r\nretry-after: 30\r\ncontent-length: 0\r\n\r\n";

/// Bytes of one request's headers at most. Their number is hyper's own limit,
/// 100: naming it costs every request an allocation.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Bytes that are gathered for one write at most: 1,000 candles, which are made
/// of several pieces, go out at once.
const MAX_BUFFER_BYTES: usize = 256 * 1024;

/// Counts connections that were refused because their address has enough.
const REFUSED_CONNECTIONS: &str = "stoa_refused_connections_total";

/// How long to wait when the system refuses another connection, mostly for
/// want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop`; then accepts no more, lets requests in flight end, for
/// at most `drain`, and closes.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    connections: Connections,
    stop: CancellationToken,
    drain: Duration,
) -> io::Result<()> {
    let tasks = TaskTracker::new();
    let close = CancellationToken::new();
    while let Some(accepted) = stop
        .run_until_cancelled(accept(&listener, &connections))
        .await
    {
        let Some((stream, peer, admission)) = accepted else {
            continue;
        };
        let evicted = admission.close().cancelled_owned();
        let connection = connection(stream, peer, admission, router.clone(), stop.clone());
        let closed = close.clone().cancelled_owned();
        tasks.spawn(async move {
            tokio::select! {
                biased;
                () = connection => {}
                () = evicted => {}
                () = closed => {}
            }
        });
    }
    drop(listener);
    tasks.close();
    if tokio::time::timeout(drain, tasks.wait()).await.is_err() {
        tracing::warn!(
            open = tasks.len(),
            "closing connections that are still busy"
        );
        close.cancel();
        tasks.wait().await;
    }
    Ok(())
}

type Accepted = (TcpStream, SocketAddr, Admission);

/// The next connection, or none if it was refused.
async fn accept(listener: &TcpListener, connections: &Connections) -> Option<Accepted> {
    connections.room().await;
    match listener.accept().await {
        Ok((stream, peer)) => {
            let admission = connections.admit(peer.ip());
            if admission.is_none() {
                // Who does not read it at once need not.
                let _ = stream.try_write(REFUSAL);
                metrics::counter!(REFUSED_CONNECTIONS).increment(1);
            }
            Some((stream, peer, admission?))
        }
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    admission: Admission,
    router: Router,
    stop: CancellationToken,
) {
    // Answers are small: waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let stream = WriteDeadline::new(stream, WRITE_PATIENCE);
    let admission = Arc::new(admission);
    let stopping = Arc::new(stop.clone());
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        let answer = router.clone().oneshot(request);
        let (admission, stop) = (Arc::clone(&admission), Arc::clone(&stopping));
        async move {
            admission.busy();
            let answered = answer.await;
            answered.map(|response| sending::until_sent(response, admission, &stop))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .max_header_size(MAX_HEADER_BYTES)
        .max_buf_size(MAX_BUFFER_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        // For the announcements of simulated nodes.
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        biased;
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        // Callers hang up all the time.
        tracing::debug!(%peer, %error, "connection ended early");
    }
}
