//! Nodes on sockets.

use axum::Router;
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// Serves on a free port of this machine.
#[expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]
pub(crate) async fn listen(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}
