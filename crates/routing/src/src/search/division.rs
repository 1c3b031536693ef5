//! How an amount is best divided over a few given pools: dual decomposition,
//! solved by a damped Newton's method (Boyd & Vandenberghe, *Convex
//! Optimization*, chapters 5 and 9.5).
//!
//! Give every token a price. At any prices, the worth of what is sold and what
//! every pool would keep by trading until its own price is theirs bound what can
//! be bought; the least such bound is what the best division buys, and there as
//! much of every token comes in as goes out. In logarithms of prices the second
//! derivative of the bound is the Laplacian of a network of resistors, one for
//! each pool that trades.
//!
//! The result is a real division: it is run forward once, so that what it says is
//! bought is what its shares buy, however near to the best they are.

#![expect(
    clippy::indexing_slicing,
    reason = "places of tokens are below MAX_NODES, and sets name hops of the arena"
)]

use super::arena::{Arena, Hop};
use super::cholesky;
use super::edges::{self, Edge};
use super::goal::Goal;
use super::prices::{BOUGHT, MAX_NODES, Prices, SOLD};
use crate::ladder;

/// Newton's steps; about eight are usual.
const MAX_STEPS: usize = 40;

/// Points along one step of which the bound is evaluated.
const MAX_CUTS: usize = 8;

/// No price changes by more in one step, as a logarithm: beyond, the curves are
/// others.
const MAX_CHANGE: f64 = 0.7;

/// A price that falls by more, as a logarithm, seeks what is not there.
const MAX_FALL: f64 = 16.0;

/// How much a matrix is weighed down on its diagonal (Levenberg–Marquardt) where
/// the step would be too long.
const DAMPING: [f64; 5] = [0.0, 1e-6, 1e-4, 1e-2, 1.0];

/// What may be left out of balance, as a share of what is sold: the loss by it
/// is of the order of its square.
const TOLERANCE: f64 = 1e-6;

/// A swap that trades a smaller share is not worth its name.
const DUST: f64 = 1e-7;

/// A swap that trades more than dust.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Its place among the arena's hops.
    pub(super) hop: usize,
    pub(super) sold: f64,
    pub(super) bought: f64,
    /// How the pool responds to prices: the conductance of its resistor.
    pub(super) conductance: f64,
}

/// How an amount is divided over hops, and what that buys and costs.
#[derive(Debug, Clone)]
pub(super) struct Division {
    /// The swaps in an order in which they can be executed: whoever gives a token
    /// before those who sell it, and those who sell it side by side.
    pub(super) parts: Vec<Part>,
    /// Prices of all the arena's tokens: those of the division, and else as given.
    pub(super) prices: Prices,
    /// What is bought; nothing if the pools cannot take the amount.
    pub(super) bought: f64,
    /// The part of the amount that they can take.
    taken: f64,
    /// What gas costs, ticks included.
    pub(super) cost: f64,
}

impl Division {
    /// Divides an amount over a set of hops without a cycle, beginning at some
    /// prices.
    pub(super) fn new(arena: &Arena<'_>, goal: &Goal, set: &[usize], prices: &Prices) -> Self {
        let amount = goal.amount(set.len());
        let hops: Vec<&Hop<'_>> = set.iter().map(|at| &arena.hops[*at]).collect();
        let mut newton = Newton::new(&hops, amount, prices);
        newton.run();
        let mut flows: Vec<f64> = newton.network.flows.iter().map(|flow| flow.sold).collect();
        cut_dust(&hops, &mut flows, amount);
        let order = executable_order(&hops, &flows);
        let run = Run::new(&hops, &flows, &order, amount);
        let (bought, traded) = run.map_or(
            (0.0, flows.iter().map(|sold| [*sold, 0.0]).collect()),
            |run| (run.bought, run.traded),
        );
        let mut division = Self {
            parts: Vec::with_capacity(set.len()),
            prices: newton.prices,
            bought,
            taken: taken(&hops, &flows) / amount,
            cost: 0.0,
        };
        for at in order {
            let [sold, bought] = traded[at];
            let hop = hops[at];
            let passed = ladder::flow_for(hop.rungs, sold).map_or(0, |flow| flow.passed);
            let ticks = if hop.pool.has_ticks { passed } else { 0 };
            division.cost += hop.cost + goal.costs.tick * f64::from(ticks);
            division.parts.push(Part {
                hop: set[at],
                sold,
                bought,
                conductance: newton.network.flows[at].conductance,
            });
        }
        division
    }

