//! The sockets of the service, bound before anything else.

use crate::config::{Config, Role};
use anyhow::{Context as _, anyhow};
use std::{
    io::{self, ErrorKind},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
};
use tokio::net::TcpListener;

/// What the process listens on.
#[derive(Debug)]
pub(crate) struct Sockets {
    /// Everything that the process serves.
    pub(super) whole: TcpListener,
    /// The trading API alone.
    pub(super) trade: Option<TcpListener>,
    /// The market API alone.
    pub(super) market: Option<TcpListener>,
    /// The lease marketplace alone.
    pub(super) leasing: Option<TcpListener>,
    /// The paymaster alone.
    pub(super) paymaster: Option<TcpListener>,
    /// Health and figures, for those who run the program.
    pub(super) operations: Option<TcpListener>,
    /// The simulated node, when this process has one.
    pub(super) node: Option<TcpListener>,
}

impl Sockets {
    /// Takes every address.
    pub(super) async fn bind(config: &Config) -> anyhow::Result<Self> {
        let [whole, trade, market, leasing, paymaster, operations, node] = wanted(config);
        Ok(Self {
            whole: listen(whole).await?.context("the API has no address")?,
            trade: listen(trade).await?,
            market: listen(market).await?,
            leasing: listen(leasing).await?,
            paymaster: listen(paymaster).await?,
            operations: listen(operations).await?,
            node: listen(node).await?,
        })
    }
}

impl Sockets {
    /// Takes the simulated node's address alone.
    pub(crate) async fn bind_node(config: &Config) -> anyhow::Result<TcpListener> {
        let wanted = (Some(config.simnet.listen), "--sim-listen");
        listen(wanted).await?.context("the node has no address")
    }
}

/// An address to listen on, if it is needed, and the flag that changes it.
type Wanted = (Option<SocketAddr>, &'static str);

/// The API, the trading API, the market API, the marketplace and the paymaster alone,
/// health and figures, the simulated node: only a process that indexes needs a node.
fn wanted(config: &Config) -> [Wanted; 7] {
    let has = |role| config.process.roles.contains(&role);
    let simulated = config.starknet.rpc.is_none() && has(Role::Indexer);
    let alone = |address: Option<SocketAddr>| address.filter(|_| has(Role::Api));
    [
        (Some(config.server.listen), "--listen"),
        (alone(config.server.listen_trade), "--listen-trade"),
        (alone(config.server.listen_market), "--listen-market"),
        (alone(config.server.listen_leasing), "--listen-leasing"),
        (alone(config.server.listen_paymaster), "--listen-paymaster"),
        (config.server.listen_operations, "--listen-operations"),
        (simulated.then_some(config.simnet.listen), "--sim-listen"),
    ]
}

/// The addresses that a process of this configuration takes, with their flags.
pub(crate) fn addresses(config: &Config) -> Vec<(SocketAddr, &'static str)> {
    let wanted = wanted(config).into_iter();
    wanted
        .filter_map(|(address, flag)| Some((address?, flag)))
        .collect()
}

async fn listen((address, flag): Wanted) -> anyhow::Result<Option<TcpListener>> {
    let Some(address) = address else {
        return Ok(None);
    };
    let listener = TcpListener::bind(address).await;
    listener
        .map(Some)
        .map_err(|error| anyhow!("cannot listen on {address}: {}", advice(&error, flag)))
}

/// Why an address could not be taken, and what to do.
pub(crate) fn advice(error: &io::Error, flag: &str) -> String {
    match error.kind() {
        ErrorKind::AddrInUse => {
            format!("address in use; choose another with {flag} or stop the other program")
        }
        ErrorKind::PermissionDenied => {
            format!("permission denied; choose a port above 1023 with {flag}")
        }
        ErrorKind::AddrNotAvailable => {
            format!("this machine does not have the address; choose another with {flag}")
        }
        _ => format!("{error}; choose another with {flag}"),
    }
}

/// Where programs on this machine reach a listener: one on all addresses is
/// reached on loopback.
pub(super) fn reachable(listener: &TcpListener) -> anyhow::Result<SocketAddr> {
    let mut address = listener.local_addr().context("a listener has no address")?;
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_listener_on_all_addresses_is_reached_on_loopback() {
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let address = reachable(&listener).unwrap();
        assert!(address.ip().is_loopback());
        assert_eq!(address.port(), listener.local_addr().unwrap().port());
    }

    #[tokio::test]
    async fn a_taken_address_is_told_with_the_flag_that_changes_it() {
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = taken.local_addr().unwrap();
        let error = listen((Some(address), "--listen")).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "cannot listen on {address}: address in use; \
                 choose another with --listen or stop the other program"
            )
        );
    }
}
