//! Examples of bodies for the documents, from what the tests have seen.
//!
//! The tests append a line for each answer that is as documented and short enough:
//! `example {"operation": …, "status": …, "kind": …, "request": …, "answer": …}`.
//! Kept examples stay as long as such an answer has been seen again: with the same
//! fields, of the same kinds.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const KEPT: &str = "crates/api/src/openapi/examples.json";

/// The kept examples, by operation.
type Kept = BTreeMap<String, KeptOperation>;

#[derive(Debug, Default, PartialEq, Deserialize, Serialize)]
struct KeptOperation {
    /// By status and kind.
    answers: BTreeMap<String, BTreeMap<String, Value>>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    request: Value,
}

/// A line of the tests.
#[derive(Deserialize)]
struct Line {
    operation: String,
    status: String,
    kind: String,
    #[serde(flatten)]
    example: Example,
}

#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
struct Example {
    request: Value,
    answer: Value,
}

/// Operation, status and kind of an answer.
type Of = (String, String, String);

type Seen = BTreeMap<Of, Vec<Example>>;

/// Writes examples anew, or only says which are not as they should be.
pub(crate) fn run(seen: &Path, writes: bool) -> Result<()> {
    let seen = fs::read_to_string(seen)
        .with_context(|| format!("{}: no test has noted an answer", seen.display()))?;
    let seen = candidates(&seen)?;
    let kept = fs::read_to_string(KEPT).context(KEPT)?;
    let kept: Kept = serde_json::from_str(&kept).context(KEPT)?;
    if writes {
        let picked = serde_json::to_string_pretty(&picked(&seen, &kept))?;
        fs::write(KEPT, picked + "\n").context(KEPT)?;
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
fn candidates(seen: &str) -> Result<Seen> {
    let mut candidates = Seen::new();
    let lines = seen.lines();
    for line in lines.filter_map(|line| line.strip_prefix("example ")) {
        let line: Line = serde_json::from_str(line).context("an example that was seen")?;
        let of = (line.operation, line.status, line.kind);
        candidates.entry(of).or_default().push(line.example);
    }
    Ok(candidates)
}

/// The kept examples that are still seen, and the best of the others: those with the
/// most fields, and of these the shortest.
fn picked(seen: &Seen, kept: &Kept) -> Kept {
    let mut all = Kept::new();
    for (of, examples) in seen {
        let old = kept_example(kept, of).filter(|old| is_seen(examples, old));
        let best = examples.iter().min_by_key(|it| {
            let text = format!("{}{}", it.request, it.answer);
            (usize::MAX - shape(it).len(), text.len(), text)
        });
        let Some(example) = old.or_else(|| best.cloned()) else {
            continue;
        };
        let (operation, status, kind) = of.clone();
        let entry = all.entry(operation).or_default();
        let kinds = entry.answers.entry(status).or_default();
        kinds.insert(kind, example.answer);
        if !example.request.is_null() {
            entry.request = example.request;
        }
    }
    all
}

/// Kept examples that are not like anything that was seen.
fn outdated(seen: &Seen, kept: &Kept) -> Vec<String> {
    let all = kept.iter().flat_map(|(operation, entry)| {
        let answers = entry.answers.iter();
        answers.flat_map(move |(status, kinds)| {
            let kinds = kinds.keys();
            kinds.map(move |kind| (operation.clone(), status.clone(), kind.clone()))
        })
    });
    all.filter(|of| {
        let examples = seen.get(of).map(Vec::as_slice).unwrap_or_default();
        kept_example(kept, of).is_none_or(|kept| !is_seen(examples, &kept))
    })
    .map(|(operation, status, kind)| format!("{operation} {status} {kind}"))
    .collect()
}

/// What is kept, as the tests note it.
fn kept_example(kept: &Kept, (operation, status, kind): &Of) -> Option<Example> {
    let entry = kept.get(operation)?;
    Some(Example {
        request: entry.request.clone(),
        answer: entry.answers.get(status)?.get(kind)?.clone(),
    })
}

/// Whether an example is like one that was seen.
fn is_seen(examples: &[Example], kept: &Example) -> bool {
    let kept = shape(kept);
    examples.iter().any(|example| shape(example) == kept)
}

/// The fields of an example and their kinds, whatever they are worth.
fn shape(example: &Example) -> BTreeSet<String> {
    let mut shape = BTreeSet::new();
    add_shape(&example.request, "request", &mut shape);
    add_shape(&example.answer, "answer", &mut shape);
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
    use serde_json::json;

    fn seen(answers: &[Value]) -> Seen {
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

    fn kept(answer: &Value) -> Kept {
        let kept = json!({
            "a": {"answers": {"200": {"application/json": answer}}, "request": {"x": 1}},
        });
        serde_json::from_value(kept).unwrap()
    }

    #[test]
    fn the_example_with_the_most_fields_is_picked() {
        let seen = seen(&[
            json!({}),
            json!({"b": "longer", "c": 1}),
            json!({"b": "", "c": 1}),
        ]);
        let expected = kept(&json!({"b": "", "c": 1}));
        assert_eq!(picked(&seen, &Kept::new()), expected);
    }

    #[test]
    fn a_kept_example_stays_while_it_is_seen() {
        let old = kept(&json!({"b": "kept"}));
        let like = seen(&[json!({"b": "other"}), json!({"b": "", "c": 1})]);
        assert_eq!(picked(&like, &old), old);
        assert_eq!(outdated(&like, &old), Vec::<String>::new());
        let unlike = seen(&[json!({"b": 1})]);
        assert_eq!(picked(&unlike, &old), kept(&json!({"b": 1})));
        assert_eq!(outdated(&unlike, &old), ["a 200 application/json"]);
    }
}
