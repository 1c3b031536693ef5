//! Ids that connect a request, its answer and its log lines.
//!
//! By hand, since `tower-http` repeats whatever id was given, safe or not.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use primitives::Entropy;
use uuid::{Builder, fmt::Hyphenated};

/// The header of a request's and an answer's id.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const MAX_CHARS: usize = 64;

/// The id that the caller gave, if it is one that is safe to repeat; a new one
/// otherwise.
pub(crate) fn accept_or_make(headers: &HeaderMap, entropy: &dyn Entropy) -> HeaderValue {
    let mut given = headers.get_all(&X_REQUEST_ID).iter();
    match (given.next(), given.next()) {
        (Some(id), None) if is_safe(id) => id.clone(),
        _ => make(entropy),
    }
}

fn is_safe(id: &HeaderValue) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=MAX_CHARS).contains(&id.len()) && id.as_bytes().iter().all(allowed)
}

fn make(entropy: &dyn Entropy) -> HeaderValue {
    let mut random = [0; 16];
    entropy.fill(&mut random);
    let id = Builder::from_random_bytes(random).into_uuid();
    let mut text = [0; Hyphenated::LENGTH];
    let text = id.hyphenated().encode_lower(&mut text);
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static("unnamed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::SeededEntropy;
    use proptest::prelude::*;

    fn id(given: &[&[u8]]) -> String {
        let mut headers = HeaderMap::new();
        for value in given {
            headers.append(&X_REQUEST_ID, HeaderValue::from_bytes(value).unwrap());
        }
        let id = accept_or_make(&headers, &SeededEntropy::new(1));
        id.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_safe_id_is_kept() {
        for given in ["a", "Az09._-", &"x".repeat(64)] {
            assert_eq!(id(&[given.as_bytes()]), given);
        }
    }

    #[test]
    fn anything_else_is_replaced_by_a_random_uuid() {
        let made = id(&[]);
        assert_eq!(made.len(), 36);
        assert_eq!(made.as_bytes()[14], b'4');
        let long = "x".repeat(65);
        for given in [b"".as_slice(), b"a b", b"a\"", b"\xe9", long.as_bytes()] {
            assert_eq!(id(&[given]), made, "{given:?}");
        }
        assert_eq!(id(&[b"one", b"two"]), made);
    }

    proptest! {
        #[test]
        fn whatever_is_given_the_id_is_safe(given in proptest::collection::vec(0x20_u8..=0x7e, 0..80)) {
            let id = id(&[given.as_slice()]);
            prop_assert!(is_safe(&HeaderValue::from_str(&id).unwrap()));
        }
    }
}
