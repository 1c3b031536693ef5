//! Entries in a file: each with its length and a checksum, in groups that count
//! only when they are complete.

use primitives::OrImpossible as _;

/// An entry that claims to be longer is taken for damaged.
const MAX_ENTRY_BYTES: usize = 256 << 20;

/// Bytes of which checksums are made in search of an entry behind a damaged one.
const MAX_COMPARED_BYTES: u64 = 32 << 30;

/// Length, checksum, mark.
pub(crate) const HEAD_BYTES: usize = 9;

const MORE_FOLLOW: u8 = 0;
const LAST: u8 = 1;

/// Entries that count together or not at all.
#[derive(Debug, Default)]
pub(crate) struct Group {
    bytes: Vec<u8>,
    /// Where the newest entry begins.
    newest: usize,
}

impl Group {
    /// Adds the entry that `write` writes.
    pub(crate) fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.newest = self.bytes.len();
        self.bytes.extend_from_slice(&[0; HEAD_BYTES]);
        write(&mut self.bytes);
        self.mark(MORE_FOLLOW);
    }

    /// The bytes of the group, now complete.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if !self.bytes.is_empty() {
            self.mark(LAST);
        }
        self.bytes
    }

    fn mark(&mut self, mark: u8) {
        let entry = self.bytes.get_mut(self.newest..);
        let parts = entry.and_then(|entry| entry.split_first_chunk_mut::<HEAD_BYTES>());
        let Ok((head, body)) = parts.or_impossible("an entry begins with its head") else {
            return;
        };
        // What is longer is damaged for whoever reads it.
        let length = u32::try_from(body.len()).or_impossible("an entry is below 4 GiB");
        let length = length.unwrap_or(u32::MAX);
        let [l0, l1, l2, l3] = length.to_le_bytes();
        let [s0, s1, s2, s3] = checksum(length, mark, body).to_le_bytes();
        *head = [l0, l1, l2, l3, s0, s1, s2, s3, mark];
    }
}

fn checksum(length: u32, mark: u8, body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&length.to_le_bytes());
    hasher.update(&[mark]);
    hasher.update(body);
    hasher.finalize()
}

/// What is at a place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part<'b> {
    Entry(&'b [u8]),
    /// So many bytes in which there is no entry any more.
    Damaged(usize),
}

/// What bytes are made of.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents<'b> {
    /// All that counts, in order.
    pub(crate) parts: Vec<Part<'b>>,
    /// The bytes that it takes. What comes after was torn or never finished.
    pub(crate) length: usize,
}

/// Reads entries, and goes on behind damaged ones. Groups that were not finished
/// do not count: a process that is killed leaves the beginning of one behind, and
/// that is no damage.
pub(crate) fn read(bytes: &[u8]) -> Contents<'_> {
    let mut parts = Vec::new();
    let (mut counted, mut length, mut rest) = (0, 0, bytes);
    while !rest.is_empty() {
        let counts = if let Some((mark, body, after)) = entry(rest) {
            parts.push(Part::Entry(body));
            rest = after;
            mark == LAST
        } else {
            let next = next_entry(rest);
            if next.is_none() && is_torn(rest) {
                break;
            }
            let damaged = next.unwrap_or(rest.len());
            parts.push(Part::Damaged(damaged));
            rest = rest.get(damaged..).unwrap_or_default();
            // Whatever came before damage was complete once.
            true
        };
        if counts {
            counted = parts.len();
            length = bytes.len() - rest.len();
        }
    }
    parts.truncate(counted);
    Contents { parts, length }
}

/// Whether the bytes begin with an entry.
pub(crate) fn begin_with_entry(bytes: &[u8]) -> bool {
    entry(bytes).is_some()
}

/// Where the next entry begins behind one that cannot be read. Its length may be
/// what is wrong, so every place is tried.
fn next_entry(bytes: &[u8]) -> Option<usize> {
    let mut compared = 0;
    for at in 1..bytes.len() {
        let Some((head, body, _)) = whole(bytes.get(at..)?) else {
            continue;
        };
        if !matches!(head.mark, MORE_FOLLOW | LAST) {
            continue;
        }
        if head.fits(body) {
            return Some(at);
        }
        compared += u64::from(head.length);
        if compared > MAX_COMPARED_BYTES {
            break;
        }
    }
    None
}

