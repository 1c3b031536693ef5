//! The refusals that any operation may answer with, for the documentation.

use super::body::ErrorBody;
use std::collections::BTreeMap;
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder},
};

/// Refusals of an operation that takes no input.
pub(crate) struct PlainAnswers;

/// Refusals of an operation that no limit counts.
pub(crate) struct FreeAnswers;

/// Refusals of an operation with a query.
pub(crate) struct QueryAnswers;

/// Refusals of an operation with a body.
pub(crate) struct BodyAnswers;

/// Refusals of an operation that may find nothing.
pub(crate) struct ErrorAnswers;

/// Refusals of an operation with a body that may find nothing.
pub(crate) struct FindingBodyAnswers;

/// Status, name and meaning.
const ANSWERS: [(&str, &str, &str); 9] = [
    (
        "400",
        "Invalid",
        "A value is wrong; the messages say which and what is allowed. Or the request does not have exactly one `Host` header.",
    ),
    ("401", "UnknownKey", "The `x-api-key` is not a valid key."),
    ("404", "NotFound", "There is no such thing."),
    (
        "408",
        "SlowBody",
        "The body did not arrive in the time that a request may take.",
    ),
    ("413", "TooLarge", "The body is larger than is read."),
    (
        "415",
        "NotJson",
        "The body is not declared to be JSON, or has a `Content-Encoding`.",
    ),
    (
        "429",
        "TooManyRequests",
        "The caller's requests of this window are used up, or it has too many streams open; `Retry-After` says when to ask again.",
    ),
    ("500", "Internal", "Something went wrong on our side."),
    (
        "503",
        "Unavailable",
        "No block has been read yet, the newest one is too old to trade on, the answer took too long, or too much is asked for; `Retry-After` says when to ask again.",
    ),
];

/// A refusal that operations refer to, and its name.
pub(crate) fn component(status: &str) -> Option<(String, RefOr<Response>)> {
    let (_, name, description) = ANSWERS.iter().find(|(it, ..)| *it == status)?;
    let schema = Ref::from_schema_name(ErrorBody::name());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let response = ResponseBuilder::new()
        .description(*description)
        .content("application/json", content);
    Some(((*name).to_owned(), response.build().into()))
}

/// References to the refusals of these statuses.
pub(crate) fn references(statuses: &[&str]) -> BTreeMap<String, RefOr<Response>> {
    ANSWERS
        .into_iter()
        .filter(|(status, ..)| statuses.contains(status))
        .map(|(status, name, _)| (status.to_owned(), Ref::from_response_name(name).into()))
        .collect()
}

impl IntoResponses for PlainAnswers {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        references(&["400", "401", "429", "500", "503"])
    }
}

impl IntoResponses for FreeAnswers {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        references(&["400", "503"])
    }
}

impl IntoResponses for QueryAnswers {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        references(&["400", "401", "429", "500", "503"])
    }
}

impl IntoResponses for BodyAnswers {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        references(&["400", "401", "408", "413", "415", "429", "500", "503"])
    }
}

impl IntoResponses for ErrorAnswers {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        references(&["400", "401", "404", "429", "500", "503"])
    }
}

impl IntoResponses for FindingBodyAnswers {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        references(&[
            "400", "401", "404", "408", "413", "415", "429", "500", "503",
        ])
    }
}
