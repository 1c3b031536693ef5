//! The exchanges that are followed: where they are, how they speak, and what is
//! said of their contracts' classes.

use crate::ekubo::Extension;
use primitives::{Address, Felt};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

/// More venues than any chain has.
const MAX_VENUES: usize = 64;

/// How an exchange's contracts speak and compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// JediSwap v1: a factory of pairs.
    JediSwap,
    /// 10kSwap: a factory of pairs.
    #[serde(rename = "10k_swap")]
    TenKSwap,
    /// `SithSwap`: a factory of volatile and stable pairs.
    SithSwap,
    /// `StarkDefi`: a factory of volatile and stable pairs.
    StarkDefi,
    /// Nostra pools: a factory of pairs.
    Nostra,
    /// mySwap v1: one contract with numbered pools.
    MySwap,
    /// Ekubo: one contract with keyed pools.
    Ekubo,
    /// JediSwap v2: a factory of concentrated pools.
    JediSwapV2,
    /// Endur: a vault that takes a token and mints shares of all that it took.
    Endur,
}

/// What is true of every venue of a kind.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own, answered in one table"
)]
struct Nature {
    is_singleton: bool,
    is_concentrated: bool,
    is_vault: bool,
    has_facts: bool,
    is_routable: bool,
    has_own_rule: bool,
}

/// A factory of pairs whose events tell everything.
const PAIRS: Nature = Nature {
    is_singleton: false,
    is_concentrated: false,
    is_vault: false,
    has_facts: false,
    is_routable: true,
    has_own_rule: false,
};

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::JediSwap,
        Self::TenKSwap,
        Self::SithSwap,
        Self::StarkDefi,
        Self::Nostra,
        Self::MySwap,
        Self::Ekubo,
        Self::JediSwapV2,
        Self::Endur,
    ];

    /// The one place that says what a kind is like.
    const fn nature(self) -> Nature {
        match self {
            Self::JediSwap | Self::TenKSwap => PAIRS,
            Self::SithSwap | Self::StarkDefi | Self::Nostra => Nature {
                has_facts: true,
                has_own_rule: true,
                ..PAIRS
            },
            Self::MySwap => Nature {
                is_singleton: true,
                has_own_rule: true,
                ..PAIRS
            },
            Self::Ekubo => Nature {
                is_singleton: true,
                is_concentrated: true,
                ..PAIRS
            },
            Self::JediSwapV2 => Nature {
                is_concentrated: true,
                is_routable: false,
                ..PAIRS
            },
            Self::Endur => Nature {
                is_singleton: true,
                is_vault: true,
                has_own_rule: true,
                ..PAIRS
            },
        }
    }

    /// The kind in a word, as a list of venues names it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::JediSwap => "jedi_swap",
            Self::TenKSwap => "10k_swap",
            Self::SithSwap => "sith_swap",
            Self::StarkDefi => "stark_defi",
            Self::Nostra => "nostra",
            Self::MySwap => "my_swap",
            Self::Ekubo => "ekubo",
            Self::JediSwapV2 => "jedi_swap_v2",
            Self::Endur => "endur",
        }
    }

    /// Whether all pools live in one contract.
    #[must_use]
    pub const fn is_singleton(self) -> bool {
        self.nature().is_singleton
    }

    /// Whether its pools are contracts that tell two reserves.
    #[must_use]
    pub const fn is_of_pairs(self) -> bool {
        !self.is_singleton() && !self.is_concentrated()
    }

    /// Whether liquidity lies between ticks.
    #[must_use]
    pub const fn is_concentrated(self) -> bool {
        self.nature().is_concentrated
    }

    /// Whether the venue's only contract is one vault: it takes its asset and mints
    /// shares, and never the other way round. Neither is a trade between people, so
    /// that no price, volume or TVL follows from it.
    #[must_use]
    pub const fn is_vault(self) -> bool {
        self.nature().is_vault
    }

    /// Whether pools have settings that no event tells.
    #[must_use]
    pub const fn has_facts(self) -> bool {
        self.nature().has_facts
    }

    /// Whether a rule of ours stands in for one that is not public to the last
    /// unit: on a real network nobody may take it for the venue's.
    #[must_use]
    pub const fn has_own_rule(self) -> bool {
        self.nature().has_own_rule
    }

    /// Whether the exchange contract that executes routes can use the venue.
    #[must_use]
    pub const fn is_routable(self) -> bool {
        self.nature().is_routable
    }
}

