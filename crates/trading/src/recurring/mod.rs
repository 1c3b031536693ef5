//! Recurring orders: what may be ordered, when its cycles are due, and the calls
//! that create and end it.
//!
//! The factory's functions and the layout of their arguments are in
//! [`order_calls`] alone. No public contract has published its own;
//! these are those of the contracts that `docs/simnet.md` describes.

mod build;
mod frequency;
mod plan;

pub use build::{cancel_call, order_calls};
pub use frequency::{BadFrequency, Frequency};
pub use plan::{BadOrder, BuyBounds, MAX_CYCLES, NewOrder, Plan};

#[cfg(test)]
mod tests;
