//! Paths of the console, and what is sent with each of its files.

use super::{
    files::{self, HASHED},
    page::Settings,
};
use crate::http::{
    compression::WantsGzip,
    entity_tag::KnownTags,
    error::Rejection,
    served_file::{CHECKED, FOREVER, ServedFile},
};
use axum::{
    Router,
    extract::{Path, State},
    http::{
        HeaderMap, HeaderValue,
        header::{ACCEPT, ALLOW, VARY},
    },
    response::{IntoResponse as _, Response},
    routing::get,
};
use std::sync::Arc;

/// Paths that a person may open, beside `/`; the page finds out which it is.
const PAGES: [&str; 13] = [
    "/token/{address}",
    "/swap",
    "/pools",
    "/venues",
    "/orders",
    "/staking",
    "/paymaster",
    "/validators",
    "/validators/{id}",
    "/leases",
    "/staff",
    "/status",
    "/simulator",
];

/// What programs may send to the address itself.
const CALLS: HeaderValue = HeaderValue::from_static("POST");

const BY_ACCEPT: HeaderValue = HeaderValue::from_static("accept");

type PageFile = Arc<Option<ServedFile>>;

/// The page at `/`, a path that it shares with the paymaster.
pub(crate) fn root(settings: &Settings) -> Router {
    Router::new()
        .route("/", get(first_page))
        .with_state(Arc::new(settings.page()))
}

/// Everything else of the console.
pub(crate) fn routes(settings: &Settings) -> Router {
    let pages = PAGES
        .into_iter()
        .fold(Router::new(), |all, path| all.route(path, get(page)));
    pages
        .route("/assets/{name}", get(hashed))
        .route("/favicon.svg", get(icon))
        .route("/licenses.txt", get(licenses))
        .with_state(Arc::new(settings.page()))
}

/// A program that reads the address of the paymaster is told that it is for calls.
async fn first_page(
    State(page): State<PageFile>,
    wants: WantsGzip,
    known: KnownTags,
    headers: HeaderMap,
) -> Response {
    shown(page.as_ref().as_ref(), wants, &known, &headers)
        .unwrap_or_else(|| ([(ALLOW, CALLS)], Rejection::WrongMethod).into_response())
}

/// To programs these paths are unknown, as any path that is none of the API.
async fn page(
    State(page): State<PageFile>,
    wants: WantsGzip,
    known: KnownTags,
    headers: HeaderMap,
) -> Result<Response, Rejection> {
    shown(page.as_ref().as_ref(), wants, &known, &headers).ok_or(Rejection::UnknownPath)
}

fn shown(
    page: Option<&ServedFile>,
    wants: WantsGzip,
    known: &KnownTags,
    headers: &HeaderMap,
) -> Option<Response> {
    let page = page.filter(|_| accepts_html(headers))?;
    let mut response = page.send(wants, known, CHECKED);
    response.headers_mut().append(VARY, BY_ACCEPT);
    Some(response)
}

async fn hashed(
    Path(name): Path<String>,
    wants: WantsGzip,
    known: KnownTags,
) -> Result<Response, Rejection> {
    let file = files::find(&format!("{HASHED}{name}")).ok_or(Rejection::UnknownPath)?;
    Ok(file.send(wants, &known, FOREVER))
}

async fn icon(wants: WantsGzip, known: KnownTags) -> Result<Response, Rejection> {
    named("favicon.svg", wants, &known)
}

/// The notices of what the pages are built with.
async fn licenses(wants: WantsGzip, known: KnownTags) -> Result<Response, Rejection> {
    named("licenses.txt", wants, &known)
}

fn named(name: &str, wants: WantsGzip, known: &KnownTags) -> Result<Response, Rejection> {
    let file = files::find(name).ok_or(Rejection::UnknownPath)?;
    Ok(file.send(wants, known, CHECKED))
}

/// Whether a browser opens the path: programs ask for JSON, or for anything.
fn accepts_html(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(ACCEPT).iter();
    accepted.any(|value| value.to_str().is_ok_and(|it| it.contains("text/html")))
}
