//! The token list: which tokens a chain has, what may safely be said of them,
//! and how people search them.
//!
//! Everything here is a function from values to values. A block's effects on
//! the list are data ([`BlockEffects`]), so that they can be stored, replayed
//! and taken back.

mod directory;
mod effects;
mod listing;
mod metadata;
mod query;
mod tag;
mod token_list;

pub use directory::{Directory, MAX_READINGS};
pub use effects::BlockEffects;
pub use listing::{Listing, ListingError, Listings};
pub use metadata::{MAX_DECIMALS, Reading, Refusal, TokenMetadata, admit};
pub use query::{Direction, Page, SortKey, SortProperty, TokenQuery};
pub use tag::{Tag, UnknownTag};
pub use token_list::{Token, TokenList};
