//! Envelopes that refer to what is in them. They are generic, and the description of
//! a generic type repeats what it is made of.

use serde_json::{Map, Value, json};

/// Puts references in the place of repetitions.
pub(super) fn refer(document: &mut Value) {
    let schemas = document.pointer_mut("/components/schemas");
    let Some(schemas) = schemas.and_then(Value::as_object_mut) else {
        return;
    };
    let known = schemas.clone();
    for schema in schemas.values_mut() {
        for place in ["/properties/data", "/properties/data/items"] {
            let within = schema.pointer_mut(place);
            if let Some((within, name)) = within.and_then(|it| named(it, &known)) {
                *within = json!({"$ref": format!("#/components/schemas/{name}")});
            }
        }
    }
}

/// The name of a schema that is repeated.
fn named<'a, 'k>(
    repeated: &'a mut Value,
    known: &'k Map<String, Value>,
) -> Option<(&'a mut Value, &'k str)> {
    let found = known.iter().find(|(_, schema)| *schema == repeated);
    found.map(|(name, _)| (repeated, name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_repeated_is_referred_to() {
        let thing = json!({"type": "object", "description": "A thing."});
        let envelope = |data: Value| json!({"properties": {"data": data}});
        let mut document = json!({"components": {"schemas": {
            "Thing": thing, "Data_Thing": envelope(thing.clone()),
            "List_Thing": envelope(json!({"items": thing})),
            "Other": envelope(json!({"type": "string"})),
        }}});
        refer(&mut document);
        let reference = json!({"$ref": "#/components/schemas/Thing"});
        assert_eq!(
            document,
            json!({"components": {"schemas": {
                "Thing": thing, "Data_Thing": envelope(reference.clone()),
                "List_Thing": envelope(json!({"items": reference})),
                "Other": envelope(json!({"type": "string"})),
            }}})
        );
    }
}
