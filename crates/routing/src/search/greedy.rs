//! What is done where balanced prices are not found: the amount in small
//! chunks, each along the way that pays most for it.

#![expect(
    clippy::indexing_slicing,
    reason = "all lists have as many places as the problem has tokens or edges"
)]

use super::newton::Fixed;
use super::problem::{BOUGHT, Problem, SOLD};
use crate::graph::Graph;
use crate::ladder;

/// Chunks of an amount.
const CHUNKS: u32 = 16;

/// Swaps of a chunk's way.
const MAX_HOPS: usize = 4;

/// Larger amounts that are tried for a purchase.
const MAX_GROWTHS: usize = 6;

/// What a chunk has become at a token after so many swaps, and by which edge.
type Layers = [(f64, usize); MAX_HOPS + 1];

/// Lets the amount flow through no more than so many of the problem's edges;
/// says how much is sold, if all of it can be.
pub(super) fn fill(
    problem: &mut Problem,
    graph: &Graph,
    fixed: Fixed,
    limit: usize,
) -> Option<f64> {
    match fixed {
        Fixed::In(amount) => {
            pour(problem, graph, amount, limit)?;
            Some(amount)
        }
        Fixed::Out(target) => {
            let mut amount = target * problem.prices[BOUGHT] / problem.prices[SOLD];
            for _ in 0..MAX_GROWTHS {
                if pour(problem, graph, amount, limit)? >= target {
                    return Some(amount);
                }
                amount *= 1.5;
            }
            None
        }
    }
}

/// Sells an amount chunk by chunk and says what it buys.
fn pour(problem: &mut Problem, graph: &Graph, amount: f64, limit: usize) -> Option<f64> {
    for edge in &mut problem.edges {
        (edge.flow.sold, edge.flow.bought) = (0.0, 0.0);
    }
    let mut bought = 0.0;
    for _ in 0..CHUNKS {
        let used = problem.edges.iter().filter(|edge| edge.flow.sold > 0.0);
        // A new way must not lead beyond the limit.
        let left = limit - used.count().min(limit);
        let hops = if left == limit { left } else { MAX_HOPS };
        let is_open = left >= hops.min(MAX_HOPS);
        bought += send(problem, graph, amount / f64::from(CHUNKS), hops, is_open)?;
    }
    Some(bought)
}

/// Sends a chunk along the best way of so many swaps at most, and of none that
/// is new unless that is `open`.
fn send(problem: &mut Problem, graph: &Graph, chunk: f64, hops: usize, open: bool) -> Option<f64> {
    let mut layers: Vec<Layers> = vec![[(0.0, usize::MAX); MAX_HOPS + 1]; problem.tokens.len()];
    layers[SOLD][0].0 = chunk;
    let hops = hops.min(MAX_HOPS);
    for hop in 0..hops {
        for at in 0..problem.edges.len() {
            let edge = problem.edges[at];
            let (amount, _) = layers[edge.from][hop];
            if amount <= 0.0 || !edge.is_open || !(open || edge.flow.sold > 0.0) {
                continue;
            }
            let rungs = problem.rungs(graph, &edge);
            let Some(all) = ladder::bought_for(rungs, edge.flow.sold + amount) else {
                continue;
            };
            let place = &mut layers[edge.to][hop + 1];
            if all - edge.flow.bought > place.0 {
                *place = (all - edge.flow.bought, at);
            }
        }
    }
    let ends = &layers[BOUGHT];
    let last = (1..=hops).max_by(|a, b| ends[*a].0.total_cmp(&ends[*b].0))?;
    let (bought, _) = ends[last];
    if bought <= 0.0 {
        return None;
    }
    let mut place = BOUGHT;
    for hop in (1..=last).rev() {
        let (gained, edge) = layers[place][hop];
        let edge = &mut problem.edges[edge];
        place = edge.from;
        edge.flow.sold += layers[place][hop - 1].0;
        edge.flow.bought += gained;
    }
    Some(bought)
}
