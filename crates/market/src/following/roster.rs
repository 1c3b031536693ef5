//! Which contracts are followed at a block, and since which.

use super::{
    lead::Following,
    sighting::{ContractEvent, FollowedContract, Sightings},
    watch::Watch,
};
use primitives::Address;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// No more contracts are followed; further ones that events name are passed over.
pub const MAX_FOLLOWED: usize = 1_000_000;

/// The followed contracts, as blocks have made them known.
#[derive(Debug, Clone, Default)]
pub struct Roster {
    following: Arc<Following>,
    /// With the blocks that made them followed.
    contracts: HashMap<Address, u64>,
    /// Shared with those who read blocks. It has all leads from the beginning, so
    /// that no event of theirs is missed that names others.
    watch: Arc<Watch>,
}

impl Roster {
    /// One that knows no contract yet.
    pub fn new(following: Arc<Following>) -> Self {
        let mut roster = Self {
            following,
            ..Self::default()
        };
        roster.watch_anew();
        roster
    }

    /// What blocks are to be read for.
    pub fn watch(&self) -> &Arc<Watch> {
        &self.watch
    }

    /// How many contracts are followed.
    pub fn len(&self) -> usize {
        self.contracts.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.contracts.is_empty()
    }

    /// Whether a contract is followed.
    pub fn has(&self, contract: Address) -> bool {
        self.contracts.contains_key(&contract)
    }

    /// The leads that become followed with this block.
    pub fn due(&self, block: u64) -> Vec<FollowedContract> {
        let mut due = BTreeMap::new();
        for lead in &self.following.leads {
            if lead.from_block <= block && !self.has(lead.contract) {
                due.entry(lead.contract).or_insert(FollowedContract {
                    address: lead.contract,
                    lead: lead.contract,
                    from_block: lead.from_block,
                });
            }
        }
        due.into_values().collect()
    }

