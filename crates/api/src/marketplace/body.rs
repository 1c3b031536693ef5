//! Bodies of requests, before anyone makes sense of them.

use super::{MarketplaceState, catalog::Slug, fields::Fields, problem::Problem};
use crate::http::{
    error::Rejection,
    json::{JsonText, is_encoded},
};
use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::header::CONTENT_TYPE,
};

/// A body that is declared to be JSON.
#[derive(Debug)]
pub(super) struct Body(pub(super) JsonText);

impl FromRequest<MarketplaceState> for Body {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &MarketplaceState) -> Result<Self, Problem> {
        let text = JsonText::from_request(request, state).await;
        text.map(Self).map_err(Problem::from)
    }
}

/// No body, or an object without fields, for routes that need none.
#[derive(Debug)]
pub(super) struct NoBody;

impl FromRequest<MarketplaceState> for NoBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &MarketplaceState) -> Result<Self, Problem> {
        if request.headers().contains_key(CONTENT_TYPE) {
            let Body(text) = Body::from_request(request, state).await?;
            if !text.bytes().is_empty() {
                Fields::read(&text, Slug::MalformedRequest)?.only(&[])?;
            }
            return Ok(Self);
        }
        if is_encoded(request.headers()) {
            return Err(Rejection::Encoded.into());
        }
        let body = Bytes::from_request(request, state).await;
        match body.as_deref() {
            Ok([]) => Ok(Self),
            Ok(_) => Err(Problem::plain(Slug::UnsupportedMediaType)),
            Err(_) => Err(Problem::plain(Slug::PayloadTooLarge)),
        }
    }
}
