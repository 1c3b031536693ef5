//! Takes up what the factory and its orders told, block by block, from the store:
//! in every process, whether it indexes or follows.

use super::orders::RecurringOrders;
use crate::{
    fault::Fault,
    snapshot::{Snapshot, Snapshots},
};
use primitives::{Address, BlockRef, Felt};
use std::time::Duration;
use store::{LearnedEvent, LearnedPlace, Store};
use tokio_util::sync::CancellationToken;
use trading::recurring::{Mark, Now, OrderBook, RawOrderEvent};

/// How often it looks for a new snapshot, which costs next to nothing.
const POLL: Duration = Duration::from_millis(100);

/// Events that are read at once.
const PAGE: u32 = 1_000;

/// Blocks that are remembered, to find out which of them are gone. When all are,
/// everything is read anew.
const REMEMBERED: usize = 128;

/// Blocks below the newest one whose cycles may still be measured.
const MEASURED_LATER: u64 = 256;

/// Keeps the orders up to date with the published snapshots.
#[derive(Debug)]
pub struct OrderFeed {
    orders: RecurringOrders,
    store: Store,
    snapshots: Snapshots,
    /// Blocks that the orders were known by, the newest last.
    passed: Vec<BlockRef>,
}

impl OrderFeed {
    /// A feed that has read nothing yet.
    pub fn new(orders: RecurringOrders, store: Store, snapshots: Snapshots) -> Self {
        Self {
            orders,
            store,
            snapshots,
            passed: Vec::new(),
        }
    }

    /// Works until told to stop.
    pub async fn run(mut self, stop: CancellationToken) {
        while let Some(looked) = stop.run_until_cancelled(self.look()).await {
            if let Err(fault) = looked {
                tracing::warn!(error = fault.chain_text(), "cannot read recurring orders");
            }
            let slept = stop.run_until_cancelled(tokio::time::sleep(POLL));
            if slept.await.is_none() {
                return;
            }
        }
    }

    /// Takes up everything until the newest snapshot's block; nothing before the
    /// history is there that orders are part of.
    pub async fn look(&mut self) -> Result<(), Fault> {
        let newest = self.snapshots.load();
        let Some(snapshot) = newest.filter(|newest| !newest.provisional) else {
            return Ok(());
        };
        if self.passed.last() == Some(&snapshot.head) {
            return Ok(());
        }
        self.retreat().await?;
        let whole = self.advance(&snapshot).await;
        if !matches!(whole, Ok(true)) {
            // What was read of an incomplete advance is read again.
            let to = self.passed.last().map(|block| block.number);
            forget(&mut self.orders.change().book, to);
        }
        self.orders.announce();
        whole.map(drop)
    }

    /// Goes back to the newest block that is still there.
    async fn retreat(&mut self) -> Result<(), Fault> {
        let before = self.passed.len();
        while let Some(last) = self.passed.last() {
            let stored = self.store.chain().block_hash(last.number).await?;
            if stored == Some(last.hash) {
                break;
            }
            self.passed.pop();
        }
        if self.passed.len() < before {
            let to = self.passed.last().map(|block| block.number);
            forget(&mut self.orders.change().book, to);
        }
        Ok(())
    }

    /// Reads on until a block; false if that is gone meanwhile.
    async fn advance(&mut self, snapshot: &Snapshot) -> Result<bool, Fault> {
        let (factory, head) = (self.orders.factory(), snapshot.head);
        let known = self.passed.last().map(|block| block.number);
        // The last place that can have been learned with the block.
        let end = |block: &BlockRef| (block.number, (block.number, u32::MAX, u32::MAX));
        let mut after: Option<LearnedPlace> = self.passed.last().map(end);
        loop {
            let chain = self.store.chain();
            let page = chain.events_led_by(factory, head, after, PAGE).await?;
            let Some(page) = page else { return Ok(false) };
            let mut followed = self.orders.change();
            for event in &page {
                take_up(&mut followed.book, event);
            }
            if page.len() < PAGE as usize {
                followed.now = Some(Now {
                    block: head.number,
                    time: snapshot.head_time,
                });
                break;
            }
            after = page.last().map(LearnedEvent::place);
        }
        let unmeasured = known.map_or(0, |known| known.saturating_sub(MEASURED_LATER));
        self.take_up_benchmarks(unmeasured).await?;
        if self.passed.len() >= REMEMBERED {
            self.passed.remove(0);
        }
        self.passed.push(head);
        Ok(true)
    }

    /// Reads what cycles are measured against, from a block on.
    async fn take_up_benchmarks(&self, from: u64) -> Result<(), Fault> {
        let mut after = (from, Address::new(Felt::ZERO));
        loop {
            let page = self.store.chain().benchmarks(after, PAGE).await?;
            let book = &mut self.orders.change().book;
            for it in &page {
                book.measure(it.order, it.block, it.bought);
            }
            match page.last() {
                Some(last) if page.len() == PAGE as usize => after = last.place(),
                _ => return Ok(()),
            }
        }
    }
}

fn take_up(book: &mut OrderBook, LearnedEvent { learned, event }: &LearnedEvent) {
    let told = RawOrderEvent {
        learned: *learned,
        mark: Mark {
            block: event.block,
            time: event.time,
            transaction: event.transaction_hash,
        },
        contract: event.contract,
        keys: &event.keys,
        data: &event.data,
    };
    if book.take_up(&told).is_err() {
        metrics::counter!("stoa_recurring_nonsense_total").increment(1);
        let (contract, block) = (event.contract, event.block);
        tracing::debug!(%contract, block, "an event of a recurring order means nothing");
    }
}

/// Forgets what is known since a block, or everything.
fn forget(book: &mut OrderBook, to: Option<u64>) {
    match to {
        Some(to) => book.rollback(to),
        None => book.clear(),
    }
}
