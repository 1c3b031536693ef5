//! Tags by which callers recognise an answer that they already have.

use axum::{
    extract::FromRequestParts,
    http::{
        HeaderMap, HeaderValue,
        header::{CONTENT_ENCODING, ETAG, IF_NONE_MATCH},
        request::Parts,
    },
};
use sha2::{Digest, Sha256};
use std::convert::Infallible;

/// What follows the tag of a body that is sent compressed: other bytes need
/// another tag. It is a weak one, since the same content may be compressed to
/// other bytes another time.
const ENCODED: &str = "-gz";

/// A digest of an answer's content: the same wherever and whenever it is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct EntityTag(u128);

impl EntityTag {
    pub(crate) fn of(content: &[u8]) -> Self {
        let digest: [u8; 32] = Sha256::digest(content).into();
        let (half, _) = digest.split_first_chunk().unwrap_or((&[0; 16], &[]));
        Self(u128::from_be_bytes(*half))
    }

    pub(crate) fn header(self) -> HeaderValue {
        header(&["\"", &self.digits(), "\""].concat())
    }

    fn encoded_header(self) -> HeaderValue {
        header(&["W/\"", &self.digits(), ENCODED, "\""].concat())
    }

    /// 32 hexadecimal digits. Formatting a number of 128 bits takes ten times
    /// longer, and every answer has a tag.
    fn digits(self) -> String {
        let bytes = self.0.to_be_bytes().into_iter();
        let digits = bytes.flat_map(|byte| [byte >> 4, byte & 0xf]);
        let digit = |digit| char::from_digit(u32::from(digit), 16).unwrap_or('0');
        digits.map(digit).collect()
    }
}

/// The tags of answers that the caller has.
#[derive(Debug, Default)]
pub(crate) struct KnownTags(Vec<HeaderValue>);

impl KnownTags {
    /// The tag, as the caller knows it, if it does.
    pub(crate) fn find(&self, tag: EntityTag) -> Option<HeaderValue> {
        if self.0.is_empty() {
            return None;
        }
        let texts = self.0.iter().filter_map(|value| value.to_str().ok());
        let mut known = texts.flat_map(|text| text.split(',')).map(str::trim);
        let bare = tag.digits();
        known
            .find_map(|text| {
                let strong = text.strip_prefix("W/").unwrap_or(text);
                let inner = strong.strip_prefix('"')?.strip_suffix('"')?;
                match inner.strip_prefix(bare.as_str())? {
                    "" => Some(tag.header()),
                    ENCODED => Some(tag.encoded_header()),
                    _ => None,
                }
            })
            .or_else(|| self.0.iter().any(|it| it == "*").then(|| tag.header()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for KnownTags {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let tags = parts.headers.get_all(IF_NONE_MATCH).iter().cloned();
        Ok(Self(tags.collect()))
    }
}

/// Gives a compressed body a tag of its own.
pub(crate) fn mark_encoded(headers: &mut HeaderMap) {
    if !headers.contains_key(CONTENT_ENCODING) {
        return;
    }
    let marked = headers.get(ETAG).and_then(|tag| {
        let inner = tag.to_str().ok()?.strip_suffix('"')?;
        Some(header(&["W/", inner, ENCODED, "\""].concat()))
    });
    if let Some(marked) = marked {
        headers.insert(ETAG, marked);
    }
}

fn header(tag: &str) -> HeaderValue {
    // Quotes and characters that came in a header, or hexadecimal digits.
    HeaderValue::from_str(tag).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(texts: &[&'static str]) -> KnownTags {
        KnownTags(
            texts
                .iter()
                .map(|it| HeaderValue::from_static(it))
                .collect(),
        )
    }

    #[test]
    fn a_tag_is_known_in_every_form_that_callers_send() {
        let tag = EntityTag(0xab);
        let bare = "\"000000000000000000000000000000ab\"";
        assert_eq!(tag.header(), bare);
        for sent in [
            "\"000000000000000000000000000000ab\"",
            "W/\"000000000000000000000000000000ab\"",
            "\"x\", \"000000000000000000000000000000ab\",\"y\"",
            "*",
        ] {
            assert_eq!(known(&[sent]).find(tag).unwrap(), bare, "{sent}");
            assert!(known(&["\"x\"", sent]).find(tag).is_some(), "{sent}");
        }
        let packed = "W/\"000000000000000000000000000000ab-gz\"";
        assert_eq!(known(&[packed]).find(tag).unwrap(), packed);
        let strong = packed.strip_prefix("W/").unwrap();
        assert_eq!(known(&[strong]).find(tag).unwrap(), packed);
        for other in [
            "",
            "\"\"",
            "000000000000000000000000000000ab",
            "\"ab\"",
            "\"",
            "\"000000000000000000000000000000ab-br\"",
        ] {
            assert_eq!(known(&[other]).find(tag), None, "{other}");
        }
    }

    #[test]
    fn only_compressed_bodies_are_marked() {
        let mut headers = HeaderMap::from_iter([(ETAG, EntityTag(1).header())]);
        mark_encoded(&mut headers);
        assert_eq!(headers.get(ETAG), Some(&EntityTag(1).header()));
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        mark_encoded(&mut headers);
        let marked = headers.get(ETAG).unwrap();
        assert_eq!(marked, "W/\"00000000000000000000000000000001-gz\"");
        assert!(KnownTags(vec![marked.clone()]).find(EntityTag(1)).is_some());
        let mut untagged =
            HeaderMap::from_iter([(CONTENT_ENCODING, HeaderValue::from_static("gzip"))]);
        mark_encoded(&mut untagged);
        assert!(!untagged.contains_key(ETAG));
    }
}
