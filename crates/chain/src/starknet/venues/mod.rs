//! What the exchanges' events mean.
//!
//! One file per way of speaking. A decoder knows the layouts of its venue and
//! nothing of what happened before: whatever an event says becomes a
//! [`PoolEvent`] or an [`Untold`], never a panic.

mod ekubo;
mod jedi_swap_v2;
mod my_swap;
mod pairs;
mod words;

use super::receipts::Event;
use amm::book::{Kind, PoolEvent};
use primitives::{Felt, selector};
use std::{collections::HashMap, sync::LazyLock};
pub(super) use words::Words;

/// Declares the names of events that venues use; a contract of somebody else
/// may use them as well.
macro_rules! names {
    ($($name:ident)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Name {
            $($name,)+
        }

        static NAMES: LazyLock<HashMap<Felt, Name>> = LazyLock::new(|| {
            HashMap::from([$((selector(stringify!($name)), Name::$name)),+])
        });
    };
}

names! {
    Burn Collect FeesAccumulated Initialize Mint PairBurn PairCreated PairMint PoolCreated
    PoolInitialized PositionFeesCollected PositionUpdated SetPairFee Swap Swapped Sync Upgraded
}

/// Whether venues have events of this name.
pub(super) fn is_name(selector: Felt) -> bool {
    NAMES.contains_key(&selector)
}

/// Why an event tells nothing of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untold {
    /// It changes none.
    Nothing,
    /// The venue is not known to have such an event.
    Unknown,
    /// It is one of the venue's, but not of its layout.
    Malformed,
}

/// What an event of a venue of this kind tells.
pub fn pool_event(kind: Kind, event: &Event) -> Result<PoolEvent, Untold> {
    let (first, keys) = event.keys.split_first().ok_or(Untold::Unknown)?;
    let name = *NAMES.get(first).ok_or(Untold::Unknown)?;
    let words = Words::new(keys, &event.data);
    match (name, kind) {
        (Name::Upgraded, _) => Ok(PoolEvent::Upgraded),
        (_, Kind::Ekubo) => ekubo::decode(name, words),
        (_, Kind::JediSwapV2) => jedi_swap_v2::decode(name, words, event.from),
        (_, Kind::MySwap) => my_swap::decode(name, words),
        _ => pairs::decode(kind, name, words, event.from),
    }
}

#[cfg(test)]
mod tests;
