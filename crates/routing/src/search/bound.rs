//! What no route can exceed: the Lagrangian bound (weak duality; Boyd &
//! Vandenberghe, *Convex Optimization*, section 5.2) with fixed costs.
//!
//! Give every token of the graph a price. A route buys no more than what it sells
//! is worth, and what its pools keep at these prices. It has at least two swaps
//! (single ones are all looked at) and at most so many as are allowed: so the
//! best two pools count, whatever they keep beyond the costs of their swaps, and
//! of the others those that keep something, as many as are allowed. Prices are
//! those of the best division, and for other tokens the ones at which their pools
//! keep least.

use super::arena::{Arena, surplus};
use super::closure::Closure;
use super::division::Division;
use super::goal::Goal;
use super::prices::SOLD;
use crate::graph::{Lens, Sale, TokenId};

/// Rounds of prices; where they do not settle, cycles gain and nothing is known.
const ROUNDS: usize = 12;

/// A bound in the bought token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    /// The price of the sold token.
    pub(super) price: f64,
    /// What the pools of a route keep beyond the costs of their swaps, at most.
    pub(super) kept: f64,
}

impl Bound {
    /// What is left of it for a goal.
    pub(super) fn net(&self, goal: &Goal) -> f64 {
        let kept = 1.0 - goal.costs.fee_many;
        kept * (self.price * goal.many + self.kept)
    }
}

/// The bound at a division's prices; `None` where prices do not settle.
pub(super) fn bound(
    lens: &Lens<'_>,
    goal: &Goal,
    arena: &Arena<'_>,
    division: &Division,
) -> Option<Bound> {
    let [sold, bought] = arena.tokens.get(..2)? else {
        return None;
    };
    let ends = [*sold, *bought];
    let mut known: Vec<(TokenId, f64)> = Vec::new();
    let nodes = division
        .parts
        .iter()
        .filter_map(|part| arena.hops.get(part.hop));
    for node in nodes.flat_map(|hop| [hop.from, hop.to]) {
        let token = *arena.tokens.get(node)?;
        if known.iter().all(|(known, _)| *known != token) {
            known.push((token, division.prices[node]));
        }
    }
    let bids = Closure::bids(lens, &known, ROUNDS);
    if !bids.is_closed {
        return None;
    }
    // At its bid no token is worth selling for another, so that only what known
    // tokens buy is left to be looked at.
    let inverse_asks = Closure::inverse_asks(lens, &known, 1);
    let mut touched: Vec<TokenId> = known.iter().map(|(token, _)| *token).collect();
    let both = inverse_asks.all().iter().zip(bids.all());
    let gaining = (0..)
        .zip(both)
        .filter(|(_, (inverse, bid))| *bid * *inverse > 1.0);
    let gaining: Vec<_> = gaining
        .map(|(token, (inverse, bid))| (token, [inverse.recip(), *bid]))
        .collect();
    let mut scales = Scales {
        lens,
        goal,
        ends,
        prices: bids.into_prices(),
    };
    for (token, offers) in gaining {
        scales.settle(token, offers);
        touched.push(token);
    }
    touched.sort_unstable();
    touched.dedup();
    let price = division.prices[SOLD];
    let kept = scales.kept(&touched);
    Some(Bound { price, kept })
}

struct Scales<'a, 'g> {
    lens: &'a Lens<'g>,
    goal: &'a Goal,
    ends: [TokenId; 2],
    prices: Vec<f64>,
}

impl Scales<'_, '_> {
    fn price(&self, token: TokenId) -> f64 {
        self.prices.get(token as usize).copied().unwrap_or_default()
    }

    /// Gives a token the price, of a few, at which its pools keep least.
    fn settle(&mut self, token: TokenId, [ask, bid]: [f64; 2]) {
        let (mut best, mut least) = (bid, f64::INFINITY);
        for price in [(ask * bid).sqrt(), bid, ask] {
            let kept = self.kept_at(token, price);
            if kept < least {
                (best, least) = (price, kept);
            }
            if kept <= 0.0 {
                break;
            }
        }
        if let Some(slot) = self.prices.get_mut(token as usize) {
            *slot = best;
        }
    }

    /// Whether a route may sell the one token for the other: none sells what it
    /// buys, or buys what it sells.
    const fn is_passed(&self, [from, to]: [TokenId; 2]) -> bool {
        let [sold, bought] = self.ends;
        from != bought && to != sold
    }

    /// What the pools of a token keep at a price of it.
    fn kept_at(&self, token: TokenId, price: f64) -> f64 {
        let mut kept = 0.0;
        for link in self.lens.topology().neighbours(token) {
            let other = self.price(link.to);
            if self.is_passed([token, link.to]) {
                self.surpluses(link.sale, [price, other], |surplus| {
                    kept += surplus.max(0.0);
                });
            }
            if self.is_passed([link.to, token]) {
                self.surpluses(link.sale.back(), [other, price], |surplus| {
                    kept += surplus.max(0.0);
                });
            }
        }
        kept
    }

    /// What the pools of a sale keep at prices of its tokens, costs taken off,
    /// if they trade at all.
    fn surpluses(&self, sale: Sale, [from, to]: [f64; 2], mut each: impl FnMut(f64)) {
        if self.lens.rate(sale) * to <= from {
            return;
        }
        // Fees take a part of what is bought, and none of what gas costs.
        let kept = 1.0 - self.goal.costs.fee_many;
        for pool in self.lens.pools(sale) {
            let surplus = surplus(pool.rungs(sale.way), from, to);
            if surplus > 0.0 {
                each(surplus - self.goal.costs.swap_at(pool.venue) / kept);
            }
        }
    }

    /// What the pools of a route keep at most, looking at those of some tokens.
    fn kept(&self, tokens: &[TokenId]) -> f64 {
        let cheapest = self
            .goal
            .costs
            .swap
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min);
        let idle = if cheapest.is_finite() {
            -cheapest / (1.0 - self.goal.costs.fee_many)
        } else {
            0.0
        };
        // Any two pools may trade nothing.
        let mut best = vec![idle; 2];
        for token in tokens {
            for link in self.lens.topology().neighbours(*token) {
                let prices = [self.price(*token), self.price(link.to)];
                if self.is_passed([*token, link.to]) {
                    self.surpluses(link.sale, prices, |surplus| best.push(surplus));
                }
                if tokens.binary_search(&link.to).is_err() {
                    let [here, there] = prices;
                    self.surpluses(link.sale.back(), [there, here], |surplus| {
                        best.push(surplus);
                    });
                }
            }
        }
        best.sort_by(|a, b| b.total_cmp(a));
        let most = best.iter().take(self.goal.max_swaps).enumerate();
        most.map(|(at, kept)| if at < 2 { *kept } else { kept.max(0.0) })
            .sum()
    }
}
