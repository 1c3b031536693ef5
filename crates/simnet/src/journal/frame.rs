//! Entries in a file: each with its length and a checksum, in groups that count
//! only when they are complete.

/// Bytes of one entry.
const MAX_ENTRY_BYTES: usize = 256 << 20;

/// Length, checksum, mark.
const HEAD_BYTES: usize = 9;

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
        let Some(entry) = self.bytes.get_mut(self.newest..) else {
            return;
        };
        let Some((head, body)) = entry.split_at_mut_checked(HEAD_BYTES) else {
            return;
        };
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
        let [lengths @ .., _, _, _, _, _] = head else {
            return;
        };
        lengths.copy_from_slice(&length.to_le_bytes());
        let sum = checksum(length, mark, body).to_le_bytes();
        if let [_, _, _, _, sums @ .., marked] = head {
            sums.copy_from_slice(&sum);
            *marked = mark;
        }
    }
}

fn checksum(length: u32, mark: u8, body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&length.to_le_bytes());
    hasher.update(&[mark]);
    hasher.update(body);
    hasher.finalize()
}

/// The entries of all complete groups, and how many bytes they take. What comes
/// after was torn or never finished.
pub(crate) fn complete(bytes: &[u8]) -> (Vec<&[u8]>, usize) {
    let mut entries = Vec::new();
    let (mut counted, mut end, mut rest) = (0, 0, bytes);
    while let Some((mark, body, after)) = entry(rest) {
        entries.push(body);
        rest = after;
        if mark == LAST {
            counted = entries.len();
            end = bytes.len() - rest.len();
        }
    }
    entries.truncate(counted);
    (entries, end)
}

/// The first entry with its mark, and what follows.
fn entry(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (sum, rest) = rest.split_first_chunk()?;
    let (mark, rest) = rest.split_first()?;
    let length = u32::from_le_bytes(*length);
    let size = usize::try_from(length).ok()?;
    if size > MAX_ENTRY_BYTES {
        return None;
    }
    let (body, rest) = rest.split_at_checked(size)?;
    (checksum(length, *mark, body) == u32::from_le_bytes(*sum)).then_some((*mark, body, rest))
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

    proptest! {
        #[test]
        fn a_torn_file_has_all_groups_before_the_tear_and_nothing_else(
            groups in groups(), cut: prop::sample::Index, garbage in any::<[u8; 4]>(),
        ) {
            let whole: Vec<Vec<u8>> = groups.iter().map(|entries| group(entries)).collect();
            let bytes = whole.concat();
            let cut = cut.index(bytes.len() + 1);
            let (mut end, mut expected) = (0, Vec::new());
            for (entries, bytes) in groups.iter().zip(&whole) {
                if end + bytes.len() > cut {
                    break;
                }
                end += bytes.len();
                expected.extend(entries.iter().map(Vec::as_slice));
            }
            prop_assert_eq!(complete(&bytes[..cut]), (expected.clone(), end));
            let torn = [&bytes[..end], &garbage].concat();
            prop_assert_eq!(complete(&torn), (expected, end));
        }

        #[test]
        fn a_changed_byte_is_noticed(entry in prop::collection::vec(any::<u8>(), 1..50), at: prop::sample::Index, change in 1_u8..) {
            let mut bytes = group(&[entry]);
            let at = at.index(bytes.len());
            bytes[at] ^= change;
            prop_assert_eq!(complete(&bytes).1, 0);
        }
    }
}
