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

/// Slugs of routes that do not exist yet. One that was seen has to go from here.
const AWAITED: [&str; 1] = ["slug admin-user-not-provisioned 500"];

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
    let problems = problems(&promised, &seen, &AWAITED);
    if problems.is_empty() {
        let (all, awaited) = (promised.len(), AWAITED.len());
        println!("all {all} documented answers were seen, but for {awaited} awaited slugs");
        return Ok(());
    }
    bail!(
        "documented answers and tests differ:\n  {}",
        problems.join("\n  ")
    )
}

/// What was promised and not seen, and what is awaited though it was seen or
/// never promised.
fn problems(promised: &BTreeSet<String>, seen: &BTreeSet<&str>, awaited: &[&str]) -> Vec<String> {
    let unseen = promised.iter().filter(|answer| {
        let answer = answer.as_str();
        !seen.contains(answer) && !awaited.contains(&answer)
    });
    let unseen = unseen.map(|answer| format!("{answer}: not seen"));
    let here = awaited
        .iter()
        .filter(|slug| seen.contains(**slug) || !promised.contains(**slug));
    let here = here.map(|slug| format!("{slug}: is not to be awaited"));
    unseen.chain(here).collect()
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
    fn the_unseen_are_exactly_the_awaited() {
        let promised = ["slug a 400", "slug b 400"].map(str::to_owned).into();
        let seen = BTreeSet::from(["slug a 400"]);
        assert!(problems(&promised, &seen, &["slug b 400"]).is_empty());
        assert_eq!(problems(&promised, &seen, &[]), ["slug b 400: not seen"]);
        let awaited = ["slug a 400", "slug b 400", "slug c 400"];
        assert_eq!(
            problems(&promised, &seen, &awaited),
            [
                "slug a 400: is not to be awaited",
                "slug c 400: is not to be awaited"
            ]
        );
    }
}
