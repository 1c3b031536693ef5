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

use super::lens::{Lens, Scratch};
use super::problem::{BOUGHT, Problem, SOLD};
use crate::graph::{Link, NONE, Sale, TokenId};
use crate::ladder;

/// How often a token passes on its value: where prices make loops, it would
/// not end.
pub(super) const FAR: usize = 6;

/// Bits of a word.
const WORD: usize = 64;

/// Ends with no more pairs than this add all their neighbours to the search.
const FEW_PAIRS: usize = 64;

/// Outside tokens that are always looked at closely.
const REFINED: usize = 24;

/// Prices that are tried for an outside token.
const PRICINGS: usize = 7;

/// Differences of values that are not worth passing on.
const SLIGHT: f64 = 1e-7;

/// Differences that do not count.
const NOISE: f64 = 1e-9;

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
    /// What outside tokens would bring.
    gains: Vec<Gain>,
    /// Outside tokens that somebody sells for less than they are worth: what
    /// they are worth, and what the cheapest asks.
    found: Vec<(TokenId, f64, f64)>,
    ties: Vec<Tie>,
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
    /// A price at which it brings no more.
    pub(super) price: f64,
    pub(super) amount: f64,
    /// Where that price is: at first between what its cheapest seller asks for
    /// the first unit and what its best buyer pays.
    bounds: [f64; 2],
    /// The price to be tried next.
    next: f64,
    /// Its pairs: the first, and the end of them.
    ties: [usize; 2],
    /// Whether more prices would tell nothing.
    is_known: bool,
}

/// What all tokens outside would bring.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Missed {
    /// No more than this: each is left by a swap at least.
    pub(super) most: f64,
    /// About this: where each is entered by a swap of its own too.
    pub(super) likely: f64,
}

