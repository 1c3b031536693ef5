//! Books and changes as bytes.
//!
//! Numbers take as few bytes as they need, addresses 32. The first byte says
//! which form follows, so that a later form is told from this one.

use super::change::{Change, Created, Flaw};
use super::facts::Facts;
use super::pool::State;
use super::pool_id::PoolId;
use super::undo::Undo;
use super::venue::Registry;
use super::verdict::{Record, Tally};
use super::{Book, Pool, Pools};
use primitives::{Address, OrImpossible as _};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::collections::BTreeMap;
use std::sync::Arc;
use thiserror::Error;

/// The form that is written.
const FORM: u8 = 2;

/// Why bytes are no book, or no changes.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeptError {
    /// They are of another form than this version of the program writes.
    #[error("of an unknown form")]
    Form,
    /// They are not well-formed.
    #[error("not well-formed")]
    Damaged(#[from] postcard::Error),
    /// A pool belongs to a venue that is not in the registry.
    #[error("a pool belongs to an unknown venue at {0}")]
    Venue(Address),
}

/// The changes of a block as bytes.
#[must_use]
pub fn changes_to_bytes(changes: &[Change]) -> Vec<u8> {
    to_bytes(&changes)
}

/// The changes of a block.
pub fn changes_from_bytes(bytes: &[u8]) -> Result<Vec<Change>, KeptError> {
    from_bytes(bytes)
}

#[derive(Serialize, Deserialize)]
struct KeptBook {
    classes: Vec<(Address, Address)>,
    records: Vec<KeptRecord>,
    pools: Vec<KeptPool>,
}

#[derive(Serialize, Deserialize)]
struct KeptRecord {
    venue: Address,
    class: Address,
    tallies: Vec<Tally>,
}

#[derive(Serialize, Deserialize)]
struct KeptPool {
    venue: Address,
    created: Created,
    state: State,
    facts: Option<Facts>,
    flaw: Option<Flaw>,
}

impl Pools {
    /// All that is known of pools and classes as bytes: the same for the same pools,
    /// whatever the way that led to them.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let classes = self.known_classes();
        // By address: names depend on the way that led here.
        let classes: BTreeMap<_, _> = classes
            .map(|(contract, class)| (contract, Address::new(class)))
            .collect();
        let pools = self.iter().map(|view| KeptPool {
            venue: view.venue.contract,
            created: Created {
                tokens: view.tokens(),
                spot: view.spot(),
                shape: view.pool.shape(),
                // The state has it.
                price: None,
            },
            state: view.pool.state.clone(),
            facts: view.pool.facts,
            flaw: view.pool.flaw,
        });
        let registry = self.registry();
        let records = self.records().filter_map(|record| {
            Some(KeptRecord {
                venue: registry.venue(record.venue)?.contract,
                class: Address::new(record.class),
                tallies: record.tallies.clone(),
            })
        });
        to_bytes(&KeptBook {
            classes: classes.into_iter().collect(),
            records: records.collect(),
            pools: pools.collect(),
        })
    }
}

impl Book {
    /// The whole book as bytes, without the way back.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.pools.to_bytes()
    }

    /// The book as it was kept after `block`. It cannot go back further.
    pub fn from_bytes(
        registry: Arc<Registry>,
        block: u64,
        bytes: &[u8],
    ) -> Result<Self, KeptError> {
        let kept: KeptBook = from_bytes(bytes)?;
        let mut book = Self::new(registry);
        for (number, kept) in (0..).zip(kept.pools) {
            if book.pools.registry().of_contract(kept.venue).is_none() {
                return Err(KeptError::Venue(kept.venue));
            }
            book.create(kept.venue, &kept.created);
            if let Some(pool) = book.pools.pool_mut(PoolId(number)) {
                *pool = Pool {
                    identity: pool.identity,
                    state: kept.state,
                    facts: kept.facts,
                    flaw: kept.flaw,
                };
            }
        }
        for (contract, class) in kept.classes {
            book.apply(&Change::Class {
                contract,
                class: class.felt(),
            });
        }
        for kept in kept.records {
            let venue = book.pools.registry().of_contract(kept.venue);
            let venue = venue.ok_or(KeptError::Venue(kept.venue))?;
            Arc::make_mut(&mut book.pools.records).restore(Record {
                venue,
                class: kept.class.felt(),
                tallies: kept.tallies,
            });
        }
        book.undo = Undo::restart(block);
        Ok(book)
    }
}

fn to_bytes<T: Serialize>(value: &T) -> Vec<u8> {
    // Writing to memory fails only for lists of unknown length, of which there are none.
    let bytes = postcard::to_extend(value, vec![FORM]);
    bytes
        .or_impossible("numbers and lists of them can be written")
        .unwrap_or_default()
}

fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, KeptError> {
    match bytes.split_first() {
        Some((&FORM, rest)) => Ok(postcard::from_bytes(rest)?),
        _ => Err(KeptError::Form),
    }
}
