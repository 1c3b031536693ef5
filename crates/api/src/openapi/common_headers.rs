//! Headers that many answers have.

use utoipa::openapi::{
    Header, HeaderBuilder, OpenApi, PathItem, Ref, RefOr, Response, Type, path::Operation,
    schema::ObjectBuilder,
};

/// A header of every answer.
pub(super) struct CommonHeader {
    name: &'static str,
    /// What operations refer to it by.
    component: &'static str,
    kind: Type,
    description: &'static str,
}

pub(super) const REQUEST_ID: CommonHeader = CommonHeader {
    name: "X-Request-Id",
    component: "RequestId",
    kind: Type::String,
    description: "The request's id: the one that was sent, or a new one.",
};

pub(super) const RATE_LIMIT: [CommonHeader; 3] = [
    CommonHeader {
        name: "X-RateLimit-Limit",
        component: "WindowLimit",
        kind: Type::Integer,
        description: "Requests in one window.",
    },
    CommonHeader {
        name: "X-RateLimit-Remaining",
        component: "WindowRemaining",
        kind: Type::Integer,
        description: "Requests left in this window.",
    },
    CommonHeader {
        name: "X-RateLimit-Reset",
        component: "WindowReset",
        kind: Type::Integer,
        description: "When the window ends, in seconds since 1970 UTC.",
    },
];

/// The same headers where limits are buckets.
pub(super) const BUCKET: [CommonHeader; 3] = [
    CommonHeader {
        name: "X-RateLimit-Limit",
        component: "BucketLimit",
        kind: Type::Integer,
        description: "Requests that a full bucket holds.",
    },
    CommonHeader {
        name: "X-RateLimit-Remaining",
        component: "BucketRemaining",
        kind: Type::Integer,
        description: "Requests left in the bucket.",
    },
    CommonHeader {
        name: "X-RateLimit-Reset",
        component: "BucketReset",
        kind: Type::Integer,
        description: "When the bucket is full again, in seconds since 1970 UTC.",
    },
];

/// Of answers that callers can keep: name, type and meaning.
const CACHING: [(&str, Type, &str); 3] = [
    (
        "ETag",
        Type::String,
        "Changes with the content; send it as `If-None-Match` to be told whether it has changed.",
    ),
    (
        "Cache-Control",
        Type::String,
        "`public, max-age=60` if everything in the answer has ended, otherwise `no-cache`.",
    ),
    (
        "X-Partial-Bucket",
        Type::String,
        "The `date` of the bucket that has not ended yet, if the answer has it.",
    ),
];

/// Documents a header on every answer of every operation.
pub(super) fn add(document: &mut OpenApi, header: CommonHeader) {
    let described = described(header.kind, header.description);
    let components = document.components.get_or_insert_default();
    let component = header.component.to_owned();
    components.headers.insert(component, described.into());
    let operations = document.paths.paths.values_mut().flat_map(operations);
    let answers = operations.flat_map(|operation| operation.responses.responses.values_mut());
    for answer in answers.chain(components.responses.values_mut()) {
        if let RefOr::T(Response { headers, .. }) = answer {
            let reference = Ref::new(format!("#/components/headers/{}", header.component));
            headers.insert(header.name.to_owned(), RefOr::Ref(reference));
        }
    }
}

/// Documents the headers of answers that callers can keep.
pub(super) fn add_caching(document: &mut OpenApi) {
    for operation in document.paths.paths.values_mut().flat_map(operations) {
        let answers = &mut operation.responses.responses;
        if !answers.contains_key("304") {
            continue;
        }
        for status in ["200", "304"] {
            if let Some(RefOr::T(answer)) = answers.get_mut(status) {
                let headers = CACHING.map(|(name, kind, description)| {
                    (name.to_owned(), described(kind, description).into())
                });
                answer.headers.extend(headers);
            }
        }
    }
}

fn described(kind: Type, description: &str) -> Header {
    HeaderBuilder::new()
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(kind)))
        .build()
}

pub(super) fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [
        &mut item.get,
        &mut item.post,
        &mut item.put,
        &mut item.patch,
        &mut item.delete,
    ]
    .into_iter()
    .filter_map(Option::as_mut)
}
