//! What tokens outside of a problem are worth at most, and which of them would
//! help.
//!
//! A token that is not part of the problem is worth what its best way to one
//! of the problem's tokens would pay for the first unit. At these prices no
//! pair that sells it gains; what pairs gain that buy it is the most by which
//! the bound on all routes can exceed the problem's own. Where nothing is
//! gained, the problem's solution is the best of all.

use super::lens::{Lens, Scratch};
use super::problem::{BOUGHT, Problem};
use crate::graph::{Link, NONE, TokenId};
use crate::ladder;

/// Swaps beyond the problem's tokens.
const ROUNDS: usize = 4;

/// Ends with no more pairs than this add all their neighbours to the search.
const FEW_PAIRS: usize = 64;

/// Differences that do not count.
const NOISE: f64 = 1e-9;

/// Values of tokens that are not part of the problem.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Of connectors; 0 if nothing is known, below 0 for the problem's own.
    values: Vec<f64>,
    /// The next token on the way.
    next: Vec<TokenId>,
    /// Connectors whose value changed in the last round.
    changed: Vec<u32>,
    changing: Vec<u32>,
    /// Neighbours of the ends that are no connectors.
    extras: Vec<Extra>,
    /// What outside tokens would bring.
    gains: Vec<Gain>,
}

#[derive(Debug, Clone, Copy)]
struct Extra {
    token: TokenId,
    value: f64,
    next: TokenId,
}

/// A token that would help, and by how much at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gain {
    pub(super) token: TokenId,
    pub(super) value: f64,
    pub(super) amount: f64,
}

/// The direction of selling the one token of a pair for the other.
pub(super) const fn way(sold: TokenId, bought: TokenId) -> usize {
    if sold > bought { 1 } else { 0 }
}

impl Reach {
    /// Finds the values of all tokens within reach of those with prices.
    pub(super) fn spread(&mut self, lens: Lens<'_>, tokens: &[TokenId], prices: &[f64]) {
        let topology = lens.graph.topology();
        let connectors = topology.connectors();
        self.values.clear();
        self.values.resize(connectors.len(), 0.0);
        self.next.clear();
        self.next.resize(connectors.len(), NONE);
        self.changed.clear();
        for token in tokens {
            let connector = topology.connector_of(*token) as usize;
            if let Some(value) = self.values.get_mut(connector) {
                *value = -1.0;
            }
        }
        for (token, price) in tokens.iter().zip(prices) {
            self.relax(lens, *token, *price);
        }
        for _ in 0..ROUNDS {
            std::mem::swap(&mut self.changed, &mut self.changing);
            self.changed.clear();
            if self.changing.is_empty() {
                break;
            }
            for at in 0..self.changing.len() {
                let connector = self.changing.get(at).copied().unwrap_or(NONE) as usize;
                let token = connectors.get(connector).copied();
                let value = self.values.get(connector).copied();
                if let (Some(token), Some(value)) = (token, value) {
                    self.relax(lens, token, value);
                }
            }
        }
        self.look_around(lens, tokens, prices);
    }

    /// Offers this token, at its value, to the connectors next to it.
    fn relax(&mut self, lens: Lens<'_>, token: TokenId, value: f64) {
        let topology = lens.graph.topology();
        for Link { to, pair } in topology.links(token) {
            let at = *to as usize;
            let Some(known) = self.values.get_mut(at).filter(|known| **known >= 0.0) else {
                continue;
            };
            let Some(seller) = topology.connectors().get(at) else {
                continue;
            };
            let offered = lens.rate(*pair, way(*seller, token)) * value;
            if offered > *known * (1.0 + NOISE) {
                *known = offered;
                if let Some(next) = self.next.get_mut(at) {
                    *next = token;
                }
                self.changed.push(*to);
            }
        }
    }

    /// Values the ends' own neighbours, where those are few.
    fn look_around(&mut self, lens: Lens<'_>, tokens: &[TokenId], prices: &[f64]) {
        let topology = lens.graph.topology();
        self.extras.clear();
        for end in tokens.iter().take(2) {
            let neighbours = topology.neighbours(*end);
            if neighbours.len() > FEW_PAIRS {
                continue;
            }
            for Link { to, .. } in neighbours {
                let is_known = topology.connector_of(*to) != NONE
                    || tokens.contains(to)
                    || self.extras.iter().any(|extra| extra.token == *to);
                if is_known {
                    continue;
                }
                let extra = self.extra(lens, *to, tokens, prices);
                if extra.value > 0.0 {
                    self.extras.push(extra);
                }
            }
        }
    }

