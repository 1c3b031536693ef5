//! What the exchanges' pools would pay, to the last unit.
//!
//! One module per family of curves: its state, its exact integer maths, its
//! price, and its [`Ladder`], the floating-point form in which routes are
//! searched. Every family has the same small face, [`Curve`]. Amounts are
//! integers and every operation on them is checked; nothing here waits,
//! performs I/O or logs.

pub mod concentrated;
mod curve;
pub mod ekubo;
mod ladder;
mod ticks;
pub mod v3;
mod wide;

pub use curve::{Curve, Fill, Refusal, Side};
pub use ladder::{Ladder, Rung};
pub use ticks::{Tick, Ticks, Unbalanced};
