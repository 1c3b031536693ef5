//! Paths of the console, and what is sent with each of its files.

use super::{
    files::{self, File, HASHED},
    page::Settings,
};
use crate::http::{compression::WantsGzip, entity_tag::KnownTags, error::Rejection};
use axum::{
    Router,
    extract::{Path, State},
    http::{
        HeaderMap, HeaderName, HeaderValue, StatusCode,
        header::{
            ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY,
            VARY, X_CONTENT_TYPE_OPTIONS,
        },
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

/// The page runs its own script and talks to its own host, nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

const SECURITY: [(HeaderName, &str); 4] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Asked for anew each time, and not sent again while it is the same.
const CHECKED: HeaderValue = HeaderValue::from_static("no-cache");

/// Another content would have another name.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

const BY_ACCEPT: HeaderValue = HeaderValue::from_static("accept");

type Page = Arc<Option<File>>;

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
    State(page): State<Page>,
    wants: WantsGzip,
    known: KnownTags,
    headers: HeaderMap,
) -> Result<Response, Rejection> {
    shown(page.as_ref().as_ref(), wants, &known, &headers).ok_or(Rejection::WrongMethod)
}

/// To programs these paths are unknown, as any path that is none of the API.
async fn page(
    State(page): State<Page>,
    wants: WantsGzip,
    known: KnownTags,
    headers: HeaderMap,
) -> Result<Response, Rejection> {
    shown(page.as_ref().as_ref(), wants, &known, &headers).ok_or(Rejection::UnknownPath)
}

fn shown(
    page: Option<&File>,
    wants: WantsGzip,
    known: &KnownTags,
    headers: &HeaderMap,
) -> Option<Response> {
    let page = page.filter(|_| accepts_html(headers))?;
    let mut response = sent(page, wants, known, CHECKED);
    response.headers_mut().append(VARY, BY_ACCEPT);
    Some(response)
}

async fn hashed(
    Path(name): Path<String>,
    wants: WantsGzip,
    known: KnownTags,
) -> Result<Response, Rejection> {
    let file = files::find(&format!("{HASHED}{name}")).ok_or(Rejection::UnknownPath)?;
    Ok(sent(file, wants, &known, FOREVER))
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
    Ok(sent(file, wants, known, CHECKED))
}

fn sent(file: &File, wants: WantsGzip, known: &KnownTags, caching: HeaderValue) -> Response {
    let mut response = if let Some(tag) = known.find(file.tag) {
        (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response()
    } else {
        let mut response = file.body.content(wants).into_response();
        let headers = response.headers_mut();
        headers.insert(ETAG, file.tag.header());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.kind));
        response
    };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, caching);
    for (name, value) in SECURITY {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether a browser opens the path: programs ask for JSON, or for anything.
fn accepts_html(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(ACCEPT).iter();
    accepted.any(|value| value.to_str().is_ok_and(|it| it.contains("text/html")))
}
