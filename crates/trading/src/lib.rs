//! Quotes, fees and the calls that execute them.
//!
//! What somebody [`Wanted`] becomes an [`order()`] for the search of routes; a
//! route that was found becomes a [`Quote`], whose amounts are what the
//! exchange contract would pay for the very calls that [`calls`] makes of it.
//! [`recheck()`] says whether those calls would still succeed on other pools.
//! Amounts are exact; nothing here waits, performs I/O or logs.

mod adapter;
mod build;
mod contract;
mod fees;
mod gas;
#[cfg(test)]
mod lab;
mod least;
mod order;
pub mod paymaster;
mod quote;
mod recheck;
pub mod recurring;
mod rehearsal;
#[cfg(test)]
mod replay;
mod slippage;
pub mod staking;
#[cfg(test)]
mod tests;
mod tree;
mod worth;

pub use adapter::Params;
pub use build::{Call, calls, spent};
pub use fees::{BadIntegrator, Bps, FeeSide, FeeTerms, Fees, Integrator, Rates};
pub use gas::{Gas, GasModel, GasPrices, SeenGas, Work};
pub use order::{Fixed, GasCosts, Wanted, order};
pub use quote::{Exact, Hop, Quote, Unquotable, quote};
pub use recheck::{WouldRevert, bought_on, recheck};
pub use rehearsal::{Step, rehearsal};
pub use slippage::{BadSlippage, Slippage};
pub use tree::{RouteNode, tree};
pub use worth::{Worth, price_impact, usd};