    /// Divides as much as buys this: Newton's method on what is sold, which buys
    /// ever less, within a bracket. Gives what is sold; `None` if the pools do not
    /// have as much.
    pub(super) fn buying(
        &self,
        arena: &Arena<'_>,
        goal: &Goal,
        bought: f64,
    ) -> Option<(Self, f64)> {
        let mut goal = goal.clone();
        let mut division = self.clone();
        let mut sold = goal.amount(division.parts.len());
        let (mut low, mut high) = (0.0_f64, f64::INFINITY);
        let set = self.set();
        for _ in 0..MAX_STEPS {
            let missing = bought - division.bought;
            let is_taken = division.bought > 0.0;
            if is_taken && missing.abs() <= bought * TOLERANCE {
                return Some((division, sold));
            }
            if is_taken && missing > 0.0 {
                low = sold;
            } else {
                high = sold;
            }
            let newton = sold + missing / division.prices[SOLD];
            sold = if is_taken && newton > low && newton < high {
                newton.min(4.0 * sold)
            } else if high.is_finite() {
                (low.max(high / 16.0) * high).sqrt()
            } else {
                4.0 * sold
            };
            (goal.one, goal.many) = (sold, sold);
            division = Self::new(arena, &goal, &set, &division.prices);
        }
        None
    }

    /// What is left after fees and costs; less than anything if the pools cannot
    /// take the amount, the more so the less they can.
    pub(super) fn net(&self, goal: &Goal) -> f64 {
        if self.bought > 0.0 {
            goal.net(self.bought, self.parts.len(), self.cost)
        } else {
            f64::MIN * (1.0 - 0.5 * self.taken.clamp(0.0, 1.0))
        }
    }

    /// The hops that trade, by their places in the arena, in the order of execution.
    pub(super) fn set(&self) -> Vec<usize> {
        self.parts.iter().map(|part| part.hop).collect()
    }
}

/// The tokens whose prices are sought: the nodes of the network.
pub(super) struct Live {
    pub(super) nodes: Vec<usize>,
    /// The place of each token among them.
    pub(super) ranks: [Option<usize>; MAX_NODES],
}

impl Live {
    pub(super) fn new<'a, 'g: 'a>(hops: impl Iterator<Item = &'a Hop<'g>>) -> Self {
        let mut live = Self {
            nodes: Vec::with_capacity(8),
            ranks: [None; MAX_NODES],
        };
        for hop in hops {
            for node in [hop.from, hop.to] {
                // The bought token is what prices are in.
                if node != BOUGHT && live.ranks[node].is_none() {
                    live.ranks[node] = Some(live.nodes.len());
                    live.nodes.push(node);
                }
            }
        }
        live
    }

    /// Adds a resistor to the Laplacian.
    pub(super) fn add(&self, matrix: &mut [f64], hop: &Hop<'_>, conductance: f64) {
        let size = self.nodes.len();
        let [from, to] = [hop.from, hop.to].map(|node| self.ranks[node]);
        for rank in [from, to].into_iter().flatten() {
            matrix[rank * size + rank] += conductance;
        }
        if let (Some(from), Some(to)) = (from, to) {
            matrix[from.max(to) * size + from.min(to)] -= conductance;
        }
    }
}

/// What a hop does at some prices.
#[derive(Debug, Clone, Copy, Default)]
struct HopFlow {
    sold: f64,
    conductance: f64,
}

/// What all hops do at some prices, and how far that is from balance.
#[derive(Debug, Clone)]
struct Network {
    /// The bound on what can be bought.
    bound: f64,
    /// How much more comes than goes of each token, in value.
    excess: [f64; MAX_NODES],
    flows: Vec<HopFlow>,
}

