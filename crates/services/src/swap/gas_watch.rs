//! What swaps cost in gas on the network in hand: learned from the receipts of
//! trades that others make through the exchange contract.

use super::terms::ExchangeTerms;
use crate::{
    fault::Fault,
    rounds::Rounds,
    snapshot::{Snapshot, Snapshots},
};
use amm::book::{Kind, Movement, PoolEvent};
use arc_swap::ArcSwap;
use chain::{Event, StarknetClient, Trade};
use primitives::Address;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;
use trading::{Gas, GasModel, SeenGas, Work};

/// Time between two looks for trades, and the longest pause after failures.
const INTERVAL: Duration = Duration::from_secs(10);
const MAX_PAUSE: Duration = Duration::from_mins(5);

/// Blocks that are looked through at once: the newest.
const MAX_BLOCKS: u64 = 512;

/// Receipts that are read in one look.
const MAX_RECEIPTS: usize = 64;

/// What swaps are expected to cost in gas. Clones show the same.
#[derive(Debug, Clone)]
pub struct GasEstimates(Arc<ArcSwap<GasModel>>);

impl GasEstimates {
    /// As this model says, until trades say more.
    pub fn new(expected: GasModel) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(expected)))
    }

    /// The newest model.
    pub fn model(&self) -> Arc<GasModel> {
        self.0.load_full()
    }
}

/// Looks for trades, and tells what they cost.
#[derive(Debug)]
pub struct GasWatch {
    nodes: Vec<StarknetClient>,
    exchange: Address,
    snapshots: Snapshots,
    seen: SeenGas,
    estimates: GasEstimates,
    /// The first block that was not looked through.
    next: u64,
}

impl GasWatch {
    /// A watch of the exchange contract of these terms, by their nodes, that goes on
    /// from what the estimates say now.
    pub fn new(terms: &ExchangeTerms, snapshots: Snapshots, estimates: GasEstimates) -> Self {
        Self {
            nodes: terms.nodes().to_vec(),
            exchange: terms.exchange(),
            snapshots,
            seen: SeenGas::new(GasModel::clone(&estimates.model())),
            estimates,
            next: 0,
        }
    }

    /// Works until told to stop.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut rounds = Rounds::default();
        while let Some(round) = stop.run_until_cancelled(self.round()).await {
            if let Some(error) = rounds.ended(round) {
                tracing::warn!(error, "what trades cost in gas cannot be read");
            }
            let pause = tokio::time::sleep(rounds.pause(INTERVAL, MAX_PAUSE));
            if stop.run_until_cancelled(pause).await.is_none() {
                return;
            }
        }
    }

    /// Looks through the blocks since the last look. Returns how many trades
    /// counted.
    pub async fn round(&mut self) -> Result<usize, Fault> {
        let Some(snapshot) = self.snapshots.load() else {
            return Ok(0);
        };
        let newest = snapshot.head.number;
        let first = self
            .next
            .max(newest.saturating_sub(MAX_BLOCKS.saturating_sub(1)));
        if first > newest {
            return Ok(0);
        }
        let mut asked = Err(Fault::NoNode);
        for node in &self.nodes {
            let trades = node.trades(self.exchange, first..=newest, MAX_RECEIPTS);
            asked = trades.await.map_err(Fault::from);
            if asked.is_ok() {
                break;
            }
        }
        let trades = asked?;
        self.next = newest.saturating_add(1);
        Ok(self.learn(&trades, &snapshot))
    }

    fn learn(&mut self, trades: &[Trade], snapshot: &Snapshot) -> usize {
        if trades.is_empty() {
            return 0;
        }
        let kinds: HashMap<Address, Kind> = snapshot
            .pools
            .iter()
            .map(|view| (view.contract(), view.venue.kind))
            .collect();
        let mut counted = 0;
        for trade in trades {
            let swapped = trade.venue_events.iter().filter_map(|event| {
                let kind = *kinds.get(&event.from)?;
                tells_a_swap(kind, event).then_some(kind)
            });
            let gas = Gas::new(trade.l1_gas, trade.l1_data_gas, trade.l2_gas);
            counted += usize::from(self.seen.take(Work::of_swaps(swapped), gas));
        }
        self.estimates.0.store(Arc::new(self.seen.model()));
        metrics::counter!("stoa_swap_gas_trades_total").increment(counted as u64);
        counted
    }
}

fn tells_a_swap(kind: Kind, event: &Event) -> bool {
    if kind.is_vault() {
        return chain::deposited(event).is_some();
    }
    matches!(
        chain::pool_event(kind, event),
        Ok(PoolEvent::Sold { .. }
            | PoolEvent::Moved {
                movement: Movement::Traded { .. } | Movement::Swapped { .. },
                ..
            })
    )
}
