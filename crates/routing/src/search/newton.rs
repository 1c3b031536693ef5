//! Prices at which flows balance.
//!
//! For any prices of the tokens, what all pairs would gain by trading at them
//! bounds what any route can pay; the least such bound is what the best route
//! pays, and there every token comes in as fast as it goes out. The bound is
//! convex. In relative prices its second derivative is the Laplacian of a
//! network of resistors, one for each pair that flows, so that Newton's step
//! is as stable as it is cheap.

#![expect(
    clippy::indexing_slicing,
    reason = "all lists have as many places as the problem has tokens"
)]

use super::problem::{BOUGHT, MAX_NODES, Problem, SOLD};
use crate::graph::Graph;

/// Steps until the search goes on with what it has.
const MAX_STEPS: usize = 48;

/// Shorter steps that are tried where a whole one is too far.
const MAX_CUTS: usize = 8;

/// No price changes by more in one step, as a logarithm.
const MAX_CHANGE: f64 = 0.7;

/// Prices that are farther from where they began, as a logarithm, lead nowhere:
/// there is not as much to trade.
const MAX_FALL: f64 = 7.0;

/// How tightly tokens are tied to their prices where a step would be too far.
const TIES: [f64; 5] = [0.0, 1e-6, 1e-4, 1e-2, 1.0];

/// What may be left out of balance, as a share of what is traded.
pub(super) const FINE: f64 = 1e-5;
/// The same where prices only have to show the way.
pub(super) const COARSE: f64 = 0.03;

/// What is fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fixed {
    /// This much is sold; prices are in the bought token.
    In(f64),
    /// This much is bought; prices are in the sold token.
    Out(f64),
}

impl Fixed {
    /// The token that prices are in.
    const fn measure(self) -> usize {
        match self {
            Self::In(_) => BOUGHT,
            Self::Out(_) => SOLD,
        }
    }

    /// Half as much.
    pub(super) const fn halved(self) -> Self {
        match self {
            Self::In(amount) => Self::In(amount / 2.0),
            Self::Out(amount) => Self::Out(amount / 2.0),
        }
    }

    /// The token of which an amount comes from outside, and the amount; what
    /// goes outside is negative.
    const fn given(self) -> (usize, f64) {
        match self {
            Self::In(amount) => (SOLD, amount),
            Self::Out(amount) => (BOUGHT, -amount),
        }
    }
}

/// Memory for the steps.
#[derive(Debug, Default)]
pub(super) struct Newton {
    /// At the problem's prices, and at those that are tried.
    here: Network,
    there: Network,
    /// The network's matrix, decomposed, and the tokens that are part of it.
    factors: Vec<f64>,
    live: Vec<usize>,
    /// At the best prices along a step, and those.
    best: Network,
    found: Vec<f64>,
    /// The change of each price, as a logarithm.
    step: Vec<f64>,
    trial: Vec<f64>,
}

/// What happens at some prices.
#[derive(Debug, Default)]
struct Network {
    /// The bound on all routes.
    bound: f64,
    /// How much more comes than goes of each token, in value.
    excess: Vec<f64>,
    /// The conductances, as the lower half of a matrix by rows.
    matrix: Vec<f64>,
}

/// How a search for prices ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Balance {
    /// What no route on this problem can exceed: for a sale what is bought;
    /// for a purchase minus what is sold.
    pub(super) bound: f64,
    /// What is still out of balance, as a share of what is traded.
    pub(super) rest: f64,
}

impl Newton {
    /// Moves the problem's prices to where flows balance.
    pub(super) fn balance(
        &mut self,
        problem: &mut Problem,
        graph: &Graph,
        fixed: Fixed,
        tolerance: f64,
    ) -> Balance {
        let count = problem.tokens.len();
        let scale = problem.prices[fixed.measure()].recip();
        for price in &mut problem.prices {
            *price *= scale;
        }
        self.factors.resize(count * count, 0.0);
        self.step.resize(count, 0.0);
        self.trial.clear();
        self.trial.extend_from_slice(&problem.prices);
        self.here.evaluate(problem, graph, &self.trial, fixed);
        let (node, amount) = fixed.given();
        let begin = problem.prices[node];
        for _ in 0..MAX_STEPS {
            let price = problem.prices[node];
            let value = (amount * price).abs();
            let is_lost = (price / begin).ln().abs() > MAX_FALL;
            if self.here.rest() <= tolerance * value || is_lost {
                break;
            }
            self.solve(count, fixed.measure(), value);
            if !self.advance(problem, graph, fixed) {
                break;
            }
        }
        // The flows of the last trial may be those of a step not taken.
        self.trial.copy_from_slice(&problem.prices);
        self.here.evaluate(problem, graph, &self.trial, fixed);
        Balance {
            bound: self.here.bound,
            rest: self.here.rest() / (amount * problem.prices[node]).abs(),
        }
    }

