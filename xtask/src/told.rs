//! What the program tells its operators is explained to them: every figure and
//! every warning or error of the log stands in `docs/observability.md`, and the
//! dashboard and the alerts in `deploy/` ask for figures that exist.

use anyhow::{Context, Result, bail};
use proc_macro2::{TokenStream, TokenTree};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

const PAGE: &str = "docs/observability.md";
const FIGURES: &str = "crates/stoa/src/figures.rs";
const ASKING: [&str; 2] = ["deploy/grafana", "deploy/prometheus"];

/// The crates that run in production. The simulated nodes speak for themselves.
const SOURCES: [&str; 3] = ["crates/api/src", "crates/services/src", "crates/stoa/src"];

/// What Prometheus makes of a histogram.
const OF_HISTOGRAMS: [&str; 3] = ["_bucket", "_sum", "_count"];

/// Figures that are written by the page itself.
const BUILT_IN: &str = "stoa_build_info";

pub(crate) fn check() -> Result<()> {
    let page = fs::read_to_string(PAGE).context(PAGE)?;
    let figures = figures(&fs::read_to_string(FIGURES).context(FIGURES)?);
    let mut lacking = unexplained(&page, &figures);
    let mut events = BTreeSet::new();
    for folder in SOURCES {
        for path in files(folder.as_ref(), "rs")? {
            let text = fs::read_to_string(&path)?;
            let tokens: TokenStream = text
                .parse()
                .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
            collect_events(tokens, &mut events);
        }
    }
    lacking.extend(unexplained(&page, &events));
    for folder in ASKING {
        for path in files(folder.as_ref(), "")? {
            let text = fs::read_to_string(&path)?;
            let unknown = names(&text).filter(|name| !is_figure(name, &figures));
            lacking.extend(unknown.map(|name| format!("{} asks for {name}", path.display())));
        }
    }
    if lacking.is_empty() {
        println!(
            "{} figures and {} events are explained",
            figures.len(),
            events.len()
        );
        return Ok(());
    }
    bail!(
        "not in {PAGE}, or not a figure:\n  {}",
        lacking.join("\n  ")
    )
}

fn unexplained(page: &str, told: &BTreeSet<String>) -> Vec<String> {
    let is_explained = |text: &&String| page.contains(&format!("`{text}`"));
    told.iter()
        .filter(|text| !is_explained(text))
        .cloned()
        .collect()
}

/// The figures that have a line in the table.
fn figures(table: &str) -> BTreeSet<String> {
    names(table).map(str::to_owned).collect()
}

fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|it: char| !(it.is_ascii_alphanumeric() || it == '_'));
    words.filter(|word| word.starts_with("stoa_") && word.len() > "stoa_".len())
}

fn is_figure(name: &str, figures: &BTreeSet<String>) -> bool {
    let plain = OF_HISTOGRAMS
        .iter()
        .find_map(|ending| name.strip_suffix(ending));
    name == BUILT_IN || figures.contains(name) || plain.is_some_and(|it| figures.contains(it))
}

/// Finds the message of every `warn!` and `error!`, in macros and blocks too. What
/// a message is filled with is `…`. One that is nothing else is explained where
/// its texts come from.
fn collect_events(tokens: TokenStream, events: &mut BTreeSet<String>) {
    let mut before: [Option<String>; 2] = [None, None];
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            if matches!(&before, [Some(name), Some(mark)] if is_event(name) && mark == "!") {
                events.extend(message(group.stream()).filter(|text| text != "…"));
            }
            collect_events(group.stream(), events);
        }
        let [_, last] = before;
        before = [last, Some(token.to_string())];
    }
}

fn is_event(name: &str) -> bool {
    name == "warn" || name == "error"
}

/// The last text of an event's arguments, without targets.
fn message(arguments: TokenStream) -> Option<String> {
    let mut found = None;
    for token in arguments {
        if let TokenTree::Literal(literal) = token {
            let literal: syn::Lit = syn::parse_str(&literal.to_string()).ok()?;
            if let syn::Lit::Str(text) = literal {
                found = Some(filled(&text.value()));
            }
        }
    }
    found
}

/// A format with `…` in each place that is filled.
fn filled(format: &str) -> String {
    let mut text = String::new();
    let mut parts = format.split('{');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.push('…');
        text.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    text
}

fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == ending) || ending.is_empty() {
                found.push(path);
            }
        }
    }
    // Tests say what they like.
    found.retain(|path| !path.ends_with("tests.rs"));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_wherever_they_are_said() {
        let source = r#"
            fn f() { if x { tracing::warn!(venue = "ignored", %error, "a {kind} failed"); } }
            macro_rules! m { () => { error!("loud") } }
            fn g() { info!("quiet"); warn!("{problem}") }
        "#;
        let mut events = BTreeSet::new();
        collect_events(source.parse().unwrap(), &mut events);
        assert_eq!(
            events,
            BTreeSet::from(["a … failed".to_owned(), "loud".to_owned()])
        );
    }

    #[test]
    fn a_histogram_is_known_by_its_parts() {
        let figures = BTreeSet::from(["stoa_rpc_seconds".to_owned()]);
        assert!(is_figure("stoa_rpc_seconds_bucket", &figures));
        assert!(!is_figure("stoa_rpc_second", &figures));
    }
}
