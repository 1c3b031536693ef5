//! The description of the API, made from the routes themselves.

use crate::{
    dialect::Dialect,
    http::{
        error::{ErrorBody, component, references},
        limits::X_API_KEY,
    },
    market, marketplace,
    network::NetworkSegment,
    operation, paymaster, trade,
};
use primitives::OrImpossible as _;
use serde_json::{Value, json};
use utoipa::{
    PartialSchema as _, ToSchema as _,
    openapi::{
        Header, HeaderBuilder, OpenApi, PathItem, Ref, RefOr, Response, Type,
        path::Operation,
        schema::ObjectBuilder,
        security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme},
    },
};

/// A header of every answer: its name, type and meaning.
type CommonHeader = (&'static str, Type, &'static str);

const REQUEST_ID: CommonHeader = (
    "X-Request-Id",
    Type::String,
    "The request's id: the one that was sent, or a new one.",
);

const RATE_LIMIT: [CommonHeader; 3] = [
    (
        "X-RateLimit-Limit",
        Type::Integer,
        "Requests in one window.",
    ),
    (
        "X-RateLimit-Remaining",
        Type::Integer,
        "Requests left in this window.",
    ),
    (
        "X-RateLimit-Reset",
        Type::Integer,
        "When the window ends, in seconds since 1970 UTC.",
    ),
];

/// The same headers where limits are buckets.
const BUCKET: [CommonHeader; 3] = [
    (
        "X-RateLimit-Limit",
        Type::Integer,
        "Requests that a full bucket holds.",
    ),
    (
        "X-RateLimit-Remaining",
        Type::Integer,
        "Requests left in the bucket.",
    ),
    (
        "X-RateLimit-Reset",
        Type::Integer,
        "When the bucket is full again, in seconds since 1970 UTC.",
    ),
];

