//! The description of the API, made from the routes themselves: a document of
//! each part, and one of everything. Each says where it holds (`servers`), and has
//! an example of every body.

mod common_headers;
mod dialect_changes;
mod envelopes;
mod examples;
mod parts;
mod whole;

use crate::{dialect::Dialect, network::NetworkSegment};

/// The name of the document of everything.
pub(crate) const WHOLE: &str = "openapi.json";

/// The documents as they are kept in the repository: the default network, in
/// the plain dialect.
pub fn openapi_documents() -> Vec<(&'static str, String)> {
    documents(&NetworkSegment::default(), Dialect::default())
}

/// Each document's file name and text; that of everything comes last.
pub(crate) fn documents(network: &NetworkSegment, dialect: Dialect) -> Vec<(&'static str, String)> {
    let mut documents = parts::parts(network, dialect);
    documents.push((WHOLE, whole::of(&documents)));
    documents
        .into_iter()
        .map(|(name, document)| (name, format!("{document:#}\n")))
        .collect()
}
