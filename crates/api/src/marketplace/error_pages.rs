//! `/errors/{slug}`: the page at which the `type` of a refusal is found.

use super::{
    MarketplaceState, Problem,
    catalog::{CatalogEntry, Slug},
    segment::Segment,
};
use axum::{
    Router,
    http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY},
    response::{Html, IntoResponse},
    routing::get,
};

/// The pages run nothing and load nothing.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;\
    padding:0 1rem;color-scheme:light dark}code{font-size:.95em}dt{font-weight:600;margin-top:1rem}\
    dd{margin:0}table{border-collapse:collapse}td{padding:.2rem 1rem .2rem 0;vertical-align:top}";

/// They change with a release.
const KEPT: &str = "public, max-age=3600";

pub(super) fn routes() -> Router<MarketplaceState> {
    Router::new()
        .route("/errors", get(all))
        .route("/errors/{slug}", get(one))
}

async fn all() -> impl IntoResponse {
    let rows: String = Slug::ALL.iter().map(|slug| row(slug.entry())).collect();
    page(
        "Refusals of the lease marketplace",
        &format!("<table>{rows}</table>"),
    )
}

async fn one(segment: Segment) -> Result<impl IntoResponse, Problem> {
    let unknown = || Problem::new(Slug::NotFound, "there is no such slug; see /errors");
    let slug = Slug::named(&segment.0).ok_or_else(unknown)?;
    let entry = slug.entry();
    let facts = format!(
        "<dl><dt>Slug</dt><dd><code>{}</code></dd><dt>Status</dt><dd>{}</dd>\
         <dt>Meaning</dt><dd>{}</dd><dt>What to do</dt><dd>{}</dd></dl>\
         <p><a href=\"/errors\">All refusals</a></p>",
        entry.slug,
        statuses(entry),
        prose(entry.meaning),
        prose(entry.remedy),
    );
    Ok(page(entry.title, &facts))
}

fn page(title: &str, content: &str) -> impl IntoResponse + use<> {
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style>\
         <h1>{title}</h1>{content}</html>\n"
    );
    let headers = [(CONTENT_SECURITY_POLICY, POLICY), (CACHE_CONTROL, KEPT)];
    (headers, Html(text))
}

fn row(entry: &CatalogEntry) -> String {
    format!(
        "<tr><td>{}</td><td><a href=\"/errors/{slug}\"><code>{slug}</code></a></td><td>{}</td></tr>",
        statuses(entry),
        prose(entry.meaning),
        slug = entry.slug,
    )
}

fn statuses(entry: &CatalogEntry) -> String {
    let texts: Vec<String> = entry.statuses.iter().map(u16::to_string).collect();
    texts.join(" or ")
}

/// Text of the table as HTML: what stands between backticks is code.
fn prose(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let parts = escaped.split('`').enumerate();
    let marked = parts.map(|(n, part)| match n % 2 {
        0 => part.to_owned(),
        _ => format!("<code>{part}</code>"),
    });
    marked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_marked_and_nothing_else_is_markup() {
        assert_eq!(prose("a `b<c>` & d"), "a <code>b&lt;c></code> &amp; d");
        for slug in Slug::ALL {
            let entry = slug.entry();
            for text in [entry.meaning, entry.remedy] {
                assert_eq!(text.matches('`').count() % 2, 0, "{text}");
            }
        }
    }
}
