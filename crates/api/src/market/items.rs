//! Items of a series as JSON, with the place and the digest of each, so that
//! any part of them can be taken without looking at its text.

use super::{
    date::DateWriter,
    json::{USD_DECIMALS, write_decimal, write_float},
};
use crate::entity_tag::EntityTag;
use bytes::Bytes;
use market::{
    figures::Candle,
    series::{Bucket, Resolution, Span},
};

/// Items of rising buckets, each after a comma, so that parts can follow one
/// another as they are.
#[derive(Debug)]
pub(super) struct Items {
    text: Bytes,
    marks: Vec<Mark>,
}

/// Writes items.
#[derive(Debug, Default)]
pub(super) struct ItemWriter {
    text: Vec<u8>,
    marks: Vec<Mark>,
}

/// Where an item ends, and the tag of all items up to it.
#[derive(Debug, Clone, Copy)]
struct Mark {
    bucket: Bucket,
    end: usize,
    tag: EntityTag,
}

/// Some consecutive items, at least one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Each after a comma. It is shared with the items, not copied.
    pub(super) text: Bytes,
    pub(super) tag: EntityTag,
    /// The bucket of the last one.
    pub(super) last: Bucket,
}

impl ItemWriter {
    /// Goes on after these items.
    pub(super) fn after(items: &Items) -> Self {
        Self {
            text: items.text.to_vec(),
            marks: items.marks.clone(),
        }
    }

    /// Adds candles.
    pub(super) fn add_candles(&mut self, resolution: Resolution, candles: &[Candle]) {
        let mut dates = DateWriter::new();
        for candle in candles {
            let date = dates.time(resolution.opens(candle.bucket));
            self.add(candle.bucket, |out| {
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
    pub(super) fn add_prices(&mut self, resolution: Resolution, prices: &[(Bucket, f64)]) {
        let mut dates = DateWriter::new();
        for (bucket, price) in prices {
            let date = dates.time(resolution.opens(*bucket));
            self.add(*bucket, |out| {
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
    pub(super) fn finish(mut self) -> Items {
        self.text.shrink_to_fit();
        self.marks.shrink_to_fit();
        Items {
            text: self.text.into(),
            marks: self.marks,
        }
    }
}

impl Items {
    /// The items of a span, if there are any.
    pub(super) fn part(&self, span: &Span) -> Option<Part> {
        let (before, through) = (self.count_before(span.start), self.count_before(span.end));
        let at = |count: usize| count.checked_sub(1).and_then(|it| self.marks.get(it));
        let last = at(through).filter(|_| through > before)?;
        let (start, tag) =
            at(before).map_or((0, last.tag), |mark| (mark.end, last.tag.without(mark.tag)));
        Some(Part {
            text: self.text.slice(start..last.end),
            tag,
            last: last.bucket,
        })
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
        self.text.len() + self.marks.capacity() * size_of::<Mark>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn candle(bucket: Bucket) -> Candle {
        Candle {
            bucket,
            open: 0.1,
            high: 2.5e-9,
            low: 1e21,
            close: 3.0,
            volume: 150_000_000,
        }
    }

    /// The text of all items.
    fn text(writer: ItemWriter) -> Bytes {
        writer.finish().part(&(0..30_000)).unwrap().text
    }

    #[test]
    fn candles_and_prices_are_written_as_documented() {
        let mut items = ItemWriter::default();
        items.add_candles(Resolution::Day, &[candle(20_454)]);
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
        let mut items = ItemWriter::default();
        items.add_prices(Resolution::Hour, &[(1, 0.5), (2, 1.0)]);
        assert_eq!(
            text(items),
            &br#",{"date":"1970-01-01T01:00:00Z","value":0.5},{"date":"1970-01-01T02:00:00Z","value":1.0}"#[..]
        );
    }

    #[test]
    fn a_part_is_found_where_buckets_are_missing() {
        let mut items = ItemWriter::default();
        items.add_prices(Resolution::Hour, &[(3, 3.0), (4, 4.0), (9, 9.0)]);
        let items = items.finish();
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
                let prices: Vec<(Bucket, f64)> = span
                    .map(|bucket| (bucket, f64::from(i32::try_from(bucket).unwrap()) / 7.0))
                    .collect();
                let mut items = ItemWriter::default();
                items.add_prices(Resolution::Week, &prices);
                items.finish()
            };
            let span = start..start + length;
            let alone = items(first.max(start)..(first + count).min(start + length));
            prop_assert_eq!(items(first..first + count).part(&span), alone.part(&span));
        }

        #[test]
        fn what_follows_is_written_as_if_at_once(count in 0..20_i32, more in 0..20_i32) {
            let prices = |from: i32, to: i32| -> Vec<(Bucket, f64)> {
                (from..to).map(|it| (Bucket::from(it), f64::from(it))).collect()
            };
            let mut before = ItemWriter::default();
            before.add_prices(Resolution::Minute, &prices(0, count));
            let mut after = ItemWriter::after(&before.finish());
            after.add_prices(Resolution::Minute, &prices(count, count + more));
            let mut at_once = ItemWriter::default();
            at_once.add_prices(Resolution::Minute, &prices(0, count + more));
            let all = 0..100;
            prop_assert_eq!(after.finish().part(&all), at_once.finish().part(&all));
        }
    }
}
