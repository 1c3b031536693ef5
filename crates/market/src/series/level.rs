//! Amounts that stay until they change.

use super::{
    Bucket, PageError, Resolution, Span, TrackPage,
    codec::{Input, Record, put},
    track::{Merge, Track},
};

/// Smallest units of a token at the end of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Level(u128);

impl Record for Level {
    type Head = Self;
    type Rest = ();

    fn parts(&self) -> (&Self, &()) {
        (self, &())
    }

    fn join(head: Self, (): ()) -> Self {
        head
    }

    fn encode(&self, _: Option<&Self>, out: &mut Vec<u8>) {
        put(self.0, out);
    }

    fn decode(input: &mut Input<'_>, _: Option<&Self>) -> Result<Self, PageError> {
        input.take().map(Self)
    }
}

impl Merge for Level {
    fn then(self, later: Self) -> Self {
        later
    }
}

/// An amount over time, of which the last value of a bucket counts.
#[derive(Debug, Clone, Default)]
pub struct LevelTrack(Track<Level>);

impl LevelTrack {
    /// Sets the amount from a time on, which is not before any other at which
    /// it was set.
    pub fn set(&mut self, time: i64, units: u128) {
        if self.0.last() != Some(&Level(units)) {
            self.0.record(time, Level(units));
        }
    }

    /// The amount now.
    pub fn now(&self) -> Option<u128> {
        self.0.last().map(|level| level.0)
    }

    /// The amount at the end of a bucket; none before it was first set.
    pub fn value(&self, resolution: Resolution, bucket: Bucket) -> Option<u128> {
        let stored = resolution.stored();
        let end = resolution
            .refine(&(bucket..bucket.saturating_add(1)), stored)
            .end;
        let newest = u32::try_from(end.saturating_sub(1)).ok();
        // Before 1970 there is nothing, and after the end of the scale no change.
        let newest = newest.or_else(|| (end > 0).then_some(u32::MAX))?;
        Some(self.0.lane(stored).floor(newest)?.1.0)
    }

    /// The amount at the end of every bucket of a span, from that in which it
    /// was first set on. The caller limits the span.
    pub fn range(
        &self,
        resolution: Resolution,
        span: Span,
    ) -> impl Iterator<Item = (Bucket, u128)> + '_ {
        let first = self.first().map(|first| resolution.bucket(first));
        let start = first.map_or(span.end, |first| first.max(span.start));
        let mut level = self.value(resolution, start).unwrap_or_default();
        let mut changes = self.0.range(resolution, start..span.end).peekable();
        (start..span.end).map(move |bucket| {
            if let Some((_, changed)) = changes.next_if(|(at, _)| *at == bucket) {
                level = changed.0;
            }
            (bucket, level)
        })
    }

    /// When the minute in which it was first set begins.
    pub fn first(&self) -> Option<i64> {
        self.0.first()
    }

    /// Whether it has anything from the minute of a time on.
    pub fn reaches(&self, time: i64) -> bool {
        self.0.reaches(time)
    }

    /// Forgets everything from the minute of a time on, as if it had never been
    /// set.
    pub fn cut(&mut self, time: i64) {
        self.0.cut(time);
    }

    /// Pages that are new or changed since the last call.
    pub fn take_pages(&mut self) -> Vec<TrackPage> {
        self.0.take_pages()
    }

    /// The page that a time lies in and all later ones, in each resolution.
    pub fn pages_from(&self, time: i64) -> Vec<TrackPage> {
        self.0.pages_from(time)
    }

    /// What pages hold, which come in the order of time within each resolution.
    pub fn from_pages(pages: impl IntoIterator<Item = TrackPage>) -> Result<Self, PageError> {
        Track::from_pages(pages).map(Self)
    }
}
