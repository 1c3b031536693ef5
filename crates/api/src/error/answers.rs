//! The refusals that any operation may answer with, for the documentation.

use super::body::ErrorBody;
use std::collections::BTreeMap;
use utoipa::{
    IntoResponses, ToSchema,
    openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder},
};

/// Documentation of the refusals.
pub(crate) struct ErrorAnswers;

/// Status, name and meaning.
const ANSWERS: [(&str, &str, &str); 6] = [
    (
        "400",
        "Invalid",
        "A value is wrong; the messages say which and what is allowed.",
    ),
    ("401", "UnknownKey", "The `x-api-key` is not a valid key."),
    ("404", "NotFound", "There is no such thing."),
    (
        "429",
        "TooManyRequests",
        "The caller's requests of this window are used up; `Retry-After` says for how long.",
    ),
    ("500", "Internal", "Something went wrong on our side."),
    (
        "503",
        "Unavailable",
        "No block has been read yet, or the answer took too long; `Retry-After` says when to ask again.",
    ),
];

impl ErrorAnswers {
    /// The answers that operations refer to, by name.
    pub(crate) fn components() -> impl Iterator<Item = (String, RefOr<Response>)> {
        ANSWERS.into_iter().map(|(_, name, description)| {
            let schema = Ref::from_schema_name(ErrorBody::name());
            let content = ContentBuilder::new().schema(Some(schema)).build();
            let response = ResponseBuilder::new()
                .description(description)
                .content("application/json", content);
            (name.to_owned(), response.build().into())
        })
    }
}

impl IntoResponses for ErrorAnswers {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        ANSWERS
            .into_iter()
            .map(|(status, name, _)| (status.to_owned(), Ref::from_response_name(name).into()))
            .collect()
    }
}
