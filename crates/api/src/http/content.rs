//! Bodies of answers that are compressed once for all.

use super::compression::{BY_ENCODING, WantsGzip, is_long};
use axum::{
    body::Body,
    http::{
        HeaderValue,
        header::{CONTENT_ENCODING, VARY},
    },
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use primitives::OrImpossible as _;
use std::{
    io::{Read as _, Write as _},
    sync::{Arc, OnceLock},
};

/// Headers that an answer has in the end, roughly: room for them is made once.
const HEADERS: usize = 12;

/// A body, and whether it is gzip.
#[derive(Debug)]
pub(crate) struct Content {
    body: Body,
    is_gzip: bool,
}

impl Content {
    pub(crate) fn gzip(body: impl Into<Body>) -> Self {
        Self {
            body: body.into(),
            is_gzip: true,
        }
    }
}

impl<B: Into<Body>> From<B> for Content {
    fn from(body: B) -> Self {
        Self {
            body: body.into(),
            is_gzip: false,
        }
    }
}

impl IntoResponse for Content {
    fn into_response(self) -> Response {
        let mut response = self.body.into_response();
        let headers = response.headers_mut();
        headers.reserve(HEADERS);
        if self.is_gzip {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            // Another caller would be answered with other bytes.
            headers.insert(VARY, BY_ENCODING);
        }
        response
    }
}

/// A text that many callers are answered with. It is compressed when the first
/// of them wants that, and then never again.
#[derive(Debug, Clone)]
pub(crate) struct KeptBody(Arc<Forms>);

#[derive(Debug)]
struct Forms {
    text: Bytes,
    gzip: OnceLock<Bytes>,
    effort: Compression,
}

impl KeptBody {
    /// A caller waits for the compressed form, so that it is made quickly.
    pub(crate) fn new(text: impl Into<Bytes>) -> Self {
        Self::with(text.into(), Compression::fast())
    }

    /// A text that is to be few bytes, and short enough to take the time.
    pub(crate) fn few_bytes(text: impl Into<Bytes>) -> Self {
        Self::with(text.into(), Compression::best())
    }

    /// A text that is the same for as long as the process runs: worth every effort.
    pub(crate) fn lasting(text: impl Into<Bytes>) -> Self {
        Self::with(text.into(), Compression::best())
    }

    /// A text that we have as gzip.
    pub(crate) fn packed(gzip: Bytes) -> Self {
        let mut text = Vec::new();
        let read = GzDecoder::new(&*gzip).read_to_end(&mut text);
        let _ = read.or_impossible("we packed it");
        Self(Arc::new(Forms {
            text: text.into(),
            gzip: OnceLock::from(gzip),
            effort: Compression::best(),
        }))
    }

    fn with(text: Bytes, effort: Compression) -> Self {
        Self(Arc::new(Forms {
            text,
            gzip: OnceLock::new(),
            effort,
        }))
    }

    pub(crate) fn text(&self) -> &Bytes {
        &self.0.text
    }

    pub(crate) fn content(&self, wants: WantsGzip) -> Content {
        let Forms { text, gzip, effort } = &*self.0;
        if !wants.0 || !is_long(text) {
            return Content::from(text.clone());
        }
        Content::gzip(gzip.get_or_init(|| packed(text, *effort)).clone())
    }
}

fn packed(text: &[u8], effort: Compression) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), effort);
    let written = encoder.write_all(text).and_then(|()| encoder.finish());
    let written = written.or_impossible("memory can be written to");
    written.unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body that a caller gets, and what it is encoded as.
    async fn sent(body: &KeptBody, wants: bool) -> (Bytes, Option<HeaderValue>) {
        let response = body.content(WantsGzip(wants)).into_response();
        let encoding = response.headers().get(CONTENT_ENCODING).cloned();
        assert_eq!(response.headers().contains_key(VARY), encoding.is_some());
        let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await;
        (bytes.unwrap(), encoding)
    }

    #[tokio::test]
    async fn a_long_text_is_compressed_once_for_those_who_want_it() {
        let text = Bytes::from(vec![b' '; 2_000]);
        let kept = KeptBody::new(text.clone());
        assert_eq!(sent(&kept, false).await, (text.clone(), None));
        let (first, encoding) = sent(&kept, true).await;
        assert_eq!(encoding.unwrap(), "gzip");
        let (second, _) = sent(&kept.clone(), true).await;
        assert_eq!(first.as_ptr(), second.as_ptr());
        let mut unpacked = Vec::new();
        GzDecoder::new(&*first).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
    }

    #[tokio::test]
    async fn what_is_kept_as_gzip_is_sent_either_way() {
        let text = Bytes::from(vec![b' '; 2_000]);
        let gzip = packed(&text, Compression::best());
        let kept = KeptBody::packed(gzip.clone());
        assert_eq!(sent(&kept, false).await, (text, None));
        let (told, encoding) = sent(&kept, true).await;
        assert_eq!((told, encoding.unwrap()), (gzip, "gzip".parse().unwrap()));
    }

    #[tokio::test]
    async fn a_short_text_stays_as_it_is() {
        let text = Bytes::from_static(b"short");
        assert_eq!(sent(&KeptBody::new(text.clone()), true).await, (text, None));
    }
}
