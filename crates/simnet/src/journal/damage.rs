//! Segments of which something is lost: what it is, and where the file is kept.
//!
//! A damaged file gets a second name before anything else happens to it. Whoever
//! has read it begins a segment of what was left, and says what was not.

use super::error::KeepError;
use super::frame::Part;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Damaged files that are kept in a folder.
const MAX_KEPT_ASIDE: usize = 16;

const MARK: &str = ".damaged-";

/// What is lost of a segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Damage {
    /// What cannot be read, in bytes.
    pub(crate) bytes: u64,
    /// Whole entries that are of no use without something that was lost.
    pub(crate) useless_entries: u64,
    /// The chain goes on without anything of it.
    pub(crate) left_behind: bool,
}

impl Damage {
    pub(crate) fn is_any(&self) -> bool {
        *self != Self::default()
    }

    /// Counts a part if it is damaged.
    pub(crate) fn count(&mut self, part: &Part<'_>) {
        if let Part::Damaged(bytes) = part {
            self.count_bytes(*bytes);
        }
    }

    pub(crate) fn count_bytes(&mut self, bytes: usize) {
        self.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
    }

    /// Keeps the file aside and says what is lost; `goes_on` is where the chain
    /// goes on.
    pub(crate) fn settle(&self, path: &Path, goes_on: &str) -> Result<(), KeepError> {
        let aside = keep_aside(path).map_err(KeepError::at(path))?;
        let kept_as = aside.as_deref().map_or_else(
            || format!("nothing, as there are {MAX_KEPT_ASIDE} damaged files already"),
            |aside| aside.display().to_string(),
        );
        tracing::warn!(
            path = %path.display(),
            kept_as,
            damaged_bytes = self.bytes,
            useless_entries = self.useless_entries,
            left_behind = self.left_behind,
            goes_on,
            "a file of the simulated chain is damaged, and what it had is lost in part"
        );
        Ok(())
    }
}

/// Gives a file a second name under which nobody looks for it; `None` if there
/// are too many such files. One that was kept before is not kept again.
fn keep_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut kept = 0;
    let mut newest = 0;
    for entry in fs::read_dir(folder)? {
        let other = entry?.path();
        if let Some(number) = number(&other) {
            if is_same(path, &other)? {
                return Ok(Some(other));
            }
            kept += 1;
            newest = newest.max(number);
        }
    }
    if kept >= MAX_KEPT_ASIDE {
        return Ok(None);
    }
    let mut name = path.file_name().map(OsString::from).unwrap_or_default();
    name.push(format!("{MARK}{}", newest + 1));
    let aside = folder.join(name);
    // Not every file system has links.
    if fs::hard_link(path, &aside).is_err() {
        let mut copy = File::create_new(&aside)?;
        io::copy(&mut File::open(path)?, &mut copy)?;
        copy.sync_all()?;
    }
    File::open(folder)?.sync_all()?;
    Ok(Some(aside))
}

/// The number of a file that is kept aside, if it is one.
fn number(path: &Path) -> Option<u32> {
    let (_, number) = path.file_name()?.to_str()?.rsplit_once(MARK)?;
    number.parse().ok().filter(|number| *number < u32::MAX)
}

fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    let length = |path: &Path| fs::metadata(path).map(|about| about.len());
    Ok(length(one)? == length(other)? && fs::read(one)? == fs::read(other)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap());
        let mut files: Vec<_> = files
            .map(|file| {
                let name = file.file_name().into_string().unwrap();
                (name, fs::read(file.path()).unwrap())
            })
            .filter(|(name, _)| name.contains(MARK))
            .collect();
        files.sort();
        files
    }

    #[test]
    fn damaged_files_are_kept_once_never_overwritten_and_not_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("7.segment");
        for content in 0..20_u8 {
            for _ in 0..2 {
                let _ = fs::remove_file(&path);
                fs::write(&path, [content]).unwrap();
                let aside = keep_aside(&path).unwrap();
                assert_eq!(aside.is_some(), content < 16);
            }
        }
        let kept = kept(folder.path());
        assert_eq!(kept.len(), MAX_KEPT_ASIDE);
        for content in 0..16_u8 {
            let name = format!("7.segment.damaged-{}", content + 1);
            assert!(kept.contains(&(name, vec![content])));
        }
    }
}
