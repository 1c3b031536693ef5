//! The document of everything: all parts in one.

use serde_json::{Map, Value, json};

/// What the title of each part begins with.
const PREFIX: &str = "Stoa: ";

/// Puts parts together. What they call the same is the same.
pub(super) fn of(parts: &[(&'static str, Value)]) -> Value {
    let mut whole = Map::new();
    let mut texts = Vec::new();
    for (_, part) in parts {
        texts.push(introduction(part));
        let Some(members) = part.as_object() else {
            continue;
        };
        for (name, member) in members {
            match name.as_str() {
                "tags" => add_tags(&mut whole, member),
                "paths" => add_paths(&mut whole, member, part.get("security")),
                // Each operation has its own.
                "security" => {}
                "components" => add_components(&mut whole, member),
                _ => {
                    whole.entry(name.clone()).or_insert_with(|| member.clone());
                }
            }
        }
    }
    if let Some(info) = whole.get_mut("info").and_then(Value::as_object_mut) {
        info.insert("title".to_owned(), json!("Stoa"));
        info.insert("description".to_owned(), json!(texts.join("\n\n")));
    }
    Value::Object(whole)
}

/// What a part says of itself, with its name.
fn introduction(part: &Value) -> String {
    let text = |name: &str| {
        let text = part.pointer(&format!("/info/{name}"));
        text.and_then(Value::as_str).unwrap_or_default()
    };
    let title = text("title").trim_start_matches(PREFIX);
    format!("**{title}**: {}", text("description"))
}

fn add_tags(whole: &mut Map<String, Value>, tags: &Value) {
    let all = whole.entry("tags").or_insert_with(|| json!([]));
    if let (Some(all), Some(tags)) = (all.as_array_mut(), tags.as_array()) {
        let new: Vec<_> = tags.iter().filter(|tag| !all.contains(tag)).collect();
        all.extend(new.into_iter().cloned());
    }
}

/// Parts may share a path, never an operation.
fn add_paths(whole: &mut Map<String, Value>, paths: &Value, security: Option<&Value>) {
    let security = security.cloned().unwrap_or_default();
    for (path, item) in entries(paths) {
        for (method, operation) in entries(item) {
            let mut operation = operation.clone();
            if let Some(operation) = operation.as_object_mut() {
                operation
                    .entry("security")
                    .or_insert_with(|| security.clone());
            }
            put(put_object(whole, "paths"), path, method, operation);
        }
    }
}

fn add_components(whole: &mut Map<String, Value>, components: &Value) {
    let all = put_object(whole, "components");
    for (kind, named) in entries(components) {
        for (name, component) in entries(named) {
            put(all, kind, name, component.clone());
        }
    }
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The object of a name, which is made if it is not there.
fn put_object<'a>(within: &'a mut Map<String, Value>, name: &str) -> &'a mut Value {
    within.entry(name).or_insert_with(|| json!({}))
}

fn put(within: &mut Value, outer: &str, inner: &str, value: Value) {
    if let Some(within) = within.as_object_mut()
        && let Some(object) = put_object(within, outer).as_object_mut()
    {
        object.insert(inner.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_the_security_of_their_part() {
        let part = |path: &str, security: Value| {
            let mut part = json!({
                "info": {"title": "Stoa: x", "description": "y"},
                "tags": [{"name": "X"}],
                "paths": {path: {"get": {}}},
                "components": {"schemas": {path: {}}},
            });
            part["security"] = security;
            ("x.json", part)
        };
        let whole = of(&[part("/a", json!([{"key": []}])), part("/b", json!([]))]);
        assert_eq!(
            whole["paths"],
            json!({
                "/a": {"get": {"security": [{"key": []}]}},
                "/b": {"get": {"security": []}},
            })
        );
        assert_eq!(
            whole["components"],
            json!({"schemas": {"/a": {}, "/b": {}}})
        );
        assert_eq!(whole["tags"], json!([{"name": "X"}]));
        assert_eq!(whole["info"]["description"], "**x**: y\n\n**x**: y");
        assert!(whole.get("security").is_none());
    }
}
