//! What readers ask.

use super::{Candle, Locked, Price, state::Figures, token::TokenFigures};
use crate::{
    series::{Bucket, Course, Dense, Make, Ohlc, Resolution, Span, Sum, SumTrack, Worths},
    token_id::TokenId,
    whole::whole,
};
use amm::book::VenueId;
use primitives::Address;
use std::ops::Range;

impl Figures {
    /// The time of the newest block, in seconds since 1970. Buckets that ended
    /// before it do not change any more, unless the chain is reorganised.
    pub fn head_time(&self) -> i64 {
        self.head_time
    }

    /// Grows whenever closed buckets may have changed.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The token at an address, if the chain has shown it.
    pub fn token(&self, address: Address) -> Option<TokenId> {
        self.by_address.get(&address).copied()
    }

    /// The address of a token.
    pub fn address(&self, token: TokenId) -> Option<Address> {
        self.of(token).map(|figures| figures.address)
    }

    /// The decimals of a token.
    pub fn decimals(&self, token: TokenId) -> Option<u8> {
        self.of(token).map(|figures| figures.decimals)
    }

    /// The price of now.
    pub fn price(&self, token: TokenId) -> Option<Price> {
        Some(Price {
            usd: self.prices.usd(token)?,
            standing: self.standings.get(token.index()).copied().flatten()?,
        })
    }

    /// When the token had its first price, in seconds since 1970.
    pub fn first_price(&self, token: TokenId) -> Option<i64> {
        self.prices.first(token)
    }

    /// Candles in USD, or in another token; one for every bucket of the span
    /// from the first price (of both) on.
    pub fn candles(
        &self,
        token: TokenId,
        quote: Option<TokenId>,
        resolution: Resolution,
        span: Span,
    ) -> Dense<Candle> {
        let Some(figures) = self.of(token) else {
            return Dense::default();
        };
        let mut volumes = figures.traded.worths(resolution, &span);
        let Some(quote) = quote else {
            let make = WithVolumes(volumes);
            return self.prices.bars_with(token, resolution, span, make);
        };
        let make = |bar: Ohlc, price| {
            let usd = volumes.usd(bar.bucket);
            Candle::of(&bar.course(), quotient(usd, price))
        };
        self.prices
            .ratio_bars_with(token, quote, resolution, span, make)
    }

    /// The closes of [`Figures::candles`].
    pub fn closes(
        &self,
        token: TokenId,
        quote: Option<TokenId>,
        resolution: Resolution,
        span: Span,
    ) -> Dense<f64> {
        let board = &self.prices;
        match quote {
            None => board.bars_with(token, resolution, span, |bar: Ohlc| bar.close),
            Some(quote) => {
                board.ratio_bars_with(token, quote, resolution, span, |bar, _| bar.close)
            }
        }
    }

    /// What was transferred of a token; one amount for every bucket of the span
    /// from its first transfer on.
    pub fn transferred(
        &self,
        token: TokenId,
        resolution: Resolution,
        span: Span,
    ) -> Vec<(Bucket, Sum)> {
        self.of(token).map_or_else(Vec::new, |figures| {
            amounts(&figures.transferred, resolution, span)
        })
    }

    /// What was traded of a token at each exchange, in the order of venues; one
    /// amount for every bucket of the span from its first trade there on.
    pub fn traded(
        &self,
        token: TokenId,
        resolution: Resolution,
        span: &Span,
    ) -> Vec<(VenueId, Vec<(Bucket, Sum)>)> {
        let venues = self.of(token).into_iter().flat_map(|it| &it.venues);
        venues
            .map(|at| (at.venue, amounts(&at.traded, resolution, span.clone())))
            .filter(|(_, amounts)| !amounts.is_empty())
            .collect()
    }

