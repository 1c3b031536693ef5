//! Operations of the API that no test has called, and refusals that no test
//! has got.
//!
//! The tests append a line for each answer that they saw (`GET
//! /v1/{network}/tokens 200`, `slug lease-slot-taken 409`) to a file. Every
//! operation of the documents in `openapi/` has to be there with each status
//! that it promises, and every slug of the marketplace with each of its own.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::Path};

const DOCUMENTS: &str = "openapi";

pub(crate) fn check(seen: &Path) -> Result<()> {
    let seen = fs::read_to_string(seen)
        .with_context(|| format!("{}: no test has noted an answer", seen.display()))?;
    let seen: BTreeSet<&str> = seen.lines().collect();
    let mut promised = BTreeSet::new();
    for entry in fs::read_dir(DOCUMENTS).context(DOCUMENTS)? {
        let path = entry?.path();
        let document = fs::read_to_string(&path)?;
        let document =
            serde_json::from_str(&document).with_context(|| path.display().to_string())?;
        promised.extend(answers(&document));
        promised.extend(slugs(&document));
    }
    let unseen = unseen(&promised, &seen);
    if unseen.is_empty() {
        println!("all {} documented answers were seen", promised.len());
        return Ok(());
    }
    bail!("no test has seen:\n  {}", unseen.join("\n  "))
}

/// What was promised and not seen.
fn unseen<'a>(promised: &'a BTreeSet<String>, seen: &BTreeSet<&str>) -> Vec<&'a str> {
    let promised = promised.iter().map(String::as_str);
    promised.filter(|answer| !seen.contains(answer)).collect()
}

/// Every slug of a document with every status that it may have.
fn slugs(document: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for row in document["x-problems"].as_array().into_iter().flatten() {
        for status in row["statuses"].as_array().into_iter().flatten() {
            let slug = row["slug"].as_str().unwrap_or_default();
            lines.push(format!("slug {slug} {status}"));
        }
    }
    lines
}

/// Every operation of a document with every status that it may have.
fn answers(document: &Value) -> Vec<String> {
    let mut answers = Vec::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            for status in operation["responses"]
                .as_object()
                .into_iter()
                .flat_map(|all| all.keys())
            {
                answers.push(format!("{} {path} {status}", method.to_uppercase()));
            }
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_operation_counts_once_for_each_status() {
        let document = json!({"paths": {"/a": {"get": {"responses": {"200": {}, "404": {}}}}}});
        assert_eq!(answers(&document), ["GET /a 200", "GET /a 404"]);
    }

    #[test]
    fn a_slug_counts_once_for_each_status() {
        let document = json!({"x-problems": [{"slug": "a", "statuses": [422, 403]}]});
        assert_eq!(slugs(&document), ["slug a 422", "slug a 403"]);
    }

    #[test]
    fn what_was_promised_has_to_be_seen() {
        let promised = ["slug a 400", "slug b 400"].map(str::to_owned).into();
        let seen = BTreeSet::from(["slug a 400", "slug c 400"]);
        assert_eq!(unseen(&promised, &seen), ["slug b 400"]);
    }
}
