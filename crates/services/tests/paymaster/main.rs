//! Building, relaying and charging, on a simulated node.
#![expect(clippy::unwrap_used, reason = "a failed step is a failed test")]

mod accounting;
mod private;
mod relaying;
mod replacing;
mod sponsors;
mod stage;
mod states;
