//! The file of a segment that grows, and the lock of its folder.

use super::error::{KeepError, OpenError};
use super::segment;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Groups that may be lost together when the power fails; a crash of the
/// program loses none.
const MAX_UNSYNCED: usize = 32;

const LOCK: &str = "lock";
const UNFINISHED: &str = "unfinished";

/// A segment, open for appending.
#[derive(Debug)]
pub(crate) struct SegmentFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    unsynced: usize,
}

/// A segment that has everything it begins with, and no name yet.
#[derive(Debug)]
pub(crate) struct Unpublished(SegmentFile);

impl SegmentFile {
    /// Makes a segment of what `write` writes. Nobody finds it before it is
    /// published, so that it is there as a whole or not at all.
    pub(crate) fn create(
        folder: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Unpublished, KeepError> {
        let path = folder.join(UNFINISHED);
        let create = || {
            let file = File::create(&path)?;
            let mut out = BufWriter::new(&file);
            write(&mut out)?;
            out.flush()?;
            drop(out);
            file.sync_all()?;
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        };
        let (file, bytes) = create().map_err(KeepError::at(&path))?;
        Ok(Unpublished(Self {
            path,
            file,
            bytes,
            unsynced: 0,
        }))
    }

    /// Goes on after the first `length` bytes of a segment.
    pub(crate) fn reopen(path: PathBuf, length: u64) -> Result<Self, KeepError> {
        let failed = KeepError::at(&path);
        let file = OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(&failed)?;
        let current = file.metadata().map_err(&failed)?.len();
        if current != length {
            tracing::warn!(path = %path.display(), bytes = current - length, "a torn end is cut off");
            file.set_len(length).map_err(&failed)?;
        }
        drop(failed);
        Ok(Self {
            path,
            file,
            bytes: length,
            unsynced: 0,
        })
    }

    /// Its length.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a group. `durable` means even if the power fails.
    pub(crate) fn append(&mut self, group: &[u8], durable: bool) -> Result<(), KeepError> {
        let written = self.file.write_all(group);
        written.map_err(KeepError::at(&self.path))?;
        self.bytes += u64::try_from(group.len()).unwrap_or(u64::MAX);
        self.unsynced += 1;
        if durable || self.unsynced >= MAX_UNSYNCED {
            self.sync()?;
        }
        Ok(())
    }

    /// Makes sure that all is kept even if the power fails.
    pub(crate) fn sync(&mut self) -> Result<(), KeepError> {
        if self.unsynced > 0 {
            let synced = self.file.sync_data();
            synced.map_err(KeepError::at(&self.path))?;
            self.unsynced = 0;
        }
        Ok(())
    }

    /// Makes every further write fail.
    #[cfg(test)]
    pub(crate) fn break_for_test(&mut self) {
        if let Ok(file) = File::open(&self.path) {
            self.file = file;
        }
    }
}

impl Unpublished {
    /// Gives the segment its number in the folder.
    pub(crate) fn publish(self, folder: &Path, number: u64) -> Result<SegmentFile, KeepError> {
        let mut segment = self.0;
        let path = segment::path(folder, number);
        fs::rename(&segment.path, &path).map_err(KeepError::at(&path))?;
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(KeepError::at(folder))?;
        segment.path = path;
        Ok(segment)
    }
}

/// Takes the folder for this process alone, as long as the file is open.
pub(crate) fn lock(folder: &Path) -> Result<File, OpenError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(KeepError::at(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse {
            path: folder.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(KeepError::at(&path)(source).into()),
    }
}
