//! Prices and candles in USD.

use super::{Ohlc, PriceBoard, bar::Bar};
use crate::{
    price::Hub,
    series::{
        Bucket, Resolution, Span,
        lane::{Lane, Segment},
        track::place,
    },
    token_id::TokenId,
};
use std::ops::Range;

impl PriceBoard {
    /// The price at a time, to the minute: that at the beginning of the minute
    /// that the time lies in. In the minute of the first price it is the first
    /// price; before, there is none.
    pub fn value_at(&self, token: TokenId, time: i64) -> Option<f64> {
        let minute = u32::try_from(Resolution::Minute.bucket(time)).ok()?;
        let (at, bar) = self.floor(token, minute)?;
        if at == minute {
            return Some(bar.course.open);
        }
        let Hub::Token(hub) = bar.quote.hub else {
            return Some(bar.course.close);
        };
        let (at, Bar { course, .. }) = self.floor(hub, minute)?;
        let hub = if at == minute {
            course.open
        } else {
            course.close
        };
        Some(bar.quote.ratio * hub)
    }

    /// The candles of a span, one for every bucket from the first price on,
    /// also for those after the newest block. The caller limits the span.
    pub fn bars(&self, token: TokenId, resolution: Resolution, span: Span) -> Vec<Ohlc> {
        self.bars_as(token, resolution, span)
    }

    /// The same, as something that is made of candles: nothing is written twice.
    pub(crate) fn bars_as<T: From<Ohlc>>(
        &self,
        token: TokenId,
        resolution: Resolution,
        span: Span,
    ) -> Vec<T> {
        let stored = resolution.stored();
        let within = resolution.refine(&span, stored);
        let within = place(within.start)..place(within.end);
        if stored == resolution {
            return self.dense(token, stored, within);
        }
        let mut merged = Vec::new();
        let days: Vec<Ohlc> = self.dense(token, stored, within);
        merge_into(&mut merged, days, stored, resolution);
        merged.into_iter().map(T::from).collect()
    }

    /// The candles of stored buckets.
    pub(super) fn dense<T: From<Ohlc>>(
        &self,
        token: TokenId,
        resolution: Resolution,
        span: Range<u32>,
    ) -> Vec<T> {
        let Some(track) = self.tracks.get(token) else {
            return Vec::new();
        };
        // Of each hub that is needed, from the first bucket on where it is.
        let mut hubs: Vec<(TokenId, Vec<Ohlc>)> = Vec::new();
        dense(track.lane(resolution), span.clone(), |bar, gap, out| {
            let Hub::Token(hub) = bar.quote.hub else {
                return flat(bar.course.close, gap, out);
            };
            let known = hubs.iter().position(|(known, _)| *known == hub);
            let known = known.unwrap_or_else(|| {
                let bars = self.tracks.get(hub).map_or_else(Vec::new, |track| {
                    let span = gap.start..span.end;
                    dense(
                        track.lane(resolution),
                        span,
                        |bar, gap, out: &mut Vec<Ohlc>| {
                            flat(bar.course.close, gap, out);
                        },
                    )
                });
                hubs.push((hub, bars));
                hubs.len() - 1
            });
            let bars = hubs.get(known).map_or(&[][..], |(_, bars)| bars);
            scale(bar, bars, gap, out);
        })
    }

    fn floor(&self, token: TokenId, minute: u32) -> Option<(u32, Bar)> {
        let track = self.tracks.get(token)?;
        track.lane(Resolution::Minute).floor(minute)
    }
}

/// The candle of every bucket of a span from the first record on. Buckets
/// without a record are filled in after the newest record before them.
fn dense<T: From<Ohlc>>(
    lane: &Lane<Bar>,
    span: Range<u32>,
    mut fill: impl FnMut(&Bar, Range<u32>, &mut Vec<T>),
) -> Vec<T> {
    let before = span.start.checked_sub(1);
    let mut before = before.and_then(|before| lane.early(before));
    let mut segments = lane.segments(span.start).peekable();
    let mut next = match (&before, segments.peek().and_then(Segment::first)) {
        (Some(_), _) => span.start,
        (None, Some(first)) => first,
        (None, None) => return Vec::new(),
    };
    let len = span.end.saturating_sub(next);
    let mut out = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    for segment in segments {
        let segment = segment.until(span.end);
        let Some((first, last)) = segment.first().zip(segment.last()) else {
            break;
        };
        if first > next
            && let Some(bar) = before.as_ref().and_then(Segment::newest)
        {
            fill(&bar, next..first, &mut out);
        }
        if let Some(courses) = segment.run() {
            let buckets = i64::from(first)..i64::MAX;
            out.extend(
                buckets
                    .zip(courses)
                    .map(|(at, course)| course.at(at).into()),
            );
        } else {
            scattered(&segment, &mut fill, &mut out);
        }
        (before, next) = (Some(segment), last.saturating_add(1));
    }
    if span.end > next
        && let Some(bar) = before.as_ref().and_then(Segment::newest)
    {
        fill(&bar, next..span.end, &mut out);
    }
    out
}

/// The candles from the first to the last record of a segment.
fn scattered<T: From<Ohlc>>(
    segment: &Segment<'_, Bar>,
    fill: &mut impl FnMut(&Bar, Range<u32>, &mut Vec<T>),
    out: &mut Vec<T>,
) {
    let mut before: Option<(u32, Bar)> = None;
    for (at, bar) in segment.iter() {
        if let Some((earlier, before)) = before.as_ref().filter(|(before, _)| before + 1 < at) {
            fill(before, earlier + 1..at, out);
        }
        out.push(bar.course.at(at.into()).into());
        before = Some((at, bar));
    }
}

/// Buckets in which nothing moved.
fn flat<T: From<Ohlc>>(price: f64, gap: Range<u32>, out: &mut Vec<T>) {
    out.extend(gap.map(|at| T::from(Ohlc::flat(at.into(), price))));
}

/// Buckets in which only the hub moved, whose consecutive candles are given.
fn scale<T: From<Ohlc>>(bar: &Bar, hub: &[Ohlc], gap: Range<u32>, out: &mut Vec<T>) {
    let first = hub.first().map_or(i64::MAX, |first| first.bucket);
    let skipped = usize::try_from(i64::from(gap.start) - first);
    let hub = skipped.ok().and_then(|skipped| hub.get(skipped..));
    match hub {
        Some(hub) => out.extend(
            gap.zip(hub)
                .map(|(_, hub)| T::from(hub.times(bar.quote.ratio))),
        ),
        // No hub is younger than what hangs on it.
        None => flat(bar.course.close, gap, out),
    }
}

/// Adds candles to those of coarser buckets, from the beginning of one on.
pub(super) fn merge_into(
    merged: &mut Vec<Ohlc>,
    bars: impl IntoIterator<Item = Ohlc>,
    finer: Resolution,
    coarse: Resolution,
) {
    let mut end = Bucket::MIN;
    for bar in bars {
        match merged.last_mut() {
            Some(open) if bar.bucket < end => {
                *open = open.course().then(bar.course()).at(open.bucket);
            }
            _ => {
                let bucket = coarse.around(bar.bucket, finer);
                end = coarse.refine(&(bucket..bucket + 1), finer).end;
                merged.push(Ohlc { bucket, ..bar });
            }
        }
    }
}
