//! What is followed, as it is configured.

use super::sighting::{ContractEvent, FollowedContract};
use primitives::{Address, Felt};
use std::collections::BTreeSet;

/// Everything that is followed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Following {
    /// Contracts; of two with one address the first counts.
    pub leads: Vec<Lead>,
    /// Accounts whose transactions are kept, from the block on at which they
    /// were first followed.
    pub senders: BTreeSet<Address>,
}

impl Following {
    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.leads.is_empty() && self.senders.is_empty()
    }

    /// The lead that is this contract.
    pub fn lead(&self, contract: Address) -> Option<&Lead> {
        self.leads.iter().find(|lead| lead.contract == contract)
    }
}

/// A contract that is followed, and what of its events leads to others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lead {
    /// The one that is configured; what it leads to is kept under it.
    pub contract: Address,
    /// The first block whose events count.
    pub from_block: u64,
    /// Which events name others.
    pub births: Vec<Birth>,
}

/// A rule: this event of a contract makes the address in it followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Birth {
    /// The first key of the event: the selector of its name.
    pub event: Felt,
    /// Where in it the address is.
    pub named: Word,
    /// The first block whose events count; if none, or if that is later, the
    /// block of the event that names it.
    pub from_block: Option<u64>,
}

/// An element of an event, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Among its keys, of which the first is its name.
    Key(usize),
    /// Among its data.
    Data(usize),
}

impl Lead {
    /// The contract that an event of this one makes followed, if it does.
    pub fn born(&self, event: &ContractEvent) -> Option<FollowedContract> {
        if event.contract != self.contract || event.block < self.from_block {
            return None;
        }
        let name = event.keys.first()?;
        let birth = self.births.iter().find(|birth| birth.event == *name)?;
        let word = match birth.named {
            Word::Key(place) => event.keys.get(place),
            Word::Data(place) => event.data.get(place),
        };
        let from_block = birth.from_block.unwrap_or(event.block);
        Some(FollowedContract {
            address: Address::new(*word?),
            lead: self.contract,
            from_block: from_block.min(event.block),
        })
    }
}
