//! What tokens are worth beyond those whose prices are known: the best prices of
//! first units along any path, by Bellman–Ford (Cormen et al., *Introduction to
//! Algorithms*, section 22.1), in rounds.

use crate::graph::{Lens, Link, TokenId};
use amm::book::VenueId;

/// Prices for all tokens of a graph, in the token that known prices are in.
#[derive(Debug)]
pub(super) struct Closure {
    prices: Vec<f64>,
    /// Whether another round would change nothing.
    pub(super) is_settled: bool,
}

impl Closure {
    /// The most that tokens can be sold for; 0 where they cannot. Known prices
    /// stay.
    pub(super) fn bids(lens: &Lens<'_>, known: &[(TokenId, f64)], rounds: usize) -> Self {
        Self::spread(lens, known, rounds, |_, bid, link, best| {
            (lens.rate(link.sale.back()) * bid).max(best)
        })
    }

    /// The same with prices at which no pool that sells no more than `there` keeps more
    /// than `most` says for its venue, which is nowhere less than `least`.
    pub(super) fn paying_bids(
        lens: &Lens<'_>,
        known: &[(TokenId, f64)],
        rounds: usize,
        there: &Self,
        least: f64,
        most: impl Fn(VenueId) -> f64,
    ) -> Self {
        Self::spread(lens, known, rounds, |_, bid, link, best| {
            let (sale, there) = (link.sale.back(), there.get(link.to));
            if lens.rate(sale) * bid <= best {
                return best;
            }
            // The best price of one pool and the depth of another are no pool's.
            if lens.front(sale).paying_bid(there, bid, least) <= best {
                return best;
            }
            let offers = lens.pools(sale).map(|pool| {
                let front = pool.front(sale.direction);
                front.paying_bid(there, bid, most(pool.venue))
            });
            offers.fold(best, f64::max)
        })
    }

    /// The most of each token that there can be when this much of one is sold, and none
    /// of another; 0 where it cannot be bought.
    pub(super) fn amounts(
        lens: &Lens<'_>,
        [sold, bought]: [TokenId; 2],
        amount: f64,
        rounds: usize,
    ) -> Self {
        let known = [(sold, amount), (bought, 0.0)];
        Self::spread(lens, &known, rounds, |_, amount, link, best| {
            (lens.rate(link.sale) * amount).max(best)
        })
    }

    /// The inverse of the least that tokens can be bought for; 0 where they
    /// cannot.
    pub(super) fn inverse_asks(lens: &Lens<'_>, known: &[(TokenId, f64)], rounds: usize) -> Self {
        let known: Vec<_> = known
            .iter()
            .map(|(token, price)| (*token, price.recip()))
            .collect();
        Self::spread(lens, &known, rounds, |_, inverse, link, best| {
            (lens.rate(link.sale) * inverse).max(best)
        })
    }

    /// `offer` is the best price that a token has by a link from one of this price,
    /// or what it is so far.
    pub(super) fn spread(
        lens: &Lens<'_>,
        known: &[(TokenId, f64)],
        rounds: usize,
        offer: impl Fn(TokenId, f64, &Link, f64) -> f64,
    ) -> Self {
        let count = lens.topology().token_count();
        let mut prices = vec![0.0; count];
        // Whether a token's price may change, and does in the next round.
        let mut states = vec![State::Open; count];
        let mut now = Vec::new();
        for (token, price) in known {
            let at = *token as usize;
            if let (Some(slot), Some(state)) = (prices.get_mut(at), states.get_mut(at)) {
                (*slot, *state) = (*price, State::Known);
                now.push(*token);
            }
        }
        let mut next = Vec::new();
        for _ in 0..rounds {
            for token in now.drain(..) {
                let at = token as usize;
                let price = prices.get(at).copied().unwrap_or_default();
                if let Some(state) = states.get_mut(at).filter(|state| **state == State::Waiting) {
                    *state = State::Open;
                }
                for link in lens.neighbours(token) {
                    let at = link.to as usize;
                    let (Some(best), Some(state)) = (prices.get_mut(at), states.get_mut(at)) else {
                        continue;
                    };
                    if *state == State::Known {
                        continue;
                    }
                    let offer = offer(token, price, link, *best);
                    if offer > *best {
                        *best = offer;
                        if *state == State::Open {
                            *state = State::Waiting;
                            next.push(link.to);
                        }
                    }
                }
            }
            std::mem::swap(&mut now, &mut next);
        }
        let is_settled = now.is_empty();
        Self { prices, is_settled }
    }

    #[inline]
    pub(super) fn get(&self, token: TokenId) -> f64 {
        self.prices.get(token as usize).copied().unwrap_or_default()
    }

    pub(super) fn all(&self) -> &[f64] {
        &self.prices
    }

    /// Raises prices to what tokens can at least be bought for, where that is settled.
    pub(super) fn raised(mut self, inverse_asks: &Self) -> Self {
        let asks = inverse_asks
            .prices
            .iter()
            .filter(|_| inverse_asks.is_settled);
        for (price, inverse) in self.prices.iter_mut().zip(asks) {
            if *inverse > 0.0 {
                *price = price.max(inverse.recip());
            }
        }
        self
    }

    pub(super) fn into_prices(self) -> Vec<f64> {
        self.prices
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The price is given, and never changes.
    Known,
    Open,
    /// The price has changed, and is spread in the next round.
    Waiting,
}