    /// The newest minutes of a span of seconds in which a token was traded, newest
    /// first, at most so many: when each begins.
    pub fn traded_minutes(&self, token: TokenId, span: Range<i64>, most: usize) -> Vec<i64> {
        let Some(figures) = self.of(token).filter(|_| !span.is_empty()) else {
            return Vec::new();
        };
        let within = |resolution: Resolution, span: &Range<i64>| {
            let last = resolution.bucket(span.end.saturating_sub(1));
            resolution.bucket(span.start)..last.saturating_add(1)
        };
        let traded = &figures.traded;
        let days = traded.range(Resolution::Day, within(Resolution::Day, &span));
        let days: Vec<Bucket> = days.map(|(day, _)| day).collect();
        let mut found = Vec::new();
        for day in days.into_iter().rev() {
            let (opens, closes) = (Resolution::Day.opens(day), Resolution::Day.opens(day + 1));
            let part = opens.max(span.start)..closes.min(span.end);
            let minutes = traded.range(Resolution::Minute, within(Resolution::Minute, &part));
            let minutes: Vec<Bucket> = minutes.map(|(minute, _)| minute).collect();
            let newest = minutes.into_iter().rev().take(most - found.len());
            found.extend(newest.map(|minute| Resolution::Minute.opens(minute)));
            if found.len() >= most {
                break;
            }
        }
        found
    }

    /// What lay of a token in each exchange's pools at the end of each bucket,
    /// in the order of venues, from the first that lay there on.
    pub fn locked(
        &self,
        token: TokenId,
        resolution: Resolution,
        span: &Span,
    ) -> Vec<(VenueId, Vec<(Bucket, Locked)>)> {
        let Some(figures) = self.of(token) else {
            return Vec::new();
        };
        let closes = self.closes(token, None, resolution, span.clone());
        let usd = |bucket: Bucket| closes.get(bucket).copied();
        let venues = figures.venues.iter().map(|at| {
            let levels = at.locked.range(resolution, span.clone());
            let levels = levels.map(|(bucket, units)| (bucket, figures.locked(units, usd(bucket))));
            (at.venue, levels.collect::<Vec<_>>())
        });
        venues.filter(|(_, levels)| !levels.is_empty()).collect()
    }

    /// What lay of a token in each exchange's pools at a time, in seconds since
    /// 1970, to the minute.
    pub fn locked_at(&self, token: TokenId, time: i64) -> Vec<(VenueId, Locked)> {
        let minute = Resolution::Minute.bucket(time);
        let span = minute..minute.saturating_add(1);
        let venues = self.locked(token, Resolution::Minute, &span);
        venues
            .into_iter()
            .filter_map(|(venue, levels)| Some((venue, levels.last()?.1)))
            .collect()
    }

    pub(super) fn of(&self, token: TokenId) -> Option<&TokenFigures> {
        self.tokens.get(token.index()).map(|figures| &**figures)
    }

    /// Every token's price, by its place.
    pub(super) fn all_usd(&self) -> Vec<Option<f64>> {
        (0..)
            .map(TokenId)
            .take(self.tokens.len())
            .map(|token| self.prices.usd(token))
            .collect()
    }
}

/// Makes candles in USD with their volumes.
struct WithVolumes<'a>(Worths<'a>);

impl Make<Candle> for WithVolumes<'_> {
    fn one(&mut self, bar: Ohlc) -> Candle {
        Candle::of(&bar.course(), self.0.usd(bar.bucket))
    }

    /// Where courses lie side by side, volumes mostly do: then they are joined
    /// without looking for each.
    fn run(&mut self, mut bucket: Bucket, mut courses: &[Course], made: &mut Vec<Candle>) {
        while let Some((course, later)) = courses.split_first() {
            made.push(Candle::of(course, self.0.usd(bucket)));
            let volumes = self.0.run(bucket.saturating_add(1));
            let (with, without) = later.split_at(later.len().min(volumes.len()));
            let both = with.iter().zip(volumes);
            made.extend(both.map(|(course, volume)| Candle::of(course, *volume)));
            let passed = Bucket::try_from(with.len()).unwrap_or(Bucket::MAX);
            bucket = bucket.saturating_add(passed).saturating_add(1);
            courses = without;
        }
    }
}

