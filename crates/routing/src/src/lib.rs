//! The best way from one token to another through many pools.
//!
//! A [`Graph`] holds what the search needs of all pools of a block: the curves
//! of parallel pools merged into one ladder for each pair of tokens. An
//! [`Order`] is searched in floating point and settled in integers: the amounts
//! of a [`Route`] are what the exact maths of its pools pay, swap by swap, in
//! the order in which they are executed. Nothing here waits, performs I/O or
//! logs.

mod graph;
mod ladder;
mod order;
mod route;
mod search;
mod share;
#[cfg(test)]
mod testing;

pub use graph::Graph;
pub use order::{Amount, Costs, Order, VenueSet};
pub use route::{Broken, Executable, Leg, Route, Run};
pub use search::{Stop, routes};
pub use share::Share;
