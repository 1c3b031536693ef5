//! The refusals of an operation, for the API's description: one answer for
//! each status, which lists the slugs that come with it.

use super::{catalog::Slug, problem::ProblemBody};
use std::collections::BTreeMap;
use utoipa::{
    ToSchema,
    openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder},
};

/// Of every operation that is counted. Any request may lack a `Host`.
pub(super) const COUNTED: &[Slug] = &[Slug::MalformedRequest, Slug::RateLimitExceeded];

/// Of one that may have credentials.
pub(super) const VISITOR: &[Slug] = &[
    Slug::MalformedRequest,
    Slug::RateLimitExceeded,
    Slug::AuthRequired,
];

/// Of one that needs a user.
pub(super) const MEMBER: &[Slug] = &[
    Slug::MalformedRequest,
    Slug::RateLimitExceeded,
    Slug::AuthRequired,
    Slug::UserNotProvisioned,
];

/// Of one that needs a user who is staff.
pub(super) const STAFF: &[Slug] = &[
    Slug::MalformedRequest,
    Slug::RateLimitExceeded,
    Slug::AuthRequired,
    Slug::UserNotProvisioned,
    Slug::AdminUserNotProvisioned,
];

/// Of one with a body of its own words.
pub(super) const BODY: &[Slug] = &[
    Slug::MalformedRequest,
    Slug::RequestTimeout,
    Slug::PayloadTooLarge,
    Slug::UnsupportedMediaType,
];

/// Of one with a body that registers.
pub(super) const REGISTRATION: &[Slug] = &[
    Slug::RegisterInvalidField,
    Slug::RequestTimeout,
    Slug::PayloadTooLarge,
    Slug::UnsupportedMediaType,
];

/// Of one that reads or writes what is kept.
pub(super) const KEPT: &[Slug] = &[Slug::DatabaseError];

/// Of one that is guarded against being done twice.
pub(super) const GUARDED: &[Slug] = &[
    Slug::IdempotencyKeyMissing,
    Slug::IdempotencyKeyMalformed,
    Slug::IdempotencyConflict,
    Slug::IdempotencyKeyReused,
];

/// A type that stands for the refusals of an operation: groups of them, and
/// its own.
macro_rules! refusals {
    ($name:ident: [$($group:ident),*], [$($slug:ident),* $(,)?]) => {
        pub(super) struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<
                String,
                utoipa::openapi::RefOr<utoipa::openapi::Response>,
            > {
                let groups: &[&[crate::marketplace::catalog::Slug]] = &[
                    $(crate::marketplace::refusals::$group,)*
                    &[$(crate::marketplace::catalog::Slug::$slug,)*],
                ];
                crate::marketplace::refusals::responses(&groups.concat())
            }
        }
    };
}
pub(super) use refusals;

/// An answer for each status of these slugs.
pub(super) fn responses(slugs: &[Slug]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<String, Vec<Slug>> = BTreeMap::new();
    for slug in slugs {
        let status = slug.status().as_str().to_owned();
        let told = by_status.entry(status).or_default();
        if !told.contains(slug) {
            told.push(*slug);
        }
    }
    let answers = by_status.into_iter();
    answers
        .map(|(status, slugs)| (status, refusal(&slugs).into()))
        .collect()
}

fn refusal(slugs: &[Slug]) -> Response {
    let lines: Vec<String> = slugs
        .iter()
        .map(|slug| format!("`{}`: {}", slug.entry().slug, slug.entry().meaning))
        .collect();
    let schema = Ref::from_schema_name(ProblemBody::name());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new()
        .description(lines.join("\n\n"))
        .content("application/problem+json", content)
        .build()
}
