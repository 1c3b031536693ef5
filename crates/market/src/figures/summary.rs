//! What is said of a token in one breath, and which tokens come first.

use super::{
    PriceChange, Summary, UsdE8,
    ranking::{Ranking, Tvl},
    state::Figures,
};
use crate::{
    series::{Resolution, SumTrack},
    token_id::TokenId,
    whole::{scale, whole},
};
use amm::book::{PoolView, VenueId};
use primitives::Address;
use std::collections::BTreeMap;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

impl Figures {
    /// Everything at once; none without a price. Changes are measured from
    /// `now`, volumes end with the newest block.
    pub fn summary(&self, token: TokenId, now: i64) -> Option<Summary> {
        let usd = self.prices.usd(token)?;
        let figures = self.of(token)?;
        let tvl = self.ranking().tvl.get(token.index()).copied();
        let tvl = tvl.unwrap_or_default();
        Some(Summary {
            usd,
            tvl_usd: tvl.counted,
            uncounted_tvl_usd: tvl.uncounted,
            change_1h: self.change(token, usd, now - HOUR),
            change_24h: self.change(token, usd, now - DAY),
            change_7d: self.change(token, usd, now - 7 * DAY),
            volume_24h: last_day(&figures.traded, self.head_time),
            net_volume_24h: last_day(&figures.net, self.head_time),
            supply: figures.supply.now(),
        })
    }

    /// By how much a token's price changed in the day before `now`, as
    /// [`Figures::summary`] has it; none without a price.
    pub fn day_change(&self, token: TokenId, now: i64) -> Option<PriceChange> {
        let usd = self.prices.usd(token)?;
        Some(self.change(token, usd, now - DAY))
    }

    /// What was traded of the token at an address in the last 24 hours, as
    /// [`Figures::summary`] has it, in USD.
    pub fn volume_24h_usd(&self, address: Address) -> f64 {
        let figures = self.token(address).and_then(|token| self.of(token));
        figures.map_or(0.0, |figures| {
            usd(last_day(&figures.traded, self.head_time))
        })
    }

    /// By how much the price changed over a day, as [`Figures::summary`] has it.
    pub fn change_24h(&self, token: TokenId, now: i64) -> PriceChange {
        let usd = self.prices.usd(token);
        usd.map_or_else(PriceChange::default, |usd| {
            self.change(token, usd, now - DAY)
        })
    }

    /// What counts of what lies of a token in pools, in USD.
    pub fn tvl(&self, token: TokenId) -> Option<f64> {
        self.ranking().tvl.get(token.index()).map(|tvl| tvl.counted)
    }

    /// Tokens that have a price, the largest TVL first.
    pub fn by_tvl(&self) -> &[TokenId] {
        &self.ranking().order
    }

    fn ranking(&self) -> &Ranking {
        self.ranking.get_or_init(|| self.rank())
    }

    fn rank(&self) -> Ranking {
        let mut tvl = vec![Tvl::default(); self.tokens.len()];
        for view in self.pools.iter().filter(|view| !view.pool.is_flawed()) {
            let [(first, one), (second, other)] = self.sides(&view);
            for (token, side, beside) in [(first, one, other), (second, other, one)] {
                if let Some(sum) = token.and_then(|token| tvl.get_mut(token.index())) {
                    let counted = side.beside(beside);
                    sum.counted += counted;
                    sum.uncounted += side.usd - counted;
                }
            }
        }
        let priced = (0..).map(TokenId).take(self.tokens.len());
        let mut order: Vec<TokenId> = priced
            .filter(|token| self.prices.usd(*token).is_some())
            .collect();
        let counted = |token: &TokenId| tvl.get(token.index()).map_or(0.0, |tvl| tvl.counted);
        order.sort_by(|a, b| counted(b).total_cmp(&counted(a)).then(a.cmp(b)));
        Ranking { tvl, order }
    }

