//! What is done for recurring orders: a keeper with the operator's account, or the
//! simulated network's own, and measuring what was executed.

use crate::{
    config::{Config, Role, StarkKey},
    network::Network,
};
use anyhow::Context as _;
use chain::{StarkSigner, StarknetClient};
use primitives::{Address, Clock, Felt, SignedDuration};
use services::{
    CycleBenchmarks, Duty, Keeper, RecurringOrders, STRK, Sender, SenderOptions, SenderPool, Swaps,
};
use simnet::StarknetNode;
use std::sync::Arc;
use store::{SendingAccount, Store};

/// What the account keeps for closing gaps, in the smallest unit of STRK.
const RESERVE: u128 = 1_000_000_000_000_000_000;

/// Cycles that may be under way at a time.
const IN_FLIGHT: usize = 64;

/// Room above a node's estimate.
const ROOM_PERCENT: u32 = 50;

/// After so long, what the node does not know is given to it again.
const PATIENCE: SignedDuration = SignedDuration::from_secs(20);

/// Blocks on top of which make a transaction final.
const DEPTH: u64 = 10;

/// Blocks after which what waits is sent again with a higher tip, and how often.
const STUCK_BLOCKS: u64 = 5;
const REPLACEMENTS: usize = 3;

/// What this process does for recurring orders.
#[derive(Debug, Default)]
pub(crate) struct OrderJobs {
    /// Only where there is an account for it.
    pub(crate) keeper: Option<(Keeper, Duty)>,
    pub(crate) benchmarks: Option<CycleBenchmarks>,
}

/// The jobs, if this process does any and there are orders.
pub(super) fn order_jobs(
    config: &Config,
    network: Network,
    (store, holder): (&Store, &str),
    nodes: Vec<StarknetClient>,
    orders: Option<&RecurringOrders>,
    swaps: &Swaps,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<OrderJobs> {
    let does_jobs = config.process.roles.contains(&Role::Jobs);
    let Some(orders) = orders.filter(|_| does_jobs) else {
        return Ok(OrderJobs::default());
    };
    let benchmarks = CycleBenchmarks::new(orders.clone(), swaps.clone(), store.clone());
    Ok(OrderJobs {
        keeper: keeper(
            config,
            network,
            (store, holder),
            nodes,
            orders,
            swaps,
            clock,
        )?,
        benchmarks: Some(benchmarks),
    })
}

fn keeper(
    config: &Config,
    network: Network,
    (store, holder): (&Store, &str),
    nodes: Vec<StarknetClient>,
    orders: &RecurringOrders,
    swaps: &Swaps,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Option<(Keeper, Duty)>> {
    let account = account(config, network).filter(|_| !nodes.is_empty());
    let Some((address, key)) = account else {
        return Ok(None);
    };
    let signer = StarkSigner::new(key).context("dca.keeper_key is no Stark key")?;
    let account = SendingAccount {
        chain_id: network.chain_id(),
        address,
    };
    let options = SenderOptions {
        fee_token: STRK,
        max_fee: config.dca.keeper_max_fee.into(),
        reserve: RESERVE,
        in_flight: IN_FLIGHT,
        room_percent: ROOM_PERCENT,
        patience: PATIENCE,
        depth: DEPTH,
        stuck_blocks: STUCK_BLOCKS,
        replacements: REPLACEMENTS,
    };
    let fence = store.ledger().fence("keeper");
    let duty = Duty::new(fence.clone(), holder.to_owned(), Arc::clone(&clock));
    let store = store.with_fenced_ledger(&fence);
    let sender = Sender::new(store, nodes, account, signer, clock, options);
    let pool = SenderPool::new(vec![sender]);
    let keeper = Keeper::new(orders.clone(), swaps.clone(), pool);
    Ok(Some((keeper, duty)))
}

fn account(config: &Config, network: Network) -> Option<(Address, Felt)> {
    let key = config.dca.keeper_key.as_ref().map(|StarkKey(key)| *key);
    let simulated = || {
        let keeper = network.is_simulated().then(StarknetNode::keeper)?;
        Some((keeper.address, keeper.private_key))
    };
    config.dca.keeper_address.zip(key).or_else(simulated)
}
