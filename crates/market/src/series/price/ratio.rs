//! Candles in another token.

use super::{Ohlc, PriceBoard, read::merge_into};
use crate::{
    series::{Resolution, Span},
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
        let firsts = self.first(token).zip(self.first(quote));
        let Some(first) = firsts.map(|(one, other)| one.max(other)) else {
            return Vec::new();
        };
        let mut start = resolution.bucket(first).max(span.start);
        if token == quote {
            return (start..span.end).map(|at| Ohlc::flat(at, 1.0)).collect();
        }
        let finer = composed_of(resolution);
        let one = resolution.refine(&(start..start.saturating_add(1)), finer);
        let chunk = (HELD / (one.end - one.start).max(1)).max(1);
        let len = span.end.saturating_sub(start).clamp(0, HELD);
        let mut merged = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        while start < span.end {
            let end = start.saturating_add(chunk).min(span.end);
            let within = resolution.refine(&(start..end), finer);
            let prices = self.bars(token, finer, within.clone());
            let quotes = self.bars(quote, finer, within);
            let begun = finer.bucket(first);
            let quotients = quotients(&prices, &quotes).map(|quotient| {
                if quotient.bucket == begun {
                    self.first_quotient(token, quote, finer, first)
                        .unwrap_or(quotient)
                } else {
                    quotient
                }
            });
            merge_into(&mut merged, quotients, finer, resolution);
            start = end;
        }
        merged
    }

    /// The bucket in which both prices are there for the first time, made of
    /// minutes from the first one on.
    fn first_quotient(
        &self,
        token: TokenId,
        quote: TokenId,
        resolution: Resolution,
        first: i64,
    ) -> Option<Ohlc> {
        let bucket = resolution.bucket(first);
        let minute = Resolution::Minute.bucket(first);
        let end = Resolution::Minute.bucket(resolution.opens(bucket.saturating_add(1)));
        let prices = self.bars(token, Resolution::Minute, minute..end);
        let quotes = self.bars(quote, Resolution::Minute, minute..end);
        let (price, other) = (prices.first()?, quotes.first()?);
        let is_older = |token| self.first(token).is_some_and(|begun| begun < first);
        let stood_still = is_flat(price) && is_flat(other)
            || is_flat(price) && is_older(token)
            || is_flat(other) && is_older(quote);
        let mut all = quotients(&prices, &quotes);
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

/// The quotients of two rows of candles that end in the same bucket.
fn quotients(prices: &[Ohlc], quotes: &[Ohlc]) -> impl Iterator<Item = Ohlc> {
    let len = prices.len().min(quotes.len());
    let prices = prices.get(prices.len() - len..).unwrap_or_default();
    let quotes = quotes.get(quotes.len() - len..).unwrap_or_default();
    let both = prices.iter().zip(quotes);
    both.map(|(price, quote)| quotient(price, quote))
}

fn quotient(price: &Ohlc, quote: &Ohlc) -> Ohlc {
    let open = price.open / quote.open;
    let close = price.close / quote.close;
    let (high, low) = if is_flat(quote) {
        (price.high / quote.close, price.low / quote.close)
    } else if is_flat(price) {
        (price.close / quote.low, price.close / quote.high)
    } else {
        (open.max(close), open.min(close))
    };
    Ohlc {
        bucket: price.bucket,
        open,
        high,
        low,
        close,
    }
}

#[expect(
    clippy::float_cmp,
    reason = "a price that never moved is the very same"
)]
const fn is_flat(bar: &Ohlc) -> bool {
    bar.high == bar.low
}