const CACHING: [CommonHeader; 3] = [
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

/// The documents as they are kept in the repository: the default network, in
/// the plain dialect.
pub fn openapi_documents() -> Vec<(&'static str, String)> {
    documents(&NetworkSegment::default(), Dialect::default())
}

/// Each document's file name and text.
pub(crate) fn documents(network: &NetworkSegment, dialect: Dialect) -> Vec<(&'static str, String)> {
    let mut trade = trade::routes(network).into_openapi();
    let mut market = market::routes().into_openapi();
    if dialect.unknown_token_is_not_found() {
        add_not_found(&mut market);
    }
    add_caching(&mut market);
    for document in [&mut trade, &mut market] {
        add_refusals(document);
        add_key(document);
        for header in RATE_LIMIT {
            add_header(document, header);
        }
    }
    let mut paymaster = paymaster::document();
    for header in RATE_LIMIT {
        add_header(&mut paymaster, header);
    }
    let mut operation = operation::routes().into_openapi();
    add_bad_request(&mut operation);
    let documents = [
        ("trade.json", trade),
        ("market.json", market),
        ("paymaster.json", paymaster),
        ("operation.json", operation),
    ];
    let mut texts: Vec<_> = documents
        .into_iter()
        .map(|(name, mut document)| {
            add_header(&mut document, REQUEST_ID);
            let mut document = as_json(&document);
            if dialect.absent_is_null() {
                add_nulls(&mut document);
            }
            if !dialect.has_additions() {
                remove_additions(&mut document);
            }
            (name, format!("{:#}\n", dialect.translate(document)))
        })
        .collect();
    texts.push(("marketplace.json", marketplace_document()));
    texts
}

fn as_json(document: &OpenApi) -> Value {
    let json = serde_json::to_value(document);
    json.or_impossible("a description can be written")
        .unwrap_or_default()
}

/// The marketplace has no dialects, and its refusals come from its own table,
/// which is part of the document.
fn marketplace_document() -> String {
    let mut document = marketplace::document();
    for header in BUCKET.into_iter().chain([REQUEST_ID]) {
        add_header(&mut document, header);
    }
    let mut document = as_json(&document);
    if let Some(members) = document.as_object_mut() {
        members.insert("x-problems".to_owned(), marketplace::slugs());
    }
    format!("{document:#}\n")
}

/// Adds the refusals that operations refer to.
fn add_refusals(document: &mut OpenApi) {
    let operations = document.paths.paths.values_mut().flat_map(operations);
    let statuses = operations.flat_map(|operation| operation.responses.responses.keys());
    let refusals: Vec<_> = statuses.filter_map(|status| component(status)).collect();
    let components = document.components.get_or_insert_default();
    components.responses.extend(refusals);
}

/// What operations without any input answer to a request that is none.
fn add_bad_request(document: &mut OpenApi) {
    for operation in document.paths.paths.values_mut().flat_map(operations) {
        operation.responses.responses.extend(references(&["400"]));
    }
    let components = document.components.get_or_insert_default();
    let schema = (ErrorBody::name().into_owned(), ErrorBody::schema());
    components.schemas.extend([schema]);
    components.responses.extend(component("400"));
}

/// What a path with a token answers when there is no such token.
fn add_not_found(document: &mut OpenApi) {
    let paths = document.paths.paths.iter_mut();
    let of_tokens = paths.filter(|(path, _)| path.contains("{tokenAddress}"));
    for operation in of_tokens.flat_map(|(_, item)| operations(item)) {
        operation.responses.responses.extend(references(&["404"]));
    }
}

/// What is null where it would otherwise be absent.
fn add_nulls(document: &mut Value) {
    for (schema, key) in market::ABSENT {
        let Some(schema) = document.pointer_mut(&format!("/components/schemas/{schema}")) else {
            continue;
        };
        if let Some(property) = schema.pointer_mut(&format!("/properties/{key}")) {
            *property = json!({"oneOf": [{"type": "null"}, property.take()]});
        }
        let required = schema.get_mut("required").and_then(Value::as_array_mut);
        if let Some(required) = required.filter(|it| !it.contains(&json!(key))) {
            required.push(json!(key));
        }
    }
}

/// Takes out what only the plain dialect has.
fn remove_additions(document: &mut Value) {
    let Some(schemas) = document.pointer_mut("/components/schemas") else {
        return;
    };
    if let Some(schemas) = schemas.as_object_mut() {
        schemas.remove(trade::ADDED_SCHEMA);
    }
    for (schema, key) in trade::ADDED.into_iter().chain(market::ADDED) {
        let Some(schema) = schemas.get_mut(schema) else {
            continue;
        };
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        if let Some(properties) = properties {
            properties.remove(key);
        }
        let required = schema.get_mut("required").and_then(Value::as_array_mut);
        if let Some(required) = required {
            required.retain(|it| it != key);
        }
    }
}

/// Documents the headers of answers that callers can keep.
fn add_caching(document: &mut OpenApi) {
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

/// The key that raises the limit.
fn add_key(document: &mut OpenApi) {
    let key = ApiKeyValue::with_description(X_API_KEY.as_str(), "Optional: raises the rate limit.");
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("apiKey", SecurityScheme::ApiKey(ApiKey::Header(key)));
    document.security = Some(vec![
        SecurityRequirement::default(),
        SecurityRequirement::new::<_, [&str; 0], &str>("apiKey", []),
    ]);
}

/// Documents a header on every answer of every operation.
fn add_header(document: &mut OpenApi, (name, kind, description): CommonHeader) {
    let header = described(kind, description);
    let components = document.components.get_or_insert_default();
    components.headers.insert(name.to_owned(), header.into());
    let operations = document.paths.paths.values_mut().flat_map(operations);
    let answers = operations.flat_map(|operation| operation.responses.responses.values_mut());
    for answer in answers.chain(components.responses.values_mut()) {
        if let RefOr::T(Response { headers, .. }) = answer {
            let reference = Ref::new(format!("#/components/headers/{name}"));
            headers.insert(name.to_owned(), RefOr::Ref(reference));
        }
    }
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
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
