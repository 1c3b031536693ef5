//! Items of a series as JSON, with the place and the digest of each, so that
//! any part of them can be taken without looking at its text.

use super::{
    date::DateWriter,
    json::{USD_DECIMALS, write_decimal, write_float},
};
use crate::entity_tag::EntityTag;
use market::{
    figures::Candle,
    series::{Bucket, Resolution, Span},
};

/// Items of rising buckets, with commas between them.
#[derive(Debug, Clone, Default)]
pub(super) struct Items {
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

/// Some consecutive items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a> {
    /// With commas between them.
    pub(super) text: &'a [u8],
    pub(super) tag: EntityTag,
    /// The bucket of the last one; none if there are no items.
    pub(super) last: Option<Bucket>,
}

impl Items {
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
        let before = self.marks.last().map(|mark| mark.tag);
        if before.is_some() {
            self.text.push(b',');
        }
        let start = self.text.len();
        write(&mut self.text);
        let tag = EntityTag::of(self.text.get(start..).unwrap_or_default());
        self.marks.push(Mark {
            bucket,
            end: self.text.len(),
            tag: before.unwrap_or_default().and(tag),
        });
    }

    /// The items of a span.
    pub(super) fn part(&self, span: &Span) -> Part<'_> {
        let before = self.marks.partition_point(|mark| mark.bucket < span.start);
        let through = self.marks.partition_point(|mark| mark.bucket < span.end);
        let at = |count: usize| count.checked_sub(1).and_then(|it| self.marks.get(it));
        let Some(last) = at(through).filter(|_| through > before) else {
            return Part {
                text: &[],
                tag: EntityTag::default(),
                last: None,
            };
        };
        let (start, tag) = at(before).map_or((0, last.tag), |mark| {
            // Past the comma.
            (mark.end + 1, last.tag.without(mark.tag))
        });
        Part {
            text: self.text.get(start..last.end).unwrap_or_default(),
            tag,
            last: Some(last.bucket),
        }
    }

    /// Roughly what it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.text.capacity() + self.marks.capacity() * size_of::<Mark>()
    }

    /// Gives back memory that was reserved for more.
    pub(super) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.marks.shrink_to_fit();
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

    #[test]
    fn candles_and_prices_are_written_as_documented() {
        let mut items = Items::default();
        items.add_candles(Resolution::Day, &[candle(20_454)]);
        let read: Value = serde_json::from_slice(items.part(&(0..30_000)).text).unwrap();
        let expected = json!({
            "date": "2026-01-01T00:00:00Z", "open": 0.1, "high": 2.5e-9, "low": 1e21,
            "close": 3.0, "volume": 1.5
        });
        assert_eq!(read, expected);
        let mut items = Items::default();
        items.add_prices(Resolution::Hour, &[(1, 0.5), (2, 1.0)]);
        assert_eq!(
            items.part(&(0..3)).text,
            br#"{"date":"1970-01-01T01:00:00Z","value":0.5},{"date":"1970-01-01T02:00:00Z","value":1.0}"#
        );
    }

    proptest! {
        #[test]
        fn a_part_is_what_would_have_been_written_alone(
            first in -50_i64..50, count in 0..60_i64, start in -80_i64..80, length in 0..80_i64,
        ) {
            let prices = |span: Span| -> Vec<(Bucket, f64)> {
                span.map(|bucket| (bucket, f64::from(i32::try_from(bucket).unwrap()) / 7.0)).collect()
            };
            let mut items = Items::default();
            items.add_prices(Resolution::Week, &prices(first..first + count));
            let span = start..start + length;
            let mut alone = Items::default();
            alone.add_prices(
                Resolution::Week,
                &prices(first.max(start)..(first + count).min(start + length)),
            );
            let (part, alone) = (items.part(&span), alone.part(&span));
            prop_assert_eq!(part.text, alone.text);
            prop_assert_eq!(part.tag, alone.tag);
            prop_assert_eq!(part.last, alone.last);
        }
    }
}
