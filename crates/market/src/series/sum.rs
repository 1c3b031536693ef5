//! Amounts that add up.

use super::{
    Bucket, PageError, Resolution, Span, TrackPage,
    codec::{Input, Record, put},
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
            units: input.wide()?,
            usd: input.wide()?,
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

    /// Tells the worths of the buckets of a span in which there was any amount:
    /// those of consecutive buckets together, after the first of these.
    pub(crate) fn worths(
        &self,
        resolution: Resolution,
        span: Span,
        mut tell: impl FnMut(Bucket, &[u128]),
    ) {
        if resolution.stored() != resolution {
            return self
                .range(resolution, span)
                .for_each(|(bucket, sum)| tell(bucket, &[sum.usd]));
        }
        let lane = self.0.lane(resolution);
        for segment in lane.within(place(span.start), place(span.end)) {
            match segment.first().zip(segment.run()) {
                Some((first, run)) => tell(first.into(), run),
                None => segment
                    .iter()
                    .for_each(|(bucket, sum)| tell(bucket.into(), &[sum.usd])),
            }
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
