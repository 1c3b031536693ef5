//! The description of the API, made from the routes themselves.

use crate::{
    dialect::Dialect, error::ErrorAnswers, limits::X_API_KEY, network::NetworkSegment, operation,
    trade,
};
use serde_json::Value;
use utoipa::openapi::{
    HeaderBuilder, OpenApi, PathItem, Ref, RefOr, Response, Type,
    path::Operation,
    schema::ObjectBuilder,
    security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme},
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

/// The documents as they are kept in the repository: the default network, in
/// the plain dialect.
pub fn openapi_documents() -> Vec<(&'static str, String)> {
    documents(&NetworkSegment::default(), Dialect::default())
}

/// Each document's file name and text.
pub(crate) fn documents(network: &NetworkSegment, dialect: Dialect) -> Vec<(&'static str, String)> {
    let mut trade = trade::routes(network).into_openapi();
    add_refusals(&mut trade);
    add_key(&mut trade);
    for header in RATE_LIMIT {
        add_header(&mut trade, header);
    }
    let operation = operation::routes().into_openapi();
    [("trade.json", trade), ("operation.json", operation)]
        .into_iter()
        .map(|(name, mut document)| {
            add_header(&mut document, REQUEST_ID);
            let document = serde_json::to_value(document).unwrap_or(Value::Null);
            (name, format!("{:#}\n", dialect.translate(document)))
        })
        .collect()
}

fn add_refusals(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    components.responses.extend(ErrorAnswers::components());
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
    let header = HeaderBuilder::new()
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(kind)))
        .build();
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