    /// What lies in a pool, in USD, as far as it counts as TVL; none if neither
    /// of its tokens has a price.
    pub fn pool_tvl(&self, view: &PoolView<'_>) -> Option<f64> {
        let [(_, one), (_, other)] = self.sides(view);
        let is_priced = view.tokens().into_iter().any(|address| {
            let token = self.token(address);
            token.is_some_and(|token| self.prices.usd(token).is_some())
        });
        is_priced.then(|| one.beside(other) + other.beside(one))
    }

    /// What an amount of a token is worth, in USD; none without a price.
    pub fn worth(&self, address: Address, units: f64) -> Option<f64> {
        let token = self.token(address)?;
        Some(units / scale(self.decimals(token)?) * self.prices.usd(token)?)
    }

    /// What was traded at each venue in the last 24 hours, in hundred-millionths
    /// of a dollar, in the order of venues: each trade once, although both of its
    /// tokens have it among theirs.
    pub fn venue_volumes_24h(&self) -> Vec<(VenueId, UsdE8)> {
        let mut volumes: BTreeMap<VenueId, UsdE8> = BTreeMap::new();
        for at in self.tokens.iter().flat_map(|token| &token.venues) {
            let sum = volumes.entry(at.venue).or_default();
            *sum = sum.saturating_add(last_day(&at.traded, self.head_time));
        }
        let legs = volumes.into_iter();
        legs.map(|(venue, both)| (venue, both / 2)).collect()
    }

    /// Both sides of a pool.
    fn sides(&self, view: &PoolView<'_>) -> [(Option<TokenId>, Side); 2] {
        let [first, second] = view.tokens().map(|address| self.token(address));
        let [held0, held1] = view.pool.holdings();
        [
            (first, self.side(first, held0)),
            (second, self.side(second, held1)),
        ]
    }

    fn side(&self, token: Option<TokenId>, held: u128) -> Side {
        let priced = token.and_then(|token| Some((self.price(token)?, self.decimals(token)?)));
        priced.map_or(Side::default(), |(price, decimals)| Side {
            usd: whole(held, decimals) * price.usd,
            is_trusted: price.standing.is_trusted,
        })
    }

    /// The change since a time, by the price at the beginning of its minute.
    fn change(&self, token: TokenId, now: f64, since: i64) -> PriceChange {
        let Some(before) = self.prices.value_at(token, since) else {
            return PriceChange::default();
        };
        let usd = now - before;
        PriceChange {
            usd,
            percentage: (before > 0.0).then(|| usd / before * 100.0),
        }
    }
}

/// One side of a pool.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    usd: f64,
    is_trusted: bool,
}

impl Side {
    /// What it counts as: a token that nobody vouches for is worth at most what
    /// lies beside it.
    fn beside(self, other: Self) -> f64 {
        match (self.is_trusted, other.is_trusted) {
            (true, _) => self.usd,
            (false, true) => self.usd.min(other.usd),
            (false, false) => 0.0,
        }
    }
}

/// Integer USD as a number.
#[expect(
    clippy::cast_precision_loss,
    reason = "for showing; sums are made of the integers"
)]
fn usd(e8: UsdE8) -> f64 {
    e8 as f64 / 1e8
}

/// The sum of the last 24 hours: of the minute that it is, and of the 1,440
/// minutes before it.
fn last_day(track: &SumTrack, now: i64) -> UsdE8 {
    let end = Resolution::Minute.bucket(now).saturating_add(1);
    let begin = Resolution::Minute.bucket(now - DAY);
    let hours = {
        let first = Resolution::Hour.bucket(Resolution::Minute.opens(begin) + HOUR - 60);
        let last = Resolution::Hour.bucket(Resolution::Minute.opens(end));
        first..last
    };
    let minute = |hour| Resolution::Minute.bucket(Resolution::Hour.opens(hour));
    let edges = [begin..minute(hours.start), minute(hours.end)..end];
    let minutes = edges
        .into_iter()
        .map(|span| track.total(Resolution::Minute, span).usd);
    let whole = track.total(Resolution::Hour, hours).usd;
    minutes.fold(whole, u128::saturating_add)
}
