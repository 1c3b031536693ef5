//! Whether the store holds what the chain says: blocks are computed anew from the node
//! and compared.

use crate::{
    config::Config,
    console::{say, say_about},
    network::Network,
    wiring::{self, Store},
};
use anyhow::{Context as _, ensure};
use std::process::ExitCode;

/// Compares the blocks from one to another, or to the newest, and tells of every
/// difference; the status says whether there is one.
pub(super) async fn verify(
    config: &Config,
    from: u64,
    to: Option<u64>,
) -> anyhow::Result<ExitCode> {
    let store = wiring::existing_store(config).await?;
    let compared = compare(config, &store, from, to).await;
    store.close().await;
    let (blocks, differences) = compared?;
    say_about("compared", format_args!("{blocks} blocks"));
    say_about("different", differences);
    Ok(if differences == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// How many blocks were compared, and how many differences there are.
async fn compare(
    config: &Config,
    store: &Store,
    from: u64,
    to: Option<u64>,
) -> anyhow::Result<(u64, u64)> {
    let chain = store.chain();
    let first = chain.first_block().await?.context("the store is empty")?;
    let newest = chain.tip().await?.context("the store is empty")?;
    let to = to.unwrap_or(newest.number);
    ensure!(
        first.number <= from && from <= to && to <= newest.number,
        "the store has the blocks {} to {}",
        first.number,
        newest.number
    );
    if !config.store.keep_trades.is_zero() && from > first.number {
        let oldest = chain.oldest_checkpoint().await?.unwrap_or(first.number);
        ensure!(
            from > oldest,
            "of blocks up to {oldest} the store may have forgotten what later ones depend on"
        );
    }
    let node = wiring::asked_node(config)?;
    let chain_id = node.chain_id().await.context("cannot use the node")?;
    let network = Network::of(chain_id, config.starknet.expect_chain_id)?;
    if let Some(stored) = chain.bound_chain().await? {
        ensure!(stored == chain_id, "the node is of another chain");
    }
    let verifier = wiring::verifier(config, store, node, network, from..=to).await?;
    let mut differences = 0_u64;
    let tell = |difference| {
        differences += 1;
        say(difference);
    };
    Box::pin(verifier.run(tell)).await?;
    Ok((to - from + 1, differences))
}
