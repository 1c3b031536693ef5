//! What the exchanges' pools would pay, to the last unit.
//!
//! One module per family of curves: its state, its exact integer maths, its
//! price, and its [`Ladder`], the floating-point form in which routes are
//! searched. Every family has the same small face, [`Curve`]. Amounts are
//! integers and every operation on them is checked; nothing here waits,
//! performs I/O or logs.

pub mod amplified;
pub mod book;
pub mod concentrated;
pub mod constant_product;
mod curve;
mod deposit;
pub mod ekubo;
mod fee;
mod ladder;
#[cfg(test)]
mod laws;
mod quotation;
mod reserves;
mod sampling;
mod search;
mod signed;
pub mod solidly;
mod ticks;
pub mod v3;
mod wide;

pub use amplified::Amplified;
pub use constant_product::ConstantProduct;
pub use curve::{Curve, Fill, Refusal, Side};
pub use deposit::Deposit;
pub use ladder::{Ladder, Pieces, Rung, Sample};
pub use signed::Signed;
pub use solidly::Solidly;
pub use ticks::{Tick, Ticks, Unbalanced};
pub use wide::{mul_div, mul_div_up};
