//! Building, relaying and charging, on a simulated node.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod accounting;
mod relaying;
mod sponsors;
mod stage;
