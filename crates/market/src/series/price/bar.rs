//! What is stored of a price in a bucket.

use crate::{
    price::{Hub, Quote},
    series::{
        Bucket,
        codec::{Input, PageError, Record, put},
    },
    token_id::TokenId,
};

/// The course of a price in one bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ohlc {
    /// By its number in the resolution that is read.
    pub bucket: Bucket,
    /// At its beginning, which is the close of the bucket before. The first
    /// bucket opens at the first price.
    pub open: f64,
    /// The highest.
    pub high: f64,
    /// The lowest.
    pub low: f64,
    /// At its end, or now.
    pub close: f64,
}

impl Ohlc {
    pub(super) const fn flat(bucket: Bucket, price: f64) -> Self {
        Course::flat(price).at(bucket)
    }

    /// The same course with every price times a positive constant.
    pub(super) fn times(&self, ratio: f64) -> Self {
        self.course().times(ratio).at(self.bucket)
    }

    pub(crate) const fn course(&self) -> Course {
        Course {
            open: self.open,
            high: self.high,
            low: self.low,
            close: self.close,
        }
    }
}

/// The course of a price in USD.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Course {
    pub(crate) open: f64,
    pub(crate) high: f64,
    pub(crate) low: f64,
    pub(crate) close: f64,
}

impl Course {
    /// A price that does not move.
    pub(super) const fn flat(price: f64) -> Self {
        Self {
            open: price,
            high: price,
            low: price,
            close: price,
        }
    }

    pub(super) const fn at(&self, bucket: Bucket) -> Ohlc {
        Ohlc {
            bucket,
            open: self.open,
            high: self.high,
            low: self.low,
            close: self.close,
        }
    }

    /// The course of what has been worth so many of this all the time.
    pub(super) fn times(&self, ratio: f64) -> Self {
        Self {
            open: ratio * self.open,
            high: ratio * self.high,
            low: ratio * self.low,
            close: ratio * self.close,
        }
    }

    /// Goes on to another price.
    pub(super) const fn reaching(self, usd: f64) -> Self {
        Self {
            open: self.open,
            high: self.high.max(usd),
            low: self.low.min(usd),
            close: usd,
        }
    }

    /// Goes on to another course.
    pub(super) const fn then(self, later: Self) -> Self {
        Self {
            open: self.open,
            high: self.high.max(later.high),
            low: self.low.min(later.low),
            close: later.close,
        }
    }

    fn is_sound(&self) -> bool {
        let prices = [self.open, self.high, self.low, self.close];
        prices.into_iter().all(is_price)
            && self.low <= self.open.min(self.close)
            && self.high >= self.open.max(self.close)
    }
}

/// The course of a price in one bucket, and the quote at its end. On the
/// dollar, the ratio is the close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bar {
    pub(super) course: Course,
    pub(super) quote: Quote,
}

/// Whether a number can be a price.
pub(super) fn is_price(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

/// A number for each hub; the dollar is 0.
fn code(hub: Hub) -> u64 {
    match hub {
        Hub::Usd => 0,
        Hub::Token(TokenId(id)) => u64::from(id) + 1,
    }
}

/// Numbers are written as what they differ in, bit by bit, from one that is
/// probably near: such a difference has no high bits, and none at all if both
/// are equal.
impl Record for Bar {
    type Head = Course;
    type Rest = Quote;

    fn parts(&self) -> (&Course, &Quote) {
        (&self.course, &self.quote)
    }

    fn join(course: Course, quote: Quote) -> Self {
        Self { course, quote }
    }

    fn encode(&self, before: Option<&Self>, out: &mut Vec<u8>) {
        let Self { course, quote } = self;
        let hub = code(quote.hub) ^ before.map_or(0, |before| code(before.quote.hub));
        put(hub.into(), out);
        let mut differ = |number: f64, near: f64| {
            put((number.to_bits() ^ near.to_bits()).into(), out);
        };
        differ(
            course.open,
            before.map_or(0.0, |before| before.course.close),
        );
        differ(course.close, course.open);
        differ(course.high, course.open.max(course.close));
        differ(course.low, course.open.min(course.close));
        if quote.hub != Hub::Usd {
            differ(quote.ratio, before.map_or(0.0, |before| before.quote.ratio));
        }
    }

    fn decode(input: &mut Input<'_>, before: Option<&Self>) -> Result<Self, PageError> {
        let hub = input.take::<u64>()? ^ before.map_or(0, |before| code(before.quote.hub));
        let hub = match hub.checked_sub(1).map(u32::try_from) {
            None => Hub::Usd,
            Some(Ok(id)) => Hub::Token(TokenId(id)),
            Some(Err(_)) => return Err(PageError::Malformed),
        };
        let mut near = |near: f64| Ok(f64::from_bits(input.take::<u64>()? ^ near.to_bits()));
        let open = near(before.map_or(0.0, |before| before.course.close))?;
        let close = near(open)?;
        let course = Course {
            open,
            high: near(open.max(close))?,
            low: near(open.min(close))?,
            close,
        };
        let ratio = match hub {
            Hub::Usd => close,
            Hub::Token(_) => near(before.map_or(0.0, |before| before.quote.ratio))?,
        };
        let quote = Quote { hub, ratio };
        let is_sound = course.is_sound() && is_price(ratio);
        is_sound
            .then_some(Self { course, quote })
            .ok_or(PageError::Malformed)
    }
}
