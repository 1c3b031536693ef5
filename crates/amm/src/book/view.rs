//! Pools at one moment, and what can be said of them.

use super::change::{Flaw, Spot};
use super::names::{Name, Names};
use super::pool::{NamedSpot, Pool};
use super::pool_id::PoolId;
use super::shelf::Shelf;
use super::venue::{Kind, Maths, Registry, Venue, VenueId};
use super::verdict::{Record, Records, Tally, Verdict};
use crate::ekubo::Extension;
use primitives::{Address, Felt};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// All pools at one moment.
#[derive(Debug, Clone, Default)]
pub struct Pools {
    registry: Arc<Registry>,
    pub(super) names: Names,
    shelf: Shelf<Pool>,
    pub(super) classes: Arc<BTreeMap<Name, Felt>>,
    pub(super) records: Arc<Records>,
}

/// Why a pool is not traded with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum Off {
    /// Its venue is only watched.
    #[error("its venue is switched off")]
    Venue,
    /// Its contract was not asked for its settings yet.
    #[error("its contract was not asked yet")]
    Unread,
    /// Nobody named its contract's class, and too few swaps of it were seen.
    #[error("its contract's class is not proven yet")]
    Class,
    /// A swap of its contract's class was not what the rule says.
    #[error("a swap of its contract's class was not what its rule says")]
    Refuted,
    /// Whoever wrote the list wants nothing traded with its contract's class.
    #[error("the list of venues switches its contract's class off")]
    Barred,
    /// It calls a contract that changes its trades.
    #[error("its extension changes its trades")]
    Extension(Extension),
    /// It is not followed any more.
    #[error(transparent)]
    Flaw(Flaw),
    /// Its contract could not be in this state.
    #[error("its state makes no sense")]
    State,
}

impl Off {
    /// Every reason in a word.
    pub const WORDS: [&str; 8] = [
        "venue",
        "unread",
        "class",
        "refuted",
        "barred",
        "extension",
        "flaw",
        "state",
    ];

    /// The reason in a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Venue => "venue",
            Self::Unread => "unread",
            Self::Class => "class",
            Self::Refuted => "refuted",
            Self::Barred => "barred",
            Self::Extension(_) => "extension",
            Self::Flaw(_) => "flaw",
            Self::State => "state",
        }
    }
}

impl Pools {
    pub(super) fn new(registry: Arc<Registry>) -> Self {
        Self {
            registry,
            ..Self::default()
        }
    }

    /// The venues.
    #[must_use]
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// How many pools there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.shelf.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A pool.
    #[must_use]
    pub fn get(&self, id: PoolId) -> Option<PoolView<'_>> {
        let pool = self.pool(id)?;
        self.view(id, pool)
    }

    /// The pool that came into being last.
    #[must_use]
    pub fn newest(&self) -> Option<PoolView<'_>> {
        let number = u32::try_from(self.len().checked_sub(1)?).ok()?;
        self.get(PoolId(number))
    }

    /// All pools, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = PoolView<'_>> {
        (0..)
            .zip(self.shelf.iter())
            .filter_map(|(number, pool)| self.view(PoolId(number), pool))
    }

    fn view<'a>(&'a self, id: PoolId, pool: &'a Pool) -> Option<PoolView<'a>> {
        let venue = self.registry.venue(pool.venue())?;
        Some(PoolView {
            id,
            pool,
            venue,
            pools: self,
        })
    }

    pub(super) fn kind(&self, venue: VenueId) -> Option<Kind> {
        self.registry.venue(venue).map(|venue| venue.kind)
    }

    pub(super) fn pool(&self, id: PoolId) -> Option<&Pool> {
        self.shelf.get(id.as_usize())
    }

    pub(super) fn pool_mut(&mut self, id: PoolId) -> Option<&mut Pool> {
        self.shelf.get_mut(id.as_usize())
    }

    pub(super) fn push(&mut self, pool: Pool) {
        self.shelf.push(pool);
    }

    pub(super) fn truncate(&mut self, pools: usize, names: usize) {
        self.shelf.truncate(pools);
        self.names.truncate(names);
    }

    pub(super) fn address(&self, name: Name) -> Address {
        Address::new(name.of(self.names.felts()))
    }

    /// The class that a contract runs, if that was read.
    #[must_use]
    pub fn class(&self, contract: Address) -> Option<Felt> {
        let contract = self.names.get(contract.felt())?;
        self.classes.get(&contract).copied()
    }

    /// What swaps said of a class of a venue.
    #[must_use]
    pub fn verdict(&self, venue: VenueId, class: Felt) -> Verdict {
        match self.kind(venue) {
            Some(kind) => self.records.verdict(kind, venue, class),
            None => Verdict::Undecided,
        }
    }

    /// What swaps said of all classes.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }

    /// The classes of contracts that were read.
    pub(super) fn known_classes(&self) -> impl Iterator<Item = (Address, Felt)> {
        self.classes
            .iter()
            .map(|(contract, class)| (self.address(*contract), *class))
    }
}

