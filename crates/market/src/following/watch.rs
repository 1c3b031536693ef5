//! Whom to look for in a block.

use primitives::Address;
use std::collections::HashSet;

/// Contracts whose events, and senders whose transactions are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watch {
    contracts: HashSet<Address>,
    senders: HashSet<Address>,
}

impl Watch {
    /// A watch for these.
    pub fn new(
        contracts: impl IntoIterator<Item = Address>,
        senders: impl IntoIterator<Item = Address>,
    ) -> Self {
        Self {
            contracts: contracts.into_iter().collect(),
            senders: senders.into_iter().collect(),
        }
    }

    /// Whether nothing is wanted.
    pub fn is_empty(&self) -> bool {
        self.contracts.is_empty() && self.senders.is_empty()
    }

    /// Whether the events of a contract are wanted.
    pub fn wants_events_of(&self, contract: Address) -> bool {
        self.contracts.contains(&contract)
    }

    /// Whether the transactions of a sender are wanted.
    pub fn wants_transactions_of(&self, sender: Address) -> bool {
        self.senders.contains(&sender)
    }

    /// Whether the transactions of anybody are wanted.
    pub fn has_senders(&self) -> bool {
        !self.senders.is_empty()
    }

    pub(super) fn add(&mut self, contract: Address) {
        self.contracts.insert(contract);
    }
}
