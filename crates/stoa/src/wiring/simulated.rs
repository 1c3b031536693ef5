//! The simulated nodes that a process runs itself.

use crate::{ambient::clock, config::Config};
use anyhow::Context as _;
use api::Connections;
use primitives::Address;
use simnet::{HistoryProgress, SolanaConfig, SolanaNode, StarknetConfig, StarknetNode};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Makes the simulated node's world, or goes on with the one in the data
/// folder; both take a processor for a while, and tell how far they are.
pub(crate) async fn simulated_node(
    config: &Config,
    progress: HistoryProgress,
) -> anyhow::Result<StarknetNode> {
    let folder = config.store.data.join("simnet");
    let context = format!("cannot use the simulated chain in {}", folder.display());
    let config = StarknetConfig {
        data: Some(folder),
        seed: config.simnet.seed,
        block_time: Some(config.simnet.block_time),
        transactions_per_block: config.simnet.transactions_per_block,
        pools: usize::try_from(config.simnet.pools)?,
        wild: config.simnet.wild,
        progress,
        ..StarknetConfig::default()
    };
    tokio::task::spawn_blocking(move || StarknetNode::open(config, clock()))
        .await
        .context("the simulated node could not be made")?
        .context(context)
}

/// Makes the simulated Solana node, or goes on with the one in the data folder.
pub(crate) async fn simulated_solana_node(config: &Config) -> anyhow::Result<SolanaNode> {
    let folder = config.store.data.join("simnet-solana");
    let context = format!("cannot use the simulated chain in {}", folder.display());
    let config = SolanaConfig {
        data: Some(folder),
        seed: config.simnet.seed,
        slot_time: config.simnet.slot_time,
        slots_per_epoch: config.simnet.epoch_slots,
        ..SolanaConfig::default()
    };
    tokio::task::spawn_blocking(move || SolanaNode::open(config, clock()))
        .await
        .context("the simulated Solana node could not be made")?
        .context(context)
}

/// Who orders again and again there: somebody whose orders can be looked at.
pub(crate) fn saver() -> Address {
    StarknetNode::saver().address
}

/// Serves the JSON-RPC of the simulated nodes.
pub(crate) async fn serve_nodes(
    starknet: StarknetNode,
    solana: SolanaNode,
    listener: TcpListener,
    connections: Connections,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let router = starknet.router().merge(solana.router());
    Ok(api::serve(listener, router, connections, stop, Duration::ZERO).await?)
}
