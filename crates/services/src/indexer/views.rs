//! What readers see and routes are searched on: materialised views of the book, the
//! directory and the figures. It is noted what changes, and only that is made anew.

use amm::book::{Book, Change, PoolId, Speaker, Standing, TakenBack};
use market::{BlockEffects, Directory, Listings, TokenList, figures::Figures};
use primitives::Address;
use routing::Graph;
use std::{collections::BTreeSet, sync::Arc};

#[derive(Debug, Clone, Default)]
pub(super) struct Views {
    pub(super) tokens: Arc<TokenList>,
    /// The book's pools, as routes are searched on them.
    pub(super) graph: Arc<Graph>,
    /// How many pools were traded with when something but a trade last changed them.
    pub(super) standing: Arc<Standing>,
    stale: Stale,
}

/// What changed since the views were made.
#[derive(Debug, Clone, Default)]
struct Stale {
    /// Tokens may have come or gone, or turned out to be shares.
    list: bool,
    standing: bool,
    /// Pools may have gone, or been switched on or off.
    graph: bool,
    /// Pools that changed. Those that came are found by their number.
    pools: BTreeSet<PoolId>,
}

impl Views {
    /// Notes what committed blocks have put out of date.
    pub(super) fn note(&mut self, effects: &[BlockEffects]) {
        let stale = &mut self.stale;
        stale.list |= effects.iter().any(|effects| !effects.readings.is_empty());
        for change in effects.iter().flat_map(|effects| &effects.pools) {
            stale.standing |= !matches!(change, Change::Moved { .. });
            match change {
                Change::Moved { pool, .. }
                | Change::Asked { pool, .. }
                | Change::Flawed { pool, .. } => {
                    stale.pools.insert(*pool);
                }
                // A pair may move its shares before anybody says that it is a pair.
                Change::Created { .. } => stale.list = true,
                Change::Class { .. } | Change::Judged { .. } => stale.graph = true,
            }
        }
    }

    /// Notes that blocks were taken back, and with them perhaps what was read of
    /// tokens.
    pub(super) fn note_taken_back(&mut self, pools: TakenBack, has_lost_readings: bool) {
        let stale = &mut self.stale;
        stale.list |= has_lost_readings || pools.has_dropped_pools;
        stale.standing = true;
        stale.graph |= pools.has_dropped_pools || pools.has_restored_classes;
        stale.pools.extend(pools.pools);
    }

    /// Notes that everything may have changed.
    pub(super) fn note_all(&mut self) {
        self.stale = Stale {
            list: true,
            standing: true,
            graph: true,
            pools: BTreeSet::new(),
        };
    }

    /// Notes that routes may pass other tokens than before.
    pub(super) fn note_shunned(&mut self) {
        self.stale.graph = true;
    }

    /// Makes anew what is out of date.
    pub(super) fn refresh(
        &mut self,
        book: &Book,
        directory: &Directory,
        figures: &Figures,
        listings: &Listings,
        shunned: &BTreeSet<Address>,
    ) {
        let stale = std::mem::take(&mut self.stale);
        if stale.list {
            let tokens = TokenList::new(directory, listings, |token| is_share(book, token));
            self.tokens = Arc::new(tokens);
        }
        let volume = |address| figures.volume_24h_usd(address);
        if let Some(tokens) = self.tokens.with_volumes(volume) {
            self.tokens = Arc::new(tokens);
        }
        let pools = book.pools();
        if stale.graph {
            self.graph = Arc::new(Graph::new(pools, shunned));
        } else if !stale.pools.is_empty() || self.graph.pools() < pools.len() {
            let changed: Vec<PoolId> = stale.pools.into_iter().collect();
            self.graph = Arc::new(self.graph.refreshed(pools, &changed, shunned));
        }
        if stale.standing {
            self.standing = Arc::new(pools.standing());
        }
    }
}

/// Whether a token is no more than a share of a followed pool: a pair is the token of
/// its own shares. What other pools are shared by is no token.
pub(super) fn is_share(book: &Book, token: Address) -> bool {
    let Some(Speaker::Pool(venue, _)) = book.speaker(token) else {
        return false;
    };
    let venue = book.pools().registry().venue(venue);
    venue.is_some_and(|venue| venue.kind.is_of_pairs())
}
