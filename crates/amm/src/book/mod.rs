//! All pools of all venues, as of one block.
//!
//! A [`Book`] follows what happens to pools, block by block, and can take
//! blocks back: each leaves images of what it changed. What a block did is a
//! list of [`Change`]s; applying the same changes to the same book gives the
//! same book, so that a book can be made again from what was kept. [`Pools`]
//! is a book at one moment; it never changes, and shares with later ones every
//! pool that stays as it was.

mod change;
mod curve;
mod depth;
mod facts;
mod kept;
mod names;
mod pool;
mod pool_id;
mod quotation;
mod shelf;
mod shortfall;
mod standing;
#[cfg(test)]
mod tests;
mod trial;
mod undo;
mod venue;
mod verdict;
mod view;

pub use crate::quotation::{QUOTED_SHARE, Quotation};
pub use change::{Change, Created, Flaw, Movement, Named, PoolEvent, Price, Shape, Spot};
pub use curve::AnyCurve;
pub use facts::Facts;
pub use kept::{KeptError, changes_from_bytes, changes_to_bytes};
pub use pool::{Concentrated, Pool, State};
pub use pool_id::PoolId;
pub use standing::{ClassStanding, Standing, VenueStanding};
pub use trial::{AskedSwap, Testimony, Witness};
pub use undo::{TakenBack, TooDeep};
pub use venue::{Kind, Maths, Pin, Registry, RegistryError, Venue, VenueId};
pub use verdict::{Judgement, PROOF, Record, Tally, Verdict};
pub use view::{Off, PoolView, Pools};

use crate::Side;
use names::Name;
use pool::{Identity, NamedSpot};
use primitives::Address;
use std::collections::{HashMap, hash_map::Entry};
use std::sync::Arc;
use undo::Undo;

/// All pools, and the way back.
#[derive(Debug, Clone)]
pub struct Book {
    pools: Pools,
    contracts: HashMap<Name, PoolId>,
    keyed: HashMap<Locator, PoolId>,
    undo: Undo,
}

/// Finds a pool within a venue's only contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Locator {
    venue: VenueId,
    tokens: Option<[Name; 2]>,
    spot: NamedSpot,
}

/// Whose contract it is that says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// A venue's factory or only contract.
    Venue(VenueId),
    /// A pool's own contract.
    Pool(VenueId, PoolId),
}

impl Speaker {
    /// The venue whose layout its events have.
    #[must_use]
    pub const fn venue(self) -> VenueId {
        match self {
            Self::Venue(venue) | Self::Pool(venue, _) => venue,
        }
    }
}

impl Book {
    /// A book without pools.
    #[must_use]
    pub fn new(registry: Arc<Registry>) -> Self {
        Self {
            pools: Pools::new(registry),
            contracts: HashMap::new(),
            keyed: HashMap::new(),
            undo: Undo::default(),
        }
    }

    /// The pools at this moment.
    #[must_use]
    pub const fn pools(&self) -> &Pools {
        &self.pools
    }

    /// Who speaks when this contract does; `None` if nobody who is followed.
    #[must_use]
    pub fn speaker(&self, contract: Address) -> Option<Speaker> {
        if let Some(venue) = self.pools.registry().of_contract(contract) {
            return Some(Speaker::Venue(venue));
        }
        let name = self.pools.names.get(contract.felt())?;
        let pool = *self.contracts.get(&name)?;
        let venue = self.pools.pool(pool)?.venue();
        Some(Speaker::Pool(venue, pool))
    }

    /// Opens a block: what is applied from now on is taken back with it.
    pub fn begin(&mut self, block: u64) {
        self.undo.begin(block, &self.pools);
    }

    /// What an event changes here; `None` if it tells nothing of a pool that is
    /// known, or of one that is not followed any more.
    #[must_use]
    pub fn change(&self, speaker: Speaker, event: &PoolEvent) -> Option<Change> {
        match *event {
            PoolEvent::Created(pool) => {
                let venue = self.pools.registry().venue(speaker.venue())?.contract;
                self.find(speaker, pool.spot, Some(pool.tokens))
                    .is_none()
                    .then_some(Change::Created { venue, pool })
            }
            PoolEvent::Moved {
                spot,
                tokens,
                movement,
            } => {
                let pool = self.find(speaker, spot, tokens)?;
                let followed = self.pools.pool(pool)?.flaw.is_none();
                followed.then_some(Change::Moved { pool, movement })
            }
            PoolEvent::Sold {
                spot,
                token,
                amounts,
            } => {
                let id = self.find(speaker, spot, None)?;
                let pool = self.pools.pool(id).filter(|pool| !pool.is_flawed())?;
                let token = self.pools.names.get(token.felt())?;
                let place = pool
                    .identity
                    .tokens
                    .iter()
                    .position(|name| *name == token)?;
                let sold = *Side::BOTH.get(place)?;
                let movement = Movement::Traded { sold, amounts };
                Some(Change::Moved { pool: id, movement })
            }
            PoolEvent::Upgraded => None,
        }
    }

    /// The pool that an event of a contract is about, if it is known: the
    /// contract's own, or the one that the event names.
    #[must_use]
    pub fn subject(&self, speaker: Speaker, named: Option<Named>) -> Option<PoolId> {
        match (speaker, named) {
            (Speaker::Pool(_, pool), _) => Some(pool),
            (_, Some(Named { spot, tokens })) => self.find(speaker, spot, tokens),
            (_, None) => None,
        }
    }