impl Candle {
    const fn of(course: &Course, volume: u128) -> Self {
        Self {
            open: course.open,
            high: course.high,
            low: course.low,
            close: course.close,
            volume,
        }
    }
}

impl TokenFigures {
    fn locked(&self, units: u128, price: Option<f64>) -> Locked {
        let usd = price.map_or(0.0, |price| whole(units, self.decimals) * price);
        Locked { units, usd }
    }
}

/// A sum for every bucket, from the series' first on.
fn amounts(track: &SumTrack, resolution: Resolution, span: Span) -> Vec<(Bucket, Sum)> {
    let Some(first) = track.first() else {
        return Vec::new();
    };
    let dense = span.start.max(resolution.bucket(first))..span.end;
    let mut sums = track.range(resolution, dense.clone()).peekable();
    dense
        .map(|bucket| {
            let sum = sums.next_if(|(at, _)| *at == bucket);
            (bucket, sum.map_or_else(Sum::default, |(_, sum)| sum))
        })
        .collect()
}

/// A volume in USD as a volume in what has this price.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a volume at a price that floating point knows; the cast saturates"
)]
fn quotient(usd: u128, price: f64) -> u128 {
    /// Numbers of 64 bits are converted at once, larger ones step by step.
    const SMALL: f64 = 9_223_372_036_854_775_808.0;
    let usd = u64::try_from(usd).map_or_else(|_| usd as f64, |usd| usd as f64);
    let units = usd / price;
    if units < SMALL {
        // By hand: not every processor has an instruction that rounds.
        let whole = units as i64;
        let is_half = units - whole as f64 >= 0.5;
        u128::from(whole.unsigned_abs() + u64::from(is_half))
    } else {
        units as u128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_meet_the_volumes_of_their_buckets_whatever_is_missing() {
        let has: [fn(&i64) -> bool; 6] = [
            |_| true,
            |_| false,
            |minute| minute % 3 == 0,
            |minute| (100..300).contains(minute),
            |minute| !(100..300).contains(minute),
            |minute| *minute < 200 || minute % 7 < 5,
        ];
        for has in has {
            let mut traded = SumTrack::default();
            for minute in (0..700).filter(has) {
                let worth = u128::try_from(minute).unwrap() + 1;
                traded.add(Resolution::Minute.opens(minute), 1, worth);
            }
            let course = Course {
                open: 1.0,
                high: 3.0,
                low: 0.5,
                close: 2.0,
            };
            let (first, courses) = (40, vec![course; 620]);
            let volumes = traded.worths(Resolution::Minute, &(first..first + 620));
            let mut made = Vec::new();
            WithVolumes(volumes).run(first, &courses, &mut made);
            let volume = |minute: i64| if has(&minute) { minute + 1 } else { 0 };
            let expected = (first..first + 620)
                .map(|minute| Candle::of(&course, u128::try_from(volume(minute)).unwrap()));
            assert!(made.into_iter().eq(expected));
        }
    }

    #[test]
    fn a_volume_is_rounded_to_the_nearest_unit_whatever_its_size() {
        assert_eq!(quotient(7, 2.0), 4);
        assert_eq!(quotient(5, 4.0), 1);
        assert_eq!(quotient(0, 3.0), 0);
        assert_eq!(quotient(1 << 63, 1.0), 1 << 63);
        assert_eq!(quotient(1 << 62, 1.0), 1 << 62);
        assert_eq!(quotient(1 << 100, 0.5), 1 << 101);
        assert_eq!(quotient(1, 1e-300), u128::MAX);
        // One half less the smallest step.
        assert_eq!(quotient(1, 2.000_000_000_000_000_4), 0);
    }
}
