//! Exchanges whose pools are pairs of reserves, each a contract of its own.
//!
//! One pair, one factory and one router serve all of them; [`rules::Rules`] says in
//! what a venue differs. Names, keys and layouts of events and the amounts are
//! the venues' own where they are public, and documented in `docs/simnet.md`
//! where they are not.

mod calls;
mod curve;
mod factory;
pub(crate) mod my_swap;
mod pair;
mod pair_id;
mod router;
mod rules;
mod venue;
mod venues;

pub(crate) use calls::Swap;
pub(crate) use pair::reserve_keys;
pub(crate) use pair_id::{KnownPair, PairId};
pub(crate) use rules::Path;
pub(crate) use venue::Venue;
pub(crate) use venues::{JEDISWAP, NOSTRA, SITHSWAP, STARKDEFI, TEN_K_SWAP, VENUES};

#[cfg(test)]
mod tests;
