//! Recurring orders: what may be ordered, when its cycles are due, the calls that
//! create, execute and end it, and what became of it by its events.
//!
//! The factory's functions and the layout of their arguments are in
//! [`order_calls`] alone. No public contract has published its own;
//! these are those of the contracts that `docs/simnet.md` describes.

mod book;
mod build;
mod event;
mod frequency;
mod order;
mod plan;
mod replay;

pub use book::{Nonsense, OrderBook, RawOrderEvent};
pub use build::{cancel_call, cycle_call, cycle_sale, order_calls, skip_call};
pub use event::{CycleOutcome, DeployedOrder, Ending, OrderEvent, deployed_selector};
pub use frequency::{BadFrequency, Frequency};
pub use order::{
    Cycle, CycleCounts, CycleState, Mark, Now, Order, OrderStatus, PastCycle, Traded, shortfall_bps,
};
pub use plan::{BadOrder, BuyBounds, MAX_CYCLES, NewOrder, Plan};
pub use replay::{Replay, replay};

#[cfg(test)]
mod order_tests;
#[cfg(test)]
mod tests;