    fn extra(&self, lens: Lens<'_>, token: TokenId, tokens: &[TokenId], prices: &[f64]) -> Extra {
        let topology = lens.graph.topology();
        let mut best = Extra {
            token,
            value: 0.0,
            next: NONE,
        };
        let mut offer = |to: TokenId, pair: u32, value: f64| {
            let value = lens.rate(pair, way(token, to)) * value;
            if value > best.value {
                (best.value, best.next) = (value, to);
            }
        };
        for Link { to, pair } in topology.links(token) {
            if let Some(connector) = topology.connectors().get(*to as usize) {
                offer(*connector, *pair, self.value(lens, *connector));
            }
        }
        for (to, price) in tokens.iter().zip(prices) {
            if let Some(pair) = topology.between(token, *to) {
                offer(*to, pair, *price);
            }
        }
        best
    }

    /// What a token outside of the problem is worth; 0 if nothing is known.
    pub(super) fn value(&self, lens: Lens<'_>, token: TokenId) -> f64 {
        let connector = lens.graph.topology().connector_of(token);
        if connector != NONE {
            let value = self.values.get(connector as usize).copied();
            return value.unwrap_or_default().max(0.0);
        }
        let extra = self.extras.iter().find(|extra| extra.token == token);
        extra.map_or(0.0, |extra| extra.value)
    }

    /// The token that follows on the best way from this one.
    pub(super) fn next(&self, lens: Lens<'_>, token: TokenId) -> Option<TokenId> {
        let connector = lens.graph.topology().connector_of(token);
        let next = if connector == NONE {
            let extra = self.extras.iter().find(|extra| extra.token == token);
            extra.map(|extra| extra.next)
        } else {
            self.next.get(connector as usize).copied()
        };
        next.filter(|next| *next != NONE)
    }

    /// The neighbours of a token outside of the problem that have a value: by
    /// which pair, and what.
    pub(super) fn around<'s>(
        &'s self,
        lens: Lens<'s>,
        token: TokenId,
    ) -> impl Iterator<Item = (TokenId, u32, f64)> + 's {
        let topology = lens.graph.topology();
        let connectors = topology.links(token).iter().filter_map(move |link| {
            let value = self.values.get(link.to as usize).copied()?;
            let to = topology.connectors().get(link.to as usize).copied()?;
            (value > 0.0).then_some((to, link.pair, value))
        });
        let extras = self.extras.iter().filter_map(move |extra| {
            let pair = topology.between(token, extra.token)?;
            Some((extra.token, pair, extra.value))
        });
        connectors.chain(extras)
    }

    /// The tokens that would help at the problem's prices, if a swap costs so
    /// much, the most helpful first; and what all of them would bring at most.
    pub(super) fn gains(
        &mut self,
        lens: Lens<'_>,
        problem: &Problem,
        cost: f64,
        scratch: &mut Scratch,
    ) -> (f64, &[Gain]) {
        let mut gains = std::mem::take(&mut self.gains);
        gains.clear();
        for (place, (token, price)) in problem.tokens.iter().zip(&problem.prices).enumerate() {
            if place == BOUGHT {
                continue;
            }
            for (to, pair, value) in self.around(lens, *token) {
                let way = way(*token, to);
                if lens.rate(pair, way) * value <= price * (1.0 + NOISE) {
                    continue;
                }
                let rungs = lens.curve(pair, way, scratch);
                let flow = ladder::flow_at(rungs, (value / price).sqrt(), &mut 0);
                let amount = value * flow.bought - price * flow.sold - cost;
                if amount > 0.0 {
                    gains.push(Gain {
                        token: to,
                        value,
                        amount,
                    });
                }
            }
        }
        self.gains = gains;
        self.merge_gains()
    }

    /// One entry for each token.
    fn merge_gains(&mut self) -> (f64, &[Gain]) {
        self.gains.sort_unstable_by_key(|gain| gain.token);
        self.gains.dedup_by(|gain, first| {
            let same = gain.token == first.token;
            if same {
                first.amount += gain.amount;
            }
            same
        });
        let order = |a: &Gain, b: &Gain| b.amount.total_cmp(&a.amount).then(a.token.cmp(&b.token));
        self.gains.sort_unstable_by(order);
        let sum = self.gains.iter().map(|gain| gain.amount).sum();
        (sum, &self.gains)
    }
}