/// Whether bytes that are no entry are what is left of one that was not written
/// to its end, or of none: a file may have grown before anything was written.
fn is_torn(bytes: &[u8]) -> bool {
    let Some((mut head, rest)) = head(bytes) else {
        return true;
    };
    if bytes.iter().all(|byte| *byte == 0) {
        return true;
    }
    if whole(bytes).is_some() {
        return false;
    }
    // If it is right up to the end, then nothing but its length is wrong.
    head.length = u32::try_from(rest.len()).unwrap_or(u32::MAX);
    !head.fits(rest)
}

/// What an entry says of itself.
#[derive(Clone, Copy)]
struct Head {
    length: u32,
    sum: u32,
    mark: u8,
}

impl Head {
    fn fits(self, body: &[u8]) -> bool {
        checksum(self.length, self.mark, body) == self.sum
    }
}

fn head(bytes: &[u8]) -> Option<(Head, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (sum, rest) = rest.split_first_chunk()?;
    let (mark, rest) = rest.split_first()?;
    let head = Head {
        length: u32::from_le_bytes(*length),
        sum: u32::from_le_bytes(*sum),
        mark: *mark,
    };
    Some((head, rest))
}

/// An entry that is as long as it says, right or wrong, and what follows.
fn whole(bytes: &[u8]) -> Option<(Head, &[u8], &[u8])> {
    let (head, rest) = head(bytes)?;
    let size = usize::try_from(head.length).ok()?;
    if size > MAX_ENTRY_BYTES {
        return None;
    }
    let (body, after) = rest.split_at_checked(size)?;
    Some((head, body, after))
}

/// The first entry with its mark, and what follows.
fn entry(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (head, body, after) = whole(bytes)?;
    head.fits(body).then_some((head.mark, body, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn group(entries: &[Vec<u8>]) -> Vec<u8> {
        let mut group = Group::default();
        for entry in entries {
            group.push(|out| out.extend_from_slice(entry));
        }
        group.finish()
    }

    fn groups() -> impl Strategy<Value = Vec<Vec<Vec<u8>>>> {
        let entry = prop::collection::vec(any::<u8>(), 0..20);
        prop::collection::vec(prop::collection::vec(entry, 1..4), 0..6)
    }

    fn entries(entries: &[Vec<u8>]) -> Vec<Part<'_>> {
        entries.iter().map(|entry| Part::Entry(entry)).collect()
    }

    proptest! {
        #[test]
        fn a_torn_file_has_all_groups_before_the_tear_and_nothing_else(
            groups in groups(), cut: prop::sample::Index, garbage in any::<[u8; 4]>(), zeros in 0_usize..99,
        ) {
            let whole: Vec<Vec<u8>> = groups.iter().map(|entries| group(entries)).collect();
            let bytes = whole.concat();
            let cut = cut.index(bytes.len() + 1);
            let (mut length, mut parts) = (0, Vec::new());
            for (group, bytes) in groups.iter().zip(&whole) {
                if length + bytes.len() > cut {
                    break;
                }
                length += bytes.len();
                parts.extend(entries(group));
            }
            let expected = Contents { parts, length };
            prop_assert_eq!(&read(&bytes[..cut]), &expected);
            for torn in [&garbage[..], &vec![0; zeros]] {
                let torn = [&bytes[..length], torn].concat();
                prop_assert_eq!(&read(&torn), &expected);
            }
        }

        #[test]
        fn a_flipped_bit_costs_one_entry_and_no_other(
            groups in groups(), at: prop::sample::Index, bit in 0_u32..8,
        ) {
            let all = groups.concat();
            prop_assume!(!all.is_empty());
            let mut bytes: Vec<u8> = groups.iter().flat_map(|entries| group(entries)).collect();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            let mut end = 0;
            let hit = all.iter().position(|entry| {
                end += HEAD_BYTES + entry.len();
                at < end
            });
            let hit = hit.unwrap();
            let mut parts = entries(&all);
            parts[hit] = Part::Damaged(HEAD_BYTES + all[hit].len());
            prop_assert_eq!(read(&bytes), Contents { parts, length: bytes.len() });
        }

        #[test]
        fn no_bytes_make_reading_panic(bytes in prop::collection::vec(0_u8..4, 0..200)) {
            let contents = read(&bytes);
            prop_assert!(contents.length <= bytes.len());
        }
    }
}
