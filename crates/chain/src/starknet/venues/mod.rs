//! What the exchanges' events mean.
//!
//! One file per way of speaking. A decoder knows the layouts of its venue and
//! nothing of what happened before: whatever an event says becomes a
//! [`PoolEvent`] or is [`Told::Malformed`], never a panic.

mod ekubo;
mod jedi_swap_v2;
mod pairs;
mod words;

use super::receipts::Event;
use amm::book::{Kind, PoolEvent};
use primitives::{Felt, selector};
use std::{collections::HashMap, sync::LazyLock};
use words::Words;

/// Names of events that venues use; a contract of somebody else may use them
/// as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Burn,
    Collect,
    FeesAccumulated,
    Initialize,
    Mint,
    PairBurn,
    PairCreated,
    PairMint,
    PoolCreated,
    PoolInitialized,
    PositionFeesCollected,
    PositionUpdated,
    SetPairFee,
    Swap,
    Swapped,
    Sync,
    Upgraded,
}

static NAMES: LazyLock<HashMap<Felt, Name>> = LazyLock::new(|| {
    use Name::*;
    let names = [
        ("Burn", Burn),
        ("Collect", Collect),
        ("FeesAccumulated", FeesAccumulated),
        ("Initialize", Initialize),
        ("Mint", Mint),
        ("PairBurn", PairBurn),
        ("PairCreated", PairCreated),
        ("PairMint", PairMint),
        ("PoolCreated", PoolCreated),
        ("PoolInitialized", PoolInitialized),
        ("PositionFeesCollected", PositionFeesCollected),
        ("PositionUpdated", PositionUpdated),
        ("SetPairFee", SetPairFee),
        ("Swap", Swap),
        ("Swapped", Swapped),
        ("Sync", Sync),
        ("Upgraded", Upgraded),
    ];
    names.map(|(text, name)| (selector(text), name)).into()
});

/// Whether venues have events of this name.
pub(super) fn is_name(selector: Felt) -> bool {
    NAMES.contains_key(&selector)
}

/// What an event tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// Something of a pool.
    Pool(PoolEvent),
    /// Something that changes no pool.
    Nothing,
    /// The venue is not known to have such an event.
    Unknown,
    /// The event is one of the venue's, but not of its layout.
    Malformed,
}

/// What an event of a venue of this kind tells.
#[must_use]
pub fn pool_event(kind: Kind, event: &Event) -> Told {
    let Some((first, keys)) = event.keys.split_first() else {
        return Told::Unknown;
    };
    let Some(name) = NAMES.get(first) else {
        return Told::Unknown;
    };
    if *name == Name::Upgraded {
        return Told::Pool(PoolEvent::Upgraded);
    }
    let words = Words::new(keys, &event.data);
    let told = match kind {
        Kind::Ekubo => ekubo::decode(*name, words),
        Kind::JediSwapV2 => jedi_swap_v2::decode(*name, words, event.from),
        Kind::MySwap => Some(Told::Unknown),
        Kind::JediSwap | Kind::TenKSwap | Kind::SithSwap | Kind::StarkDefi | Kind::Nostra => {
            pairs::decode(kind, *name, words, event.from)
        }
    };
    told.unwrap_or(Told::Malformed)
}

