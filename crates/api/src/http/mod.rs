//! HTTP itself: sockets, middleware, limits, compression, errors. It knows nothing
//! of the products that are served.

mod addressing;
mod arrival;
pub(crate) mod client_address;
pub(crate) mod compression;
pub(crate) mod content;
mod cors;
pub(crate) mod entity_tag;
pub(crate) mod error;
pub(crate) mod event_stream;
pub(crate) mod json;
pub(crate) mod json_answer;
pub(crate) mod limits;
pub(crate) mod metrics;
pub(crate) mod middleware;
pub(crate) mod query_values;
mod request_id;
pub(crate) mod retry_after;
pub(crate) mod served_file;
pub(crate) mod server;
mod signing;
pub(crate) mod streams;
