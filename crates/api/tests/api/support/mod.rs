//! A whole API over made-up tokens, and requests to it.

mod bench;
mod request;
pub(crate) mod schema;
mod seen;
mod stream;
mod tokens;

pub(crate) use bench::{Bench, Setting};
pub(crate) use request::{Answer, get, send};
pub(crate) use stream::{Event, Opened, open};
