//! Requests that are done once, however often they are sent.
//!
//! A guarded route reads its key, then its body, claims the key for exactly
//! these bytes, and only then looks at what the body says. The answer is
//! written together with the effect; a refusal frees the key before it is sent.

use super::{MarketplaceState, body::Body, catalog::Slug, data::Data, problem::Problem};
use crate::http::{json::JsonText, json_answer};
use axum::{
    extract::{FromRequest, Request},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use primitives::{Impossible, OrImpossible as _, Ulid};
use serde::Serialize;
use services::leasing::{Claim, KeyGuard, StoredAnswer, User};
use sha2::{Digest as _, Sha256};

pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Seconds after which a request in flight should be asked for again.
const IN_FLIGHT_S: u64 = 1;

/// Does what a request asks for, or answers as it was answered before.
///
/// `read` makes sense of the body, `act` does it and must finish the guard
/// together with its effect.
pub(super) async fn once<T, F>(
    market: &MarketplaceState,
    user: &User,
    request: Request,
    read: impl FnOnce(&JsonText) -> Result<T, Problem>,
    act: impl FnOnce(T, KeyGuard) -> F,
) -> Result<Response, Problem>
where
    F: Future<Output = Result<StoredAnswer, Problem>>,
{
    let key = key(request.headers())?;
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let Body(text) = Body::from_request(request, market).await?;
    let digest = Sha256::digest(text.bytes()).into();
    let claim = market
        .leasing()
        .keys
        .claim(user.id, method.as_str(), &path, key, digest);
    let guard = match claim.await? {
        Claim::Fresh(guard) => guard,
        Claim::Replay(answer) => return Ok(replayed(answer)),
        Claim::InFlight => {
            return Err(Problem::plain(Slug::IdempotencyConflict).retry_after(IN_FLIGHT_S));
        }
        Claim::OtherBody => return Err(Problem::plain(Slug::IdempotencyKeyReused)),
    };
    match read(&text) {
        Ok(wanted) => Ok(sent(act(wanted, guard).await?)),
        Err(problem) => {
            guard.release().await;
            Err(problem)
        }
    }
}

/// The answer to be kept.
pub(super) fn answer(status: StatusCode, data: impl Serialize) -> Result<StoredAnswer, Impossible> {
    Ok(StoredAnswer {
        status: status.as_u16(),
        content_type: "application/json".to_owned(),
        body: json_answer::line(&Data { data })?,
    })
}

fn key(headers: &HeaderMap) -> Result<Ulid, Problem> {
    let mut keys = headers.get_all(&IDEMPOTENCY_KEY).iter();
    let key = match (keys.next(), keys.next()) {
        (None, _) => return Err(Problem::plain(Slug::IdempotencyKeyMissing)),
        (Some(key), None) => key.to_str().ok().and_then(|key| key.parse().ok()),
        (Some(_), Some(_)) => None,
    };
    key.ok_or_else(|| Problem::plain(Slug::IdempotencyKeyMalformed))
}

fn sent(answer: StoredAnswer) -> Response {
    let status = StatusCode::from_u16(answer.status).or_impossible("we keep statuses alone");
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = HeaderValue::from_str(&answer.content_type).or_impossible("we keep types alone");
    let kind = kind.unwrap_or_else(|_| HeaderValue::from_static("application/json"));
    (status, [(CONTENT_TYPE, kind)], answer.body).into_response()
}

fn replayed(answer: StoredAnswer) -> Response {
    let mut response = sent(answer);
    let headers = response.headers_mut();
    headers.insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&'static str]) -> Result<Ulid, u16> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IDEMPOTENCY_KEY, HeaderValue::from_static(value));
        }
        key(&headers).map_err(|problem| problem.into_response().status().as_u16())
    }

    #[test]
    fn a_key_is_one_ulid_in_any_case() {
        let key = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
        assert!(read(&[key]).is_ok());
        assert_eq!(read(&[key]), read(&["01arz3ndektsv4rrffq69g5fav"]));
        for wrong in [
            &[] as &[_],
            &[key, key],
            &[""],
            &["\"01ARZ3NDEKTSV4RRFFQ69G5FAV\""],
            &["81ARZ3NDEKTSV4RRFFQ69G5FAV"],
            &["01ARZ3NDEKTSV4RRFFQ69G5FAU"],
            &["01ARZ3NDEKTSV4RRFFQ69G5FA"],
            &["936da01f-9abd-4d9d-80c7-02af85c822a8"],
        ] {
            assert_eq!(read(wrong), Err(400), "{wrong:?}");
        }
    }
}
