//! Pages of validators that were made of late.
//!
//! Lists are asked for far more often than they change: pages are kept for a
//! second, and all are forgotten when this process changes something that they
//! show. Another replica's change is seen after that second.

use super::{page::Page, validator_view::ValidatorView};
use leasing::{Mode, Region, Tier};
use primitives::{Lamports, SignedDuration, Timestamp, Ulid};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How old a page may be.
const LIFETIME: SignedDuration = SignedDuration::from_secs(1);

/// Pages that are kept at most.
const MAX_PAGES: usize = 500;

/// Which validators are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Browse {
    /// At least this price, of the mode looked for.
    pub price_min: Option<Lamports>,
    /// At most this price.
    pub price_max: Option<Lamports>,
    /// In this region; in any without it.
    pub region: Option<Region>,
    /// Of this class.
    pub tier: Option<Tier>,
    /// That offer this mode. Prices are of it, or of the exclusive one.
    pub mode: Option<Mode>,
    /// That can be booked in this epoch, in the mode looked for or any.
    pub available_epoch: Option<i32>,
    /// In this order.
    pub sort: Sort,
    /// After the last of the page before; the first page without it.
    pub after: Option<BrowseKey>,
    /// At most so many.
    pub limit: u16,
}

/// An order of validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sort {
    /// The cheapest first.
    Price,
    /// The most stake first.
    Stake,
    /// The best rated first, those without a rating last.
    Rating,
    /// The best uptime first, those without any last.
    Uptime,
    /// The most effective first, those of whom nothing is known last.
    Effectiveness,
    /// The newest first.
    Newest,
}

/// A place in an order of validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BrowseKey {
    /// The price or the stake, in lamports, the rating in thousandths, or the
    /// share in millionths; nothing for the newest.
    pub value: i64,
    /// The validator.
    pub id: Ulid,
}

pub(super) type ValidatorPage = Arc<Page<ValidatorView, BrowseKey>>;

/// Pages that were made of late.
#[derive(Debug, Default)]
pub(super) struct Pages(Mutex<CachedPages>);

#[derive(Debug, Default)]
struct CachedPages {
    /// Rises whenever what pages show changes.
    version: u64,
    pages: HashMap<Browse, (Timestamp, ValidatorPage)>,
}

impl Pages {
    /// What pages show has changed.
    pub(super) fn forget(&self) {
        let mut kept = self.lock();
        kept.version = kept.version.wrapping_add(1);
        kept.pages.clear();
    }

    /// A page that is young enough, or the version to begin a new one at.
    pub(super) fn find(&self, browse: &Browse, now: Timestamp) -> Result<ValidatorPage, u64> {
        let kept = self.lock();
        kept.pages
            .get(browse)
            .filter(|(made, _)| now.duration_since(*made).abs() < LIFETIME)
            .map(|(_, page)| Arc::clone(page))
            .ok_or(kept.version)
    }

    /// Keeps a page that was begun at a version, unless that is over.
    pub(super) fn keep(&self, browse: &Browse, page: &ValidatorPage, now: Timestamp, version: u64) {
        let mut kept = self.lock();
        if kept.version != version {
            return;
        }
        if kept.pages.len() >= MAX_PAGES {
            kept.pages.clear();
        }
        kept.pages.insert(browse.clone(), (now, Arc::clone(page)));
    }

    fn lock(&self) -> MutexGuard<'_, CachedPages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
