//! What quotes are made with: the exchange's terms, the price of gas, the threads
//! that search.

use crate::{
    ambient::{clock, entropy},
    config::Config,
    exchange::{exchange, executor},
    network::Network,
};
use anyhow::Context as _;
use chain::StarknetClient;
use primitives::SignedDuration;
use services::{
    ExchangeTerms, FreshnessLimits, GasEstimates, GasWatch, Progress, QuoteStore, SharedRedis,
    Snapshots, SwapOptions, SwapTerms, Swaps,
};
use std::{num::NonZeroUsize, thread, time::Duration};
use trading::{Bps, FeeTerms, GasModel, GasPrices};

/// How long a node may take to say what a taker has and allows.
const HOLDINGS_PATIENCE: Duration = Duration::from_millis(500);

/// Quotes and their calls; `nodes` are asked for the exchange contract's terms,
/// and what takers have.
pub(super) fn swaps(
    config: &Config,
    network: Network,
    nodes: Vec<StarknetClient>,
    snapshots: Snapshots,
    progress: Progress,
    redis: Option<SharedRedis>,
) -> anyhow::Result<(Swaps, Option<ExchangeTerms>, Option<Box<GasWatch>>)> {
    let swap = &config.swap;
    let bps = |points| Bps::new(points).context("a fee of more than everything");
    let configured = SwapTerms {
        fees: FeeTerms {
            one: bps(swap.fee_single)?,
            many: bps(swap.fee_several)?,
            exact_out: bps(swap.fee_exact_out)?,
            ..FeeTerms::default()
        },
        gas: GasPrices {
            l2: swap.gas_price.into(),
            ..GasPrices::default()
        },
    };
    let max_head_age = SignedDuration::try_from(config.starknet.max_head_age)?;
    let freshness = FreshnessLimits {
        max_lag_blocks: swap.max_lag_blocks,
        max_silence: SignedDuration::try_from(swap.max_silence)?,
        // Who has nobody to ask goes by the time of blocks.
        max_block_age: nodes.is_empty().then_some(max_head_age),
    };
    let terms =
        exchange(config, network).map(|exchange| ExchangeTerms::new(nodes, exchange, configured));
    let gas = GasEstimates::new(if network.is_simulated() {
        GasModel::simulated()
    } else {
        GasModel::expected()
    });
    let workers = usize::try_from(swap.workers)
        .ok()
        .and_then(NonZeroUsize::new);
    let all = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let options = SwapOptions {
        chain_id: network.chain_id(),
        executor: executor(config, network),
        lifetime: swap.quote_lifetime,
        deadline: swap.deadline,
        patience: HOLDINGS_PATIENCE,
        freshness,
        workers: workers.unwrap_or_else(all),
        queue: usize::try_from(swap.queue)?,
        max_swaps: usize::try_from(swap.max_swaps)?,
        gas: gas.clone(),
    };
    let watched = terms.as_ref().filter(|terms| terms.can_ask());
    let watch = watched.map(|terms| Box::new(GasWatch::new(terms, snapshots.clone(), gas)));
    let quotes = redis.map_or_else(QuoteStore::local, QuoteStore::shared);
    let swaps = Swaps::start(
        options,
        snapshots,
        progress,
        terms.clone(),
        quotes,
        clock(),
        entropy(),
    );
    let swaps = swaps.context("cannot start the threads that search for quotes")?;
    Ok((swaps, terms, watch))
}
