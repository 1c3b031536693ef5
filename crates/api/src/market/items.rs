//! Items of a series as JSON, with the place and the digest of each, so that
//! any part of them can be taken without looking at its text.

use super::{
    date::DateWriter,
    groups::{GROUP, Groups},
    gzip::GzipWriter,
    json::{USD_DECIMALS, write_decimal, write_float},
};
use crate::http::entity_tag::EntityTag;
use bytes::Bytes;
use market::{
    figures::Candle,
    series::{Bucket, Resolution, Span},
};
use std::{ops::Range, sync::Arc};

/// Items of rising buckets, each after a comma, so that parts can follow one
/// another as they are.
#[derive(Debug)]
pub(super) struct Items {
    text: Bytes,
    marks: Vec<Mark>,
    groups: Groups,
}

/// Writes items.
#[derive(Debug, Default)]
pub(super) struct ItemWriter {
    text: Vec<u8>,
    marks: Vec<Mark>,
    groups: Groups,
}

/// Where an item ends, and the tag of all items up to it.
#[derive(Debug, Clone, Copy)]
struct Mark {
    bucket: Bucket,
    end: usize,
    tag: EntityTag,
}

/// Some consecutive items, at least one.
#[derive(Debug)]
pub(super) struct Part {
    items: Arc<Items>,
    places: Range<usize>,
}

impl ItemWriter {
    /// Goes on after these items.
    pub(super) fn after(items: &Items) -> Self {
        Self {
            text: items.text.to_vec(),
            marks: items.marks.clone(),
            groups: items.groups.clone(),
        }
    }

    /// Adds candles.
    pub(super) fn add_candles<'a>(
        &mut self,
        resolution: Resolution,
        candles: impl Iterator<Item = (Bucket, &'a Candle)>,
    ) {
        let mut dates = DateWriter::new();
        for (bucket, candle) in candles {
            let date = dates.time(resolution.opens(bucket));
            self.add(bucket, |out| {
                out.extend_from_slice(b"{\"date\":\"");
                out.extend_from_slice(date);
                for (key, price) in [
                    (&b"\",\"open\":"[..], candle.open),
                    (b",\"high\":", candle.high),
                    (b",\"low\":", candle.low),
                    (b",\"close\":", candle.close),
                ] {
                    out.extend_from_slice(key);
                    write_float(out, price);
                }
                out.extend_from_slice(b",\"volume\":");
                write_decimal(out, candle.volume, USD_DECIMALS);
                out.push(b'}');
            });
        }
    }

    /// Adds prices.
    pub(super) fn add_prices<'a>(
        &mut self,
        resolution: Resolution,
        prices: impl Iterator<Item = (Bucket, &'a f64)>,
    ) {
        let mut dates = DateWriter::new();
        for (bucket, price) in prices {
            let date = dates.time(resolution.opens(bucket));
            self.add(bucket, |out| {
                out.extend_from_slice(b"{\"date\":\"");
                out.extend_from_slice(date);
                out.extend_from_slice(b"\",\"value\":");
                write_float(out, *price);
                out.push(b'}');
            });
        }
    }

    fn add(&mut self, bucket: Bucket, write: impl FnOnce(&mut Vec<u8>)) {
        self.text.push(b',');
        let start = self.text.len();
        write(&mut self.text);
        let tag = EntityTag::of(self.text.get(start..).unwrap_or_default());
        let before = self.marks.last().map(|mark| mark.tag);
        self.marks.push(Mark {
            bucket,
            end: self.text.len(),
            tag: before.unwrap_or_default().and(tag),
        });
    }

    /// What was written, without memory that was reserved for more.
    pub(super) fn finish(mut self) -> Arc<Items> {
        self.text.shrink_to_fit();
        self.marks.shrink_to_fit();
        Arc::new(Items {
            text: self.text.into(),
            marks: self.marks,
            groups: self.groups,
        })
    }

    /// The same, deflated too, as far as groups are whole.
    pub(super) fn finish_deflated(mut self) -> Arc<Items> {
        let ends = self.marks.iter().map(|mark| mark.end);
        self.groups.grow(&self.text, ends);
        self.finish()
    }
}

