//! Items of a series, deflated once and in groups, so that any part of them can
//! be sent compressed without compressing it again.

use super::gzip::{Checksum, deflate};
use bytes::Bytes;
use flate2::Compression;
use std::ops::Range;

/// Items of a group: so few that what a part has beside whole groups is short,
/// and so many that deflating them on their own loses little.
pub(super) const GROUP: usize = 16;

/// Whole groups of consecutive items, from the first item on.
#[derive(Debug, Clone, Default)]
pub(super) struct Groups {
    deflated: Bytes,
    ends: Vec<End>,
}

/// Where a group ends among all that is deflated, and the checksum of all text
/// up to there.
#[derive(Debug, Clone, Copy, Default)]
struct End {
    deflated: usize,
    checksum: Checksum,
}

impl Groups {
    /// Takes up the groups that have become whole. `ends` says where items end
    /// in the text; those that were there before are the same.
    pub(super) fn grow(&mut self, text: &[u8], mut ends: impl Iterator<Item = usize>) {
        let known = (self.len() * GROUP).checked_sub(1);
        let mut start = known.and_then(|last| ends.nth(last)).unwrap_or(0);
        let mut deflated = self.deflated.to_vec();
        while let Some(end) = ends.nth(GROUP - 1) {
            let group = text.get(start..end).unwrap_or_default();
            deflate(group, &mut deflated, Compression::default());
            self.ends.push(End {
                deflated: deflated.len(),
                checksum: self.end(self.len()).checksum.and(group),
            });
            start = end;
        }
        deflated.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.deflated = deflated.into();
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// What some of them are deflated to, and the checksums of the text before
    /// and after them.
    pub(super) fn run(&self, groups: Range<usize>) -> (Bytes, [Checksum; 2]) {
        let [start, end] = [groups.start, groups.end].map(|count| self.end(count));
        let blocks = self.deflated.slice(start.deflated..end.deflated);
        (blocks, [start.checksum, end.checksum])
    }

    /// Roughly what they take in memory.
    pub(super) fn bytes(&self) -> usize {
        self.deflated.len() + self.ends.capacity() * size_of::<End>()
    }

    /// Where the first so many groups end.
    fn end(&self, count: usize) -> End {
        let last = count.checked_sub(1).and_then(|last| self.ends.get(last));
        last.copied().unwrap_or_default()
    }
}
