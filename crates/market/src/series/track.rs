//! One series in all stored resolutions.

use super::{
    Bucket, Resolution, Span,
    codec::{PageError, Record},
    lane::{Lane, page_of},
};

/// The bytes of a page, after its resolution and its number.
pub type TrackPage = (u8, u32, Vec<u8>);

/// The number of the page that a time lies in.
pub fn page_at(resolution: Resolution, time: i64) -> u32 {
    page_of(place(resolution.bucket(time)))
}

/// A bucket as lanes count them. Series begin in 1970 and end far beyond the
/// calendar.
pub(super) fn place(bucket: Bucket) -> u32 {
    u32::try_from(bucket.max(0)).unwrap_or(u32::MAX)
}

/// A record that makes one with a later one.
pub(super) trait Merge: Record {
    fn then(self, later: Self) -> Self;
}

/// One series in all stored resolutions.
#[derive(Debug, Clone)]
pub(super) struct Track<R: Record> {
    lanes: [Lane<R>; 7],
}

impl<R: Record> Default for Track<R> {
    fn default() -> Self {
        Self {
            lanes: std::array::from_fn(|_| Lane::default()),
        }
    }
}

impl<R: Record> Track<R> {
    /// The lane that a resolution is read from.
    pub(super) const fn lane(&self, resolution: Resolution) -> &Lane<R> {
        let [minute, five, quarter, hour, four, day, week] = &self.lanes;
        match resolution {
            Resolution::Minute => minute,
            Resolution::FiveMinutes => five,
            Resolution::QuarterHour => quarter,
            Resolution::Hour => hour,
            Resolution::FourHours => four,
            Resolution::Day | Resolution::Month | Resolution::Year => day,
            Resolution::Week => week,
        }
    }

    pub(super) const fn lane_mut(&mut self, resolution: Resolution) -> &mut Lane<R> {
        let [minute, five, quarter, hour, four, day, week] = &mut self.lanes;
        match resolution {
            Resolution::Minute => minute,
            Resolution::FiveMinutes => five,
            Resolution::QuarterHour => quarter,
            Resolution::Hour => hour,
            Resolution::FourHours => four,
            Resolution::Day | Resolution::Month | Resolution::Year => day,
            Resolution::Week => week,
        }
    }

    /// When the minute of the oldest record begins.
    pub(super) fn first(&self) -> Option<i64> {
        let first = self.lane(Resolution::Minute).first()?;
        Some(Resolution::Minute.opens(first.into()))
    }

    /// The newest record.
    pub(super) fn last(&self) -> Option<&R> {
        self.lane(Resolution::Minute)
            .last()
            .map(|(_, record)| record)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.last().is_none()
    }

    /// Whether it has anything from the minute of a time on.
    pub(super) fn reaches(&self, time: i64) -> bool {
        let minute = place(Resolution::Minute.bucket(time));
        let last = self.lane(Resolution::Minute).last();
        last.is_some_and(|(at, _)| at >= minute)
    }

    pub(super) fn is_changed(&self) -> bool {
        self.lanes.iter().any(Lane::is_changed)
    }

    /// Pages that are new or changed since the last call.
    pub(super) fn take_pages(&mut self) -> Vec<TrackPage> {
        let lanes = (0..).zip(&mut self.lanes);
        lanes
            .flat_map(|(index, lane)| named(index, lane.take()))
            .collect()
    }

    /// The page that a time lies in and all later ones, in each resolution.
    pub(super) fn pages_from(&self, time: i64) -> Vec<TrackPage> {
        let lanes = Resolution::STORED.into_iter().zip(&self.lanes);
        lanes
            .flat_map(|(resolution, lane)| {
                named(resolution.index(), lane.encode(page_at(resolution, time)))
            })
            .collect()
    }

    /// The series that pages hold, which come in the order of time within each
    /// resolution.
    pub(super) fn from_pages(
        pages: impl IntoIterator<Item = TrackPage>,
    ) -> Result<Self, PageError> {
        let mut kept: [Vec<(u32, Vec<u8>)>; 7] = Default::default();
        for (resolution, number, bytes) in pages {
            let lane = kept.get_mut(usize::from(resolution));
            let lane = lane.ok_or(PageError::Resolution(resolution))?;
            lane.push((number, bytes));
        }
        let mut track = Self::default();
        for (lane, kept) in track.lanes.iter_mut().zip(kept) {
            *lane = Lane::from_pages(kept)?;
        }
        if track.is_torn() {
            return Err(PageError::Torn);
        }
        Ok(track)
    }

    /// Whether the resolutions do not begin and end together.
    fn is_torn(&self) -> bool {
        let minutes = self.lane(Resolution::Minute);
        Resolution::STORED.into_iter().any(|resolution| {
            let around = |minute: u32| place(resolution.around(minute.into(), Resolution::Minute));
            let lane = self.lane(resolution);
            lane.first() != minutes.first().map(around)
                || lane.last().map(|last| last.0) != minutes.last().map(|last| around(last.0))
        })
    }
}

impl<R: Merge> Track<R> {
    /// Adds what happened at a time to its bucket in every resolution.
    pub(super) fn record(&mut self, time: i64, record: R) {
        for resolution in Resolution::STORED {
            let bucket = place(resolution.bucket(time));
            let lane = self.lane_mut(resolution);
            match lane.open_at(bucket) {
                Some(open) => *open = open.then(record),
                None => lane.put(bucket, record),
            }
        }
    }

    /// The records of a span, each bucket that has any once.
    pub(super) fn range(
        &self,
        resolution: Resolution,
        span: Span,
    ) -> impl Iterator<Item = (Bucket, R)> {
        let stored = resolution.stored();
        let span = resolution.refine(&span, stored);
        let lane = self.lane(stored);
        let mut records = lane
            .range(place(span.start), place(span.end))
            .map(move |(at, record)| (resolution.around(at.into(), stored), record))
            .peekable();
        std::iter::from_fn(move || {
            let (bucket, mut merged) = records.next()?;
            while let Some((_, later)) = records.next_if(|(at, _)| *at == bucket) {
                merged = merged.then(later);
            }
            Some((bucket, merged))
        })
    }

    /// Forgets everything from the minute of a time on.
    pub(super) fn cut(&mut self, time: i64) {
        if !self.reaches(time) {
            return;
        }
        let start = Resolution::Minute.opens(Resolution::Minute.bucket(time));
        for resolution in Resolution::STORED {
            let bucket = resolution.bucket(start);
            let rest = resolution.finer().and_then(|finer| {
                let span = resolution.refine(&(bucket..bucket + 1), finer);
                let within = self.range(finer, span).map(|(_, record)| record);
                within.reduce(Merge::then)
            });
            self.lane_mut(resolution).cut_within(place(bucket), rest);
        }
    }
}

fn named(resolution: u8, pages: Vec<(u32, Vec<u8>)>) -> impl Iterator<Item = TrackPage> {
    pages
        .into_iter()
        .map(move |(number, bytes)| (resolution, number, bytes))
}
