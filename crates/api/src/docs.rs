//! The documents and the page that shows them. The page is one file of ours:
//! it works offline and loads nothing from anyone.

use crate::http::error::Rejection;
use axum::{
    Router,
    extract::{Path, State},
    http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE},
    response::{Html, IntoResponse},
    routing::get,
};
use bytes::Bytes;
use std::sync::Arc;

const PAGE: &str = include_str!("docs.html");

/// Where the page has the list of documents.
const PLACE: &str = "__DOCUMENTS__";

/// The page runs its own script and talks to its own host, nothing else.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Documents = Arc<[(&'static str, Bytes)]>;

pub(crate) fn routes(documents: Vec<(&'static str, String)>) -> Router {
    let names: Vec<String> = documents
        .iter()
        .map(|(name, _)| format!("/openapi/{name}"))
        .collect();
    let page = Bytes::from(PAGE.replace(PLACE, &names.join(" ")));
    let documents: Documents = documents
        .into_iter()
        .map(|(name, text)| (name, Bytes::from(text)))
        .collect();
    let page = move || async move { ([(CONTENT_SECURITY_POLICY, POLICY)], Html(page.clone())) };
    Router::new()
        .route("/docs", get(page))
        .route("/openapi/{document}", get(document))
        .with_state(documents)
}

async fn document(
    State(documents): State<Documents>,
    Path(asked): Path<String>,
) -> Result<impl IntoResponse, Rejection> {
    let found = documents.iter().find(|(name, _)| *name == asked);
    let (_, text) = found.ok_or(Rejection::UnknownPath)?;
    Ok(([(CONTENT_TYPE, "application/json")], text.clone()))
}