    /// The contracts that events name and that are not followed yet, each by the
    /// first event that does.
    pub fn born<'e>(
        &self,
        events: impl IntoIterator<Item = &'e ContractEvent>,
    ) -> Vec<FollowedContract> {
        let room = MAX_FOLLOWED.saturating_sub(self.contracts.len());
        let mut born = BTreeMap::new();
        for event in events {
            let lead = self.following.lead(event.contract);
            if let Some(contract) = lead.and_then(|lead| lead.born(event))
                && !self.has(contract.address)
                && self.following.lead(contract.address).is_none()
                && born.len() < room
            {
                born.entry(contract.address).or_insert(contract);
            }
        }
        born.into_values().collect()
    }

    /// Follows a contract from a block on. A block that was read before may tell
    /// of it ([`Self::misses`]).
    pub fn learn(&mut self, block: u64, contract: &FollowedContract) {
        self.contracts.entry(contract.address).or_insert(block);
        if !self.watch.wants_events_of(contract.address) {
            Arc::make_mut(&mut self.watch).add(contract.address);
        }
    }

    /// Whether a block tells of contracts that it was not read for.
    pub fn misses(&self, sightings: &Sightings) -> bool {
        let mut strangers = sightings.strangers.iter();
        strangers.any(|stranger| self.has(*stranger))
    }

    /// Forgets what blocks above this one made known, or all.
    pub fn rollback(&mut self, to: Option<u64>) {
        let before = self.contracts.len();
        self.contracts
            .retain(|_, learned| to.is_some_and(|to| *learned <= to));
        if self.contracts.len() != before {
            self.watch_anew();
        }
    }

    fn watch_anew(&mut self) {
        let leads = self.following.leads.iter().map(|lead| lead.contract);
        let contracts = self.contracts.keys().copied().chain(leads);
        let senders = self.following.senders.iter().copied();
        self.watch = Arc::new(Watch::new(contracts, senders));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::following::{Birth, Lead, Word};
    use primitives::{Felt, Timestamp};

    const NAME: Felt = Felt::THREE;

    fn address(number: u64) -> Address {
        Address::new(Felt::from(number))
    }

    fn lead(contract: u64, from_block: u64, named: Word, since: Option<u64>) -> Lead {
        Lead {
            contract: address(contract),
            from_block,
            births: vec![Birth {
                event: NAME,
                named,
                from_block: since,
            }],
        }
    }

    fn event(contract: u64, block: u64, keys: &[u64], data: &[u64]) -> ContractEvent {
        let felts = |words: &[u64]| words.iter().copied().map(Felt::from).collect();
        ContractEvent {
            contract: address(contract),
            block,
            time: Timestamp::UNIX_EPOCH,
            transaction: 0,
            index: 0,
            transaction_hash: Felt::ONE,
            sender: None,
            fee: None,
            keys: felts(keys),
            data: felts(data),
        }
    }

    fn followed(contract: u64, lead: u64, from_block: u64) -> FollowedContract {
        FollowedContract {
            address: address(contract),
            lead: address(lead),
            from_block,
        }
    }

    fn roster(leads: Vec<Lead>) -> Roster {
        Roster::new(Arc::new(Following {
            leads,
            senders: [address(90)].into(),
        }))
    }

    #[test]
    fn a_lead_is_watched_at_once_and_followed_from_its_first_block_on() {
        let mut roster = roster(vec![lead(1, 5, Word::Key(1), None)]);
        assert!(roster.watch().wants_events_of(address(1)));
        assert!(roster.watch().wants_transactions_of(address(90)));
        assert_eq!(roster.due(4), []);
        assert_eq!(roster.due(7), [followed(1, 1, 5)]);
        roster.learn(7, &followed(1, 1, 5));
        assert_eq!(roster.due(8), []);
        roster.rollback(Some(6));
        assert_eq!(roster.due(7), [followed(1, 1, 5)]);
        assert!(roster.watch().wants_events_of(address(1)));
    }

    #[test]
    fn an_event_of_a_lead_names_a_contract_by_a_key_or_by_data() {
        let keyed = roster(vec![lead(1, 5, Word::Key(1), None)]);
        let plain = roster(vec![lead(1, 5, Word::Data(2), Some(2))]);
        let named = event(1, 9, &[3, 40], &[0, 0, 50]);
        assert_eq!(keyed.born([&named]), [followed(40, 1, 9)]);
        assert_eq!(plain.born([&named]), [followed(50, 1, 2)]);
        let late = roster(vec![lead(1, 5, Word::Key(1), Some(100))]);
        assert_eq!(late.born([&named]), [followed(40, 1, 9)]);
        for other in [
            event(2, 9, &[3, 40], &[0, 0, 50]),
            event(1, 9, &[4, 40], &[0, 0, 50]),
            event(1, 4, &[3, 40], &[0, 0, 50]),
            event(1, 9, &[3], &[0, 0]),
            event(1, 9, &[], &[0, 0, 50]),
        ] {
            assert_eq!(keyed.born([&other]), [], "{other:?}");
            assert_eq!(plain.born([&other]), [], "{other:?}");
        }
    }

    #[test]
    fn the_first_event_that_names_a_contract_counts() {
        let mut roster = roster(vec![
            lead(1, 0, Word::Key(1), None),
            lead(2, 0, Word::Key(1), None),
        ]);
        let first = event(2, 8, &[3, 40], &[]);
        let second = event(1, 9, &[3, 40], &[]);
        let of_a_lead = event(1, 9, &[3, 2], &[]);
        let born = roster.born([&first, &second, &of_a_lead]);
        assert_eq!(born, [followed(40, 2, 8)]);
        roster.learn(9, &born[0]);
        assert_eq!(roster.born([&first, &second]), []);
        roster.rollback(None);
        assert!(roster.is_empty());
        assert_eq!(roster.born([&second]), [followed(40, 1, 9)]);
    }

    #[test]
    fn a_block_that_was_read_before_a_contract_was_known_misses_it() {
        let mut roster = roster(vec![lead(1, 0, Word::Key(1), None)]);
        let sightings = Sightings {
            strangers: vec![address(40), address(41)],
            ..Sightings::default()
        };
        let earlier = Arc::clone(roster.watch());
        assert!(!roster.misses(&sightings));
        roster.learn(9, &followed(41, 1, 9));
        assert!(roster.misses(&sightings));
        assert!(!earlier.wants_events_of(address(41)));
        assert!(roster.watch().wants_events_of(address(41)));
        roster.rollback(Some(8));
        assert!(!roster.misses(&sightings));
        assert!(!roster.watch().wants_events_of(address(41)));
    }
}
