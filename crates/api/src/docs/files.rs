//! The files of the page, as they are sent.

use crate::http::served_file::{ServedFile, kind};
use bytes::Bytes;
use std::{collections::BTreeMap, sync::LazyLock};

/// Files of ours.
const OURS: [(&str, &[u8]); 4] = [
    ("index.html", include_bytes!("viewer/index.html")),
    ("docs.css", include_bytes!("viewer/docs.css")),
    ("docs.js", include_bytes!("viewer/docs.js")),
    ("samples.js", include_bytes!("viewer/samples.js")),
];

/// The files of Swagger UI as its package has them, compressed; `clients/openapi`
/// compares them with the package.
const PACKED: [(&str, &[u8]); 2] = [
    (
        "swagger-ui-bundle.js",
        include_bytes!("viewer/swagger-ui-bundle.js.gz"),
    ),
    ("swagger-ui.css", include_bytes!("viewer/swagger-ui.css.gz")),
];

/// The notices of the package.
const LICENSES: (&str, &[u8]) = ("licenses.txt", include_bytes!("viewer/licenses.txt"));

static ALL: LazyLock<BTreeMap<&str, ServedFile>> = LazyLock::new(|| {
    let plain = OURS
        .into_iter()
        .chain([LICENSES])
        .filter_map(|(name, text)| {
            let file = ServedFile::new(Bytes::from_static(text), kind(name)?);
            Some((name, file))
        });
    let packed = PACKED.into_iter().filter_map(|(name, gzip)| {
        let file = ServedFile::packed(Bytes::from_static(gzip), kind(name)?);
        Some((name, file))
    });
    plain.chain(packed).collect()
});

/// The file of this name.
pub(super) fn find(name: &str) -> Option<&'static ServedFile> {
    ALL.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_files_that_are_there() {
        let page = find("index.html").unwrap();
        let text = std::str::from_utf8(page.body.text()).unwrap();
        let named = text.split('"').filter_map(|it| it.strip_prefix("/docs/"));
        let named: Vec<&str> = named.collect();
        assert!(named.len() >= 5, "{named:?}");
        for name in named {
            assert!(!find(name).unwrap().body.text().is_empty(), "{name}");
        }
    }
}