impl Network {
    fn at(hops: &[&Hop<'_>], amount: f64, prices: &Prices) -> Self {
        let mut network = Self {
            bound: amount * prices[SOLD],
            excess: [0.0; MAX_NODES],
            flows: Vec::with_capacity(hops.len()),
        };
        network.excess[SOLD] = network.bound;
        for hop in hops {
            let [from, to] = [hop.from, hop.to].map(|node| prices[node]);
            if to <= from * hop.threshold {
                network.flows.push(HopFlow::default());
                continue;
            }
            let z = (to / from).sqrt();
            let flow = ladder::flow_at(hop.rungs, z);
            let (paid, gained) = (from * flow.sold, to * flow.bought);
            network.bound += gained - paid;
            network.excess[hop.from] -= paid;
            network.excess[hop.to] += gained;
            network.flows.push(HopFlow {
                sold: flow.sold,
                conductance: 0.5 * flow.slope * z * from,
            });
        }
        network.excess[BOUGHT] = 0.0;
        network
    }

    /// What is out of balance, in value.
    fn rest(&self) -> f64 {
        self.excess.iter().map(|excess| excess.abs()).sum()
    }

    /// How fast the bound rises along a step.
    fn along(&self, live: &Live, step: &[f64]) -> f64 {
        let both = live.nodes.iter().zip(step);
        both.map(|(node, change)| self.excess[*node] * change).sum()
    }
}

struct Newton<'a, 'g> {
    hops: &'a [&'a Hop<'g>],
    amount: f64,
    live: Live,
    prices: Prices,
    network: Network,
}

impl<'a, 'g> Newton<'a, 'g> {
    fn new(hops: &'a [&'a Hop<'g>], amount: f64, prices: &Prices) -> Self {
        let prices = prices.clone().in_bought();
        Self {
            hops,
            amount,
            live: Live::new(hops.iter().copied()),
            network: Network::at(hops, amount, &prices),
            prices,
        }
    }

    /// Moves prices to where flows balance, or as near as steps lead.
    fn run(&mut self) {
        let begin = self.prices[SOLD];
        for _ in 0..MAX_STEPS {
            let price = self.prices[SOLD];
            let is_lost = (price / begin).ln().abs() > MAX_FALL;
            if is_lost || self.network.rest() <= TOLERANCE * self.amount * price {
                return;
            }
            let step = self.step();
            if !self.advance(&step) {
                return;
            }
        }
    }

    /// The change of each price's logarithm that would balance the network if its
    /// resistors stayed what they are.
    fn step(&self) -> Vec<f64> {
        let size = self.live.nodes.len();
        let mut laplacian = vec![0.0; size * size];
        for (hop, flow) in self.hops.iter().zip(&self.network.flows) {
            self.live.add(&mut laplacian, hop, flow.conductance);
        }
        // A token through which nothing flows would have no price.
        let ground = self.amount * self.prices[SOLD] * 1e-9;
        let mut step = Vec::new();
        for damping in DAMPING {
            let mut matrix = laplacian.clone();
            for at in 0..size {
                let own = &mut matrix[at * size + at];
                *own = *own * (1.0 + damping) + ground;
            }
            cholesky::decompose(&mut matrix, size);
            step = self
                .live
                .nodes
                .iter()
                .map(|node| -self.network.excess[*node])
                .collect();
            cholesky::solve(&matrix, size, &mut step);
            if step.iter().all(|change| change.abs() <= MAX_CHANGE) {
                return step;
            }
        }
        for change in &mut step {
            *change = change.clamp(-MAX_CHANGE, MAX_CHANGE);
        }
        step
    }

