//! What the lease market stands on: its node, its wallet, its address.

use super::Finding;
use crate::{
    config::Config,
    wiring::{self, Cluster},
};

const MARKET: &str = "leases";

pub(super) async fn check(config: &Config) -> Vec<Finding> {
    if !config.leasing.enabled {
        return vec![Finding::ok(MARKET, "no market is wanted")];
    }
    if config.solana.rpc.is_none() {
        return vec![Finding::ok(MARKET, simulated(config))];
    }
    let mut findings = vec![match node(config).await {
        Ok(detail) => Finding::ok(MARKET, detail),
        Err(error) => Finding::fail(MARKET, format!("{error:#}")),
    }];
    let is_https = |url: &url::Url| url.scheme() == "https";
    let public = config.leasing.public_url.as_ref();
    if !public.is_some_and(|public| is_https(&public.0)) {
        let detail = "wallets pay through https alone: set --public-url to the address of a proxy";
        findings.push(Finding::warn(MARKET, detail));
    }
    findings
}

fn simulated(config: &Config) -> &'static str {
    if config.starknet.rpc.is_none() {
        "a simulated market will be started"
    } else {
        "no market: no Solana node is named, see --solana-rpc"
    }
}

/// What the node says, and what the wallet holds.
async fn node(config: &Config) -> anyhow::Result<String> {
    let Some(cluster) = Cluster::connect(config).await? else {
        return Ok("no market".to_owned());
    };
    let standing = cluster.standing().await?;
    check_ledger(config, &cluster).await?;
    Ok(format!(
        "{}, epoch {}; the platform's wallet holds {} lamports",
        standing.name, standing.epoch, standing.holds
    ))
}

/// Whether what is stored is of this cluster, as far as there is something to read.
async fn check_ledger(config: &Config, cluster: &Cluster) -> anyhow::Result<()> {
    if wiring::is_to_be_made(&wiring::location(config)) {
        return Ok(());
    }
    let Ok(store) = wiring::inspect_store(config).await else {
        return Ok(());
    };
    let checked = match store.require_migrated().await {
        Ok(()) => cluster.check_ledger(config, &store).await,
        Err(_) => Ok(()),
    };
    store.close().await;
    checked
}
