//! Items of a series as JSON, with the place of each, so that any part of them
//! can be taken without looking at its text.

use market::series::{Bucket, Span};
use primitives::OrImpossible as _;
use serde::Serialize;
use std::ops::Range;

/// Items of rising buckets, each after a comma, so that parts can follow one
/// another as they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Items {
    text: Vec<u8>,
    /// The bucket of each item, and where it ends in the text.
    ends: Vec<(Bucket, usize)>,
}

impl Items {
    /// Adds an item after all others.
    pub(super) fn add(&mut self, bucket: Bucket, item: &impl Serialize) {
        let written = serde_json::to_vec(item).or_impossible("an item can be written");
        if let Ok(item) = written {
            self.text.push(b',');
            self.text.extend(item);
            self.ends.push((bucket, self.text.len()));
        }
    }

    /// The text of the items of a span.
    pub(super) fn text(&self, span: &Span) -> &[u8] {
        let Range { start, end } = self.places(span);
        let text = self.end(start)..self.end(end);
        self.text.get(text).unwrap_or_default()
    }

    /// The last bucket of a span that has an item.
    pub(super) fn last(&self, span: &Span) -> Option<Bucket> {
        let items = self.ends.get(self.places(span))?;
        items.last().map(|(bucket, _)| *bucket)
    }

    /// Roughly what it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.ends.len() * size_of::<(Bucket, usize)>()
    }

    /// Gives back what was reserved for more.
    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    fn places(&self, span: &Span) -> Range<usize> {
        let before = |end: Bucket| self.ends.partition_point(|(bucket, _)| *bucket < end);
        before(span.start)..before(span.end)
    }

    /// Where the first so many items end.
    fn end(&self, count: usize) -> usize {
        let last = count.checked_sub(1).and_then(|last| self.ends.get(last));
        last.map_or(0, |(_, end)| *end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn items(buckets: impl IntoIterator<Item = Bucket>) -> Items {
        let mut items = Items::default();
        for bucket in buckets {
            items.add(bucket, &bucket);
        }
        items
    }

    #[test]
    fn every_item_follows_a_comma() {
        assert_eq!(items([1, 2]).text(&(0..9)), b",1,2");
    }

    #[test]
    fn a_part_is_found_where_buckets_are_missing() {
        let items = items([3, 4, 9]);
        for (span, text, last) in [
            (0..3, "", None),
            (0..4, ",3", Some(3)),
            (4..9, ",4", Some(4)),
            (5..9, "", None),
            (4..12, ",4,9", Some(9)),
            (10..12, "", None),
        ] {
            assert_eq!(items.text(&span), text.as_bytes(), "{span:?}");
            assert_eq!(items.last(&span), last, "{span:?}");
        }
    }

    proptest! {
        #[test]
        fn a_part_is_what_would_have_been_written_alone(
            first in -50_i64..50, count in 0..60_i64, start in -80_i64..80, length in 0..80_i64,
        ) {
            let span = start..start + length;
            let part = items(first..first + count);
            let alone = items(first.max(start)..(first + count).min(start + length));
            prop_assert_eq!(part.text(&span), alone.text(&span));
            prop_assert_eq!(part.last(&span), alone.last(&span));
        }
    }
}
