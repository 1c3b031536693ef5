//! Operations of the API that no test has called.
//!
//! The tests append a line for each answer that they saw (`GET
//! /v1/{network}/tokens 200`) to a file. Every operation of the documents in
//! `openapi/` has to be there with each status that it promises.

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
    }
    let unseen: Vec<&String> = promised
        .iter()
        .filter(|answer| !seen.contains(answer.as_str()))
        .collect();
    if unseen.is_empty() {
        println!("all {} documented answers were seen", promised.len());
        return Ok(());
    }
    let lines: Vec<&str> = unseen.into_iter().map(String::as_str).collect();
    bail!(
        "documented answers that no test has seen:\n  {}",
        lines.join("\n  ")
    )
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
}
