//! Whose window a request is counted in.

use crate::support::{Bench, get};
use axum::{extract::ConnectInfo, http::request::Builder};
use std::net::SocketAddr;

const TOKENS: &str = "/v1/starknet/tokens";

fn from(peer: &str) -> Builder {
    let peer: SocketAddr = format!("{peer}:80").parse().unwrap();
    get(TOKENS).extension(ConnectInfo(peer))
}

async fn remaining(bench: &Bench, request: Builder) -> String {
    let answer = bench.send(request).await;
    answer.header("x-ratelimit-remaining").unwrap().to_owned()
}

#[tokio::test]
async fn each_address_has_its_own_window_and_each_ipv6_network_one() {
    let bench = Bench::new().await;
    for (peer, expected) in [
        ("1.2.3.4", "299"),
        ("1.2.3.5", "299"),
        ("[::ffff:1.2.3.4]", "298"),
        ("[2001:db8:0:1::1]", "299"),
        ("[2001:db8:0:1:ffff::2]", "298"),
        ("[2001:db8:0:2::1]", "299"),
    ] {
        assert_eq!(remaining(&bench, from(peer)).await, expected, "{peer}");
    }
}

#[tokio::test]
async fn forwarded_addresses_count_only_behind_trusted_proxies() {
    let bench =
        Bench::configured(|config| config.trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()])
            .await;
    let forwarded = |peer, hops| from(peer).header("x-forwarded-for", hops);
    assert_eq!(
        remaining(&bench, forwarded("10.0.0.1", "1.2.3.4")).await,
        "299"
    );
    assert_eq!(
        remaining(&bench, forwarded("10.0.0.2", "6.6.6.6, 1.2.3.4")).await,
        "298"
    );
    assert_eq!(remaining(&bench, from("1.2.3.4")).await, "297");
    assert_eq!(
        remaining(&bench, forwarded("7.7.7.7", "1.2.3.4")).await,
        "299"
    );
}
