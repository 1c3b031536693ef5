//! Source files that no other declares as a module: the compiler never sees them, and
//! says nothing.

use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Files that stand for their folder or their crate.
const ROOTS: [&str; 3] = ["lib.rs", "main.rs", "mod.rs"];

/// Stray files of the crate whose root is in this folder.
pub(crate) fn of(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut strays = Vec::new();
    for file in sources(folder)? {
        if file.parent() == Some(folder) && ROOTS.iter().any(|root| file.ends_with(root)) {
            continue;
        }
        if !is_declared(&file).with_context(|| file.display().to_string())? {
            strays.push(file);
        }
    }
    Ok(strays)
}

/// The Rust files of a folder and of those in it.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Whether a file that may do so declares this one.
fn is_declared(file: &Path) -> Result<bool> {
    let module = if file.ends_with("mod.rs") {
        file.parent().context("a folder")?
    } else {
        file
    };
    let name = module.file_stem().context("a name")?.to_string_lossy();
    let folder = module.parent().context("a folder")?;
    let roots = ROOTS.iter().map(|root| folder.join(root));
    for parent in roots.chain([folder.with_extension("rs")]) {
        if parent.exists() && declares(&fs::read_to_string(parent)?, &name) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn declares(text: &str, name: &str) -> bool {
    let declaration = format!("mod {name};");
    let mut lines = text
        .lines()
        .filter_map(|line| line.strip_suffix(&declaration));
    lines.any(|before| before.is_empty() || before.ends_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_nobody_declares_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "lib.rs",
            "mod near;\npub(crate) mod far;\n#[cfg(test)]\nmod tests;",
        );
        write("near.rs", "mod below;");
        write("near/below.rs", "");
        write("far/mod.rs", "mod deep;");
        write("far/deep.rs", "mod stray;");
        write("tests.rs", "");
        assert_eq!(of(folder.path()).unwrap(), Vec::<PathBuf>::new());
        write("src/lib.rs", "mod near;");
        write("src/near.rs", "");
        write("far/ar.rs", "");
        let strays = ["far/ar.rs", "src/lib.rs"].map(|path| folder.path().join(path));
        assert_eq!(of(folder.path()).unwrap(), strays);
    }
}