/// A pool with what is around it.
#[derive(Debug, Clone, Copy)]
pub struct PoolView<'a> {
    /// Its place.
    pub id: PoolId,
    /// What is known of it at the block.
    pub pool: &'a Pool,
    /// The exchange that it belongs to, as the list has it.
    pub venue: &'a Venue,
    pools: &'a Pools,
}

impl PoolView<'_> {
    /// Its tokens, in the pool's order.
    #[must_use]
    pub fn tokens(&self) -> [Address; 2] {
        self.pool
            .identity
            .tokens
            .map(|name| self.pools.address(name))
    }

    /// What tells it from its venue's other pools.
    #[must_use]
    pub fn spot(&self) -> Spot {
        match self.pool.identity.spot {
            NamedSpot::Contract(contract) => Spot::Contract(self.pools.address(contract)),
            NamedSpot::Numbered(number) => Spot::Numbered(number),
            NamedSpot::Keyed {
                fee,
                tick_spacing,
                extension,
            } => Spot::Keyed {
                fee,
                tick_spacing,
                extension: self.pools.address(extension),
            },
        }
    }

    /// The contract that holds its tokens.
    #[must_use]
    pub fn contract(&self) -> Address {
        self.pools.address(self.pool.identity.contract)
    }

    /// The contract by which a route names its venue; `None` if no route passes
    /// the pool, whatever it would pay.
    #[must_use]
    pub fn router(&self) -> Option<Address> {
        let router = self
            .venue
            .router
            .filter(|_| self.venue.kind.is_routable())?;
        self.off().is_none().then_some(router)
    }

    /// The class of its contract, if that was read.
    #[must_use]
    pub fn class(&self) -> Option<Felt> {
        let contract = &self.pool.identity.contract;
        self.pools.classes.get(contract).copied()
    }

    /// What its contract's class computes like: as the list says, or else as its
    /// swaps show.
    fn maths(&self) -> Result<Maths, Off> {
        let class = self.class().ok_or(Off::Class)?;
        if let Some(pin) = self.venue.pin(class) {
            return pin.maths().ok_or(Off::Barred);
        }
        match self.pools.verdict(self.pool.venue(), class) {
            Verdict::Learned(maths) => Ok(maths),
            Verdict::Undecided => Err(Off::Class),
            Verdict::Refuted => Err(Off::Refuted),
        }
    }

    /// How a rule stands for a class of its venue.
    pub(super) fn tally(&self, class: Felt, maths: Maths) -> Tally {
        let venue = self.pool.venue();
        self.pools.records.tally(venue, class, maths)
    }

    /// Why nothing is traded with it; `None` if it is.
    #[must_use]
    pub fn off(&self) -> Option<Off> {
        self.traded().err()
    }

    /// What it computes like, or why nothing is traded with it.
    pub(super) fn traded(&self) -> Result<Maths, Off> {
        if let Some(flaw) = self.pool.flaw {
            return Err(Off::Flaw(flaw));
        }
        if !self.venue.enabled {
            return Err(Off::Venue);
        }
        let maths = self.maths()?;
        if let Spot::Keyed { extension, .. } = self.spot() {
            let extension = self.venue.extension(extension);
            if !extension.is_quotable() {
                return Err(Off::Extension(extension));
            }
        }
        if self.venue.kind.has_facts() && self.pool.facts.is_none() {
            return Err(Off::Unread);
        }
        Ok(maths)
    }
}
