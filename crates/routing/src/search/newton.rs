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

/// What may be left out of balance, as a share of what is traded.
const TOLERANCE: f64 = 1e-8;

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
#[derive(Debug)]
pub(super) struct Newton {
    /// The network's matrix, by rows.
    matrix: Vec<f64>,
    /// What is out of balance at each token, in value.
    excess: Vec<f64>,
    /// What each token is joined to the others by.
    diagonal: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            matrix: vec![0.0; MAX_NODES * MAX_NODES],
            excess: vec![0.0; MAX_NODES],
            diagonal: vec![0.0; MAX_NODES],
            step: vec![0.0; MAX_NODES],
            trial: vec![0.0; MAX_NODES],
        }
    }
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
        let measure = fixed.measure();
        let scale = problem.prices[measure].recip();
        for price in &mut problem.prices {
            *price *= scale;
        }
        self.trial[..count].copy_from_slice(&problem.prices);
        let mut bound = self.evaluate(problem, graph, fixed);
        for _ in 0..MAX_STEPS {
            let (node, amount) = fixed.given();
            let value = (amount * problem.prices[node]).abs();
            if self.rest(count) <= TOLERANCE * value {
                break;
            }
            self.solve(count, measure, value);
            let Some(next) = self.advance(problem, graph, fixed, bound) else {
                break;
            };
            bound = next;
        }
        // The flows of the last trial may be those of a step not taken.
        self.trial[..count].copy_from_slice(&problem.prices);
        bound = self.evaluate(problem, graph, fixed);
        let (node, amount) = fixed.given();
        let value = (amount * problem.prices[node]).abs();
        Balance {
            bound,
            rest: self.rest(count) / value,
        }
    }

    fn rest(&self, count: usize) -> f64 {
        self.excess[..count].iter().map(|excess| excess.abs()).sum()
    }

    /// The bound at the trial prices; leaves what is out of balance, and the
    /// network.
    fn evaluate(&mut self, problem: &mut Problem, graph: &Graph, fixed: Fixed) -> f64 {
        let count = problem.tokens.len();
        let (node, amount) = fixed.given();
        let Self {
            matrix,
            excess,
            trial,
            ..
        } = self;
        let (matrix, excess, prices) = (
            &mut matrix[..count * count],
            &mut excess[..count],
            &trial[..count],
        );
        matrix.fill(0.0);
        excess.fill(0.0);
        excess[node] = amount * prices[node];
        let mut bound = excess[node];
        problem.flow(graph, prices, |edge, z| {
            let (from, to) = (edge.from, edge.to);
            let paid = prices[from] * edge.flow.sold;
            let gained = prices[to] * edge.flow.bought;
            bound += gained - paid;
            excess[from] -= paid;
            excess[to] += gained;
            let conductance = 0.5 * edge.flow.slope * z * prices[from];
            matrix[from * count + from] += conductance;
            matrix[to * count + to] += conductance;
            // Only the lower half is used.
            matrix[from.max(to) * count + from.min(to)] -= conductance;
        });
        excess[fixed.measure()] = 0.0;
        bound
    }

    /// The change of each price, as a logarithm, that balances the network.
    fn solve(&mut self, count: usize, measure: usize, value: f64) {
        let (matrix, step) = (&mut self.matrix[..count * count], &mut self.step[..count]);
        // A token that nothing reaches stays where it is.
        let ground = value * 1e-9;
        for place in 0..count {
            step[place] = -self.excess[place];
            matrix[place * count + place] += ground;
            self.diagonal[place] = matrix[place * count + place];
            if place == measure {
                for other in 0..count {
                    matrix[place.max(other) * count + place.min(other)] = 0.0;
                }
                matrix[place * count + place] = 1.0;
                step[place] = 0.0;
            }
        }
        // Decomposed in place into L D Lᵀ.
        for column in 0..count {
            let pivot = matrix[column * count + column];
            for row in column + 1..count {
                let entry = matrix[row * count + column];
                if entry == 0.0 {
                    continue;
                }
                let factor = entry / pivot;
                for below in row..count {
                    matrix[below * count + row] -= factor * matrix[below * count + column];
                }
                step[row] -= factor * step[column];
            }
        }
        for row in (0..count).rev() {
            let mut sum = step[row];
            for below in row + 1..count {
                sum -= matrix[below * count + row] * step[below];
            }
            step[row] = sum / matrix[row * count + row];
        }
        for change in step {
            *change = change.clamp(-MAX_CHANGE, MAX_CHANGE);
        }
        if self.along(count) >= 0.0 {
            // Steps that were cut may lead up; each token by itself never does.
            for place in 0..count {
                let change = -self.excess[place] / self.diagonal[place];
                self.step[place] = change.clamp(-MAX_CHANGE, MAX_CHANGE);
            }
        }
    }

    /// Goes as far along the step as the bound falls; `None` if it does not.
    fn advance(
        &mut self,
        problem: &mut Problem,
        graph: &Graph,
        fixed: Fixed,
        bound: f64,
    ) -> Option<f64> {
        let count = problem.tokens.len();
        let slope: f64 = self.along(count);
        if slope >= 0.0 {
            return None;
        }
        let mut length = 1.0;
        for _ in 0..MAX_CUTS {
            for place in 0..count {
                self.trial[place] = problem.prices[place] * (length * self.step[place]).exp();
            }
            let next = self.evaluate(problem, graph, fixed);
            let after = self.along(count);
            // Rounding hides how far the bound falls near its end.
            let noise = bound.abs() * 1e-13;
            if next <= bound + 1e-4 * length * slope + noise && after <= -0.9 * slope {
                problem.prices.copy_from_slice(&self.trial[..count]);
                return (length * slope < -noise).then_some(next);
            }
            // Where a line between both slopes would vanish.
            let cut = (slope / (slope - after)).clamp(0.1, 0.6);
            length *= if cut.is_finite() { cut } else { 0.1 };
        }
        None
    }

    /// How fast the bound rises along the step.
    fn along(&self, count: usize) -> f64 {
        let both = self.excess[..count].iter().zip(&self.step[..count]);
        both.map(|(excess, step)| excess * step).sum()
    }
}
