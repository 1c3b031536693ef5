//! Which tokens outside of a problem would help, and by how much at most.

use super::Reach;
use crate::graph::{Link, NONE, Sale, TokenId};
use crate::ladder;
use crate::search::lens::{Lens, Scratch};
use crate::search::problem::{BOUGHT, Problem, SOLD};

/// Outside tokens that are looked at closely, of those that are wanted.
const REFINED: usize = 24;

/// Prices that are tried for an outside token.
const PRICINGS: usize = 7;

/// Differences that do not count.
const NOISE: f64 = 1e-9;

/// A token that would help, and by how much at most.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct Gain {
    pub(in crate::search) token: TokenId,
    /// A price at which it brings no more.
    pub(in crate::search) price: f64,
    pub(in crate::search) amount: f64,
    /// Where that price is: at first between what its cheapest seller asks for
    /// the first unit and what its best buyer pays.
    bounds: [f64; 2],
    /// The price to be tried next.
    next: f64,
    /// Its pairs, if somebody looked: the first, and the end of them.
    ties: Option<[usize; 2]>,
    /// Whether more prices would tell nothing.
    is_known: bool,
}

/// What all tokens outside would bring.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::search) struct Missed {
    /// No more than this: each is left by a swap at least.
    pub(in crate::search) most: f64,
    /// About this: where each is entered by a swap of its own too.
    pub(in crate::search) likely: f64,
}

impl Gain {
    /// What a token brings at its value by a pair that asks this for its first
    /// unit.
    fn new(token: TokenId, [ask, value]: [f64; 2], amount: f64) -> Self {
        Self {
            token,
            price: value,
            amount,
            bounds: [ask, value],
            next: (ask * value).sqrt(),
            ties: None,
            is_known: false,
        }
    }

    /// Adds another pair.
    fn add(&mut self, ask: f64, amount: f64) {
        let [low, value] = &mut self.bounds;
        *low = low.min(ask);
        self.next = (*low * *value).sqrt();
        self.amount += amount;
    }

    /// The most helpful first.
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        let amounts = b.amount.total_cmp(&a.amount);
        amounts.then(a.token.cmp(&b.token))
    }
}

impl Reach {
    /// The tokens that would help at the problem's prices, if a swap costs so
    /// much, the most helpful first; and what all of them would bring.
    /// What brings less than `least` counts but is not named; where all together
    /// bring more than `enough`, their sum is a rough one, and only as many are
    /// the most helpful as are `wanted`.
    pub(in crate::search) fn gains(
        &mut self,
        lens: Lens<'_>,
        problem: &Problem,
        cost: f64,
        [least, enough]: [f64; 2],
        wanted: usize,
        scratch: &mut Scratch,
    ) -> (Missed, &[Gain]) {
        let mut gains = self.at_values(lens, problem, scratch);
        gains.retain(|gain| gain.amount > cost);
        gains.sort_unstable_by(Gain::order);
        self.price_best(lens, problem, &mut gains, wanted, scratch);
        gains.sort_unstable_by(Gain::order);
        // The best are looked at closely; the others only if these do not
        // settle the matter.
        let mut missed = Missed::default();
        for (place, gain) in gains.iter_mut().enumerate() {
            if place < wanted.min(REFINED) || missed.likely <= enough {
                for _ in 1..PRICINGS {
                    if gain.is_known || gain.amount <= least.max(2.0 * cost) {
                        break;
                    }
                    self.price(lens, problem, gain, scratch);
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

    /// Tries a price for each of the first tokens, until none of the others can be
    /// one of as many as are wanted.
    fn price_best(
        &mut self,
        lens: Lens<'_>,
        problem: &Problem,
        gains: &mut [Gain],
        wanted: usize,
        scratch: &mut Scratch,
    ) {
        self.ties.clear();
        self.best.clear();
        let Some(last) = wanted.checked_sub(1) else {
            return;
        };
        for gain in gains {
            if self
                .best
                .get(last)
                .is_some_and(|least| *least >= gain.amount)
            {
                break;
            }
            self.price(lens, problem, gain, scratch);
            let place = self.best.partition_point(|best| *best > gain.amount);
            self.best.insert(place, gain.amount);
        }
    }

    /// What outside tokens would bring at their values, where nobody gains but
    /// who sells the problem's tokens for them.
    fn at_values(&mut self, lens: Lens<'_>, problem: &Problem, scratch: &mut Scratch) -> Vec<Gain> {
        let mut gains = std::mem::take(&mut self.gains);
        let mut places = std::mem::take(&mut self.places);
        gains.clear();
        places.clear();
        places.resize(self.values.len() + self.extras.len(), usize::MAX);
        for (from, (token, price)) in problem.tokens.iter().zip(&problem.prices).enumerate() {
            if from == BOUGHT {
                continue;
            }
            for (to, sale, value) in self.around(lens, *token) {
                let ask = price / lens.rate(sale);
                if ask * (1.0 + NOISE) >= value {
                    continue;
                }
                let z = (value / price).sqrt();
                let flow = ladder::flow_at(lens.curve(sale, scratch), z, &mut 0);
                let amount = value * flow.bought - price * flow.sold;
                let Some(place) = places.get_mut(self.place(lens, to)) else {
                    continue;
                };
                if let Some(gain) = gains.get_mut(*place) {
                    gain.add(ask, amount);
                } else {
                    *place = gains.len();
                    gains.push(Gain::new(to, [ask, value], amount));
                }
            }
        }
        self.places = places;
        gains
    }

    /// The place of an outside token.
    fn place(&self, lens: Lens<'_>, token: TokenId) -> usize {
        let connector = lens.graph.topology().connector_of(token);
        if connector != NONE {
            return connector as usize;
        }
        let extra = self.extras.iter().position(|extra| extra.token == token);
        self.values.len() + extra.unwrap_or(self.extras.len())
    }

    /// Tries the next price of a token, on the way to that at which it brings
    /// least.
    fn price(&mut self, lens: Lens<'_>, problem: &Problem, gain: &mut Gain, scratch: &mut Scratch) {
        let [begin, end] = gain.ties.unwrap_or_else(|| {
            let begin = self.ties.len();
            self.tie(lens, problem, gain.token, gain.bounds);
            [begin, self.ties.len()]
        });
        gain.ties = Some([begin, end]);
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
pub(super) struct Tie {
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
