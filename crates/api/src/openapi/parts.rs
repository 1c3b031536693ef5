//! The document of each part.

use super::{
    common_headers::{self, BUCKET, RATE_LIMIT, REQUEST_ID, operations},
    dialect_changes, envelopes, examples,
};
use crate::{
    dialect::Dialect,
    http::{
        error::{ErrorBody, component},
        limits::X_API_KEY,
    },
    market, marketplace,
    network::NetworkSegment,
    operation, paymaster, trade,
};
use primitives::OrImpossible as _;
use serde_json::Value;
use utoipa::{
    PartialSchema as _, ToSchema as _,
    openapi::{
        OpenApi, ServerBuilder,
        security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme},
    },
};

/// Each part's file name and document.
pub(super) fn parts(network: &NetworkSegment, dialect: Dialect) -> Vec<(&'static str, Value)> {
    let documents = [
        ("trade.json", trade_document(network)),
        ("market.json", market_document(dialect)),
        ("paymaster.json", paymaster_document()),
        ("operation.json", operation_document()),
    ];
    let mut parts: Vec<_> = documents
        .into_iter()
        .map(|(name, document)| {
            let mut document = as_json(document);
            dialect_changes::change_schemas(dialect, &mut document);
            examples::add(&mut document);
            (name, dialect.translate(document))
        })
        .collect();
    parts.push(("marketplace.json", marketplace_document()));
    parts
}

fn as_json(mut document: OpenApi) -> Value {
    common_headers::add(&mut document, REQUEST_ID);
    let here = ServerBuilder::new().url("/");
    let here = here.description(Some("The service that this document is read from."));
    document.servers = Some(vec![here.build()]);
    // Where nothing is needed, that is said.
    document.security.get_or_insert_default();
    let json = serde_json::to_value(document);
    json.or_impossible("a description can be written")
        .unwrap_or_default()
}

fn trade_document(network: &NetworkSegment) -> OpenApi {
    let mut document = trade::routes(network).into_openapi();
    add_windows(&mut document);
    document
}

fn market_document(dialect: Dialect) -> OpenApi {
    let mut document = market::routes().into_openapi();
    if dialect.unknown_token_is_not_found() {
        dialect_changes::add_not_found(&mut document);
    }
    add_windows(&mut document);
    document.merge(market::pictures().into_openapi());
    common_headers::add_caching(&mut document);
    document
}

fn paymaster_document() -> OpenApi {
    let mut document = paymaster::document();
    for header in RATE_LIMIT {
        common_headers::add(&mut document, header);
    }
    document
}

fn operation_document() -> OpenApi {
    let mut document = operation::routes().into_openapi();
    add_bad_request(&mut document);
    document
}

/// The marketplace has no dialects, and its refusals come from its own table,
/// which is part of the document.
fn marketplace_document() -> Value {
    let mut document = marketplace::document();
    for header in BUCKET {
        common_headers::add(&mut document, header);
    }
    let mut document = as_json(document);
    if let Some(members) = document.as_object_mut() {
        members.insert("x-problems".to_owned(), marketplace::slugs());
    }
    envelopes::refer(&mut document);
    examples::add(&mut document);
    document
}

/// What an API has whose requests count against a window.
fn add_windows(document: &mut OpenApi) {
    add_refusals(document);
    add_key(document);
    for header in RATE_LIMIT {
        common_headers::add(document, header);
    }
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
        // Not by reference: where requests are counted, it has other headers.
        let refusal = component("400").map(|(_, refusal)| ("400".to_owned(), refusal));
        operation.responses.responses.extend(refusal);
    }
    let components = document.components.get_or_insert_default();
    let schema = (ErrorBody::name().into_owned(), ErrorBody::schema());
    components.schemas.extend([schema]);
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
