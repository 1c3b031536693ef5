//! The data folder.

use super::Finding;
use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

const SUBJECT: &str = "folder";

/// Below this, a chain's data may soon not fit.
const LOW_SPACE: u64 = 1 << 30;

/// Below this, nothing fits.
const NO_SPACE: u64 = 16 << 20;

pub(super) fn check(folder: &Path) -> Finding {
    let shown = folder.display();
    let Some(existing) = nearest_existing(folder) else {
        return Finding::fail(
            SUBJECT,
            format!("{shown} cannot be made; choose another with --data"),
        );
    };
    if !existing.is_dir() {
        let existing = existing.display();
        let detail = format!("{existing} is not a folder; choose another with --data");
        return Finding::fail(SUBJECT, detail);
    }
    if let Err(error) = tempfile_in(&existing) {
        let existing = existing.display();
        let detail = format!("cannot write in {existing}: {error}; make it writable or use --data");
        return Finding::fail(SUBJECT, detail);
    }
    let state = if existing == folder {
        "writable"
    } else {
        "will be made"
    };
    match free_space(&existing) {
        Err(error) => Finding::warn(
            SUBJECT,
            format!("{shown} {state}, free space unknown: {error}"),
        ),
        Ok(free) if free < NO_SPACE => {
            let detail = format!(
                "{shown} has {} MiB free; make room or use --data",
                free >> 20
            );
            Finding::fail(SUBJECT, detail)
        }
        Ok(free) if free < LOW_SPACE => Finding::warn(
            SUBJECT,
            format!("{shown} {state}, only {} MiB free", free >> 20),
        ),
        Ok(free) => Finding::ok(SUBJECT, format!("{shown} {state}, {} GiB free", free >> 30)),
    }
}

/// Everybody's permissions but the owner's.
const OTHERS: u32 = 0o077;

/// Complains if others can look into the folder, or at the files of the store.
pub(super) fn check_privacy(folder: &Path) -> Option<Finding> {
    let files = ["ledger.db", "chain.db"].map(|file| folder.join(file));
    let wide: Vec<String> = [folder.to_owned()]
        .into_iter()
        .chain(files)
        .filter(|path| {
            let found = std::fs::metadata(path);
            found.is_ok_and(|found| found.permissions().mode() & OTHERS != 0)
        })
        .map(|path| path.display().to_string())
        .collect();
    if wide.is_empty() {
        return None;
    }
    let wide = wide.join(" ");
    let detail = format!("others can read it; run `chmod go= {wide}`");
    Some(Finding::warn(SUBJECT, detail))
}

/// The folder, or the nearest one above it that exists.
fn nearest_existing(folder: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(folder).ok()?;
    if absolute.exists() {
        return Some(folder.to_owned());
    }
    let above = absolute.ancestors().find(|above| above.exists());
    above.map(Path::to_owned)
}

/// Writes a file and takes it away again: permissions alone do not tell.
fn tempfile_in(folder: &Path) -> std::io::Result<()> {
    let probe = folder.join(format!(".stoa-doctor-{}", std::process::id()));
    std::fs::File::create_new(&probe)?;
    std::fs::remove_file(&probe)
}

fn free_space(folder: &Path) -> std::io::Result<u64> {
    let space = rustix::fs::statvfs(folder)?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::{super::finding::Verdict, *};

    #[test]
    fn a_folder_that_exists_or_can_be_made_is_fine_and_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        assert_ne!(check(folder.path()).verdict, Verdict::Fail);
        let deeper = folder.path().join("a/b");
        let finding = check(&deeper);
        assert_ne!(finding.verdict, Verdict::Fail);
        assert!(
            finding.detail.contains("will be made"),
            "{}",
            finding.detail
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_others_can_read_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        mode(folder.path(), 0o700);
        let file = folder.path().join("ledger.db");
        std::fs::write(&file, "").unwrap();
        mode(&file, 0o600);
        assert!(check_privacy(folder.path()).is_none());
        mode(&file, 0o640);
        let finding = check_privacy(folder.path()).unwrap();
        assert_eq!(finding.verdict, Verdict::Warn);
        assert!(finding.detail.contains("ledger.db"), "{}", finding.detail);
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_fails() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        for path in [file.clone(), file.join("below")] {
            let finding = check(&path);
            assert_eq!(finding.verdict, Verdict::Fail);
            assert!(
                finding.detail.contains("is not a folder"),
                "{}",
                finding.detail
            );
        }
    }
}