    /// Goes along a step about as far as the bound falls; says whether it does.
    /// Along a line the bound is convex: its slope tells on which side of the
    /// least bound a point is.
    fn advance(&mut self, step: &[f64]) -> bool {
        let slope = self.network.along(&self.live, step);
        // Rounding hides how far the bound falls near its end.
        let noise = self.network.bound.abs() * 1e-14;
        let (mut near, mut far, mut length) = (0.0, f64::INFINITY, 1.0_f64);
        let mut best: Option<(Prices, Network)> = None;
        for _ in 0..MAX_CUTS {
            if slope * length >= -noise {
                break;
            }
            let mut prices = self.prices.clone();
            for (node, change) in self.live.nodes.iter().zip(step) {
                prices[*node] *= (length * change).exp();
            }
            let network = Network::at(self.hops, self.amount, &prices);
            let after = network.along(&self.live, step);
            let least = best
                .as_ref()
                .map_or(self.network.bound, |(_, best)| best.bound);
            let falls = network.bound <= least + noise;
            let is_enough = after.abs() <= -0.5 * slope;
            if falls {
                best = Some((prices, network));
            }
            if falls && is_enough {
                break;
            }
            if after < 0.0 {
                near = length;
            } else {
                far = length;
            }
            length = if far.is_infinite() {
                length * 2.0
            } else if near > 0.0 {
                // Slopes jump where pools begin or end: halve the magnitude.
                (near * far).sqrt()
            } else {
                // Beyond what numbers hold nothing is known of the slope.
                let secant = far * (slope / (slope - after));
                if secant.is_finite() {
                    secant.clamp(0.1 * far, 0.5 * far)
                } else {
                    0.1 * far
                }
            };
        }
        let Some((prices, network)) = best else {
            return false;
        };
        let falls = network.bound < self.network.bound - noise;
        if falls {
            (self.prices, self.network) = (prices, network);
        }
        falls
    }
}

/// What flows take of the order's own token.
fn taken(hops: &[&Hop<'_>], flows: &[f64]) -> f64 {
    let first = hops.iter().zip(flows).filter(|(hop, _)| hop.from == SOLD);
    first.map(|(_, sold)| sold).sum()
}

/// Stops flows that are next to nothing, or that lead to or come from nowhere.
fn cut_dust(hops: &[&Hop<'_>], flows: &mut [f64], amount: f64) {
    let mut gets = [0.0; MAX_NODES];
    gets[SOLD] = amount;
    for (hop, sold) in hops.iter().zip(flows.iter()) {
        gets[hop.to] += ladder::flow_for(hop.rungs, *sold).map_or(0.0, |flow| flow.bought);
    }
    for (hop, sold) in hops.iter().zip(flows.iter_mut()) {
        if *sold < gets[hop.from] * DUST {
            *sold = 0.0;
        }
    }
    let trading: Vec<usize> = (0..hops.len()).filter(|at| flows[*at] > 0.0).collect();
    let edges: Vec<Edge> = trading.iter().map(|at| hops[*at].ends()).collect();
    for (at, is_used) in trading.into_iter().zip(edges::in_use(&edges)) {
        if !is_used {
            flows[at] = 0.0;
        }
    }
}

/// The hops that trade, each behind all that give what it sells; none if flows go
/// round, which no set of hops allows.
fn executable_order(hops: &[&Hop<'_>], flows: &[f64]) -> Vec<usize> {
    let trading: Vec<usize> = (0..hops.len()).filter(|at| flows[*at] > 0.0).collect();
    let edges: Vec<Edge> = trading.iter().map(|at| hops[*at].ends()).collect();
    let order = edges::in_order(&edges).unwrap_or_default();
    order.into_iter().map(|at| trading[at]).collect()
}

/// What flows really do, each token's being shared in their proportions.
struct Run {
    bought: f64,
    /// What each hop sells and buys.
    traded: Vec<[f64; 2]>,
}

impl Run {
    /// `None` if pools cannot take what comes to them.
    fn new(hops: &[&Hop<'_>], flows: &[f64], order: &[usize], amount: f64) -> Option<Self> {
        let mut balances = [0.0; MAX_NODES];
        balances[SOLD] = amount;
        let mut traded = vec![[0.0; 2]; hops.len()];
        for group in order.chunk_by(|a, b| hops[*a].from == hops[*b].from) {
            let from = hops[group[0]].from;
            share_out(hops, flows, group, balances[from], &mut traded)?;
            for at in group {
                let hop = hops[*at];
                let bought = ladder::flow_for(hop.rungs, traded[*at][0])?.bought;
                traded[*at][1] = bought;
                balances[hop.to] += bought;
            }
        }
        (balances[BOUGHT] > 0.0).then_some(Self {
            bought: balances[BOUGHT],
            traded,
        })
    }
}

/// Shares a balance in the proportions of flows; what a curve cannot take, the
/// others have to.
fn share_out(
    hops: &[&Hop<'_>],
    flows: &[f64],
    group: &[usize],
    balance: f64,
    traded: &mut [[f64; 2]],
) -> Option<()> {
    let mut rest = balance;
    let mut open: Vec<usize> = group.to_vec();
    for _ in 0..group.len() {
        let total: f64 = open.iter().map(|at| flows[*at]).sum();
        let part = rest / total;
        let is_full = |at: &usize| flows[*at] * part > ladder::most_sold(hops[*at].rungs);
        let full: Vec<usize> = open.iter().copied().filter(is_full).collect();
        if full.is_empty() {
            for at in open {
                traded[at][0] = flows[at] * part;
            }
            return Some(());
        }
        for at in &full {
            traded[*at][0] = ladder::most_sold(hops[*at].rungs);
            rest -= traded[*at][0];
        }
        open.retain(|at| !full.contains(at));
        if open.is_empty() {
            // Flows balance only nearly; curves have a little to spare.
            for at in group {
                traded[*at][0] *= balance / (balance - rest);
            }
            return (rest <= balance * TOLERANCE * 4.0).then_some(());
        }
    }
    None
}
