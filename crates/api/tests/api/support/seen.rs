//! Notes which operations the tests have seen, for a later step that lists the
//! unseen ones.

use std::{env, fs::OpenOptions, io::Write, sync::LazyLock};

/// Method and path template of every documented operation.
static OPERATIONS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let documents = api::openapi_documents().into_iter();
    let documents =
        documents.map(|(_, text)| serde_json::from_str::<serde_json::Value>(&text).unwrap());
    let operations = documents.flat_map(|document| {
        let paths = document["paths"].as_object().unwrap().clone();
        paths.into_iter().flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().clone().into_iter();
            methods.map(move |(method, _)| (method.to_uppercase(), path.clone()))
        })
    });
    operations.collect()
});

/// Appends `GET /v1/starknet/tokens 200` to the file that `STOA_SEEN_FILE`
/// names, if the request was one to a documented operation.
pub(crate) fn note(method: &str, path: &str, status: u16) {
    let seen = OPERATIONS
        .iter()
        .find(|(known, template)| known == method && matches(template, path));
    if let Some((method, template)) = seen {
        append(&format!("{method} {template} {status}\n"));
    }
}

/// Appends `slug lease-slot-taken 409`.
pub(crate) fn note_slug(slug: &str, status: u16) {
    append(&format!("slug {slug} {status}\n"));
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
