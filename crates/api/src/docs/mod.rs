//! The documents, and the page at `/docs` that shows them: Swagger UI, whose files lie
//! in the binary, and a few of ours that set it up. Nothing is loaded from anyone else.

mod files;

use crate::{
    dialect::Dialect,
    http::{
        compression::WantsGzip,
        entity_tag::KnownTags,
        error::Rejection,
        served_file::{CHECKED, ServedFile},
    },
    network::NetworkSegment,
    openapi::{self, WHOLE},
};
use axum::{
    Router,
    extract::{Path, State},
    response::Response,
    routing::get,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

type Made = BTreeMap<&'static str, ServedFile>;

/// By name; written when the first of them is asked for.
type Documents = Arc<LazyLock<Made, Box<dyn FnOnce() -> Made + Send + Sync>>>;

pub(crate) fn routes(network: &NetworkSegment, dialect: Dialect) -> Router {
    let network = network.clone();
    let make = move || {
        let documents = openapi::documents(&network, dialect).into_iter();
        documents
            .map(|(name, text)| (name, ServedFile::new(text.into(), "application/json")))
            .collect()
    };
    let documents: Documents = Arc::new(LazyLock::new(Box::new(make)));
    Router::new()
        .route("/docs", get(page))
        .route("/docs/{file}", get(file))
        .route("/openapi.json", get(whole))
        .route("/openapi/{document}", get(document))
        .with_state(documents)
}

async fn page(wants: WantsGzip, known: KnownTags) -> Result<Response, Rejection> {
    viewer_file("index.html", wants, &known)
}

async fn file(
    Path(name): Path<String>,
    wants: WantsGzip,
    known: KnownTags,
) -> Result<Response, Rejection> {
    viewer_file(&name, wants, &known)
}

fn viewer_file(name: &str, wants: WantsGzip, known: &KnownTags) -> Result<Response, Rejection> {
    let file = files::find(name).ok_or(Rejection::UnknownPath)?;
    Ok(file.send(wants, known, CHECKED))
}

async fn whole(
    State(documents): State<Documents>,
    wants: WantsGzip,
    known: KnownTags,
) -> Result<Response, Rejection> {
    sent(&documents, WHOLE, wants, &known)
}

async fn document(
    State(documents): State<Documents>,
    Path(name): Path<String>,
    wants: WantsGzip,
    known: KnownTags,
) -> Result<Response, Rejection> {
    sent(&documents, &name, wants, &known)
}

fn sent(
    documents: &Documents,
    name: &str,
    wants: WantsGzip,
    known: &KnownTags,
) -> Result<Response, Rejection> {
    let document = documents.get(name).ok_or(Rejection::UnknownPath)?;
    Ok(document.send(wants, known, CHECKED))
}
