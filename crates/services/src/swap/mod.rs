//! Swaps: quotes, and the calls that execute them.
//!
//! A quote is searched by a worker on the newest snapshot, net of the exchange
//! contract's fees and of gas, and kept under its id until it expires. Building
//! it takes it from there, tries it on the newest snapshot again, and makes the
//! calls. Neither is done on a snapshot that is not fresh.

mod build;
mod drift;
mod freshness;
mod gas_watch;
mod holdings;
mod offer;
mod quoter;
mod quotes;
mod terms;
mod workers;

pub use build::{BuildError, BuildRequest, Built, Taker};
pub use freshness::{FreshnessLimits, Stale};
pub use gas_watch::{GasEstimates, GasWatch};
pub use offer::Offer;
pub use quoter::{BestQuote, QUOTE_GAP, QUOTE_SECONDS, QuoteError, SwapOptions, Swaps};
pub use quotes::QuoteStore;
pub use terms::{ExchangeTerms, SwapTerms};
