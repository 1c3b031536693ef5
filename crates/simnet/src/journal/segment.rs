//! The files of a folder.

use super::error::OpenError;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The layout of segments and entries. Others are refused.
pub(crate) const FORMAT: u32 = 1;

const MAGIC: &[u8; 8] = b"STOASIM\n";
const SUFFIX: &str = "segment";

/// The bytes that every segment begins with.
pub(crate) const HEADER_BYTES: usize = 24;

/// What a segment says of itself before anything else.
pub(crate) fn header(seed: u64) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    let parts = [
        &MAGIC[..],
        &FORMAT.to_le_bytes(),
        &seed.to_le_bytes(),
        &checksum(FORMAT, seed).to_le_bytes(),
    ];
    for (place, byte) in header.iter_mut().zip(parts.concat()) {
        *place = byte;
    }
    header
}

fn checksum(format: u32, seed: u64) -> u32 {
    crc32fast::hash(&[&format.to_le_bytes()[..], &seed.to_le_bytes()].concat())
}

/// The entries of a segment; `None` if not even its header is complete.
pub(crate) fn entries<'b>(
    bytes: &'b [u8],
    seed: u64,
    path: &Path,
) -> Result<Option<&'b [u8]>, OpenError> {
    let Some((header, entries)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Ok(None);
    };
    let path = || path.to_owned();
    let Some((magic, rest)) = header.split_first_chunk::<8>() else {
        return Ok(None);
    };
    if magic != MAGIC {
        return Err(OpenError::Foreign { path: path() });
    }
    let fields = rest
        .split_first_chunk()
        .and_then(|(format, rest)| Some((format, rest.split_first_chunk()?)));
    let Some((format, (found, sum))) = fields else {
        return Ok(None);
    };
    let (format, found) = (u32::from_le_bytes(*format), u64::from_le_bytes(*found));
    if format != FORMAT {
        return Err(OpenError::Format {
            path: path(),
            found: format,
            expected: FORMAT,
        });
    }
    if sum != checksum(format, found).to_le_bytes() {
        return Err(OpenError::Foreign { path: path() });
    }
    if found != seed {
        return Err(OpenError::Seed {
            path: path(),
            found,
            expected: seed,
        });
    }
    Ok(Some(entries))
}

/// The name of a segment; names sort like numbers.
pub(crate) fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:020}.{SUFFIX}"))
}

/// The numbers of all segments, from the oldest to the newest.
pub(crate) fn numbers(folder: &Path) -> Result<Vec<u64>, OpenError> {
    let failed = OpenError::read(folder);
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder).map_err(&failed)? {
        let path = entry.map_err(&failed)?.path();
        if path.extension() == Some(OsStr::new(SUFFIX)) {
            let stem = path.file_stem().and_then(OsStr::to_str);
            let number = stem.and_then(|stem| stem.parse().ok());
            numbers.push(number.ok_or(OpenError::Foreign { path })?);
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}
