//! The tokens of a chain and their market: which tokens there are, what may
//! safely be said of them and how people search them; what they are worth, how
//! that came about, and how much of them is traded.
//!
//! Everything here is a function from values to values. A block's effects are
//! data ([`BlockEffects`]), so that they can be stored, replayed
//! and taken back.

mod conduct;
mod directory;
mod effects;
pub mod figures;
pub mod following;
mod listing;
mod metadata;
pub mod price;
mod query;
pub mod series;
mod tag;
mod token;
mod token_id;
mod token_list;
mod trades;
mod whole;

pub use conduct::{Conduct, Rehearsed, STREAK};
pub use directory::{Directory, MAX_READINGS};
pub use effects::BlockEffects;
pub use listing::{Listing, ListingError, Listings};
pub use metadata::{MAX_DECIMALS, Refusal, TokenMetadata, TokenReading, admit};
pub use query::{Direction, SortKey, SortProperty, TokenPage, TokenQuery};
pub use tag::{Tag, UnknownTag};
pub use token::Token;
pub use token_id::TokenId;
pub use token_list::TokenList;
pub use trades::{KeptTrade, TradesError, trades_among, trades_from_bytes, trades_to_bytes};
