//! Finding validators.
//!
//! Lists are asked for far more often than they change: pages are kept for a
//! second, and all are forgotten when this process changes something that they
//! show. Another replica's change is seen after that second.

use super::{Inner, Leasing, Page, ValidatorView, validators::view};
use crate::fault::Fault;
use leasing::{HORIZON, Mode, Occupancy, Region, Tier, next_free_epoch};
use primitives::{Lamports, SignedDuration, Timestamp, Ulid};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use store::leasing::{BrowseOrder, BrowseQuery};

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
    /// In this region.
    pub region: Option<Region>,
    /// Of this class.
    pub tier: Option<Tier>,
    /// That offer this mode. Prices are of it, or of the exclusive one.
    pub mode: Option<Mode>,
    /// That can be booked in this epoch, in the mode looked for or any.
    pub available_epoch: Option<i32>,
    /// In this order.
    pub sort: Sort,
    /// After this one.
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
    /// The newest first.
    Newest,
}

/// A place in an order of validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BrowseKey {
    /// The price or the stake, in lamports; nothing for the newest.
    pub value: i64,
    /// The validator.
    pub id: Ulid,
}

type ValidatorPage = Arc<Page<ValidatorView, BrowseKey>>;

/// Pages that were made of late.
#[derive(Debug, Default)]
pub(super) struct Pages(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
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

    fn find(&self, browse: &Browse, now: Timestamp) -> Result<ValidatorPage, u64> {
        let kept = self.lock();
        kept.pages
            .get(browse)
            .filter(|(made, _)| now.duration_since(*made).abs() < LIFETIME)
            .map(|(_, page)| Arc::clone(page))
            .ok_or(kept.version)
    }

    /// Keeps a page that was begun at a version, unless that is over.
    fn keep(&self, browse: &Browse, page: &ValidatorPage, now: Timestamp, version: u64) {
        let mut kept = self.lock();
        if kept.version != version {
            return;
        }
        if kept.pages.len() >= MAX_PAGES {
            kept.pages.clear();
        }
        kept.pages.insert(browse.clone(), (now, Arc::clone(page)));
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Leasing {
    /// Listed validators. What other replicas changed may be a second late.
    pub async fn browse(&self, browse: &Browse) -> Result<ValidatorPage, Fault> {
        let inner = &*self.0;
        let now = inner.now();
        let version = match inner.pages.find(browse, now) {
            Ok(page) => return Ok(page),
            Err(version) => version,
        };
        let page = Arc::new(inner.page(browse).await?);
        inner.pages.keep(browse, &page, now, version);
        Ok(page)
    }
}

impl Inner {
    async fn page(&self, browse: &Browse) -> Result<Page<ValidatorView, BrowseKey>, Fault> {
        // An amount beyond the column is beyond every price.
        let bound = |amount: Lamports| i64::try_from(amount.get()).unwrap_or(i64::MAX);
        let query = BrowseQuery {
            price_min: browse.price_min.map(bound),
            price_max: browse.price_max.map(bound),
            region: browse.region.clone(),
            tier: browse.tier,
            mode: browse.mode,
            available_epoch: browse.available_epoch,
            order: match browse.sort {
                Sort::Price => BrowseOrder::Price,
                Sort::Stake => BrowseOrder::Stake,
                Sort::Newest => BrowseOrder::Newest,
            },
            after: browse.after.map(|key| (key.value, key.id)),
            limit: browse.limit.saturating_add(1),
        };
        let rows = self.store.ledger().browse(&query).await?;
        let page = Page::new(rows, usize::from(browse.limit), |row| BrowseKey {
            value: match (browse.sort, browse.mode) {
                (Sort::Price, Some(Mode::Shared)) => {
                    row.terms.shared.map_or(0, |shared| bound(shared.price))
                }
                (Sort::Price, _) => bound(row.terms.price),
                (Sort::Stake, _) => bound(row.stake.stake),
                (Sort::Newest, _) => 0,
            },
            id: row.id,
        });
        let mut page = page.map(view);
        self.fill_in_next_free(&mut page.items).await?;
        Ok(page)
    }

    async fn fill_in_next_free(&self, views: &mut [ValidatorView]) -> Result<(), Fault> {
        let Some(now) = self.current_epoch() else {
            return Ok(());
        };
        let ids: Vec<Ulid> = views.iter().map(|view| view.id).collect();
        let until = now.saturating_add(HORIZON);
        let mut booked: HashMap<Ulid, Vec<Occupancy>> = HashMap::new();
        for row in self.store.ledger().booked(&ids, now, until).await? {
            booked.entry(row.validator).or_default().push(row.occupancy);
        }
        for view in views {
            let booked = booked.get(&view.id).map_or(&[][..], Vec::as_slice);
            view.next_free_epoch = next_free_epoch(now, booked);
        }
        Ok(())
    }
}
