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
#[derive(Debug)]
pub(super) struct Newton {
    /// The network's matrix, by rows.
    matrix: Vec<f64>,
    /// The same, decomposed.
    factors: Vec<f64>,
    /// What is out of balance at each token, in value.
    excess: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            matrix: vec![0.0; MAX_NODES * MAX_NODES],
            excess: vec![0.0; MAX_NODES],
            factors: vec![0.0; MAX_NODES * MAX_NODES],
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
        for st in 0..MAX_STEPS {
            if *DBGN { let (node, amount) = fixed.given(); eprintln!("  step {st} bound {bound:.8e} rest {:.3e}", self.rest(count)/(amount * problem.prices[node]).abs()); }
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

    /// The change of each price, as a logarithm, that balances the network. Where
    /// that is too far, tokens are tied to where they are, ever more tightly.
    fn solve(&mut self, count: usize, measure: usize, value: f64) {
        for tie in TIES {
            self.decompose(count, measure, value * 1e-9, tie);
            let step = &self.step[..count];
            if step.iter().all(|change| change.abs() <= MAX_CHANGE) {
                return;
            }
        }
        for change in &mut self.step[..count] {
            *change = change.clamp(-MAX_CHANGE, MAX_CHANGE);
        }
    }

    /// Solves the network with each token tied by a part of its own weight.
    fn decompose(&mut self, count: usize, measure: usize, ground: f64, tie: f64) {
        let Self {
            matrix,
            factors,
            excess,
            step,
            ..
        } = self;
        let (factors, step) = (&mut factors[..count * count], &mut step[..count]);
        factors.copy_from_slice(&matrix[..count * count]);
        for place in 0..count {
            step[place] = -excess[place];
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
                if *DBGN { eprintln!("    len {length:.3e} slope {slope:.3e} after {after:.3e} step {:?} excess {:?} prices {:?}", &self.step[..count.min(8)], &self.excess[..count.min(8)], &self.trial[..count.min(8)]); }
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
pub(super) static DBG: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| std::env::var("DBG").is_ok());
static DBGN: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| std::env::var("DBGN").is_ok());
