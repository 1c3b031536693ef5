//! Candles in another token.

use super::{
    Ohlc, PriceBoard,
    read::{first, merge_into},
};
use crate::{
    series::{Dense, Resolution, Span},
    token_id::TokenId,
};

/// Finer buckets that are held at a time, or those of one bucket if more.
const HELD: i64 = 4_096;

/// The resolution in which candles in another token are composed: one with at
/// most 96 buckets in each, and days for the calendar.
const fn composed_of(resolution: Resolution) -> Resolution {
    match resolution {
        Resolution::Minute
        | Resolution::FiveMinutes
        | Resolution::QuarterHour
        | Resolution::Hour => Resolution::Minute,
        Resolution::FourHours => Resolution::FiveMinutes,
        Resolution::Day => Resolution::QuarterHour,
        Resolution::Week => Resolution::FourHours,
        Resolution::Month | Resolution::Year => Resolution::Day,
    }
}

impl PriceBoard {
    /// The candles of a span in another token, one for every bucket from the
    /// later of both first prices on. The caller limits the span.
    ///
    /// Opens and closes are exact quotients of prices at the same time. Highs
    /// and lows are made of finer buckets: minutes up to an hour, five minutes
    /// for four hours, quarters of an hour for a day, four hours for a week and
    /// days beyond. They are exact where in no finer bucket both prices moved.
    /// Elsewhere a quotient between the ends of a finer bucket may lie outside
    /// of them, never beyond the high of one price by the low of the other in
    /// that finer bucket. No quotient is made of prices of different times: the
    /// first bucket is made of minutes, and in the first minute of both prices
    /// only the close counts if the older price moved.
    pub fn ratio_bars(
        &self,
        token: TokenId,
        quote: TokenId,
        resolution: Resolution,
        span: Span,
    ) -> Vec<Ohlc> {
        let bars = self.ratio_bars_with(token, quote, resolution, span, |bar, _| bar);
        bars.into_items()
    }

    /// What is made of those candles and of the other token's price in USD at
    /// the end of each.
    pub(crate) fn ratio_bars_with<T>(
        &self,
        token: TokenId,
        quote: TokenId,
        resolution: Resolution,
        span: Span,
        mut make: impl FnMut(Ohlc, f64) -> T,
    ) -> Dense<T> {
        let firsts = self.first(token).zip(self.first(quote));
        let Some(begun) = firsts.map(|(one, other)| one.max(other)) else {
            return Dense::default();
        };
        let mut start = resolution.bucket(begun).max(span.start);
        let all = start..span.end;
        if token == quote {
            return self.bars_with(quote, resolution, all, |bar: Ohlc| {
                make(Ohlc::flat(bar.bucket, 1.0), bar.close)
            });
        }
        let pair = Pair {
            board: self,
            token,
            quote,
            first: begun,
        };
        let finer = composed_of(resolution);
        if finer == resolution {
            return pair.quotients(finer, all, make);
        }
        let one = resolution.refine(&(start..start.saturating_add(1)), finer);
        let chunk = (HELD / (one.end - one.start).max(1)).max(1);
        let mut merged = Vec::new();
        while start < span.end {
            let end = start.saturating_add(chunk).min(span.end);
            let within = resolution.refine(&(start..end), finer);
            let quotients = pair.quotients(finer, within, |bar, _| bar);
            merge_into(&mut merged, quotients.into_items(), finer, resolution);
            start = end;
        }
        let closes = self.bars_with(quote, resolution, all, |bar: Ohlc| bar.close);
        let first = first(&merged);
        let both = merged.into_iter().zip(closes.into_items());
        Dense::new(first, both.map(|(bar, usd)| make(bar, usd)).collect())
    }
}

/// A token, what it is quoted in, and when both had a price for the first time.
struct Pair<'a> {
    board: &'a PriceBoard,
    token: TokenId,
    quote: TokenId,
    first: i64,
}

impl Pair<'_> {
    /// What is made of the quotients of candles, from the first on that there
    /// is of both.
    fn quotients<T>(
        &self,
        resolution: Resolution,
        span: Span,
        mut make: impl FnMut(Ohlc, f64) -> T,
    ) -> Dense<T> {
        let begun = resolution.bucket(self.first);
        let span = span.start.max(begun)..span.end;
        let quotes = self.board.bars(self.quote, resolution, span.clone());
        let mut quotes = quotes.into_iter();
        let mut first = None;
        if span.start == begun {
            first = self.first_quotient(resolution);
        }
        self.board
            .bars_with(self.token, resolution, span, |bar: Ohlc| {
                // From the first on there is a candle of both in every bucket.
                let quote = quotes.next().unwrap_or(bar);
                let quotient = first.take().unwrap_or_else(|| bar.by(&quote));
                make(quotient, quote.close)
            })
    }

    /// The bucket in which both prices are there for the first time, made of
    /// minutes from the first one on.
    fn first_quotient(&self, resolution: Resolution) -> Option<Ohlc> {
        let bucket = resolution.bucket(self.first);
        let minute = Resolution::Minute.bucket(self.first);
        let end = Resolution::Minute.bucket(resolution.opens(bucket.saturating_add(1)));
        let minutes = |token| self.board.bars(token, Resolution::Minute, minute..end);
        let (prices, quotes) = (minutes(self.token), minutes(self.quote));
        let (price, quote) = (prices.first()?, quotes.first()?);
        let is_older = |token| {
            let first = self.board.first(token);
            first.is_some_and(|first| first < self.first)
        };
        let stood_still = is_flat(price) && is_flat(quote)
            || is_flat(price) && is_older(self.token)
            || is_flat(quote) && is_older(self.quote);
        let mut all = prices.iter().zip(&quotes).map(|(bar, quote)| bar.by(quote));
        let mut course = all.next()?;
        if !stood_still {
            course = Ohlc::flat(minute, course.close);
        }
        let course = all.fold(course, |course, later| {
            course.course().then(later.course()).at(course.bucket)
        });
        Some(Ohlc { bucket, ..course })
    }
}

impl Ohlc {
    /// The candle in what another one is of.
    fn by(&self, quote: &Self) -> Self {
        let open = self.open / quote.open;
        let close = self.close / quote.close;
        let (high, low) = if is_flat(quote) {
            (self.high / quote.close, self.low / quote.close)
        } else if is_flat(self) {
            (self.close / quote.low, self.close / quote.high)
        } else {
            (open.max(close), open.min(close))
        };
        Self {
            bucket: self.bucket,
            open,
            high,
            low,
            close,
        }
    }
}

#[expect(
    clippy::float_cmp,
    reason = "a price that never moved is the very same"
)]
const fn is_flat(bar: &Ohlc) -> bool {
    bar.high == bar.low
}