impl Gain {
    /// The most helpful first.
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        let amounts = b.amount.total_cmp(&a.amount);
        amounts.then(a.token.cmp(&b.token))
    }
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

    /// The tokens that would help at the problem's prices, if a swap costs so
    /// much, the most helpful first; and what all of them would bring.
    /// What brings less than `least` counts but is not named; where all together
    /// bring more than `enough`, their sum is a rough one.
    pub(super) fn gains(
        &mut self,
        lens: Lens<'_>,
        problem: &Problem,
        cost: f64,
        [least, enough]: [f64; 2],
        scratch: &mut Scratch,
    ) -> (Missed, &[Gain]) {
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        for (place, (token, price)) in problem.tokens.iter().zip(&problem.prices).enumerate() {
            if place == BOUGHT {
                continue;
            }
            for (to, sale, value) in self.around(lens, *token) {
                let rate = lens.rate(sale);
                if rate * value > price * (1.0 + NOISE) {
                    found.push((to, value, price / rate));
                }
            }
        }
        found.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.2.total_cmp(&b.2)));
        found.dedup_by_key(|(token, _, _)| *token);
        let mut gains = std::mem::take(&mut self.gains);
        gains.clear();
        self.ties.clear();
        for (token, value, cheapest) in &found {
            let begin = self.ties.len();
            self.tie(lens, problem, *token, [*cheapest, *value]);
            let mut gain = Gain {
                token: *token,
                price: *value,
                amount: f64::INFINITY,
                bounds: [*cheapest, *value],
                next: (cheapest * value).sqrt(),
                ties: [begin, self.ties.len()],
                is_known: false,
            };
            self.price(lens, &mut gain, scratch);
            gains.extend((gain.amount > cost).then_some(gain));
        }
        self.found = found;
        gains.sort_unstable_by(Gain::order);
        // The best are looked at closely; the others only if these do not
        // settle the matter.
        let mut missed = Missed::default();
        for (place, gain) in gains.iter_mut().enumerate() {
            if place < REFINED || missed.likely <= enough {
                for _ in 1..PRICINGS {
                    if gain.is_known || gain.amount <= least.max(2.0 * cost) {
                        break;
                    }
                    self.price(lens, gain, scratch);
                }
            }
            missed.most += (gain.amount - cost).max(0.0);
            gain.amount = (gain.amount - 2.0 * cost).max(0.0);
            missed.likely += gain.amount;
        }
        gains.retain(|gain| gain.amount > least);
        gains.sort_unstable_by(Gain::order);
        self.gains = gains;
        (missed, &self.gains)
    }

    /// Tries the next price of a token, on the way to that at which it brings
    /// least.
    fn price(&mut self, lens: Lens<'_>, gain: &mut Gain, scratch: &mut Scratch) {
        let [begin, end] = gain.ties;
        let ties = self.ties.get_mut(begin..end).unwrap_or_default();
        let price = gain.next;
        let pressure = pressure(lens, ties, price, scratch);
        gain.is_known = (gain.amount - pressure.surplus).abs() < 0.01 * gain.amount;
        if pressure.surplus < gain.amount {
            (gain.price, gain.amount) = (price, pressure.surplus);
        }
        let [low, high] = &mut gain.bounds;
        if pressure.excess > 0.0 {
            *high = price;
        } else {
            *low = price;
        }
        let newton = price * (-pressure.excess / pressure.conductance).exp();
        gain.next = if newton > *low && newton < *high {
            newton
        } else {
            (*low * *high).sqrt()
        };
    }

    /// The pairs of an outside token with the problem's tokens, and those in
    /// which it is sold to others, as far as they trade at one of its prices.
    fn tie(&mut self, lens: Lens<'_>, problem: &Problem, token: TokenId, [low, high]: [f64; 2]) {
        let Self {
            ties,
            values,
            owns,
            extras,
            ..
        } = self;
        let topology = lens.graph.topology();
        let end = |place: usize| problem.tokens.get(place).copied().unwrap_or(NONE);
        let (sold, bought) = (end(SOLD), end(BOUGHT));
        let mut add = |tie: Tie| {
            let trades = if tie.buys {
                tie.rate * high > tie.price
            } else {
                tie.rate * tie.price > low
            };
            if trades {
                ties.push(tie);
            }
        };
        let mut own = |other: TokenId, sale: Sale, price: f64| {
            if other != bought {
                add(Tie::new(lens, sale.back(), price, true));
            }
            if other != sold {
                add(Tie::new(lens, sale, price, false));
            }
        };
        for (other, price) in owns.iter() {
            if let Some(sale) = topology.sale(token, *other) {
                own(*other, sale, *price);
            }
        }
        for Link { to, sale } in topology.links(token) {
            let value = values.get(*to as usize).copied().unwrap_or_default();
            if value < 0.0 {
                let other = topology.connectors().get(*to as usize).copied();
                own(other.unwrap_or(NONE), *sale, -value);
            }
        }
        for Link { to, sale } in topology.links(token) {
            let value = values.get(*to as usize).copied().unwrap_or_default();
            if value > 0.0 {
                add(Tie::new(lens, *sale, value, false));
            }
        }
        for extra in extras.iter() {
            if let Some(sale) = topology.sale(token, extra.token) {
                add(Tie::new(lens, sale, extra.value, false));
            }
        }
    }
}

/// A pair of an outside token with one whose price is known.
#[derive(Debug, Clone, Copy)]
struct Tie {
    sale: Sale,
    rate: f64,
    /// The other token's price.
    price: f64,
    /// Whether the outside token is bought.
    buys: bool,
    hint: u32,
}

impl Tie {
    fn new(lens: Lens<'_>, sale: Sale, price: f64, buys: bool) -> Self {
        Self {
            sale,
            rate: lens.rate(sale),
            price,
            buys,
            hint: 0,
        }
    }
}

/// What happens around a token at a price.
#[derive(Debug, Default)]
struct Pressure {
    /// What all pairs gain.
    surplus: f64,
    /// How much more comes than goes, in value.
    excess: f64,
    conductance: f64,
}

fn pressure(lens: Lens<'_>, ties: &mut [Tie], value: f64, scratch: &mut Scratch) -> Pressure {
    let mut pressure = Pressure::default();
    for tie in ties {
        let (from, to) = if tie.buys {
            (tie.price, value)
        } else {
            (value, tie.price)
        };
        if tie.rate * to <= from {
            continue;
        }
        let z = (to / from).sqrt();
        let rungs = lens.curve(tie.sale, scratch);
        let flow = ladder::flow_at(rungs, z, &mut tie.hint);
        pressure.surplus += to * flow.bought - from * flow.sold;
        pressure.conductance += 0.5 * flow.slope * z * from;
        if tie.buys {
            pressure.excess += value * flow.bought;
        } else {
            pressure.excess -= value * flow.sold;
        }
    }
    pressure
}
