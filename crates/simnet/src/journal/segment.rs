//! The files of a folder.

use super::error::OpenError;
use super::frame::{self, Part};
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
    header_of(FORMAT, seed)
}

pub(crate) fn header_of(format: u32, seed: u64) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    let parts = [
        &MAGIC[..],
        &format.to_le_bytes(),
        &seed.to_le_bytes(),
        &checksum(format, seed).to_le_bytes(),
    ];
    for (place, byte) in header.iter_mut().zip(parts.concat()) {
        *place = byte;
    }
    header
}

fn checksum(format: u32, seed: u64) -> u32 {
    crc32fast::hash(&[&format.to_le_bytes()[..], &seed.to_le_bytes()].concat())
}

/// What a segment is made of.
#[derive(Debug, Default)]
pub(crate) struct Segment<'b> {
    pub(crate) parts: Vec<Part<'b>>,
    /// The bytes that count, the header among them.
    pub(crate) length: u64,
    /// What it says of itself cannot be read; the rest is as good as any.
    pub(crate) header_damaged: bool,
}

/// Reads a segment. One of another format or seed is refused, and so is what
/// looks like none.
pub(crate) fn read<'b>(bytes: &'b [u8], seed: u64, path: &Path) -> Result<Segment<'b>, OpenError> {
    let Some((header, entries)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Ok(Segment {
            header_damaged: true,
            ..Segment::default()
        });
    };
    let path = || path.to_owned();
    let said = said(header);
    match said {
        Some((format, _)) if format != FORMAT => {
            return Err(OpenError::Format {
                path: path(),
                found: format,
                expected: FORMAT,
            });
        }
        Some((_, found)) if found != seed => {
            return Err(OpenError::Seed {
                path: path(),
                found,
                expected: seed,
            });
        }
        None if !frame::begin_with_entry(entries) => {
            return Err(OpenError::Foreign { path: path() });
        }
        _ => {}
    }
    let contents = frame::read(entries);
    let length = HEADER_BYTES + contents.length;
    Ok(Segment {
        parts: contents.parts,
        length: u64::try_from(length).unwrap_or(u64::MAX),
        header_damaged: said.is_none(),
    })
}

/// The format and the seed that a header names; `None` if it is none.
fn said(header: &[u8; HEADER_BYTES]) -> Option<(u32, u64)> {
    let rest = header.strip_prefix(MAGIC)?;
    let (format, rest) = rest.split_first_chunk()?;
    let (seed, sum) = rest.split_first_chunk()?;
    let (format, seed) = (u32::from_le_bytes(*format), u64::from_le_bytes(*seed));
    (sum == checksum(format, seed).to_le_bytes()).then_some((format, seed))
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
