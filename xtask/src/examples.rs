//! Examples of bodies for the documents, from what the tests have seen.
//!
//! The tests append a line for each answer that is as documented and short enough:
//! `example {"operation": …, "status": …, "kind": …, "request": …, "answer": …}`.
//! Kept examples stay as long as such an answer has been seen again: with the same
//! fields, of the same kinds.

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const KEPT: &str = "crates/api/src/openapi/examples.json";

/// Operation, status and kind of an answer.
type Of = (String, String, String);

/// Writes examples anew, or only says which are not as they should be.
pub(crate) fn run(seen: &Path, writes: bool) -> Result<()> {
    let seen = fs::read_to_string(seen)
        .with_context(|| format!("{}: no test has noted an answer", seen.display()))?;
    let seen = candidates(&seen)?;
    let kept = fs::read_to_string(KEPT).context(KEPT)?;
    let kept: Value = serde_json::from_str(&kept).context(KEPT)?;
    if writes {
        fs::write(KEPT, format!("{:#}\n", picked(&seen, &kept))).context(KEPT)?;
        return Ok(());
    }
    let old = outdated(&seen, &kept);
    if old.is_empty() {
        println!("all examples of the documents are like answers that were seen");
        return Ok(());
    }
    bail!(
        "no test has seen answers like these examples; `cargo xtask examples FILE --write` \
         picks others:\n  {}",
        old.join("\n  ")
    )
}

/// What was seen, by what it is an example of.
fn candidates(seen: &str) -> Result<BTreeMap<Of, Vec<Value>>> {
    let mut candidates: BTreeMap<Of, Vec<Value>> = BTreeMap::new();
    for line in seen
        .lines()
        .filter_map(|line| line.strip_prefix("example "))
    {
        let example: Value = serde_json::from_str(line).context("an example that was seen")?;
        let text = |name: &str| example[name].as_str().unwrap_or_default().to_owned();
        let of = (text("operation"), text("status"), text("kind"));
        candidates.entry(of).or_default().push(example);
    }
    Ok(candidates)
}

/// The kept examples that are still seen, and the best of the others: those with the
/// most fields, and of these the shortest.
fn picked(seen: &BTreeMap<Of, Vec<Value>>, kept: &Value) -> Value {
    let mut all = Map::new();
    for (of, examples) in seen {
        let (operation, status, kind) = of;
        let old = kept_example(kept, of);
        let old = old.filter(|old| examples.iter().any(|it| is_alike(it, old)));
        let best = examples.iter().min_by_key(|it| {
            let fields = shape(it).len();
            let text = it.to_string();
            (usize::MAX - fields, text.len(), text)
        });
        let Some(example) = old.or_else(|| best.cloned()) else {
            continue;
        };
        let entry = all
            .entry(operation)
            .or_insert_with(|| json!({"answers": {}}));
        entry["answers"][status][kind] = example["answer"].clone();
        if !example["request"].is_null() {
            entry["request"] = example["request"].clone();
        }
    }
    Value::Object(all)
}

/// Kept examples that are not like anything that was seen.
fn outdated(seen: &BTreeMap<Of, Vec<Value>>, kept: &Value) -> Vec<String> {
    let mut old = Vec::new();
    for (operation, entry) in kept.as_object().into_iter().flatten() {
        for (status, kinds) in entry["answers"].as_object().into_iter().flatten() {
            for kind in kinds.as_object().into_iter().flat_map(Map::keys) {
                let of = (operation.clone(), status.clone(), kind.clone());
                let example = kept_example(kept, &of).unwrap_or_default();
                let examples = seen.get(&of).map(Vec::as_slice).unwrap_or_default();
                if !examples.iter().any(|it| is_alike(it, &example)) {
                    old.push(format!("{operation} {status} {kind}"));
                }
            }
        }
    }
    old
}

/// What is kept, as the tests note it.
fn kept_example(kept: &Value, (operation, status, kind): &Of) -> Option<Value> {
    let entry = kept.get(operation)?;
    let answer = entry["answers"].get(status)?.get(kind)?;
    Some(json!({"request": entry["request"], "answer": answer}))
}

fn is_alike(seen: &Value, kept: &Value) -> bool {
    shape(seen) == shape(kept)
}

/// The fields of an example and their kinds, whatever they are worth.
fn shape(example: &Value) -> BTreeSet<String> {
    let mut shape = BTreeSet::new();
    for part in ["request", "answer"] {
        add_shape(&example[part], part, &mut shape);
    }
    shape
}

fn add_shape(value: &Value, place: &str, shape: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "truth",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(items) => {
            for item in items {
                add_shape(item, &format!("{place}[]"), shape);
            }
            "list"
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                add_shape(field, &format!("{place}.{name}"), shape);
            }
            "object"
        }
    };
    shape.insert(format!("{place} {kind}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(answers: &[Value]) -> BTreeMap<Of, Vec<Value>> {
        let lines: Vec<_> = answers
            .iter()
            .map(|answer| {
                let example = json!({
                    "operation": "a", "status": "200", "kind": "application/json",
                    "request": {"x": 1}, "answer": answer,
                });
                format!("example {example}")
            })
            .collect();
        candidates(&format!("GET /a 200\n{}\n", lines.join("\n"))).unwrap()
    }

    fn kept(answer: Value) -> Value {
        json!({"a": {"answers": {"200": {"application/json": answer}}, "request": {"x": 1}}})
    }

    #[test]
    fn the_example_with_the_most_fields_is_picked() {
        let seen = seen(&[
            json!({}),
            json!({"b": "longer", "c": 1}),
            json!({"b": "", "c": 1}),
        ]);
        assert_eq!(picked(&seen, &json!({})), kept(json!({"b": "", "c": 1})));
    }

    #[test]
    fn a_kept_example_stays_while_it_is_seen() {
        let old = kept(json!({"b": "kept"}));
        let like = seen(&[json!({"b": "other"}), json!({"b": "", "c": 1})]);
        assert_eq!(picked(&like, &old), old);
        assert_eq!(outdated(&like, &old), Vec::<String>::new());
        let unlike = seen(&[json!({"b": 1})]);
        assert_eq!(picked(&unlike, &old), kept(json!({"b": 1})));
        assert_eq!(outdated(&unlike, &old), ["a 200 application/json"]);
    }
}