/// What the contracts of a class compute like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Maths {
    /// As the venue's kind says.
    Usual,
    /// Ekubo before its change of rounding.
    EkuboOlder,
    /// Ekubo since.
    EkuboExact,
}

impl Maths {
    /// The rule in a word, as a list of venues names it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Usual => "usual",
            Self::EkuboOlder => "ekubo_older",
            Self::EkuboExact => "ekubo_exact",
        }
    }
}

/// What whoever wrote the list says of a class, whatever its contracts do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pin {
    /// It computes as the venue's kind says.
    Usual,
    /// It computes as Ekubo before its change of rounding.
    EkuboOlder,
    /// It computes as Ekubo since.
    EkuboExact,
    /// Nothing is traded with it.
    Off,
}

impl Pin {
    /// What the class computes like; `None` if nothing is traded with it.
    #[must_use]
    pub const fn maths(self) -> Option<Maths> {
        match self {
            Self::Usual => Some(Maths::Usual),
            Self::EkuboOlder => Some(Maths::EkuboOlder),
            Self::EkuboExact => Some(Maths::EkuboExact),
            Self::Off => None,
        }
    }
}

/// An exchange.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Venue {
    /// What people call it.
    pub name: String,
    /// How it speaks.
    pub kind: Kind,
    /// Its factory, or its only contract.
    pub contract: Address,
    /// The contract by which the exchange that executes routes knows it; no
    /// route passes a venue without one.
    #[serde(default)]
    pub router: Option<Address>,
    /// The block before which it has nothing to say.
    #[serde(default)]
    pub start_block: u64,
    /// The classes of its pools' contracts that need no proof, or shall have none.
    #[serde(default)]
    pub classes: BTreeMap<Address, Pin>,
    /// What contracts that extend its pools do.
    #[serde(default)]
    pub extensions: BTreeMap<Address, Extension>,
    /// Whether its pools are traded with: a venue that is drained or unsafe,
    /// or whose rules are not known for sure, is only watched.
    #[serde(default = "yes")]
    pub enabled: bool,
}

const fn yes() -> bool {
    true
}

impl Venue {
    /// What the list says of a class of its contracts.
    #[must_use]
    pub fn pin(&self, class: Felt) -> Option<Pin> {
        // They are few, and equality is cheaper than order.
        let mut classes = self.classes.iter();
        let named = classes.find(|(named, _)| named.felt() == class);
        named.map(|(_, pin)| *pin)
    }

    /// Whether routes may pass its pools.
    #[must_use]
    pub const fn is_routed(&self) -> bool {
        self.enabled && self.router.is_some() && self.kind.is_routable()
    }

    /// What a pool's extension does.
    #[must_use]
    pub fn extension(&self, contract: Address) -> Extension {
        if contract.felt() == Felt::ZERO {
            return Extension::None;
        }
        let known = self.extensions.get(&contract);
        known.copied().unwrap_or(Extension::Unknown)
    }
}

/// The place of a venue in its registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct VenueId(pub(super) u8);

impl VenueId {
    /// The place, counted from 0.
    #[must_use]
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The venue at a place, if a registry can have so many.
    #[must_use]
    pub fn at(index: u8) -> Option<Self> {
        (usize::from(index) < MAX_VENUES).then_some(Self(index))
    }
}

/// All venues of a network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registry {
    venues: Vec<Venue>,
    by_contract: HashMap<Address, VenueId>,
}

