//! What readers ask.

use super::{Candle, Locked, Price, state::Figures, token::TokenFigures};
use crate::{
    series::{Bucket, Dense, Ohlc, Resolution, Span, Sum, SumTrack},
    token_id::TokenId,
    whole::whole,
};
use amm::book::VenueId;
use primitives::Address;

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
        self.bars_with(token, quote, resolution, span, |bar, quote| {
            let usd = volumes.usd(bar.bucket);
            Candle {
                open: bar.open,
                high: bar.high,
                low: bar.low,
                close: bar.close,
                volume: quote.map_or(usd, |quote| quotient(usd, quote)),
            }
        })
    }

    /// The closes of [`Figures::candles`].
    pub fn closes(
        &self,
        token: TokenId,
        quote: Option<TokenId>,
        resolution: Resolution,
        span: Span,
    ) -> Dense<f64> {
        self.bars_with(token, quote, resolution, span, |bar, _| bar.close)
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

    /// What is made of candles and of the price of what they are quoted in, if
    /// that is not USD.
    fn bars_with<T>(
        &self,
        token: TokenId,
        quote: Option<TokenId>,
        resolution: Resolution,
        span: Span,
        mut make: impl FnMut(Ohlc, Option<f64>) -> T,
    ) -> Dense<T> {
        let board = &self.prices;
        match quote {
            None => board.bars_with(token, resolution, span, |bar| make(bar, None)),
            Some(quote) => board.ratio_bars_with(token, quote, resolution, span, |bar, usd| {
                make(bar, Some(usd))
            }),
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
    use super::quotient;

    #[test]
    fn a_volume_is_rounded_to_the_nearest_unit_whatever_its_size() {
        assert_eq!(quotient(7, 2.0), 4);
        assert_eq!(quotient(5, 4.0), 1);
        assert_eq!(quotient(0, 3.0), 0);
        assert_eq!(quotient(1 << 63, 1.0), 1 << 63);
        assert_eq!(quotient(1 << 62, 1.0), 1 << 62);
        assert_eq!(quotient(1 << 100, 0.5), 1 << 101);
        assert_eq!(quotient(1, 1e-300), u128::MAX);
    }
}
        // One half less the smallest step.
        assert_eq!(quotient(1, 2.000_000_000_000_000_4), 0);
