//! Recurring orders as JSON, written once for as long as they look the same.
//!
//! Whoever shows a list asks for it again and again, and most orders have not
//! changed since: an event or a due cycle changes one, the time alone does not.

use primitives::{Address, SignedDuration, Timestamp};
use serde_json::value::RawValue;
use services::GenerationalCache;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use trading::recurring::{CycleCounts, Mark, Now, Order, OrderStatus};

/// Bytes of one generation.
const ROOM_BYTES: usize = 16 * 1024 * 1024;

/// How long a minute's price can still change.
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// Orders that were asked for lately.
#[derive(Debug)]
pub(super) struct RenderedOrders(Mutex<GenerationalCache<Address, KeptOrder>>);

#[derive(Debug)]
struct KeptOrder {
    looks: OrderLooks,
    text: Arc<RawValue>,
}

/// All that an order's JSON depends on, beside what never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OrderLooks {
    created: Mark,
    last: Option<Mark>,
    status: OrderStatus,
    counts: CycleCounts,
    closed: Option<Timestamp>,
    /// Cycles that were measured.
    measured: usize,
    /// While prices of its last trade may still change.
    block: Option<u64>,
}

impl OrderLooks {
    pub(super) fn new(order: &Order, now: Now) -> Self {
        let last = order.past.last().map(|past| past.mark);
        let is_fresh = |mark: &Mark| now.time.duration_since(mark.time) < MINUTE;
        Self {
            created: order.created,
            last,
            status: order.status(now),
            counts: order.counts(now),
            closed: order.close_date(now),
            measured: order.benchmarks.len(),
            block: last.filter(is_fresh).map(|_| now.block),
        }
    }
}

impl Default for RenderedOrders {
    fn default() -> Self {
        let cache = GenerationalCache::new(ROOM_BYTES, |kept: &KeptOrder| kept.text.get().len());
        Self(Mutex::new(cache))
    }
}

impl RenderedOrders {
    /// The JSON of an order that looks like this, if it is known.
    pub(super) fn find(&self, order: Address, looks: &OrderLooks) -> Option<Arc<RawValue>> {
        let mut cache = self.lock();
        let kept = cache.get(&order).filter(|kept| kept.looks == *looks)?;
        Some(Arc::clone(&kept.text))
    }

    pub(super) fn keep(&self, order: Address, looks: OrderLooks, text: Arc<RawValue>) {
        self.lock().put(order, KeptOrder { looks, text });
    }

    fn lock(&self) -> MutexGuard<'_, GenerationalCache<Address, KeptOrder>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
