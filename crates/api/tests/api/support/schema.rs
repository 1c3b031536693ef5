//! Whether a value is what a schema of the documents says, and has nothing that it
//! does not say.

use serde_json::{Map, Value};

/// What is wrong with a value, and where.
pub(crate) fn check(value: &Value, schema: &Value, document: &Value) -> Result<(), String> {
    Checker {
        document,
        knows_all: true,
    }
    .value(value, schema)
    .map_err(|(place, problem)| format!("at {place}/: {problem}"))
}

type Checked = Result<(), (String, String)>;

#[derive(Clone, Copy)]
struct Checker<'d> {
    document: &'d Value,
    /// Whether the schema has all properties; one of several that hold together does not.
    knows_all: bool,
}

impl Checker<'_> {
    fn value(self, value: &Value, schema: &Value) -> Checked {
        if let Some(reference) = schema["$ref"].as_str() {
            let pointer = reference.trim_start_matches('#');
            return self.value(value, self.document.pointer(pointer).unwrap());
        }
        let part = Self {
            knows_all: false,
            ..self
        };
        for all in list(&schema["allOf"]) {
            part.value(value, all)?;
        }
        for name in ["oneOf", "anyOf"] {
            let mut problems = list(&schema[name]).map(|one| self.value(value, one));
            if let Some(Err(first)) = problems.next()
                && !problems.any(|it| it.is_ok())
            {
                return Err(first);
            }
        }
        let kinds = &schema["type"];
        let is_one = |kind: &Value| is(value, kind.as_str().unwrap());
        let is_of_kind = kinds.is_null()
            || kinds
                .as_array()
                .map_or_else(|| is_one(kinds), |all| all.iter().any(is_one));
        let words = schema["enum"].as_array();
        if !is_of_kind || words.is_some_and(|words| !words.contains(value)) {
            return wrong(format!("{value} is not {kinds} {}", schema["enum"]));
        }
        match value {
            Value::Object(fields) => self.object(fields, schema),
            Value::Array(items) if schema["items"].is_object() => items
                .iter()
                .try_for_each(|item| within("[]", self.value(item, &schema["items"]))),
            _ => Ok(()),
        }
    }

    fn object(self, fields: &Map<String, Value>, schema: &Value) -> Checked {
        for name in list(&schema["required"]) {
            if !fields.contains_key(name.as_str().unwrap()) {
                return wrong(format!("{name} is missing"));
            }
        }
        let further = &schema["additionalProperties"];
        for (name, field) in fields {
            let property = &schema["properties"][name];
            let checked = if !property.is_null() {
                self.value(field, property)
            } else if further.is_object() {
                self.value(field, further)
            } else if self.knows_all && schema["properties"].is_object() {
                wrong("nothing is said of it".to_owned())
            } else {
                Ok(())
            };
            within(name, checked)?;
        }
        Ok(())
    }
}

fn wrong(problem: String) -> Checked {
    Err((String::new(), problem))
}

fn within(name: &str, checked: Checked) -> Checked {
    checked.map_err(|(place, problem)| (format!("/{name}{place}"), problem))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}
