//! What the documents say otherwise in another dialect.

use super::common_headers::operations;
use crate::{dialect::Dialect, http::error::references, market, trade};
use serde_json::{Value, json};
use utoipa::openapi::OpenApi;

/// What a path with a token answers when there is no such token.
pub(super) fn add_not_found(document: &mut OpenApi) {
    let paths = document.paths.paths.iter_mut();
    let of_tokens = paths.filter(|(path, _)| path.contains("{tokenAddress}"));
    for operation in of_tokens.flat_map(|(_, item)| operations(item)) {
        operation.responses.responses.extend(references(&["404"]));
    }
}

/// Makes the schemas those of a dialect; its names come later.
pub(super) fn change_schemas(dialect: Dialect, document: &mut Value) {
    if dialect.absent_is_null() {
        add_nulls(document);
    }
    if !dialect.has_additions() {
        remove_additions(document);
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
