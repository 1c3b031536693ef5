//! The store: opens, has this program's schema, belongs to this chain.

use super::Finding;
use crate::{config::Config, network::Network, wiring};
use anyhow::Context as _;

const SUBJECT: &str = "store";

pub(super) async fn check(config: &Config, network: Option<Network>) -> Finding {
    let location = wiring::location(config);
    if wiring::is_to_be_made(&location) {
        return Finding::ok(SUBJECT, format!("{location} will be made"));
    }
    let store = match wiring::inspect_store(config).await {
        Ok(store) => store,
        Err(error) => {
            let error = anyhow::Error::new(error);
            return Finding::fail(SUBJECT, format!("{location}: {error:#}; see --store"));
        }
    };
    let finding = examine(&store, network).await;
    store.close().await;
    match finding {
        Ok(state) => Finding::ok(SUBJECT, format!("{location}: {state}")),
        Err(error) => Finding::fail(SUBJECT, format!("{location}: {error:#}")),
    }
}

async fn examine(store: &wiring::Store, network: Option<Network>) -> anyhow::Result<String> {
    store.examine().await?;
    match store.require_migrated().await {
        Ok(()) => {}
        // Serving migrates by itself.
        Err(error @ wiring::StoreError::SchemaOlder { .. }) => {
            return Ok(format!("{error}, or let `stoa serve` do it"));
        }
        Err(error) => return Err(error.into()),
    }
    let Some(tip) = store.chain().tip().await? else {
        return Ok("holds no blocks yet".to_owned());
    };
    if let Some(network) = network {
        // A store with blocks is tied to their chain already, so this only compares.
        let compared = store.chain().bind_chain(network.chain_id()).await;
        compared.context("use another --data or --store for this chain")?;
    }
    Ok(format!(
        "has this program's schema and blocks up to {}",
        tip.number
    ))
}
