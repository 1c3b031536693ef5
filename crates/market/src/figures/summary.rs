//! What is said of a token in one breath, and which tokens come first.

use super::{
    PriceChange, Summary, UsdE8,
    ranking::{Ranking, Tvl},
    state::Figures,
};
use crate::{
    series::{Resolution, SumTrack},
    token_id::TokenId,
    whole::whole,
};
use primitives::Address;

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
            let [first, second] = view.tokens().map(|address| self.token(address));
            let [held0, held1] = view.pool.holdings();
            let (one, other) = (self.side(first, held0), self.side(second, held1));
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
