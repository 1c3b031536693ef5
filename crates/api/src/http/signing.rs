//! Answers signed for callers who ask for it.
//!
//! What is signed is the body as the caller's program sees it, so that such an
//! answer is whole and not compressed.

use super::{error::Rejection, event_stream};
use axum::{
    body::{Body, to_bytes},
    http::{
        HeaderMap, HeaderName, HeaderValue,
        header::{ACCEPT_ENCODING, IF_NONE_MATCH, VARY},
    },
    response::{IntoResponse, Response},
};
use services::AnswerSigner;

const ASK_SIGNATURE: HeaderName = HeaderName::from_static("ask-signature");
const SIGNATURE: HeaderName = HeaderName::from_static("signature");

/// Far longer than any answer.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// Whether a caller wants the answer signed. If so, what would change its bytes
/// is taken out of the request.
pub(crate) fn is_asked(headers: &mut HeaderMap) -> bool {
    let asked = headers.get(ASK_SIGNATURE);
    let asked = asked.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"));
    if asked {
        headers.remove(ACCEPT_ENCODING);
        headers.remove(IF_NONE_MATCH);
    }
    asked
}

/// Tells caches that an answer is another one for whoever asks for a signature.
pub(crate) fn mark(headers: &mut HeaderMap) {
    headers.append(VARY, ASK_SIGNATURE.into());
}

/// The answer with the signature of its body. One that goes on has none.
pub(crate) async fn sign(signer: &AnswerSigner, response: Response) -> Response {
    if event_stream::is_endless(&response) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY_BYTES).await else {
        tracing::error!("an answer could not be read to be signed");
        return Rejection::Internal.into_response();
    };
    let signature = signer.signature(&body);
    let signature = signature.and_then(|text| HeaderValue::try_from(text).ok());
    let Some(signature) = signature else {
        return Rejection::Internal.into_response();
    };
    parts.headers.insert(SIGNATURE, signature);
    Response::from_parts(parts, Body::from(body))
}
