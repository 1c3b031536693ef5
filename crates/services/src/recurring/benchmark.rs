//! Measures executed cycles of recurring orders against the best route, on the
//! pools as they were before the cycle's block.
//!
//! What it finds is kept with the block. Cycles are measured soon after they were
//! executed or not at all: pools are remembered for the last few blocks only.

use super::orders::RecurringOrders;
use crate::{fault::Fault, snapshot::Snapshot, swap::Swaps};
use primitives::Address;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use store::{CycleBenchmark, Store};
use tokio_util::sync::CancellationToken;
use trading::recurring::{NewOrder, Now, OrderBook, cycle_sale};

/// How often it looks for a new block.
const POLL: Duration = Duration::from_millis(500);

/// Blocks below the newest one whose cycles are measured: less than are remembered.
const WINDOW: u64 = 30;

/// Cycles that are measured for one block; the others wait for the next.
const MAX_CYCLES_PER_BLOCK: usize = 64;

/// Measures executed cycles.
#[derive(Debug)]
pub struct CycleBenchmarks {
    orders: RecurringOrders,
    swaps: Swaps,
    store: Store,
    /// The newest block whose cycles were looked at.
    seen: Option<u64>,
}

/// Cycles to measure, by the block that they were executed in.
type Unmeasured = BTreeMap<u64, Vec<(Address, NewOrder)>>;

impl CycleBenchmarks {
    /// Measures the cycles of these orders.
    pub fn new(orders: RecurringOrders, swaps: Swaps, store: Store) -> Self {
        Self {
            orders,
            swaps,
            store,
            seen: None,
        }
    }

    /// Works until told to stop.
    pub async fn run(mut self, stop: CancellationToken) {
        while let Some(done) = stop.run_until_cancelled(self.round()).await {
            if let Err(fault) = done {
                tracing::warn!(error = fault.chain_text(), "cycles are not measured");
            }
            let slept = stop.run_until_cancelled(tokio::time::sleep(POLL));
            if slept.await.is_none() {
                return;
            }
        }
    }

    /// Measures what a new block brought; says how many cycles that were.
    pub async fn round(&mut self) -> Result<usize, Fault> {
        let Ok(snapshot) = self.swaps.fresh() else {
            return Ok(0);
        };
        let look = |book: &OrderBook, now: Now| self.look(book, now);
        let Some((block, unmeasured)) = self.orders.look(look).flatten() else {
            return Ok(0);
        };
        let mut measured = Vec::new();
        for (block, cycles) in unmeasured {
            measured.extend(self.measure(block, cycles, &snapshot).await);
        }
        if !measured.is_empty() {
            let chain = self.store.chain();
            chain.keep_benchmarks(&measured, snapshot.head).await?;
        }
        self.seen = Some(block);
        Ok(measured.len())
    }

    fn look(&self, book: &OrderBook, now: Now) -> Option<(u64, Unmeasured)> {
        if self.seen == Some(now.block) {
            return None;
        }
        let mut unmeasured = Unmeasured::new();
        let cycles = book.unmeasured(now.block.saturating_sub(WINDOW));
        for (order, past) in cycles.take(MAX_CYCLES_PER_BLOCK) {
            let deployed = &order.deployed;
            let of_block = unmeasured.entry(past.mark.block).or_default();
            of_block.push((deployed.address, deployed.terms));
        }
        Some((now.block, unmeasured))
    }

    /// What cycles of one block could have bought.
    async fn measure(
        &self,
        block: u64,
        cycles: Vec<(Address, NewOrder)>,
        snapshot: &Arc<Snapshot>,
    ) -> Vec<CycleBenchmark> {
        let newest = Arc::clone(snapshot);
        let before = tokio::task::spawn_blocking(move || newest.before(block)).await;
        let Ok(Some(before)) = before else {
            return Vec::new();
        };
        let before = Arc::new(before);
        let mut measured = Vec::new();
        for (order, terms) in cycles {
            let wanted = cycle_sale(&terms, self.swaps.max_swaps());
            match self.swaps.best(wanted, &before).await {
                Ok(best) => measured.extend(best.map(|best| CycleBenchmark {
                    block,
                    order,
                    bought: best.quote.buy_amount,
                })),
                Err(error) => tracing::debug!(?error, %order, "a cycle is not measured"),
            }
        }
        measured
    }
}
