//! Circles between the files of a crate: strongly connected components (Tarjan)
//! of the graph in which a file points to those whose items it names.
//!
//! A name is followed through re-exports to the file that defines it. A re-export
//! by itself is no use of a name, and tests may know everything.

mod graph;
mod names;

use anyhow::Result;
use graph::{Arrows, components};
use names::Names;
use std::{collections::BTreeSet, fmt::Write as _, path::Path};

/// Every circle of a crate, with the names that tie it.
pub(crate) fn of(root: &Path) -> Result<Vec<String>> {
    let names = Names::read(root)?;
    let arrows = names.arrows();
    let circles = components(&arrows).into_iter();
    let circles = circles.filter(|files| files.len() > 1);
    Ok(circles.map(|files| told(&files, &arrows)).collect())
}

fn told(files: &BTreeSet<&str>, arrows: &Arrows) -> String {
    let mut told = format!("{} files", files.len());
    for ((from, to), names) in arrows {
        if from != to && files.contains(from.as_str()) && files.contains(to.as_str()) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let _ = write!(told, "\n    {from} -> {to}: {}", names.join(", "));
        }
    }
    told
}
