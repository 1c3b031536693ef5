//! Pools that could be used.

use super::Choice;
use crate::graph::{PairView, Sale, Slot};
use crate::ladder;
use crate::search::Goal;
use crate::search::problem::{BOUGHT, Edge, Problem, SOLD};

/// Pools that are looked at.
const MAX_POOLS: usize = 1_536;

/// A limit of more swaps leaves out next to nothing.
const FEW_SWAPS: usize = 64;

/// Pools that are looked at for each swap that a route may have, and where only
/// few are allowed, the best of each pair in any case.
const PER_SWAP: usize = 6;
const FIRST: usize = 1;
const FIRST_OF_ENDS: usize = 3;

/// A pool of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    edge: usize,
    slot: Slot,
    gain: f64,
    /// Whether it is one of the best of its pair.
    is_first: bool,
}

impl Found {
    /// The best first.
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        let firsts = b.is_first.cmp(&a.is_first);
        let gains = firsts.then(b.gain.total_cmp(&a.gain));
        gains.then(a.slot.pool.cmp(&b.slot.pool))
    }
}

impl Choice {
    /// Looks for pools between the tokens of a problem: those that gain
    /// something at its prices, and if there are too many of them or other routes
    /// are asked for too, those that would if prices were so much farther apart.
    /// Says what all together gain at the prices, beyond what as many as are
    /// allowed would keep after costs.
    pub(in super::super) fn gather(
        &mut self,
        wide: &Problem,
        goal: &Goal<'_>,
        farther: f64,
        alone: bool,
    ) -> f64 {
        self.look(wide, goal, 1.0);
        let paid = self.paid(goal);
        let is_limited = !alone || self.found.len() > goal.order.max_swaps;
        if is_limited && goal.order.max_swaps <= FEW_SWAPS {
            self.look(wide, goal, farther);
        }
        let Self {
            problem,
            found,
            first,
            main,
            ..
        } = self;
        main.prices.clear();
        let firsts = found.iter().filter(|found| found.is_first).count();
        let most = firsts.saturating_add(goal.order.max_swaps.saturating_mul(PER_SWAP));
        let most = most.min(MAX_POOLS);
        if found.len() > most {
            found.select_nth_unstable_by(most, Found::order);
            found.truncate(most);
        }
        found.sort_unstable_by_key(|found| (found.edge, found.slot.pool));
        problem.clear();
        problem.tokens.extend_from_slice(&wide.tokens);
        first.clone_from(&wide.prices);
        for found in found.iter() {
            let edge = wide.edges.get(found.edge);
            let view = edge.and_then(|edge| goal.lens.graph.pair(edge.pair));
            if let (Some(edge), Some(view)) = (edge, view) {
                problem.join_pool(edge, &view, &found.slot);
            }
        }
        self.list_around();
        paid
    }

    /// Finds the pools that gain something, if prices were so much farther apart.
    fn look(&mut self, wide: &Problem, goal: &Goal<'_>, farther: f64) {
        self.found.clear();
        for (at, edge) in wide.edges.iter().enumerate() {
            let price = |place: usize| wide.prices.get(place).copied().unwrap_or_default();
            let prices = [price(edge.from), price(edge.to) * farther];
            let rate = goal.lens.rate(Sale::new(edge.pair, edge.way));
            if rate * prices[1] <= prices[0] {
                continue;
            }
            let Some(view) = goal.lens.graph.pair(edge.pair) else {
                continue;
            };
            let begin = self.found.len();
            for slot in view.slots().iter().filter(|slot| goal.lens.admits(slot)) {
                let gain = gain(&view, edge, slot, prices);
                if gain > 0.0 {
                    self.found.push(Found {
                        edge: at,
                        slot: *slot,
                        gain,
                        is_first: false,
                    });
                }
            }
            let is_end = edge.from == SOLD || edge.to == BOUGHT;
            let firsts = if goal.order.max_swaps > FEW_SWAPS {
                0
            } else if is_end {
                FIRST_OF_ENDS
            } else {
                FIRST
            };
            let pair = self.found.get_mut(begin..).unwrap_or_default();
            if pair.len() > firsts {
                pair.select_nth_unstable_by(firsts, Found::order);
            }
            for found in pair.iter_mut().take(firsts) {
                found.is_first = true;
            }
        }
    }

    /// Lists the pools of each token.
    fn list_around(&mut self) {
        let Self {
            problem,
            around,
            begins,
            ..
        } = self;
        around.clear();
        begins.clear();
        for place in 0..problem.tokens.len() {
            begins.push(around.len());
            let edges = problem.edges.iter().enumerate();
            let here = edges.filter(|(_, edge)| edge.from == place || edge.to == place);
            around.extend(here.map(|(at, _)| at));
        }
        begins.push(around.len());
    }

    /// What the found pools gain beyond what as many as are allowed would keep
    /// after costs.
    fn paid(&mut self, goal: &Goal<'_>) -> f64 {
        let Self { found, nets, .. } = self;
        nets.clear();
        for found in found.iter() {
            let cost = goal.order.costs.swap_at(found.slot.venue);
            nets.push((found.gain - cost).max(0.0));
        }
        let limit = goal.order.max_swaps;
        if limit < nets.len() {
            nets.select_nth_unstable_by(limit, |a, b| b.total_cmp(a));
        }
        let gained: f64 = found.iter().map(|found| found.gain).sum();
        gained - nets.iter().take(limit).sum::<f64>()
    }
}

/// What a pool gains at the prices of its tokens.
fn gain(view: &PairView<'_>, edge: &Edge, slot: &Slot, [price, value]: [f64; 2]) -> f64 {
    let z = (value / price).sqrt();
    let flow = if view.slots().len() == 1 {
        ladder::flow_at(view.rungs(edge.way), z, &mut 0)
    } else {
        ladder::flow_of(view.changes(slot, edge.way), z)
    };
    value * flow.bought - price * flow.sold
}
