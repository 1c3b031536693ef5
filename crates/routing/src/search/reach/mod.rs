//! What tokens outside of a problem are worth at most, and which of them would
//! help.
//!
//! A token that is not part of the problem is worth at most what its best way
//! to one of the problem's tokens would pay for the first unit. At any price up
//! to that, what pairs gain that buy it from the problem's tokens, or sell it,
//! is the most by which it can raise the bound on all routes. Where no token
//! would gain anything, the problem's solution is the best of all.
//!
//! That all of them together raise it by no more than the sum: a bound holds at
//! any prices. Let each outside token have the price at which it gains least, or
//! its value if nobody inside sells it for less. A pair between two outside
//! tokens is counted with the one that it sells, at the value of the other,
//! which is no lower than its price; so every pair is counted once, with at
//! least what it gains. At its value a token gains nothing, since nobody pays
//! more for it. A route leaves each token that it passes by a swap of its own,
//! which may be taken off with what it costs. Where prices make loops, values
//! are cut off: ways that go round are not in the bound.

mod gains;

pub(super) use gains::{Gain, Missed};

use super::lens::Lens;
use crate::graph::{Link, NONE, Sale, TokenId};
use gains::Tie;

/// How often a token passes on its value: where prices make loops, it would
/// not end.
pub(super) const FAR: usize = 6;

/// Bits of a word.
const WORD: usize = 64;

/// Ends with no more pairs than this add all their neighbours to the search.
const FEW_PAIRS: usize = 64;

/// Differences of values that are not worth passing on.
const SLIGHT: f64 = 1e-7;

/// Values of tokens that are not part of the problem.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Of connectors; 0 if nothing is known, minus the price for the problem's
    /// own.
    values: Vec<f64>,
    /// The problem's own tokens that are no connectors.
    owns: Vec<(TokenId, f64)>,
    /// The next token on the way.
    next: Vec<TokenId>,
    /// Connectors whose value changed and was not passed on, one bit for each,
    changed: Vec<u64>,
    /// and how often the others were told.
    told: Vec<u8>,
    /// Neighbours of the ends that are no connectors.
    extras: Vec<Extra>,
    /// What outside tokens would bring, and where each stands: connectors, then
    /// extras.
    gains: Vec<Gain>,
    places: Vec<usize>,
    ties: Vec<Tie>,
    /// What those would bring that were priced, the best first.
    best: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
struct Extra {
    token: TokenId,
    value: f64,
    next: TokenId,
}

impl Reach {
    /// Finds the values of all tokens within reach of those with prices, if so
    /// much is kept of every swap, and every token outside passes on its value
    /// no more often than this.
    pub(super) fn spread(
        &mut self,
        lens: Lens<'_>,
        (tokens, prices): (&[TokenId], &[f64]),
        kept: f64,
        times: usize,
    ) {
        let topology = lens.graph.topology();
        let connectors = topology.connectors();
        self.values.clear();
        self.values.resize(connectors.len(), 0.0);
        self.next.clear();
        self.next.resize(connectors.len(), NONE);
        self.changed.clear();
        self.changed.resize(connectors.len().div_ceil(WORD), 0);
        self.told.clear();
        self.told.resize(connectors.len(), 0);
        self.owns.clear();
        for (token, price) in tokens.iter().zip(prices) {
            let connector = topology.connector_of(*token) as usize;
            match self.values.get_mut(connector) {
                Some(value) => *value = -price,
                None => self.owns.push((*token, *price)),
            }
        }
        for (token, price) in tokens.iter().zip(prices) {
            self.relax(lens, *token, *price * kept);
        }
        while let Some(connector) = self.take_changed() {
            let told = self.told.get_mut(connector);
            let Some(told) = told.filter(|told| usize::from(**told) < times) else {
                continue;
            };
            *told += 1;
            let token = connectors.get(connector).copied();
            let value = self.values.get(connector).copied();
            if let (Some(token), Some(value)) = (token, value) {
                self.relax(lens, token, value * kept);
            }
        }
        self.look_around(lens, tokens, prices);
    }

    /// The first connector whose value has to be passed on. Connectors stand in
    /// the order of their depth: those that most ways pass settle first, and the
    /// many small ones are told but once.
    fn take_changed(&mut self) -> Option<usize> {
        let word = self.changed.iter().position(|word| *word != 0)?;
        let changed = self.changed.get_mut(word)?;
        let bit = changed.trailing_zeros() as usize;
        *changed &= *changed - 1;
        Some(word * WORD + bit)
    }

    /// Offers this token, at its value, to the connectors next to it.
    fn relax(&mut self, lens: Lens<'_>, token: TokenId, value: f64) {
        let topology = lens.graph.topology();
        for Link { to, sale } in topology.links(token) {
            let at = *to as usize;
            let Some(known) = self.values.get_mut(at).filter(|known| **known >= 0.0) else {
                continue;
            };
            let offered = lens.rate(sale.back()) * value;
            if offered > *known * (1.0 + SLIGHT) {
                *known = offered;
                if let Some(next) = self.next.get_mut(at) {
                    *next = token;
                }
                if let Some(changed) = self.changed.get_mut(at / WORD) {
                    *changed |= 1 << (at % WORD);
                }
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
        let mut offer = |to: TokenId, sale: Sale, value: f64| {
            let value = lens.rate(sale) * value;
            if value > best.value {
                (best.value, best.next) = (value, to);
            }
        };
        for Link { to, sale } in topology.links(token) {
            if let Some(connector) = topology.connectors().get(*to as usize) {
                offer(*connector, *sale, self.value(lens, *connector));
            }
        }
        for (to, price) in tokens.iter().zip(prices) {
            if let Some(sale) = topology.sale(token, *to) {
                offer(*to, sale, *price);
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
    ) -> impl Iterator<Item = (TokenId, Sale, f64)> + 's {
        let topology = lens.graph.topology();
        let connectors = topology.links(token).iter().filter_map(move |link| {
            let value = self.values.get(link.to as usize).copied()?;
            let to = topology.connectors().get(link.to as usize).copied()?;
            (value > 0.0).then_some((to, link.sale, value))
        });
        let extras = self.extras.iter().filter_map(move |extra| {
            let sale = topology.sale(token, extra.token)?;
            Some((extra.token, sale, extra.value))
        });
        connectors.chain(extras)
    }
}
