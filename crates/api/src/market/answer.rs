//! Answers that callers can keep and ask after.

use super::date::Time;
use crate::http::{
    content::Content,
    entity_tag::{EntityTag, KnownTags},
};
use axum::{
    http::{
        HeaderName, HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_TYPE, ETAG},
    },
    response::{IntoResponse, Response},
};

/// When the bucket that has not ended yet began.
const X_PARTIAL_BUCKET: HeaderName = HeaderName::from_static("x-partial-bucket");

/// What surrounds a body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Frame {
    pub(super) tag: EntityTag,
    /// Whether it stays as it is, unless the chain is reorganised.
    pub(super) is_settled: bool,
    /// When the last bucket began, if it has not ended yet.
    pub(super) partial: Option<i64>,
}

impl Frame {
    /// The body, or word that the caller has it already.
    pub(super) fn around<C: Into<Content>>(
        self,
        content: impl FnOnce() -> C,
        known: &KnownTags,
    ) -> Response {
        let mut response = if let Some(tag) = known.find(self.tag) {
            (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response()
        } else {
            let headers = [
                (CONTENT_TYPE, HeaderValue::from_static("application/json")),
                (ETAG, self.tag.header()),
            ];
            (headers, content().into()).into_response()
        };
        let headers = response.headers_mut();
        let caching = if self.is_settled {
            "public, max-age=60"
        } else {
            "no-cache"
        };
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
        if let Some(partial) = self.partial
            && let Ok(date) = HeaderValue::try_from(Time(partial).to_string())
        {
            headers.insert(X_PARTIAL_BUCKET, date);
        }
        response
    }
}

/// A body that is of this moment only.
pub(super) fn json(content: impl Into<Content>) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, json)], content.into()).into_response()
}