    /// Goes along the step about as far as the bound falls; says whether it
    /// does. Along a line the bound is convex: its slope is negative before
    /// the end that is sought, and positive behind.
    fn advance(&mut self, problem: &mut Problem, graph: &Graph, fixed: Fixed) -> bool {
        let slope = self.here.along(&self.step);
        // Rounding hides how far the bound falls near its end.
        let noise = self.here.bound.abs() * 1e-13;
        let (mut near, mut far) = (0.0, f64::INFINITY);
        let mut length = 1.0;
        self.best.bound = self.here.bound;
        for _ in 0..MAX_CUTS {
            if slope * length >= -noise {
                break;
            }
            let prices = problem.prices.iter().zip(&self.step);
            let prices = prices.map(|(price, change)| price * (length * change).exp());
            self.trial.clear();
            self.trial.extend(prices);
            self.there.evaluate(problem, graph, &self.trial, fixed);
            let after = self.there.along(&self.step);
            let falls = self.there.bound <= self.best.bound + noise;
            if falls {
                std::mem::swap(&mut self.best, &mut self.there);
                self.found.clear();
                self.found.extend_from_slice(&self.trial);
            }
            if falls && (after.abs() <= -0.7 * slope || (after < 0.0 && far.is_infinite())) {
                break;
            }
            if after >= 0.0 {
                far = length;
            } else if far.is_finite() {
                near = length;
            } else {
                // Rounding alone makes a bound rise where its slope falls.
                break;
            }
            // Slopes jump where deep pools begin: halve the magnitude of what
            // is left, or of the way if nothing is known of it.
            let secant = near + (far - near) * (slope / (slope - after));
            length = if near > 0.0 {
                (near * far).sqrt()
            } else {
                secant.clamp(0.1 * far, 0.5 * far)
            };
        }
        let falls = self.best.bound < self.here.bound - noise;
        if falls {
            problem.prices.copy_from_slice(&self.found);
            std::mem::swap(&mut self.here, &mut self.best);
        }
        falls
    }

    /// The change of each price that balances the network. Where that is too
    /// far, tokens are tied to where they are, ever more tightly.
    fn solve(&mut self, count: usize, measure: usize, value: f64) {
        for tie in TIES {
            self.decompose(count, measure, value * 1e-9, tie);
            if self.step.iter().all(|change| change.abs() <= MAX_CHANGE) {
                return;
            }
        }
        for change in &mut self.step {
            *change = change.clamp(-MAX_CHANGE, MAX_CHANGE);
        }
    }

    /// Solves the network with each token tied by a part of its own weight.
    fn decompose(&mut self, count: usize, measure: usize, ground: f64, tie: f64) {
        let Self {
            here,
            factors,
            step,
            live,
            ..
        } = self;
        // A token that nothing comes to or goes from stays where it is.
        live.clear();
        let moves = |place: &usize| {
            let conducts = here.matrix[place * count + place] > 0.0;
            *place != measure && (conducts || here.excess[*place] != 0.0)
        };
        live.extend((0..count).filter(moves));
        step.fill(0.0);
        for place in live.iter() {
            let row = place * count..=place * count + place;
            factors[row.clone()].copy_from_slice(&here.matrix[row]);
            step[*place] = -here.excess[*place];
            factors[place * count + place] *= 1.0 + tie;
            factors[place * count + place] += ground;
        }
        // Eliminated from the end, where tokens stand that few pairs join: the
        // matrix fills up least. The lower half holds the factors times pivots.
        let mut joined = [0; MAX_NODES];
        for (at, pivot) in live.iter().enumerate().rev() {
            let row = pivot * count;
            let mut joins = 0;
            for other in &live[..at] {
                joined[joins] = *other;
                joins += usize::from(factors[row + other] != 0.0);
            }
            for at in 0..joins {
                let other = joined[at];
                let factor = factors[row + other] / factors[row + pivot];
                for third in &joined[..=at] {
                    factors[other * count + third] -= factor * factors[row + third];
                }
                step[other] -= factor * step[*pivot];
            }
        }
        for (at, place) in live.iter().enumerate() {
            let row = place * count;
            let known = live[..at]
                .iter()
                .map(|other| factors[row + other] * step[*other]);
            let known: f64 = known.sum();
            step[*place] = (step[*place] - known) / factors[row + place];
        }
    }
}

impl Network {
    /// Finds out what happens at these prices.
    fn evaluate(&mut self, problem: &mut Problem, graph: &Graph, prices: &[f64], fixed: Fixed) {
        let count = prices.len();
        let (node, amount) = fixed.given();
        let Self {
            bound,
            excess,
            matrix,
        } = self;
        matrix.clear();
        matrix.resize(count * count, 0.0);
        excess.clear();
        excess.resize(count, 0.0);
        excess[node] = amount * prices[node];
        *bound = excess[node];
        problem.flow(graph, prices, |edge, z| {
            let (from, to) = (edge.from, edge.to);
            let paid = prices[from] * edge.flow.sold;
            let gained = prices[to] * edge.flow.bought;
            *bound += gained - paid;
            excess[from] -= paid;
            excess[to] += gained;
            let conductance = 0.5 * edge.flow.slope * z * prices[from];
            matrix[from * count + from] += conductance;
            matrix[to * count + to] += conductance;
            matrix[from.max(to) * count + from.min(to)] -= conductance;
        });
        excess[fixed.measure()] = 0.0;
    }

    /// What is out of balance, in value.
    fn rest(&self) -> f64 {
        self.excess.iter().map(|excess| excess.abs()).sum()
    }

    /// How fast the bound rises along a step.
    fn along(&self, step: &[f64]) -> f64 {
        let both = self.excess.iter().zip(step);
        both.map(|(excess, step)| excess * step).sum()
    }
}
