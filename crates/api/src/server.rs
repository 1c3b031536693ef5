//! Sockets: connections in, answers out, until told to stop.

use crate::{alarm::Alarm, seldom::Seldom};
use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt;

/// Connections served at once; more wait to be accepted.
const MAX_CONNECTIONS: usize = 10_000;

/// A request's headers must arrive in this time; an idle connection is closed
/// after it.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// Bytes of one request's headers at most. Their number is hyper's own limit,
/// 100: naming it costs every request an allocation.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// Bytes that are gathered for one write at most: 1,000 candles, which are made
/// of several pieces, go out at once.
const MAX_BUFFER_BYTES: usize = 256 * 1024;

/// How long to wait when the system refuses another connection, mostly for
/// want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop`; then accepts no more, lets requests in flight end, for
/// at most `drain`, and closes.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: CancellationToken,
    drain: Duration,
) -> io::Result<()> {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let connections = TaskTracker::new();
    let close = CancellationToken::new();
    while let Some(accepted) = stop.run_until_cancelled(accept(&listener, &room)).await {
        let Some((stream, peer, permit)) = accepted else {
            continue;
        };
        let connection = connection(stream, peer, router.clone(), stop.clone());
        let closed = Seldom::new(close.clone().cancelled_owned());
        connections.spawn(async move {
            tokio::select! {
                biased;
                () = connection => {}
                () = closed => {}
            }
            drop(permit);
        });
    }
    drop(listener);
    connections.close();
    if tokio::time::timeout(drain, connections.wait())
        .await
        .is_err()
    {
        tracing::warn!(
            open = connections.len(),
            "closing connections that are still busy"
        );
        close.cancel();
        connections.wait().await;
    }
    Ok(())
}

type Accepted = (TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// The next connection, or none if the system refused one.
async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> Option<Accepted> {
    let permit = Arc::clone(room).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, permit)),
        Err(error) => {
            tracing::warn!(%error, "cannot accept a connection");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

async fn connection(stream: TcpStream, peer: SocketAddr, router: Router, stop: CancellationToken) {
    // Answers are small: waiting to fill a packet only delays them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(Alarm::new(HEADER_TIMEOUT))
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
        () = Seldom::new(stop.cancelled_owned()) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        // Callers hang up all the time.
        tracing::debug!(%peer, %error, "connection ended early");
    }
}
