//! Prices and candles in USD.

use super::{Ohlc, PriceBoard, bar::Bar};
use crate::{
    price::Hub,
    series::{Resolution, Span, lane::Lane, track::place},
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
            return Some(bar.open);
        }
        let Hub::Token(hub) = bar.hub else {
            return Some(bar.close);
        };
        let (at, hub) = self.floor(hub, minute)?;
        Some(bar.ratio * if at == minute { hub.open } else { hub.close })
    }

    /// The candles of a span, one for every bucket from the first price on,
    /// also for those after the newest block. The caller limits the span.
    pub fn bars(&self, token: TokenId, resolution: Resolution, span: Span) -> Vec<Ohlc> {
        let stored = resolution.stored();
        let days = resolution.refine(&span, stored);
        let bars = self.dense(token, stored, place(days.start)..place(days.end));
        if stored == resolution {
            return bars;
        }
        let mut merged = Vec::new();
        merge_into(&mut merged, &bars, |day| resolution.around(day, stored));
        merged
    }

    /// The candles of stored buckets.
    pub(super) fn dense(
        &self,
        token: TokenId,
        resolution: Resolution,
        span: Range<u32>,
    ) -> Vec<Ohlc> {
        let Some(track) = self.tracks.get(token) else {
            return Vec::new();
        };
        // Of each hub that is needed, from the first bucket on where it is.
        let mut hubs: Vec<(TokenId, Vec<Ohlc>)> = Vec::new();
        dense(track.lane(resolution), span.clone(), |bar, gap, out| {
            let Hub::Token(hub) = bar.hub else {
                return flat(bar.close, gap, out);
            };
            let known = hubs.iter().position(|(known, _)| *known == hub);
            let known = known.unwrap_or_else(|| {
                let bars = self.tracks.get(hub).map_or_else(Vec::new, |track| {
                    let span = gap.start..span.end;
                    dense(track.lane(resolution), span, |bar, gap, out| {
                        flat(bar.close, gap, out);
                    })
                });
                hubs.push((hub, bars));
                hubs.len() - 1
            });
            let bars = hubs.get(known).map_or(&[][..], |(_, bars)| bars);
            scale(bar, bars, gap, out);
        })
    }

    fn floor(&self, token: TokenId, minute: u32) -> Option<(u32, &Bar)> {
        let track = self.tracks.get(token)?;
        track.lane(Resolution::Minute).floor(minute)
    }
}

/// The candle of every bucket of a span from the first record on. Buckets
/// without a record are filled in after the newest record before them.
fn dense<'a>(
    lane: &'a Lane<Bar>,
    span: Range<u32>,
    mut fill: impl FnMut(&'a Bar, Range<u32>, &mut Vec<Ohlc>),
) -> Vec<Ohlc> {
    let Some(mut next) = lane.first().map(|first| first.max(span.start)) else {
        return Vec::new();
    };
    let len = span.end.saturating_sub(next);
    let mut out = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    let before = next.checked_sub(1).and_then(|before| lane.floor(before));
    let mut before = before.map(|(_, bar)| bar);
    for segment in lane.segments(next) {
        let segment = segment.until(span.end);
        if let Some((first, bars)) = segment.run() {
            if let Some(before) = before.filter(|_| first > next) {
                fill(before, next..first, &mut out);
            }
            out.extend((first..).zip(bars).map(|(at, bar)| bar.at(at)));
            before = bars.last();
            next = first.saturating_add(u32::try_from(bars.len()).unwrap_or(u32::MAX));
            continue;
        }
        for (at, bar) in segment.iter() {
            if let Some(before) = before.filter(|_| at > next) {
                fill(before, next..at, &mut out);
            }
            out.push(bar.at(at));
            before = Some(bar);
            next = at.saturating_add(1);
        }
        if next >= span.end {
            break;
        }
    }
    if let Some(before) = before.filter(|_| span.end > next) {
        fill(before, next..span.end, &mut out);
    }
    out
}

/// Buckets in which nothing moved.
fn flat(price: f64, gap: Range<u32>, out: &mut Vec<Ohlc>) {
    out.extend(gap.map(|at| Ohlc::flat(at.into(), price)));
}

/// Buckets in which only the hub moved, whose consecutive candles are given.
fn scale(bar: &Bar, hub: &[Ohlc], gap: Range<u32>, out: &mut Vec<Ohlc>) {
    let first = hub.first().map_or(i64::MAX, |first| first.bucket);
    let skipped = usize::try_from(i64::from(gap.start) - first);
    let hub = skipped.ok().and_then(|skipped| hub.get(skipped..));
    match hub {
        Some(hub) => out.extend(gap.zip(hub).map(|(_, hub)| hub.times(bar.ratio))),
        // No hub is younger than what hangs on it.
        None => flat(bar.close, gap, out),
    }
}

/// Adds candles to those of coarser buckets, the last of which may go on.
pub(super) fn merge_into(merged: &mut Vec<Ohlc>, bars: &[Ohlc], bucket: impl Fn(i64) -> i64) {
    for bar in bars {
        let at = bucket(bar.bucket);
        match merged.last_mut() {
            Some(open) if open.bucket == at => *open = open.then(bar),
            _ => merged.push(Ohlc { bucket: at, ..*bar }),
        }
    }
}
