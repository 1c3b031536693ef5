//! News of the chain for those who listen.

use super::block::Block;
use primitives::BlockRef;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

/// News that wait for a listener; one that falls behind further is lost.
const MAX_UNHEARD: usize = 4_096;

/// Listeners at the same time.
const MAX_LISTENERS: usize = 1_024;

/// Something that happened to the chain.
#[derive(Debug, Clone)]
pub(crate) enum News {
    /// There is a new block on top.
    Head(Arc<Block>),
    /// These blocks, from the first to the last, are no longer in the chain.
    Reorg { first: BlockRef, last: BlockRef },
}

/// Passes news on, numbered, to everybody who listens.
#[derive(Debug)]
pub(crate) struct Feed {
    sender: broadcast::Sender<(u64, News)>,
    sent: AtomicU64,
    seats: Arc<Semaphore>,
}

/// The news of a [`Feed`], for as long as it is held.
#[derive(Debug)]
pub(crate) struct Listener {
    receiver: broadcast::Receiver<(u64, News)>,
    _seat: OwnedSemaphorePermit,
}

impl Feed {
    pub(crate) fn new() -> Self {
        Self {
            sender: broadcast::Sender::new(MAX_UNHEARD),
            sent: AtomicU64::new(0),
            seats: Arc::new(Semaphore::new(MAX_LISTENERS)),
        }
    }

    /// Tells all listeners. Only for those who have the chain locked for
    /// writing: news are in order, and the chain is as they say.
    pub(crate) fn publish(&self, news: News) {
        let number = self.sent.fetch_add(1, Ordering::Relaxed) + 1;
        // Nobody has to listen.
        let _ = self.sender.send((number, news));
    }

    /// The number of the last news. It stays so while the chain is locked.
    pub(crate) fn last(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// A listener to everything from now on, unless there are too many.
    pub(crate) fn listen(&self) -> Option<Listener> {
        let seat = Arc::clone(&self.seats).try_acquire_owned().ok()?;
        Some(Listener {
            receiver: self.sender.subscribe(),
            _seat: seat,
        })
    }
}

impl Listener {
    /// The next news with their number; `None` if some were missed.
    pub(crate) async fn next(&mut self) -> Option<(u64, News)> {
        self.receiver.recv().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::Felt;

    fn reorg(number: u64) -> News {
        let block = BlockRef {
            number,
            hash: Felt::ONE,
        };
        News::Reorg {
            first: block,
            last: block,
        }
    }

    #[tokio::test]
    async fn a_listener_that_falls_behind_is_told_that_it_missed_something() {
        let feed = Feed::new();
        let (mut quick, mut slow) = (feed.listen().unwrap(), feed.listen().unwrap());
        for number in 0..=u64::try_from(MAX_UNHEARD).unwrap() {
            feed.publish(reorg(number));
            assert_eq!(quick.next().await.unwrap().0, number + 1);
        }
        assert!(slow.next().await.is_none());
    }

    #[test]
    fn listeners_are_limited_and_make_room_when_they_leave() {
        let feed = Feed::new();
        let mut listeners: Vec<Listener> = std::iter::from_fn(|| feed.listen()).collect();
        assert_eq!(listeners.len(), MAX_LISTENERS);
        listeners.pop();
        assert!(feed.listen().is_some());
    }
}
