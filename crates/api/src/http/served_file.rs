//! Files that lie in the binary, as they are sent.

use super::{
    compression::WantsGzip,
    content::KeptBody,
    entity_tag::{EntityTag, KnownTags},
};
use axum::{
    http::{
        HeaderName, HeaderValue, StatusCode,
        header::{
            CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY,
            X_CONTENT_TYPE_OPTIONS,
        },
    },
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;

/// A page runs scripts of its own host and talks to that, nothing else.
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
pub(crate) const CHECKED: HeaderValue = HeaderValue::from_static("no-cache");

/// Another content would have another name.
pub(crate) const FOREVER: HeaderValue =
    HeaderValue::from_static("public, max-age=31536000, immutable");

/// A file as it lies in the binary, with the digest by which clients know it.
#[derive(Debug, Clone)]
pub(crate) struct ServedFile {
    pub(crate) body: KeptBody,
    pub(crate) kind: &'static str,
    tag: EntityTag,
}

impl ServedFile {
    pub(crate) fn new(content: Bytes, kind: &'static str) -> Self {
        Self::of(KeptBody::lasting(content), kind)
    }

    /// One that is kept as gzip.
    pub(crate) fn packed(gzip: Bytes, kind: &'static str) -> Self {
        Self::of(KeptBody::packed(gzip), kind)
    }

    fn of(body: KeptBody, kind: &'static str) -> Self {
        Self {
            tag: EntityTag::of(body.text()),
            body,
            kind,
        }
    }

    /// The file, or word that the caller has it, with what keeps pages safe.
    pub(crate) fn send(
        &self,
        wants: WantsGzip,
        known: &KnownTags,
        caching: HeaderValue,
    ) -> Response {
        let mut response = if let Some(tag) = known.find(self.tag) {
            (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response()
        } else {
            let mut response = self.body.content(wants).into_response();
            let headers = response.headers_mut();
            headers.insert(ETAG, self.tag.header());
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
            response
        };
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, caching);
        for (name, value) in SECURITY {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// What a file is by the ending of its name.
pub(crate) fn kind(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    Some(match ending {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}
