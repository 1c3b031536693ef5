//! The pools: whether any can be traded with, and what has to be named for that.

use super::Finding;
use crate::{config::Config, network::Network, wiring};

const SUBJECT: &str = "pools";

/// The findings; none where the network is not known.
pub(super) async fn check(config: &Config, network: Option<Network>) -> Vec<Finding> {
    let Some(network) = network else {
        return Vec::new();
    };
    let missing = match wiring::missing(config, network) {
        Ok(missing) => missing,
        Err(error) => return vec![Finding::fail(SUBJECT, format!("{error:#}"))],
    };
    let mut findings: Vec<_> = missing
        .into_iter()
        .map(|what| Finding::warn(SUBJECT, what))
        .collect();
    findings.extend(stored(config, network).await);
    findings
}

/// What the store says of them; the store has a finding of its own.
async fn stored(config: &Config, network: Network) -> Option<Finding> {
    if wiring::is_to_be_made(&wiring::location(config)) {
        return None;
    }
    let store = wiring::inspect_store(config).await.ok()?;
    let standing = match store.require_migrated().await {
        Ok(()) => wiring::stored_standing(config, network, &store).await,
        Err(_) => Ok(None),
    };
    store.close().await;
    match standing {
        Ok(Some(standing)) if standing.tradable() == 0 => {
            Some(Finding::warn(SUBJECT, standing.to_string()))
        }
        Ok(standing) => standing.map(|standing| Finding::ok(SUBJECT, standing.to_string())),
        Err(error) => Some(Finding::warn(
            SUBJECT,
            format!("what is stored cannot be read and will be indexed anew: {error:#}"),
        )),
    }
}
