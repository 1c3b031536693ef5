//! A whole API over made-up tokens, and requests to it.

mod bench;
mod request;
mod seen;
mod tokens;

pub(crate) use bench::{Bench, Setting};
pub(crate) use request::{Answer, get, send};
