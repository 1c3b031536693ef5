//! What a division would lose without some of its swaps.
//!
//! Near its prices a division is a network of resistors. Swaps one after the
//! other, with nothing joining or leaving between them, are one branch of it.
//! Without a branch, what its pools keep is lost, and the rest of the network has
//! to take up its flow: that costs half the square of the flow times the effective
//! resistance between the branch's ends with the branch taken out, which follows
//! from the one with it in (Sherman–Morrison; Doyle & Snell, *Random Walks and
//! Electric Networks*, section 1.3.4).

#![expect(
    clippy::indexing_slicing,
    reason = "places of tokens are below MAX_NODES, and parts name hops of the arena"
)]

use super::arena::Arena;
use super::cholesky;
use super::division::{Division, Live};
use super::prices::{BOUGHT, MAX_NODES, SOLD};

/// Swaps one after the other, which are of use together or not at all.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    /// Their places among the arena's hops, in the order of execution.
    pub(super) hops: Vec<usize>,
    /// About what is lost without them; infinite where nobody takes up the flow.
    pub(super) loss: f64,
    /// What the swaps themselves cost, ticks left out.
    pub(super) cost: f64,
    ends: [usize; 2],
    /// What the pools keep at the division's prices.
    kept: f64,
    /// What comes in at the first of them, in value.
    flow: f64,
    resistance: f64,
}

impl Branch {
    /// What it brings beyond its cost, for each of its swaps.
    pub(super) fn brings(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "swaps of a route")]
        let swaps = self.hops.len() as f64;
        (self.loss - self.cost) / swaps
    }
}

/// All branches of a division; each one's loss is that of dropping it alone.
pub(super) fn branches(arena: &Arena<'_>, division: &Division) -> Vec<Branch> {
    let mut branches = found(arena, division);
    let live = Live::new(division.parts.iter().map(|part| &arena.hops[part.hop]));
    let size = live.nodes.len();
    let mut matrix = vec![0.0; size * size];
    let most = division
        .parts
        .iter()
        .map(|part| part.conductance)
        .fold(0.0, f64::max);
    for part in &division.parts {
        live.add(&mut matrix, &arena.hops[part.hop], part.conductance);
    }
    for at in 0..size {
        matrix[at * size + at] += most * 1e-12;
    }
    cholesky::decompose(&mut matrix, size);
    for branch in &mut branches {
        let [start, end] = branch.ends.map(|node| live.ranks[node]);
        let mut current = vec![0.0; size];
        for (rank, unit) in [(start, -1.0), (end, 1.0)] {
            if let Some(rank) = rank {
                current[rank] = unit;
            }
        }
        cholesky::solve(&matrix, size, &mut current);
        let at = |rank: Option<usize>| rank.map_or(0.0, |rank| current[rank]);
        let with = at(end) - at(start);
        let without = 1.0 - with / branch.resistance;
        branch.loss = if without <= 1e-6 {
            f64::INFINITY
        } else {
            branch.kept + branch.flow * branch.flow * with / without / 2.0
        };
    }
    branches
}

/// The swaps that belong together, losses still open.
fn found(arena: &Arena<'_>, division: &Division) -> Vec<Branch> {
    let (mut comes, mut goes) = ([0_usize; MAX_NODES], [0_usize; MAX_NODES]);
    for hop in division.parts.iter().map(|part| &arena.hops[part.hop]) {
        comes[hop.to] += 1;
        goes[hop.from] += 1;
    }
    let is_joint =
        |node: usize| node == SOLD || node == BOUGHT || comes[node] != 1 || goes[node] != 1;
    let mut branches: Vec<Branch> = Vec::with_capacity(division.parts.len());
    // Parts are in an order of execution: a branch's next swap comes later.
    for part in &division.parts {
        let hop = &arena.hops[part.hop];
        let [from, to] = [hop.from, hop.to].map(|node| division.prices[node]);
        let flow = from * part.sold;
        let kept = (to * part.bought - flow).max(0.0);
        let resistance = part.conductance.recip();
        let before = branches
            .iter_mut()
            .find(|branch| branch.ends[1] == hop.from);
        match before.filter(|_| !is_joint(hop.from)) {
            Some(branch) => {
                branch.hops.push(part.hop);
                branch.ends[1] = hop.to;
                branch.kept += kept;
                branch.cost += hop.cost;
                branch.resistance += resistance;
            }
            None => branches.push(Branch {
                hops: vec![part.hop],
                loss: f64::INFINITY,
                cost: hop.cost,
                ends: [hop.from, hop.to],
                kept,
                flow,
                resistance,
            }),
        }
    }
    branches
}
