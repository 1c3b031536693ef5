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

/// Steps that may lead astray before the best prices so far are gone back to.
const MAX_STRAYS: usize = 3;

/// No price changes by more in one step, as a logarithm.
const MAX_CHANGE: f64 = 0.7;

/// Prices that are farther from where they began, as a logarithm, lead nowhere:
/// there is not as much to trade.
const MAX_FALL: f64 = 7.0;

/// How tightly tokens are tied to their prices where a step would be too far.
const TIES: [f64; 5] = [0.0, 1e-6, 1e-4, 1e-2, 1.0];

/// What may be left out of balance, as a share of what is traded.
const TOLERANCE: f64 = 1e-5;

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
    /// The network's matrix, decomposed.
    factors: Vec<f64>,
    /// The least bound so far.
    best: f64,
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
        let mut strays = 0;
        for st in 0..MAX_STEPS {
            let price = self.trial[node];
            let value = (amount * price).abs();
            if *DBGN {
                eprintln!(
                    "  step {st} bound {:.8e} rest {:.3e} strays {strays}",
                    self.here.bound,
                    self.here.rest() / value
                );
            }
            if self.here.rest() <= TOLERANCE * value {
                problem.prices.copy_from_slice(&self.trial);
                break;
            }
            // `trial` is where we are, the problem's prices the best so far.
            self.solve(count, fixed.measure(), value);
            if strays == 0 {
                problem.prices.copy_from_slice(&self.trial);
                self.best = self.here.bound;
                let is_lost = (price / begin).ln().abs() > MAX_FALL;
                if is_lost {
                    break;
                }
            }
            let is_found = if strays < MAX_STRAYS {
                self.stray(problem, graph, fixed);
                true
            } else {
                self.trial.copy_from_slice(&problem.prices);
                self.here.evaluate(problem, graph, &self.trial, fixed);
                self.solve(count, fixed.measure(), value);
                self.advance(problem, graph, fixed)
            };
            if !is_found {
                break;
            }
            strays = if self.here.bound < self.best {
                0
            } else {
                strays + 1
            };
            if strays > MAX_STRAYS {
                break;
            }
        }
        self.trial.copy_from_slice(&problem.prices);
        self.here.evaluate(problem, graph, &self.trial, fixed);
        Balance {
            bound: self.here.bound,
            rest: self.here.rest() / (amount * problem.prices[node]).abs(),
        }
    }

    /// Takes the whole step, wherever it leads: where it runs into pairs that
    /// did not flow before, the next one knows of them.
    fn stray(&mut self, problem: &mut Problem, graph: &Graph, fixed: Fixed) {
        for (price, change) in self.trial.iter_mut().zip(&self.step) {
            *price *= change.exp();
        }
        self.here.evaluate(problem, graph, &self.trial, fixed);
    }

    /// Goes as far along the step as the bound falls; says whether it does.
    fn advance(&mut self, problem: &mut Problem, graph: &Graph, fixed: Fixed) -> bool {
        let slope = self.here.along(&self.step);
        // Rounding hides how far the bound falls near its end.
        let noise = self.here.bound.abs() * 1e-13;
        let mut length = 1.0;
        for _ in 0..MAX_CUTS {
            if slope * length >= -noise {
                return false;
            }
            let prices = problem.prices.iter().zip(&self.step);
            let prices = prices.map(|(price, change)| price * (length * change).exp());
            self.trial.clear();
            self.trial.extend(prices);
            self.there.evaluate(problem, graph, &self.trial, fixed);
            let after = self.there.along(&self.step);
            let falls = self.there.bound <= self.here.bound + 1e-4 * length * slope + noise;
            if falls && after <= -0.9 * slope {
                std::mem::swap(&mut self.here, &mut self.there);
                return true;
            }
            // Where a line between both slopes would vanish.
            let cut = (slope / (slope - after)).clamp(0.1, 0.6);
            length *= if cut.is_finite() { cut } else { 0.1 };
        }
        false
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
            ..
        } = self;
        factors.copy_from_slice(&here.matrix);
        for place in 0..count {
            step[place] = -here.excess[place];
            // A token that nothing reaches stays where it is.
            factors[place * count + place] *= 1.0 + tie;
            factors[place * count + place] += ground;
        }
        for other in 0..count {
            factors[measure.max(other) * count + measure.min(other)] = 0.0;
        }
        factors[measure * count + measure] = 1.0;
        step[measure] = 0.0;
        // Eliminated from the end, where tokens stand that few pairs join: the
        // matrix fills up least. The lower half holds the factors times pivots.
        let mut joined = [0; MAX_NODES];
        for pivot in (0..count).rev() {
            let row = pivot * count;
            let mut joins = 0;
            for other in 0..pivot {
                joined[joins] = other;
                joins += usize::from(factors[row + other] != 0.0);
            }
            for at in 0..joins {
                let other = joined[at];
                let factor = factors[row + other] / factors[row + pivot];
                for third in &joined[..=at] {
                    factors[other * count + third] -= factor * factors[row + third];
                }
                step[other] -= factor * step[pivot];
            }
        }
        for place in 0..count {
            let row = &factors[place * count..=place * count + place];
            let (before, pivot) = row.split_at(place);
            let known: f64 = before.iter().zip(&step[..place]).map(|(a, b)| a * b).sum();
            step[place] = (step[place] - known) / pivot[0];
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
pub(super) static DBG: std::sync::LazyLock<bool> =
    std::sync::LazyLock::new(|| std::env::var("DBG").is_ok());
static DBGN: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| std::env::var("DBGN").is_ok());
