//! What the exchanges' events mean.
//!
//! One file per way of speaking. A decoder knows the layouts of its venue and
//! nothing of what happened before: whatever an event says becomes a
//! [`PoolEvent`] or an [`Untold`], never a panic.

mod ekubo;
mod endur;
mod jedi_swap_v2;
mod my_swap;
mod names;
mod pairs;
mod words;

use super::receipts::Event;
use amm::book::{AskedSwap, Kind, Named, PoolEvent};
use names::Name;
pub(super) use names::is_name;
pub use words::Untold;
pub(super) use words::Words;

/// What an event of a venue of this kind tells.
pub fn pool_event(kind: Kind, event: &Event) -> Result<PoolEvent, Untold> {
    let (first, keys) = event.keys.split_first().ok_or(Untold::Unknown)?;
    let name = names::name(*first).ok_or(Untold::Unknown)?;
    let words = Words::new(keys, &event.data);
    match (name, kind) {
        (Name::Upgraded | Name::ClassHashReplaced, _) => Ok(PoolEvent::Upgraded),
        (_, Kind::Ekubo) => ekubo::decode(name, words),
        (_, Kind::JediSwapV2) => jedi_swap_v2::decode(name, words, event.from),
        (_, Kind::MySwap) => my_swap::decode(name, words),
        (_, Kind::Endur) => endur::decode(name),
        (_, Kind::JediSwap | Kind::TenKSwap | Kind::SithSwap | Kind::StarkDefi | Kind::Nostra) => {
            pairs::decode(kind, name, words, event.from)
        }
    }
}

/// The pool that an event of a venue of this kind names, as far as its key goes:
/// it tells whom an event is about that cannot be read to its end.
pub fn named_pool(kind: Kind, event: &Event) -> Option<Named> {
    let (first, keys) = event.keys.split_first()?;
    let name = names::name(*first)?;
    let words = Words::new(keys, &event.data);
    let named = match kind {
        Kind::Ekubo => ekubo::named(name, words),
        Kind::MySwap => my_swap::named(words),
        Kind::StarkDefi => pairs::named(name, words),
        Kind::JediSwap
        | Kind::TenKSwap
        | Kind::SithSwap
        | Kind::Nostra
        | Kind::JediSwapV2
        | Kind::Endur => return None,
    };
    named.ok()
}

/// What the event of a swap says of what was asked for; `None` if it is no swap,
/// or one that is more than an exchange of one token for the other.
pub fn asked(kind: Kind, event: &Event) -> Option<AskedSwap> {
    let (first, keys) = event.keys.split_first()?;
    let name = names::name(*first)?;
    let words = Words::new(keys, &event.data);
    match (kind, name) {
        (Kind::Ekubo, Name::Swapped) => ekubo::asked(words).ok(),
        (Kind::JediSwapV2 | Kind::MySwap, Name::Swap) => Some(AskedSwap::Plain),
        (
            Kind::JediSwap | Kind::TenKSwap | Kind::SithSwap | Kind::StarkDefi | Kind::Nostra,
            Name::Swap,
        ) => {
            let is_plain = pairs::is_plain(kind, words).ok()?;
            is_plain.then_some(AskedSwap::Plain)
        }
        _ => None,
    }
}

/// The assets and the shares of a deposit; `None` if the event is none, or cannot be
/// read.
pub fn deposited(event: &Event) -> Option<[u128; 2]> {
    let (first, keys) = event.keys.split_first()?;
    let is_deposit = names::name(*first) == Some(Name::Deposit);
    let words = Words::new(keys, &event.data);
    is_deposit.then(|| endur::deposited(words).ok()).flatten()
}

#[cfg(test)]
mod tests;
