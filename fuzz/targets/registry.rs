//! A venue of every kind.

use amm::book::{Kind, Registry, Venue};
use primitives::{Address, Felt};
use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

/// All kinds of venues, the first at the contract `0x1`.
pub(crate) fn registry() -> Arc<Registry> {
    static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| {
        let venues = Kind::ALL.iter().zip(1_u64..).map(|(kind, number)| Venue {
            name: format!("{kind:?}"),
            kind: *kind,
            contract: address(number),
            router: Some(address(number)),
            start_block: 0,
            classes: BTreeMap::new(),
            extensions: BTreeMap::new(),
            enabled: true,
        });
        Arc::new(Registry::new(venues.collect()).expect("a registry"))
    });
    Arc::clone(&REGISTRY)
}

/// The contract of this number.
pub(crate) fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}
