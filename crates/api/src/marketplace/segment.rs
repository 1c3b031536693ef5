//! The changing parts of a path.

use super::{MarketplaceState, catalog::Slug, problem::Problem};
use axum::{
    extract::{FromRequestParts, Path},
    http::request::Parts,
};
use primitives::Ulid;

/// The one changing part of a path.
#[derive(Debug)]
pub(super) struct Segment(pub(super) String);

impl Segment {
    /// An id. A text that is none is the id of nothing.
    pub(super) fn id(&self, nothing: Slug) -> Result<Ulid, Problem> {
        self.0.parse().map_err(|_| Problem::plain(nothing))
    }
}

/// The two changing parts of a path.
#[derive(Debug)]
pub(super) struct TwoSegments(Segment, Segment);

impl TwoSegments {
    /// Two ids. A text that is none is the id of nothing.
    pub(super) fn ids(&self, first: Slug, second: Slug) -> Result<(Ulid, Ulid), Problem> {
        Ok((self.0.id(first)?, self.1.id(second)?))
    }
}

impl FromRequestParts<MarketplaceState> for TwoSegments {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &MarketplaceState,
    ) -> Result<Self, Problem> {
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        let unreadable = |_| Problem::plain(Slug::NotFound);
        let Path((first, second)) = path.map_err(unreadable)?;
        Ok(Self(Segment(first), Segment(second)))
    }
}

impl FromRequestParts<MarketplaceState> for Segment {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &MarketplaceState,
    ) -> Result<Self, Problem> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let unreadable = |_| Problem::plain(Slug::NotFound);
        path.map(|Path(text)| Self(text)).map_err(unreadable)
    }
}

/// The two changing parts of a path.
#[derive(Debug)]
pub(super) struct Segments(pub(super) Segment, pub(super) Segment);

impl FromRequestParts<MarketplaceState> for Segments {
    type Rejection = Problem;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &MarketplaceState,
    ) -> Result<Self, Problem> {
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        let unreadable = |_| Problem::plain(Slug::NotFound);
        let Path((first, second)) = path.map_err(unreadable)?;
        Ok(Self(Segment(first), Segment(second)))
    }
}