/// What is wrong with a list of venues.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RegistryError {
    /// It has more venues than any chain.
    #[error("has {found} venues, at most {MAX_VENUES} are followed")]
    TooMany {
        /// How many.
        found: usize,
    },
    /// Two venues have the same contract.
    #[error("{first} and {second} have the same contract")]
    Twice {
        /// The name of one.
        first: String,
        /// The name of the other.
        second: String,
    },
}

impl Registry {
    /// The registry of these venues.
    pub fn new(venues: Vec<Venue>) -> Result<Self, RegistryError> {
        let found = venues.len();
        let mut by_contract = HashMap::new();
        for (number, venue) in (0_u8..).zip(&venues).take(MAX_VENUES) {
            let before = by_contract.insert(venue.contract, VenueId(number));
            if let Some(first) = before.and_then(|id| venues.get(usize::from(id.0))) {
                return Err(RegistryError::Twice {
                    first: first.name.clone(),
                    second: venue.name.clone(),
                });
            }
        }
        if found > MAX_VENUES {
            return Err(RegistryError::TooMany { found });
        }
        Ok(Self {
            venues,
            by_contract,
        })
    }

    /// By their ids.
    #[must_use]
    pub fn venues(&self) -> &[Venue] {
        &self.venues
    }

    /// The one of this id, which another registry may have given.
    #[must_use]
    pub fn venue(&self, id: VenueId) -> Option<&Venue> {
        self.venues.get(usize::from(id.0))
    }

    /// The venue whose factory or only contract this is.
    #[must_use]
    pub fn of_contract(&self, contract: Address) -> Option<VenueId> {
        self.by_contract.get(&contract).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::{
        IntoDeserializer,
        value::{Error, StrDeserializer},
    };

    fn venue(name: &str, contract: u64) -> Venue {
        Venue {
            name: name.to_owned(),
            kind: Kind::Ekubo,
            contract: Address::new(Felt::from(contract)),
            router: None,
            start_block: 0,
            classes: BTreeMap::from([(Address::new(Felt::ONE), Pin::EkuboOlder)]),
            extensions: BTreeMap::from([(Address::new(Felt::TWO), Extension::Oracle)]),
            enabled: true,
        }
    }

    #[test]
    fn venues_are_found_by_their_contract() {
        let registry = Registry::new(vec![venue("a", 1), venue("b", 2)]).unwrap();
        let id = registry.of_contract(Address::new(Felt::TWO)).unwrap();
        assert_eq!(registry.venue(id).unwrap().name, "b");
        assert_eq!(registry.of_contract(Address::new(Felt::THREE)), None);
    }

    #[test]
    fn a_kind_is_called_what_a_list_calls_it() {
        for kind in Kind::ALL {
            let word: StrDeserializer<'_, Error> = kind.word().into_deserializer();
            assert_eq!(Kind::deserialize(word), Ok(kind));
        }
    }

    #[test]
    fn two_venues_cannot_share_a_contract_and_there_are_not_too_many() {
        let twice = Registry::new(vec![venue("a", 1), venue("b", 1)]);
        assert_eq!(
            twice.unwrap_err().to_string(),
            "a and b have the same contract"
        );
        let many = (0..65).map(|number| venue("a", number)).collect();
        assert_eq!(
            Registry::new(many),
            Err(RegistryError::TooMany { found: 65 })
        );
    }

    #[test]
    fn only_named_classes_and_extensions_mean_something() {
        let venue = venue("a", 1);
        assert_eq!(venue.pin(Felt::ONE), Some(Pin::EkuboOlder));
        assert_eq!(venue.pin(Felt::TWO), None);
        let extension = |number: u64| venue.extension(Address::new(Felt::from(number)));
        assert_eq!(extension(0), Extension::None);
        assert_eq!(extension(2), Extension::Oracle);
        assert_eq!(extension(3), Extension::Unknown);
    }
}
