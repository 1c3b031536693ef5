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
    /// Which bucket.
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
        Self {
            bucket,
            open: price,
            high: price,
            low: price,
            close: price,
        }
    }

    /// The same course with every price times a positive constant.
    pub(super) fn times(&self, ratio: f64) -> Self {
        Self {
            bucket: self.bucket,
            open: ratio * self.open,
            high: ratio * self.high,
            low: ratio * self.low,
            close: ratio * self.close,
        }
    }

    /// Both courses as one, in the bucket of the first.
    pub(super) const fn then(self, later: &Self) -> Self {
        Self {
            bucket: self.bucket,
            open: self.open,
            high: self.high.max(later.high),
            low: self.low.min(later.low),
            close: later.close,
        }
    }
}

/// The course of a price in USD in one bucket, and the quote at its end. On the
/// dollar, the ratio is the close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bar {
    pub(super) open: f64,
    pub(super) high: f64,
    pub(super) low: f64,
    pub(super) close: f64,
    pub(super) ratio: f64,
    pub(super) hub: Hub,
}

impl Bar {
    /// A price on the dollar that does not move.
    pub(super) const fn flat(price: f64) -> Self {
        Self {
            open: price,
            high: price,
            low: price,
            close: price,
            ratio: price,
            hub: Hub::Usd,
        }
    }

    /// A course and the quote at its end.
    pub(super) const fn new(course: &Ohlc, quote: Quote) -> Self {
        Self {
            open: course.open,
            high: course.high,
            low: course.low,
            close: course.close,
            ratio: quote.ratio,
            hub: quote.hub,
        }
    }

    pub(super) fn quote(&self) -> Quote {
        Quote {
            hub: self.hub,
            ratio: self.ratio,
        }
    }

    pub(super) fn at(&self, bucket: u32) -> Ohlc {
        Ohlc {
            bucket: bucket.into(),
            open: self.open,
            high: self.high,
            low: self.low,
            close: self.close,
        }
    }

    /// The course of what has been worth so many of this.
    pub(super) fn times(&self, ratio: f64) -> Self {
        Self::new(&self.at(0).times(ratio), self.quote())
    }

    /// Goes on to another price.
    pub(super) const fn reaching(self, usd: f64) -> Self {
        Self {
            high: self.high.max(usd),
            low: self.low.min(usd),
            close: usd,
            ..self
        }
    }

    /// Goes on to another quote.
    pub(super) const fn quoted(self, quote: Quote, usd: f64) -> Self {
        Self {
            ratio: quote.ratio,
            hub: quote.hub,
            ..self.reaching(usd)
        }
    }

    fn is_sound(&self) -> bool {
        let prices = [self.open, self.high, self.low, self.close, self.ratio];
        prices.iter().all(|price| price.is_finite() && *price > 0.0)
            && self.low <= self.open.min(self.close)
            && self.high >= self.open.max(self.close)
    }
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
    fn encode(&self, before: Option<&Self>, out: &mut Vec<u8>) {
        let hub = code(self.hub);
        put(
            (hub ^ before.map_or(0, |before| code(before.hub))).into(),
            out,
        );
        let mut differ = |number: f64, near: f64| {
            put((number.to_bits() ^ near.to_bits()).into(), out);
        };
        differ(self.open, before.map_or(0.0, |before| before.close));
        differ(self.close, self.open);
        differ(self.high, self.open.max(self.close));
        differ(self.low, self.open.min(self.close));
        if self.hub != Hub::Usd {
            differ(self.ratio, before.map_or(0.0, |before| before.ratio));
        }
    }

    fn decode(input: &mut Input<'_>, before: Option<&Self>) -> Result<Self, PageError> {
        let hub = input.word()? ^ before.map_or(0, |before| code(before.hub));
        let hub = match hub.checked_sub(1).map(u32::try_from) {
            None => Hub::Usd,
            Some(Ok(id)) => Hub::Token(TokenId(id)),
            Some(Err(_)) => return Err(PageError::Malformed),
        };
        let mut near = |near: f64| Ok(f64::from_bits(input.word()? ^ near.to_bits()));
        let open = near(before.map_or(0.0, |before| before.close))?;
        let close = near(open)?;
        let high = near(open.max(close))?;
        let low = near(open.min(close))?;
        let ratio = match hub {
            Hub::Usd => close,
            Hub::Token(_) => near(before.map_or(0.0, |before| before.ratio))?,
        };
        let bar = Self {
            open,
            high,
            low,
            close,
            ratio,
            hub,
        };
        bar.is_sound().then_some(bar).ok_or(PageError::Malformed)
    }
}
