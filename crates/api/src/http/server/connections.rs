//! How many connections there are: in all, and of one address. When there are too
//! many, the one that has been idle longest makes room (LRU).

use crate::http::client_address::AddressRange;
use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// What stands for "not idle" among the times of [`Slot::idle_since`].
const BUSY: u64 = u64::MAX;

/// How many connections there may be.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// In all. Beyond, idle ones are closed, and then others wait.
    pub total: usize,
    /// Of one IPv4 address, or of one network of IPv6. Beyond, they are refused.
    pub per_address: usize,
    /// Whose connections are those of many: proxies.
    pub exempt: Vec<AddressRange>,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            total: 10_000,
            per_address: 256,
            exempt: Vec::new(),
        }
    }
}

/// The open connections of one or several listeners. Clones share them.
#[derive(Debug, Clone)]
pub struct Connections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: ConnectionLimits,
    open: Mutex<Open>,
    freed: Notify,
    /// Counts the times that a connection became idle.
    idled: AtomicU64,
}

#[derive(Debug, Default)]
struct Open {
    of_address: HashMap<IpAddr, usize>,
    slots: HashMap<u64, Arc<Slot>>,
    next: u64,
}

#[derive(Debug)]
struct Slot {
    idle_since: AtomicU64,
    close: CancellationToken,
}

/// A connection that may be served, until it is dropped.
#[derive(Debug)]
pub(super) struct Admission {
    connections: Connections,
    id: u64,
    address: Option<IpAddr>,
    slot: Arc<Slot>,
}

impl Connections {
    /// None yet.
    pub fn new(limits: ConnectionLimits) -> Self {
        Self(Arc::new(Inner {
            limits,
            open: Mutex::default(),
            freed: Notify::new(),
            idled: AtomicU64::new(0),
        }))
    }

    /// Waits until there may be one more.
    pub(super) async fn room(&self) {
        loop {
            let freed = self.0.freed.notified();
            if self.lock().slots.len() < self.0.limits.total {
                return;
            }
            self.close_idle();
            freed.await;
        }
    }

    /// Lets one more in, unless its address has enough.
    pub(super) fn admit(&self, peer: IpAddr) -> Option<Admission> {
        let peer = peer.to_canonical();
        let limits = &self.0.limits;
        let is_exempt = limits.exempt.iter().any(|range| range.contains(peer));
        let address = (!is_exempt).then(|| network(peer));
        let mut open = self.lock();
        if let Some(address) = address {
            let count = open.of_address.entry(address).or_insert(0);
            if *count >= limits.per_address {
                return None;
            }
            *count += 1;
        }
        let slot = Arc::new(Slot {
            idle_since: AtomicU64::new(self.0.idled.fetch_add(1, Ordering::Relaxed)),
            close: CancellationToken::new(),
        });
        let id = open.next;
        open.next += 1;
        open.slots.insert(id, Arc::clone(&slot));
        Some(Admission {
            connections: self.clone(),
            id,
            address,
            slot,
        })
    }

    /// Closes the connection that has been idle longest, if any is.
    fn close_idle(&self) {
        let open = self.lock();
        let idle = open.slots.values().filter_map(|slot| {
            let since = slot.idle_since.load(Ordering::Relaxed);
            (since != BUSY && !slot.close.is_cancelled()).then_some((since, slot))
        });
        if let Some((_, oldest)) = idle.min_by_key(|(since, _)| *since) {
            oldest.close.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        let open = self.0.open.lock();
        open.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admission {
    /// A request is being answered.
    pub(super) fn busy(&self) {
        self.slot.idle_since.store(BUSY, Ordering::Relaxed);
    }

    /// The request is answered.
    pub(super) fn idle(&self) {
        let since = self.connections.0.idled.fetch_add(1, Ordering::Relaxed);
        self.slot.idle_since.store(since, Ordering::Relaxed);
        // Whoever waits for room may close it now.
        self.connections.0.freed.notify_waiters();
    }

    /// Cancelled when the connection has to make room for another.
    pub(super) fn close(&self) -> CancellationToken {
        self.slot.close.clone()
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        open.slots.remove(&self.id);
        if let Some(address) = self.address
            && let Some(count) = open.of_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                open.of_address.remove(&address);
            }
        }
        drop(open);
        self.connections.0.freed.notify_waiters();
    }
}

/// Whom a connection is counted for: a household has 2^64 addresses of IPv6.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    fn connections(total: usize, per_address: usize) -> Connections {
        Connections::new(ConnectionLimits {
            total,
            per_address,
            exempt: vec!["10.0.0.0/8".parse().unwrap()],
        })
    }

    fn peer(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn an_address_has_its_share_and_gets_back_what_it_gives_up() {
        let connections = connections(100, 2);
        let first = connections.admit(peer("192.0.2.1")).unwrap();
        let _second = connections.admit(peer("::ffff:192.0.2.1")).unwrap();
        assert!(connections.admit(peer("192.0.2.1")).is_none());
        assert!(connections.admit(peer("192.0.2.2")).is_some());
        drop(first);
        assert!(connections.admit(peer("192.0.2.1")).is_some());
    }

    #[test]
    fn a_network_of_ipv6_is_one_address_and_a_proxy_is_many() {
        let connections = connections(100, 1);
        let _first = connections.admit(peer("2001:db8::1")).unwrap();
        assert!(connections.admit(peer("2001:db8::2")).is_none());
        assert!(connections.admit(peer("2001:db8:0:1::1")).is_some());
        let many: Vec<_> = (0..10)
            .map(|_| connections.admit(peer("10.1.2.3")))
            .collect();
        assert!(many.iter().all(Option::is_some));
    }

    #[test]
    fn the_one_that_was_idle_longest_makes_room() {
        let connections = connections(3, 100);
        let all = [1, 2, 3].map(|_| connections.admit(peer("192.0.2.1")).unwrap());
        let [busy, older, newer] = &all;
        busy.busy();
        older.busy();
        newer.busy();
        older.idle();
        newer.idle();
        assert!(connections.room().now_or_never().is_none());
        let closed = all.each_ref().map(|one| one.close().is_cancelled());
        assert_eq!(closed, [false, true, false]);
        let [_busy, older, _newer] = all;
        drop(older);
        assert!(connections.room().now_or_never().is_some());
    }

    #[test]
    fn nobody_is_closed_in_the_middle_of_an_answer() {
        let connections = connections(1, 100);
        let busy = connections.admit(peer("192.0.2.1")).unwrap();
        busy.busy();
        assert!(connections.room().now_or_never().is_none());
        assert!(!busy.close().is_cancelled());
    }
}
