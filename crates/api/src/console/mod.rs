//! The console: pages for people, at the address itself.
//!
//! Its source is `console/`; the built files are kept in `dist` and lie inside the
//! binary, so that nothing but the binary is needed to serve them. A page loads
//! nothing from anyone else, and no other page may frame it.

mod files;
mod handler;
mod page;

pub(crate) use handler::{root, routes};
pub(crate) use page::Settings;
