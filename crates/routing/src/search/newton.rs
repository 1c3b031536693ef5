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

use super::problem::{BOUGHT, Curve, Problem, SOLD};
use crate::graph::Graph;
use crate::ladder::{self, Flow};

/// Steps until the search goes on with what it has.
const MAX_STEPS: usize = 48;

/// Shorter steps that are tried where a whole one is too far.
const MAX_CUTS: usize = 8;

/// No price changes by more in one step, as a logarithm.
const MAX_CHANGE: f64 = 0.7;

/// How much farther a step goes if the bound goes on falling.
const LEAP: f64 = 4.0;

/// Prices that are farther from where they began, as a logarithm, lead nowhere:
/// there is not as much to trade.
const MAX_FALL: f64 = 7.0;

/// How tightly tokens are tied to their prices where a step would be too far.
const TIES: [f64; 5] = [0.0, 1e-6, 1e-4, 1e-2, 1.0];

/// The rank of a token whose price does not change.
const DEAD: usize = usize::MAX;

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
    pub(super) const fn measure(self) -> usize {
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

    /// A purchase of this share more; nothing for a sale.
    pub(super) fn roomier(self, share: f64) -> Option<Self> {
        match self {
            Self::In(_) => None,
            Self::Out(amount) => Some(Self::Out(amount * (1.0 + share))),
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
    /// The edges that are open.
    gates: Vec<Gate>,
    /// At the problem's prices, and at those that are tried.
    here: Network,
    there: Network,
    /// At the best prices along a step, and those.
    best: Network,
    found: Vec<f64>,
    /// The tokens whose prices can change, and the place of each among them.
    live: Vec<usize>,
    ranks: Vec<usize>,
    /// The lower half of the network's matrix by rows, and the same decomposed.
    matrix: Vec<f64>,
    factors: Vec<f64>,
    /// The tokens that each is joined to when it is eliminated, and where those
    /// begin.
    joined: Vec<usize>,
    begins: Vec<usize>,
    /// The change of each of those prices, as a logarithm.
    step: Vec<f64>,
    trial: Vec<f64>,
    /// Which of [`TIES`] the last step needed.
    tie: usize,
}

/// What happens at some prices.
#[derive(Debug, Default)]
struct Network {
    /// The bound on all routes.
    bound: f64,
    /// How much more comes than goes of each token, in value.
    excess: Vec<f64>,
    /// The edges that something flows through.
    streams: Vec<Stream>,
}

/// What has to be known of an edge to see whether anything flows.
#[derive(Debug, Clone, Copy)]
struct Gate {
    edge: u32,
    from: usize,
    to: usize,
    threshold: f64,
    curve: Curve,
    hint: u32,
}

/// What flows through an edge.
#[derive(Debug, Clone, Copy)]
struct Stream {
    edge: u32,
    /// The piece of the curve on which the flow ends.
    hint: u32,
    from: usize,
    to: usize,
    flow: Flow,
    conductance: f64,
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
        self.balance_beyond(f64::NEG_INFINITY, problem, graph, fixed, tolerance)
    }

    /// The same, until it is clear that routes bring no more than this.
    pub(super) fn balance_beyond(
        &mut self,
        least: f64,
        problem: &mut Problem,
        graph: &Graph,
        fixed: Fixed,
        tolerance: f64,
    ) -> Balance {
        let scale = problem.prices[fixed.measure()].recip();
        for price in &mut problem.prices {
            *price *= scale;
        }
        self.gates.clear();
        let open = (0..).zip(&problem.edges).filter(|(_, edge)| edge.is_open);
        self.gates.extend(open.map(|(at, edge)| Gate {
            edge: at,
            from: edge.from,
            to: edge.to,
            threshold: edge.threshold,
            curve: edge.curve,
            hint: edge.hint,
        }));
        let gates = &mut self.gates;
        self.here
            .evaluate(gates, problem, graph, &problem.prices, fixed);
        let (node, amount) = fixed.given();
        let begin = problem.prices[node];
        self.tie = 0;
        for _ in 0..MAX_STEPS {
            let price = problem.prices[node];
            let value = (amount * price).abs();
            let is_lost = (price / begin).ln().abs() > MAX_FALL;
            let is_done = self.here.rest() <= tolerance * value;
            if is_done || is_lost || self.here.bound <= least {
                break;
            }
            self.solve(fixed.measure(), value);
            if !self.advance(problem, graph, fixed) {
                break;
            }
        }
        for edge in &mut problem.edges {
            edge.flow = Flow::default();
        }
        for stream in &self.here.streams {
            let edge = &mut problem.edges[stream.edge as usize];
            (edge.flow, edge.hint) = (stream.flow, stream.hint);
        }
        Balance {
            bound: self.here.bound,
            rest: self.here.rest() / (amount * problem.prices[node]).abs(),
        }
    }

    /// Goes along the step about as far as the bound falls; says whether it
    /// does. Along a line the bound is convex: its slope is negative before
    /// the end that is sought, and positive behind.
    fn advance(&mut self, problem: &mut Problem, graph: &Graph, fixed: Fixed) -> bool {
        let slope = self.here.along(&self.live, &self.step);
        // Rounding hides how far the bound falls near its end.
        let noise = self.here.bound.abs() * 1e-13;
        let (mut near, mut far) = (0.0, f64::INFINITY);
        let mut length = 1.0;
        let steps = self.step.iter();
        let most = MAX_CHANGE / steps.fold(0.0_f64, |most, change| most.max(change.abs()));
        self.best.bound = self.here.bound;
        for _ in 0..MAX_CUTS {
            if slope * length >= -noise {
                break;
            }
            self.trial.clone_from(&problem.prices);
            for (place, change) in self.live.iter().zip(&self.step) {
                self.trial[*place] *= (length * change).exp();
            }
            let gates = &mut self.gates;
            self.there
                .evaluate(gates, problem, graph, &self.trial, fixed);
            let after = self.there.along(&self.live, &self.step);
            let falls = self.there.bound <= self.best.bound + noise;
            if falls {
                std::mem::swap(&mut self.best, &mut self.there);
                self.found.clear();
                self.found.extend_from_slice(&self.trial);
            }
            // Rounding alone makes a bound rise where its slope falls.
            if (falls && after.abs() <= -0.7 * slope) || (!falls && after < 0.0) {
                break;
            }
            if after >= 0.0 {
                far = length;
            } else {
                near = length;
            }
            if far.is_infinite() {
                // A deep pool ends behind the next price, and the way goes on.
                if length >= most {
                    break;
                }
                length = most.min(length * LEAP);
                continue;
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
    /// far, tokens are tied to where they are, ever more tightly; steps that
    /// follow each other need about the same.
    fn solve(&mut self, measure: usize, value: f64) {
        self.assemble(measure);
        let looser = self.tie.saturating_sub(1);
        for (place, tie) in TIES.into_iter().enumerate().skip(looser) {
            self.tie = place;
            self.decompose(value * 1e-9, tie);
            if self.step.iter().all(|change| change.abs() <= MAX_CHANGE) {
                return;
            }
        }
        for change in &mut self.step {
            *change = change.clamp(-MAX_CHANGE, MAX_CHANGE);
        }
    }

    /// Makes the network's matrix. A token that nothing comes to or goes from
    /// stays where it is.
    fn assemble(&mut self, measure: usize) {
        let Self {
            here,
            live,
            ranks,
            matrix,
            ..
        } = self;
        let is_live = |excess: &f64| if *excess == 0.0 { DEAD } else { 0 };
        ranks.clear();
        ranks.extend(here.excess.iter().map(is_live));
        for Stream { from, to, .. } in &here.streams {
            (ranks[*from], ranks[*to]) = (0, 0);
        }
        ranks[measure] = DEAD;
        live.clear();
        for (place, rank) in ranks.iter_mut().enumerate() {
            if *rank != DEAD {
                *rank = live.len();
                live.push(place);
            }
        }
        let count = live.len();
        matrix.clear();
        matrix.resize(count * count, 0.0);
        for stream in &here.streams {
            let [from, to] = [stream.from, stream.to].map(|place| ranks[place]);
            for place in [from, to] {
                if place != DEAD {
                    matrix[place * count + place] += stream.conductance;
                }
            }
            if from != DEAD && to != DEAD {
                matrix[from.max(to) * count + from.min(to)] -= stream.conductance;
            }
        }
    }

    /// Solves the network with each token tied by a part of its own weight.
    fn decompose(&mut self, ground: f64, tie: f64) {
        let Self {
            here,
            live,
            matrix,
            factors,
            joined,
            begins,
            step,
            ..
        } = self;
        let count = live.len();
        factors.clone_from(matrix);
        step.clear();
        for (rank, place) in live.iter().enumerate() {
            step.push(-here.excess[*place]);
            let own = &mut factors[rank * count + rank];
            *own = *own * (1.0 + tie) + ground;
        }
        // Eliminated from the end, where tokens stand that few pairs join: the
        // matrix fills up least. The lower half holds the factors times pivots,
        // and the inverses of pivots.
        joined.clear();
        begins.clear();
        for pivot in (0..count).rev() {
            let (above, row) = factors.split_at_mut(pivot * count);
            let (row, own) = row.split_at_mut(pivot);
            own[0] = own[0].recip();
            begins.push(joined.len());
            let filled = row.iter().enumerate().filter(|(_, factor)| **factor != 0.0);
            joined.extend(filled.map(|(other, _)| other));
            let joined = &joined[begins[begins.len() - 1]..];
            for (at, other) in joined.iter().enumerate() {
                let factor = row[*other] * own[0];
                let changed = &mut above[other * count..=other * count + other];
                for third in &joined[..=at] {
                    changed[*third] -= factor * row[*third];
                }
                step[*other] -= factor * step[pivot];
            }
        }
        for (rank, begin) in begins.iter().rev().enumerate() {
            let row = &factors[rank * count..=rank * count + rank];
            let known: f64 = joined
                .drain(begin..)
                .map(|other| row[other] * step[other])
                .sum();
            step[rank] = (step[rank] - known) * row[rank];
        }
    }
}

impl Network {
    /// Finds out what happens at these prices.
    fn evaluate(
        &mut self,
        gates: &mut [Gate],
        problem: &Problem,
        graph: &Graph,
        prices: &[f64],
        fixed: Fixed,
    ) {
        let (node, amount) = fixed.given();
        let Self {
            bound,
            excess,
            streams,
        } = self;
        excess.clear();
        excess.resize(prices.len(), 0.0);
        excess[node] = amount * prices[node];
        *bound = excess[node];
        streams.clear();
        for gate in gates {
            let (from, to) = (prices[gate.from], prices[gate.to]);
            if to <= from * gate.threshold {
                continue;
            }
            let z = (to / from).sqrt();
            let rungs = problem.curve(graph, gate.curve);
            let flow = ladder::flow_at(rungs, z, &mut gate.hint);
            let paid = from * flow.sold;
            let gained = to * flow.bought;
            *bound += gained - paid;
            excess[gate.from] -= paid;
            excess[gate.to] += gained;
            let conductance = 0.5 * flow.slope * z * from;
            streams.push(Stream {
                edge: gate.edge,
                hint: gate.hint,
                from: gate.from,
                to: gate.to,
                flow,
                conductance,
            });
        }
        excess[fixed.measure()] = 0.0;
    }

    /// What is out of balance, in value.
    fn rest(&self) -> f64 {
        self.excess.iter().map(|excess| excess.abs()).sum()
    }

    /// How fast the bound rises along a step of these tokens.
    fn along(&self, live: &[usize], step: &[f64]) -> f64 {
        let both = live.iter().zip(step);
        both.map(|(place, step)| self.excess[*place] * step).sum()
    }
}
