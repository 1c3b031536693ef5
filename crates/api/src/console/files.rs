//! The built files, as they are sent.

use crate::http::served_file::{ServedFile, kind};
use bytes::Bytes;
use std::{collections::BTreeMap, sync::LazyLock};

/// Names, seen from the folder of built files, and contents.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/console_files.rs"));

/// Files whose names change with their contents lie here.
pub(super) const HASHED: &str = "assets/";

/// The page that every path of the console begins with.
pub(super) const INDEX: &str = "index.html";

static ALL: LazyLock<BTreeMap<&str, ServedFile>> = LazyLock::new(|| {
    let known = FILES.iter().filter_map(|(name, bytes)| {
        let file = ServedFile::new(Bytes::from_static(bytes), kind(name)?);
        Some((*name, file))
    });
    known.collect()
});

/// The built file of this name.
pub(super) fn find(name: &str) -> Option<&'static ServedFile> {
    ALL.get(name)
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
