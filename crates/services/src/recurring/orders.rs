//! The orders of a factory, as of a block.

use market::following::{Birth, Lead, Word};
use primitives::Address;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use tokio::sync::watch;
use trading::recurring::{Now, OrderBook, deployed_selector};

/// The orders of one factory: one writer, any number of readers. Clones share
/// everything.
#[derive(Debug, Clone)]
pub struct RecurringOrders {
    factory: Address,
    followed: Arc<RwLock<Followed>>,
    announced: Arc<watch::Sender<()>>,
}

/// The orders, and the newest block that they are known by.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) book: OrderBook,
    pub(super) now: Option<Now>,
}

impl RecurringOrders {
    /// The orders of a factory, of which none is known yet.
    #[must_use]
    pub fn new(factory: Address) -> Self {
        let followed = Followed {
            book: OrderBook::new(factory),
            now: None,
        };
        Self {
            factory,
            followed: Arc::new(RwLock::new(followed)),
            announced: Arc::default(),
        }
    }

    /// Orders that are known already, by a block.
    #[must_use]
    pub fn known(book: OrderBook, now: Now) -> Self {
        let factory = book.factory();
        let now = Some(now);
        Self {
            factory,
            followed: Arc::new(RwLock::new(Followed { book, now })),
            announced: Arc::default(),
        }
    }

    /// Who deploys them.
    #[must_use]
    pub fn factory(&self) -> Address {
        self.factory
    }

    /// What must be followed for them to be known.
    #[must_use]
    pub fn lead(factory: Address) -> Lead {
        let birth = Birth {
            event: deployed_selector(),
            named: Word::Key(1),
            from_block: None,
        };
        Lead {
            contract: factory,
            from_block: 0,
            births: vec![birth],
        }
    }

    /// Looks at the orders; `None` before the first block is known. Nobody should
    /// look for long: the writer waits.
    pub fn look<T>(&self, look: impl FnOnce(&OrderBook, Now) -> T) -> Option<T> {
        let followed = self.followed.read().unwrap_or_else(PoisonError::into_inner);
        Some(look(&followed.book, followed.now?))
    }

    /// Tells when they are known by another block.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.announced.subscribe()
    }

    pub(super) fn announce(&self) {
        self.announced.send_replace(());
    }

    pub(super) fn change(&self) -> RwLockWriteGuard<'_, Followed> {
        self.followed
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
