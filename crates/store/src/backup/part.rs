//! What is copied, and names that are not final yet.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

/// What is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Halves {
    /// The whole store.
    Both,
    /// What cannot be read from the chain again.
    Ledger,
}

/// Makes names in the folder of `path` outlive a power cut.
pub(super) fn sync_folder_of(path: &Path) -> io::Result<()> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

/// What a file or folder is called until it is whole.
pub(super) fn partial_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}