impl Items {
    /// The items of a span, if there are any.
    pub(super) fn part(self: &Arc<Self>, span: &Span) -> Option<Part> {
        let places = self.count_before(span.start)..self.count_before(span.end);
        (!places.is_empty()).then(|| Part {
            items: Arc::clone(self),
            places,
        })
    }

    /// The last of the first so many items.
    fn mark(&self, count: usize) -> Option<&Mark> {
        self.marks.get(count.checked_sub(1)?)
    }

    /// Where the first so many items end.
    fn end(&self, count: usize) -> usize {
        self.mark(count).map_or(0, |mark| mark.end)
    }

    /// How many items lie before a bucket.
    fn count_before(&self, bucket: Bucket) -> usize {
        let is_before = |mark: &Mark| mark.bucket < bucket;
        // Most often no bucket is missing: then only this place is looked at.
        let first = self.marks.first().map_or(bucket, |mark| mark.bucket);
        let guess = usize::try_from(bucket.saturating_sub(first)).unwrap_or(0);
        let guess = guess.min(self.marks.len());
        let fits = self.marks.get(guess).is_none_or(|mark| !is_before(mark))
            && guess
                .checked_sub(1)
                .and_then(|it| self.marks.get(it))
                .is_none_or(is_before);
        if fits {
            guess
        } else {
            self.marks.partition_point(is_before)
        }
    }

    /// Roughly what it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.marks.capacity() * size_of::<Mark>() + self.groups.bytes()
    }
}

impl Part {
    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The bucket of the last one.
    pub(super) fn last(&self) -> Option<Bucket> {
        self.items.mark(self.places.end).map(|mark| mark.bucket)
    }

    pub(super) fn tag(&self) -> EntityTag {
        let tag = |count| {
            self.items
                .mark(count)
                .map_or_else(EntityTag::default, |it| it.tag)
        };
        tag(self.places.end).without(tag(self.places.start))
    }

    /// Each after a comma. It is shared with the items, not copied.
    pub(super) fn text(&self) -> Bytes {
        self.items.text.slice(self.range())
    }

    /// Adds the text to a stream, without its first comma if it `leads`;
    /// returns how many items had been deflated before.
    pub(super) fn pack(&self, leads: bool, gzip: &mut GzipWriter) -> usize {
        let Self { items, places } = self;
        let mut text = self.range();
        let mut first = places.start.div_ceil(GROUP);
        if leads {
            // The comma is in the group of the first item.
            text.start += 1;
            first = places.start / GROUP + 1;
        }
        let groups = first..items.groups.len().min(places.end / GROUP);
        let deflated = groups.len() * GROUP;
        let slice = |range: Range<usize>| items.text.get(range).unwrap_or_default();
        if deflated > 0 {
            gzip.text(slice(text.start..items.end(first * GROUP)));
            text.start = items.end(groups.end * GROUP);
            let (blocks, around) = items.groups.run(groups);
            gzip.deflated(blocks, around);
        }
        gzip.text(slice(text));
        deflated
    }

