//! Prices and candles in USD.

use super::{Course, Ohlc, PriceBoard, bar::Bar};
use crate::{
    price::Hub,
    series::{
        Bucket, Dense, Resolution, Span,
        lane::{Lane, Segment},
        track::place,
    },
    token_id::TokenId,
};
use std::ops::Range;

/// Makes something of candles.
pub(crate) trait Make<T> {
    /// Makes it of the candle of one bucket.
    fn one(&mut self, bar: Ohlc) -> T;

    /// Of those of consecutive buckets, whose courses lie side by side.
    fn run(&mut self, first: Bucket, courses: &[Course], made: &mut Vec<T>) {
        let bars = (first..Bucket::MAX).zip(courses);
        made.extend(bars.map(|(at, course)| self.one(course.at(at))));
    }
}

impl<T, F: FnMut(Ohlc) -> T> Make<T> for F {
    fn one(&mut self, bar: Ohlc) -> T {
        self(bar)
    }
}

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
        let bars = self.bars_with(token, resolution, span, |bar: Ohlc| bar);
        bars.into_items()
    }

    /// What is made of those candles: nothing is written twice.
    pub(crate) fn bars_with<T>(
        &self,
        token: TokenId,
        resolution: Resolution,
        span: Span,
        mut make: impl Make<T>,
    ) -> Dense<T> {
        let stored = resolution.stored();
        let within = resolution.refine(&span, stored);
        let within = place(within.start)..place(within.end);
        if stored == resolution {
            return self.dense(token, stored, within, make);
        }
        let mut merged = Vec::new();
        let days = self.dense(token, stored, within, |bar: Ohlc| bar);
        merge_into(&mut merged, days.into_items(), stored, resolution);
        Dense::new(
            first(&merged),
            merged.into_iter().map(|bar| make.one(bar)).collect(),
        )
    }

    /// What is made of the candles of stored buckets.
    pub(super) fn dense<T>(
        &self,
        token: TokenId,
        resolution: Resolution,
        span: Range<u32>,
        make: impl Make<T>,
    ) -> Dense<T> {
        let Some(track) = self.tracks.get(token) else {
            return Dense::default();
        };
        // Of each hub that is needed, from the first bucket on where it is.
        let mut hubs: Vec<(TokenId, Vec<Ohlc>)> = Vec::new();
        let fill = |bar: &Bar, gap: Range<u32>, out: &mut Out<T, _>| {
            let Hub::Token(hub) = bar.quote.hub else {
                return out.flat(bar.course.close, gap);
            };
            let known = hubs.iter().position(|(known, _)| *known == hub);
            let known = known.unwrap_or_else(|| {
                let bars = self.tracks.get(hub).map_or_else(Vec::new, |track| {
                    let lane = track.lane(resolution);
                    let flat = |bar: &Bar, gap, out: &mut Out<_, _>| {
                        out.flat(bar.course.close, gap);
                    };
                    dense(lane, gap.start..span.end, flat, |bar: Ohlc| bar).into_items()
                });
                hubs.push((hub, bars));
                hubs.len() - 1
            });
            let bars = hubs.get(known).map_or(&[][..], |(_, bars)| bars);
            out.scale(bar, bars, gap);
        };
        dense(track.lane(resolution), span.clone(), fill, make)
    }

    fn floor(&self, token: TokenId, minute: u32) -> Option<(u32, Bar)> {
        let track = self.tracks.get(token)?;
        track.lane(Resolution::Minute).floor(minute)
    }
}

/// What is made of the candle of every bucket of a span from the first record
/// on. Buckets without a record are filled in after the newest record before
/// them.
fn dense<T, M: Make<T>>(
    lane: &Lane<Bar>,
    span: Range<u32>,
    mut fill: impl FnMut(&Bar, Range<u32>, &mut Out<T, M>),
    make: M,
) -> Dense<T> {
    // Found before any is read: so the memory of all of them is waited for once.
    let segments: Vec<_> = lane.within(span.start, span.end).collect();
    let first = segments.first().and_then(Segment::first);
    let mut before = None;
    if first != Some(span.start) {
        let early = span.start.checked_sub(1);
        before = early.and_then(|early| lane.early(early));
    }
    let mut next = match (&before, first) {
        (Some(_), _) => span.start,
        (None, Some(first)) => first,
        (None, None) => return Dense::default(),
    };
    let begin = next;
    let len = span.end.saturating_sub(begin);
    let mut out = Out {
        made: Vec::with_capacity(usize::try_from(len).unwrap_or(0)),
        make,
    };
    for segment in segments {
        let Some((first, last)) = segment.first().zip(segment.last()) else {
            break;
        };
        if first > next
            && let Some(bar) = before.as_ref().and_then(Segment::newest)
        {
            fill(&bar, next..first, &mut out);
        }
        if let Some(courses) = segment.run() {
            out.make.run(first.into(), courses, &mut out.made);
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
    Dense::new(begin.into(), out.made)
}

/// The candles from the first to the last record of a segment.
fn scattered<T, M: Make<T>>(
    segment: &Segment<'_, Bar>,
    fill: &mut impl FnMut(&Bar, Range<u32>, &mut Out<T, M>),
    out: &mut Out<T, M>,
) {
    let mut before: Option<(u32, Bar)> = None;
    for (at, bar) in segment.iter() {
        if let Some((earlier, before)) = before.as_ref().filter(|(before, _)| before + 1 < at) {
            fill(before, earlier + 1..at, out);
        }
        out.extend([bar.course.at(at.into())]);
        before = Some((at, bar));
    }
}

/// What is made of candles.
struct Out<T, M> {
    made: Vec<T>,
    make: M,
}

impl<T, M: Make<T>> Out<T, M> {
    fn extend(&mut self, bars: impl IntoIterator<Item = Ohlc>) {
        let bars = bars.into_iter();
        self.made.extend(bars.map(|bar| self.make.one(bar)));
    }

    /// Adds buckets in which nothing moved.
    fn flat(&mut self, price: f64, gap: Range<u32>) {
        self.extend(gap.map(|at| Ohlc::flat(at.into(), price)));
    }

    /// Adds buckets in which only the hub moved, whose consecutive candles are
    /// given.
    fn scale(&mut self, bar: &Bar, hub: &[Ohlc], gap: Range<u32>) {
        let first = hub.first().map_or(i64::MAX, |first| first.bucket);
        let skipped = usize::try_from(i64::from(gap.start) - first);
        let hub = skipped.ok().and_then(|skipped| hub.get(skipped..));
        match hub {
            Some(hub) => self.extend(gap.zip(hub).map(|(_, hub)| hub.times(bar.quote.ratio))),
            // No hub is younger than what hangs on it.
            None => self.flat(bar.course.close, gap),
        }
    }
}

/// The bucket of the first candle, if there is one.
pub(super) fn first(bars: &[Ohlc]) -> Bucket {
    bars.first().map_or(0, |bar| bar.bucket)
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
