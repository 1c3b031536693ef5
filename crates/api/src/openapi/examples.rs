//! Examples of bodies: what the program was sent and answered in its own tests.
//!
//! `examples.json` has them by operation. `cargo xtask examples` picks them from
//! what the tests have seen, and says when one of them is no longer like that.

use primitives::OrImpossible as _;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// By operation: `request`, and `answers` by status and kind.
static KEPT: LazyLock<Value> = LazyLock::new(|| {
    let kept = serde_json::from_str(include_str!("examples.json"));
    kept.or_impossible("the kept examples are JSON")
        .unwrap_or_default()
});

/// Adds an example to every body of a document that has one.
pub(super) fn add(document: &mut Value) {
    let mut paths = document
        .get_mut("paths")
        .map(Value::take)
        .unwrap_or_default();
    let items = paths.as_object_mut().into_iter().flatten();
    let operations = items.flat_map(|(_, item)| item.as_object_mut().into_iter().flatten());
    for (_, operation) in operations {
        add_to_operation(operation, document);
    }
    if let Some(members) = document.as_object_mut() {
        members.insert("paths".to_owned(), paths);
    }
}

fn add_to_operation(operation: &mut Value, document: &Value) {
    let id = operation.get("operationId").and_then(Value::as_str);
    let Some(kept) = id.and_then(|id| KEPT.get(id)) else {
        return;
    };
    if let Some(body) = operation.pointer_mut("/requestBody/content/application~1json") {
        put(body, kept.get("request"), document);
    }
    let answers = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut);
    for (status, answer) in answers.into_iter().flatten() {
        let kinds = answer.get_mut("content").and_then(Value::as_object_mut);
        for (kind, body) in kinds.into_iter().flatten() {
            let kept = kept
                .get("answers")
                .and_then(|all| all.get(status)?.get(kind));
            put(body, kept, document);
        }
    }
}

fn put(body: &mut Value, example: Option<&Value>, document: &Value) {
    let (Some(body), Some(example)) = (body.as_object_mut(), example) else {
        return;
    };
    let schema = body.get("schema").unwrap_or(&Value::Null);
    let example = fitted(example.clone(), schema, document);
    body.insert("example".to_owned(), example);
}

/// The same as a dialect has it, whose schemas have fewer properties and more nulls.
fn fitted(example: Value, schema: &Value, document: &Value) -> Value {
    let schema = named(schema, document);
    match example {
        Value::Array(items) => {
            let of_items = schema.get("items").unwrap_or(&Value::Null);
            let items = items.into_iter();
            items.map(|item| fitted(item, of_items, document)).collect()
        }
        Value::Object(fields) => match schema.get("properties").and_then(Value::as_object) {
            Some(properties) => fitted_object(fields, properties, schema, document),
            None => Value::Object(fields),
        },
        plain => plain,
    }
}

fn fitted_object(
    mut fields: Map<String, Value>,
    properties: &Map<String, Value>,
    schema: &Value,
    document: &Value,
) -> Value {
    let required = schema.get("required").and_then(Value::as_array);
    let required: Vec<&str> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let told = properties.iter().filter_map(|(name, property)| {
        let field = match fields.remove(name) {
            Some(field) => fitted(field, property, document),
            None if required.contains(&name.as_str()) => Value::Null,
            None => return None,
        };
        Some((name.clone(), field))
    });
    Value::Object(told.collect())
}

/// The schema that is meant: behind a reference, or the one beside null.
fn named<'a>(schema: &'a Value, document: &'a Value) -> &'a Value {
    let alternatives = schema.get("oneOf").and_then(Value::as_array);
    if let Some([null, other]) = alternatives.map(Vec::as_slice)
        && null.get("type").is_some_and(|kind| kind == "null")
    {
        return named(other, document);
    }
    let reference = schema.get("$ref").and_then(Value::as_str);
    let pointer = reference.and_then(|reference| reference.strip_prefix('#'));
    pointer.map_or(schema, |pointer| {
        document.pointer(pointer).unwrap_or(&Value::Null)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_example_has_what_its_schema_has() {
        let document = json!({"components": {"schemas": {"Thing": {
            "properties": {"kept": {}, "null": {}, "absent": {}},
            "required": ["kept", "null"],
        }}}});
        let reference = json!({"$ref": "#/components/schemas/Thing"});
        let example = json!({"kept": {"free": 1}, "removed": 2});
        let expected = json!({"kept": {"free": 1}, "null": null});
        for (schema, example, expected) in [
            (reference.clone(), example.clone(), expected.clone()),
            (
                json!({"items": {"oneOf": [{"type": "null"}, reference]}}),
                json!([example]),
                json!([expected]),
            ),
            (json!({"type": "object"}), example.clone(), example),
        ] {
            assert_eq!(fitted(example, &schema, &document), expected);
        }
    }
}
