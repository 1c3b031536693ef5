//! The built files, as they are sent.

use crate::http::{content::KeptBody, entity_tag::EntityTag};
use bytes::Bytes;
use std::{collections::BTreeMap, sync::LazyLock};

/// Names, seen from the folder of built files, and contents.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/console_files.rs"));

/// Files whose names change with their contents lie here.
pub(super) const HASHED: &str = "assets/";

/// The page that every path of the console begins with.
pub(super) const INDEX: &str = "index.html";

static ALL: LazyLock<BTreeMap<&str, File>> = LazyLock::new(|| {
    let known = FILES.iter().filter_map(|(name, bytes)| {
        let (_, ending) = name.rsplit_once('.')?;
        Some((*name, File::new(Bytes::from_static(bytes), kind(ending)?)))
    });
    known.collect()
});

/// A file.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) body: KeptBody,
    pub(super) kind: &'static str,
    pub(super) tag: EntityTag,
}

impl File {
    pub(super) fn new(content: Bytes, kind: &'static str) -> Self {
        Self {
            tag: EntityTag::of(&content),
            body: KeptBody::lasting(content),
            kind,
        }
    }
}

/// The built file of this name.
pub(super) fn find(name: &str) -> Option<&'static File> {
    ALL.get(name)
}

fn kind(ending: &str) -> Option<&'static str> {
    Some(match ending {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_file_is_served() {
        assert_eq!(ALL.len(), FILES.len());
        assert!(find(INDEX).is_some());
    }

    #[test]
    fn the_page_names_files_that_are_there() {
        let index = find(INDEX).unwrap();
        let text = std::str::from_utf8(index.body.text()).unwrap();
        let named = text.split('"').filter_map(|it| it.strip_prefix('/'));
        let named: Vec<&str> = named.filter(|it| it.contains('.')).collect();
        assert!(named.iter().any(|name| name.contains(".js")), "{named:?}");
        for name in named {
            assert!(find(name).is_some(), "{name}");
        }
    }
}