    /// Follows a change.
    pub fn apply(&mut self, change: &Change) {
        match *change {
            Change::Created { venue, ref pool } => self.create(venue, pool),
            Change::Moved { pool, ref movement } => {
                self.touch(pool, |pool| pool.follow(movement));
            }
            Change::Asked { pool, facts } => self.touch(pool, |pool| pool.facts = Some(facts)),
            Change::Flawed { pool, flaw } => self.touch(pool, |pool| pool.flaw = Some(flaw)),
            Change::Class { contract, class } => {
                self.undo.class_changes(&self.pools);
                let contract = self.pools.names.give(contract.felt());
                Arc::make_mut(&mut self.pools.classes).insert(contract, class);
            }
            Change::Judged {
                venue,
                class,
                maths,
                judgement,
            } => {
                if let Some(venue) = self.pools.registry().of_contract(venue) {
                    self.undo.record_changes(&self.pools);
                    let records = Arc::make_mut(&mut self.pools.records);
                    records.note(venue, class, maths, judgement);
                }
            }
        }
    }

    /// Takes back every block above `to`, or all of them, and says what that
    /// changed. Nothing is taken back if that is further than the images reach.
    pub fn rollback(&mut self, to: Option<u64>) -> Result<TakenBack, TooDeep> {
        let taken_back = self.undo.rollback(to, &mut self.pools)?;
        if taken_back.has_dropped_pools {
            let after = self.pools.len();
            self.contracts.retain(|_, pool| pool.as_usize() < after);
            self.keyed.retain(|_, pool| pool.as_usize() < after);
        }
        Ok(taken_back)
    }

    /// The lowest block to which [`Book::rollback`] can go back; `None` if it
    /// can undo everything.
    #[must_use]
    pub fn reaches(&self) -> Option<u64> {
        self.undo.reaches()
    }

    fn find(&self, speaker: Speaker, spot: Spot, tokens: Option<[Address; 2]>) -> Option<PoolId> {
        if let Speaker::Pool(_, pool) = speaker {
            return Some(pool);
        }
        let name = |address: Address| self.pools.names.get(address.felt());
        let spot = match spot {
            Spot::Contract(contract) => return self.contracts.get(&name(contract)?).copied(),
            Spot::Numbered(number) => NamedSpot::Numbered(number),
            Spot::Keyed {
                fee,
                tick_spacing,
                extension,
            } => NamedSpot::Keyed {
                fee,
                tick_spacing,
                extension: name(extension)?,
            },
        };
        let tokens = match (spot, tokens) {
            (NamedSpot::Keyed { .. }, Some([first, second])) => Some([name(first)?, name(second)?]),
            _ => None,
        };
        let venue = speaker.venue();
        let locator = Locator {
            venue,
            tokens,
            spot,
        };
        self.keyed.get(&locator).copied()
    }

    fn create(&mut self, factory: Address, created: &Created) {
        let Some(venue) = self.pools.registry().of_contract(factory) else {
            return;
        };
        let Ok(number) = u32::try_from(self.pools.len()) else {
            return;
        };
        let id = PoolId(number);
        let names = &mut self.pools.names;
        let tokens = created.tokens.map(|token| names.give(token.felt()));
        let spot = match created.spot {
            Spot::Contract(contract) => NamedSpot::Contract(names.give(contract.felt())),
            Spot::Numbered(number) => NamedSpot::Numbered(number),
            Spot::Keyed {
                fee,
                tick_spacing,
                extension,
            } => NamedSpot::Keyed {
                fee,
                tick_spacing,
                extension: names.give(extension.felt()),
            },
        };
        let contract = match spot {
            NamedSpot::Contract(contract) => contract,
            NamedSpot::Numbered(_) | NamedSpot::Keyed { .. } => names.give(factory.felt()),
        };
        let identity = Identity {
            venue,
            contract,
            tokens,
            spot,
            shape: created.shape,
        };
        if self.index(id, &identity) {
            let kind = self.pools.kind(venue);
            self.pools.push(Pool::new(identity, kind, created.price));
        }
    }

    /// Makes a pool findable, if there is no such pool yet.
    fn index(&mut self, id: PoolId, identity: &Identity) -> bool {
        let Identity {
            venue,
            tokens,
            spot,
            ..
        } = *identity;
        let tokens = match spot {
            NamedSpot::Contract(contract) => return is_new(self.contracts.entry(contract), id),
            NamedSpot::Numbered(_) => None,
            NamedSpot::Keyed { .. } => Some(tokens),
        };
        let locator = Locator {
            venue,
            tokens,
            spot,
        };
        is_new(self.keyed.entry(locator), id)
    }

    /// Changes a pool, and remembers how it was before its block.
    fn touch(&mut self, id: PoolId, change: impl FnOnce(&mut Pool)) {
        self.undo.changes(id, &self.pools);
        if let Some(pool) = self.pools.pool_mut(id) {
            change(pool);
        }
    }
}

/// Puts the pool there, unless the place is taken.
fn is_new<K>(entry: Entry<'_, K, PoolId>, id: PoolId) -> bool {
    let is_new = matches!(entry, Entry::Vacant(_));
    entry.or_insert(id);
    is_new
}
