//! Contracts and senders that somebody wants to hear of.
//!
//! What a followed contract emits is kept whole and in order, from its first
//! event on; so is what became of transactions of followed senders. Contracts
//! become followed by configuration ([`Lead`]) or because an event of such a one
//! names them ([`Birth`]). What decides on tokens, pools and figures knows
//! nothing of this.

mod lead;
mod roster;
mod sighting;
mod watch;

pub use lead::{Birth, Following, Lead, Word};
pub use roster::{MAX_FOLLOWED, Roster};
pub use sighting::{
    ContractEvent, Fee, FeeUnit, FollowedContract, FollowedEffects, SentTransaction, Sightings,
};
pub use watch::Watch;
