//! Amounts that add up.

use super::{
    Bucket, PageError, Resolution, Span, TrackPage,
    codec::{Input, Record, put},
    lane::Segment,
    track::{Merge, Track, place},
};

/// What came together in a bucket. Sums that would not fit stay at the end of
/// the scale, in whatever order they are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    /// Smallest units of a token.
    pub units: u128,
    /// What they were worth, in hundred-millionths of a dollar.
    pub usd: u128,
}

impl Sum {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            units: self.units.saturating_add(other.units),
            usd: self.usd.saturating_add(other.usd),
        }
    }
}

/// Candles ask for worths alone.
impl Record for Sum {
    type Head = u128;
    type Rest = u128;

    fn parts(&self) -> (&u128, &u128) {
        (&self.usd, &self.units)
    }

    fn join(usd: u128, units: u128) -> Self {
        Self { units, usd }
    }

    fn encode(&self, _: Option<&Self>, out: &mut Vec<u8>) {
        put(self.units, out);
        put(self.usd, out);
    }

    fn decode(input: &mut Input<'_>, _: Option<&Self>) -> Result<Self, PageError> {
        Ok(Self {
            units: input.take()?,
            usd: input.take()?,
        })
    }
}

impl Merge for Sum {
    fn then(self, later: Self) -> Self {
        self.plus(later)
    }
}

/// Amounts over time, of which those of a bucket are added up.
#[derive(Debug, Clone, Default)]
pub struct SumTrack(Track<Sum>);

impl SumTrack {
    /// Adds an amount to the buckets of a time, which is not before any other
    /// that was added.
    pub fn add(&mut self, time: i64, units: u128, usd: u128) {
        self.0.record(time, Sum { units, usd });
    }

    /// The sums of the buckets of a span in which there was any amount.
    pub fn range(
        &self,
        resolution: Resolution,
        span: Span,
    ) -> impl Iterator<Item = (Bucket, Sum)> + '_ {
        self.0.range(resolution, span)
    }

    /// The worths of the buckets of a span, for those who ask for one after
    /// another.
    pub(crate) fn worths(&self, resolution: Resolution, span: &Span) -> Worths<'_> {
        let stored = resolution.stored();
        let span = resolution.refine(span, stored);
        let segments = self
            .0
            .lane(stored)
            .within(place(span.start), place(span.end));
        Worths {
            resolution,
            later: segments.collect::<Vec<_>>().into_iter(),
            segment: None,
            run: (0, &[]),
        }
    }

    /// Everything in a span.
    pub fn total(&self, resolution: Resolution, span: Span) -> Sum {
        self.range(resolution, span)
            .fold(Sum::default(), |total, (_, sum)| total.plus(sum))
    }

    /// When the minute of the first amount begins.
    pub fn first(&self) -> Option<i64> {
        self.0.first()
    }

    /// Whether it has anything from the minute of a time on.
    pub fn reaches(&self, time: i64) -> bool {
        self.0.reaches(time)
    }

    /// Forgets everything from the minute of a time on, as if it had never been
    /// added.
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

/// The worths of buckets, which are asked for in the order of time.
pub(crate) struct Worths<'a> {
    resolution: Resolution,
    later: std::vec::IntoIter<Segment<'a, Sum>>,
    segment: Option<Segment<'a, Sum>>,
    /// The segment from a bucket on, if no bucket is missing in it and it needs
    /// no merging.
    run: (Bucket, &'a [u128]),
}

impl<'a> Worths<'a> {
    /// The worths from a bucket on that lie side by side, if they are known
    /// from the buckets before.
    #[inline]
    pub(crate) fn run(&self, bucket: Bucket) -> &'a [u128] {
        let (first, run) = self.run;
        let place = usize::try_from(bucket.wrapping_sub(first));
        place
            .ok()
            .and_then(|place| run.get(place..))
            .unwrap_or_default()
    }

    /// What the amounts of a bucket were worth together. Most often it is the
    /// next one of a run.
    #[inline]
    pub(crate) fn usd(&mut self, bucket: Bucket) -> u128 {
        let (first, run) = self.run;
        let place = usize::try_from(bucket.wrapping_sub(first));
        match place.ok().and_then(|place| run.get(place)) {
            Some(usd) => *usd,
            None => self.find(bucket),
        }
    }

    #[cold]
    #[inline(never)]
    fn find(&mut self, bucket: Bucket) -> u128 {
        let stored = self.resolution.stored();
        if stored == self.resolution {
            let usd = self.stored(place(bucket));
            let run = self
                .segment
                .as_ref()
                .and_then(|it| it.first().zip(it.run()));
            self.run = run.map_or((0, &[]), |(first, run)| (first.into(), run));
            return usd;
        }
        let bucket = bucket..bucket.saturating_add(1);
        let within = self.resolution.refine(&bucket, stored);
        within.fold(0, |sum: u128, bucket| {
            sum.saturating_add(self.stored(place(bucket)))
        })
    }

    /// The worth of a bucket as it is stored.
    fn stored(&mut self, bucket: u32) -> u128 {
        let is_before = |segment: &Segment<'_, Sum>| segment.last() < Some(bucket);
        while self.segment.as_ref().is_none_or(is_before) {
            self.segment = self.later.next();
            if self.segment.is_none() {
                return 0;
            }
        }
        let segment = self.segment.as_ref();
        segment.and_then(|it| it.head(bucket)).copied().unwrap_or(0)
    }
}
