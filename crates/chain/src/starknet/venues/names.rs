//! The names of events that venues use.

use primitives::{Felt, selector};
use std::{collections::HashMap, sync::LazyLock};

/// Declares the names of events that venues use; a contract of somebody else
/// may use them as well.
macro_rules! names {
    ($($name:ident)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Name {
            $($name,)+
        }

        pub(super) static NAMES: LazyLock<HashMap<Felt, Name>> = LazyLock::new(|| {
            HashMap::from([$((selector(stringify!($name)), Name::$name)),+])
        });
    };
}

names! {
    Burn ClassHashReplaced Collect CollectProtocol Deposit FeesAccumulated Initialize Mint PairBurn
    PairCreated PairMint PoolCreated PoolInitialized PositionFeesCollected PositionUpdated
    ProtocolFeesPaid SetPairFee Swap Swapped Sync Upgraded
}

/// The event of this selector, if venues have one.
pub(super) fn name(selector: Felt) -> Option<Name> {
    NAMES.get(&selector).copied()
}

/// Whether venues have events of this name.
pub(in crate::starknet) fn is_name(selector: Felt) -> bool {
    NAMES.contains_key(&selector)
}
