//! Notes what the tests have seen of the documented operations, for later steps: one
//! lists what no test has seen, another picks examples.

use super::{Answer, schema};
use serde_json::{Value, json};
use std::{env, fs::OpenOptions, io::Write, sync::LazyLock};

/// Longer lists are cut in examples: of things, and of plain values.
const MAX_THINGS: usize = 2;
const MAX_PLAIN: usize = 40;

/// Lines of a text in an example.
const MAX_LINES: usize = 8;

/// Longer ones are no good as examples, and not noted.
const MAX_EXAMPLE_BYTES: usize = 6_000;

/// As it is kept in the repository, which a test holds against the routes: making it
/// anew takes longer than most tests.
static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let kept = include_str!("../../../../../openapi/openapi.json");
    serde_json::from_str(kept).unwrap()
});

/// Every documented operation.
static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    let operations = paths.flat_map(|(path, item)| {
        let methods = item.as_object().unwrap().iter();
        methods.map(move |(method, described)| Operation {
            method: method.to_uppercase(),
            template: path,
            described,
        })
    });
    operations.collect()
});

struct Operation {
    method: String,
    template: &'static str,
    described: &'static Value,
}

fn find(method: &str, path: &str) -> Option<&'static Operation> {
    let mut all = OPERATIONS.iter();
    all.find(|it| it.method == method && matches(it.template, path))
}

/// Appends `GET /v1/starknet/tokens 200` to the file that `STOA_SEEN_FILE`
/// names, if the request was one to a documented operation.
pub(crate) fn note(method: &str, path: &str, status: u16) {
    if let Some(Operation { template, .. }) = find(method, path) {
        append(&format!("{method} {template} {status}\n"));
    }
}

/// Appends `slug lease-slot-taken 409`.
pub(crate) fn note_slug(slug: &str, status: u16) {
    append(&format!("slug {slug} {status}\n"));
}

/// Appends `example {…}`, if the answer is a good one, and all of it is as documented.
pub(crate) fn note_example(method: &str, path: &str, request: Option<&[u8]>, answer: &Answer) {
    if !answer.status.is_success() {
        return;
    }
    let kind = answer.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    let Some(body) = readable(kind, &answer.body) else {
        return;
    };
    append_example(method, path, (answer.status.as_str(), kind), request, body);
}

/// The same of the data of an event.
pub(crate) fn note_event(path: &str, data: &Value) {
    append_example(
        "GET",
        path,
        ("200", "text/event-stream"),
        None,
        data.clone(),
    );
}

/// A body as an example can have it.
fn readable(kind: &str, body: &[u8]) -> Option<Value> {
    if kind == "application/json" {
        return serde_json::from_slice(body).ok();
    }
    let lines: Vec<&str> = std::str::from_utf8(body).ok()?.lines().collect();
    let kept = lines.get(..MAX_LINES).unwrap_or(&lines);
    Some(Value::String(kept.join("\n") + "\n"))
}

fn append_example(
    method: &str,
    path: &str,
    (status, kind): (&str, &str),
    request: Option<&[u8]>,
    body: Value,
) {
    if env::var_os("STOA_SEEN_FILE").is_none() {
        return;
    }
    let Some(Operation { described, .. }) = find(method, path) else {
        return;
    };
    let body = shortened(body);
    let schema = &described["responses"][status]["content"][kind]["schema"];
    if schema.is_null() || schema::check(&body, schema, &DOCUMENT).is_err() {
        return;
    }
    let wanted = &described["requestBody"]["content"]["application/json"]["schema"];
    let request = request.and_then(|it| serde_json::from_slice::<Value>(it).ok());
    let request = request.unwrap_or_default();
    if !wanted.is_null() && schema::check(&request, wanted, &DOCUMENT).is_err() {
        return;
    }
    let example = json!({
        "operation": described["operationId"], "status": status, "kind": kind,
        "request": request, "answer": body,
    });
    let line = format!("example {example}\n");
    if line.len() <= MAX_EXAMPLE_BYTES {
        append(&line);
    }
}

fn shortened(value: Value) -> Value {
    match value {
        Value::Array(mut items) => {
            let has_things = items.iter().any(|it| it.is_object() || it.is_array());
            items.truncate(if has_things { MAX_THINGS } else { MAX_PLAIN });
            items.into_iter().map(shortened).collect()
        }
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields
                .map(|(name, field)| (name, shortened(field)))
                .collect()
        }
        plain => plain,
    }
}

fn append(line: &str) {
    let Some(file) = env::var_os("STOA_SEEN_FILE") else {
        return;
    };
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .unwrap();
    // One write, so that tests that run at once do not mix their lines.
    file.write_all(line.as_bytes()).unwrap();
}

fn matches(template: &str, path: &str) -> bool {
    let (mut template, mut path) = (template.split('/'), path.split('/'));
    loop {
        match (template.next(), path.next()) {
            (None, None) => return true,
            (Some(known), Some(word)) if known == word || known.starts_with('{') => {}
            _ => return false,
        }
    }
}