    /// Where the text lies.
    fn range(&self) -> Range<usize> {
        self.items.end(self.places.start)..self.items.end(self.places.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    const CANDLE: Candle = Candle {
        open: 0.1,
        high: 2.5e-9,
        low: 1e21,
        close: 3.0,
        volume: 150_000_000,
    };

    /// Items of prices.
    fn prices(prices: &[(Bucket, f64)]) -> ItemWriter {
        let mut items = ItemWriter::default();
        items.add_prices(Resolution::Hour, refs(prices));
        items
    }

    fn refs(prices: &[(Bucket, f64)]) -> impl Iterator<Item = (Bucket, &f64)> {
        prices.iter().map(|(bucket, price)| (*bucket, price))
    }

    /// The text of all items.
    fn text(writer: ItemWriter) -> Bytes {
        writer.finish().part(&(0..30_000)).unwrap().text()
    }

    /// All that is told of a part.
    fn told(part: Option<Part>) -> Option<(Bytes, EntityTag, Option<Bucket>)> {
        part.map(|it| (it.text(), it.tag(), it.last()))
    }

    #[test]
    fn candles_and_prices_are_written_as_documented() {
        let mut items = ItemWriter::default();
        items.add_candles(Resolution::Day, [(20_454, &CANDLE)].into_iter());
        let text = text(items);
        let read: Value = serde_json::from_slice(text.strip_prefix(b",").unwrap()).unwrap();
        let expected = json!({
            "date": "2026-01-01T00:00:00Z", "open": 0.1, "high": 2.5e-9, "low": 1e21,
            "close": 3.0, "volume": 1.5
        });
        assert_eq!(read, expected);
    }

    #[test]
    fn every_item_follows_a_comma() {
        assert_eq!(
            text(prices(&[(1, 0.5), (2, 1.0)])),
            &br#",{"date":"1970-01-01T01:00:00Z","value":0.5},{"date":"1970-01-01T02:00:00Z","value":1.0}"#[..]
        );
    }

    #[test]
    fn a_part_is_found_where_buckets_are_missing() {
        let items = prices(&[(3, 3.0), (4, 4.0), (9, 9.0)]).finish();
        for bucket in 0..12 {
            let expected = [3, 4, 9].iter().filter(|it| **it < bucket).count();
            assert_eq!(items.count_before(bucket), expected, "{bucket}");
        }
    }

    proptest! {
        #[test]
        fn a_part_is_what_would_have_been_written_alone(
            first in -50_i64..50, count in 0..60_i64, start in -80_i64..80, length in 0..80_i64,
        ) {
            let items = |span: Span| {
                let course: Vec<(Bucket, f64)> = span
                    .map(|bucket| (bucket, f64::from(i32::try_from(bucket).unwrap()) / 7.0))
                    .collect();
                prices(&course).finish()
            };
            let span = start..start + length;
            let alone = items(first.max(start)..(first + count).min(start + length));
            prop_assert_eq!(told(items(first..first + count).part(&span)), told(alone.part(&span)));
        }

        #[test]
        fn what_follows_is_written_as_if_at_once(count in 0..60_i32, more in 0..60_i32) {
            let course = |from: i32, to: i32| -> Vec<(Bucket, f64)> {
                (from..to).map(|it| (Bucket::from(it), f64::from(it))).collect()
            };
            let before = prices(&course(0, count)).finish_deflated();
            let mut after = ItemWriter::after(&before);
            after.add_prices(Resolution::Hour, refs(&course(count, count + more)));
            let after = after.finish_deflated();
            let at_once = prices(&course(0, count + more)).finish_deflated();
            let all = 0..200;
            prop_assert_eq!(told(after.part(&all)), told(at_once.part(&all)));
            prop_assert_eq!(packed(&after, &all), packed(&at_once, &all));
        }

        #[test]
        fn a_packed_part_unpacks_to_its_text(
            count in 0..80_i32, start in 0..80_i64, length in 0..80_i64, leads in any::<bool>(),
        ) {
            let course: Vec<(Bucket, f64)> =
                (0..count).map(|it| (it.into(), f64::from(it) / 7.0)).collect();
            let items = prices(&course).finish_deflated();
            let span = start..start + length;
            if let Some(part) = items.part(&span) {
                let mut gzip = GzipWriter::new();
                let deflated = part.pack(leads, &mut gzip);
                let text = part.text();
                prop_assert_eq!(gzip.finish().unpacked(), &text[usize::from(leads)..]);
                // Less than one group at each end is not deflated, or one whole.
                prop_assert!(deflated + 2 * GROUP > part.len(), "{}", deflated);
            }
        }
    }

    fn packed(items: &Arc<Items>, span: &Span) -> Vec<u8> {
        let mut gzip = GzipWriter::new();
        if let Some(part) = items.part(span) {
            part.pack(false, &mut gzip);
        }
        gzip.finish().joined()
    }
}
