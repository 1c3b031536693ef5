//! Flows made whole: what each pool of a way through many is to trade.

#![expect(
    clippy::indexing_slicing,
    reason = "all lists have as many places as the problem has tokens"
)]

use super::bonds::Bonds;
use super::problem::{BOUGHT, MAX_NODES, Problem, SOLD};
use crate::graph::{Graph, Slot, TokenId, Way};
use crate::{Costs, ladder};
use amm::book::PoolId;

/// A part of what is traded that is not worth a swap.
const DUST: f64 = 1e-7;

/// Times that less is sent to tokens that cannot be sold any faster, and by what
/// part each time.
const MAX_REFITS: usize = 12;
const REFIT: f64 = 2e-4;

/// The part by which a pool gets less that refuses what it seemed to take, and
/// how many swaps before it get less with it.
const SPARED: f64 = 1e-5;
const MAX_DEPTH: usize = 4;

/// One pool's part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Swap {
    pub(super) slot: Slot,
    pub(super) way: Way,
    /// Places in [`Plan::tokens`].
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) sold: f64,
    pub(super) bought: f64,
    /// The most that the pool takes.
    pub(super) most: f64,
    /// What it costs.
    pub(super) cost: f64,
}

/// Swaps in the order in which they are executed.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    pub(super) tokens: Vec<TokenId>,
    /// The prices that it was made with.
    pub(super) prices: Vec<f64>,
    pub(super) swaps: Vec<Swap>,
    pub(super) sold: f64,
    pub(super) bought: f64,
}

/// Where each token stands in the order of execution, and what of it is there.
#[derive(Debug)]
struct Order {
    ranked: Vec<usize>,
    balances: [f64; MAX_NODES],
}

impl Plan {
    /// The plan of a problem of single pools whose flows balance, if this much
    /// is sold (`None`: as much as flows). `None` if the flows lead nowhere.
    pub(super) fn of(
        problem: &mut Problem,
        graph: &Graph,
        sold: Option<f64>,
        costs: &Costs,
    ) -> Option<Self> {
        for _ in 0..MAX_REFITS {
            match Self::fitted(problem, graph, sold, costs)? {
                Ok(plan) => return Some(plan),
                Err(token) => send_less(problem, token),
            }
        }
        None
    }

    /// The same, or a token of which more comes than can be sold.
    fn fitted(
        problem: &mut Problem,
        graph: &Graph,
        sold: Option<f64>,
        costs: &Costs,
    ) -> Option<Result<Self, usize>> {
        let total = total(problem, SOLD);
        cut_dust(problem, total * problem.prices[SOLD] * DUST);
        let mut order = rank(problem)?;
        let mut plan = Self {
            tokens: problem.tokens.clone(),
            prices: problem.prices.clone(),
            swaps: Vec::with_capacity(16),
            sold: sold.unwrap_or(total),
            bought: 0.0,
        };
        order.balances[SOLD] = plan.sold;
        for place in &order.ranked {
            if fit(problem, graph, *place, order.balances[*place]).is_none() {
                return (*place != SOLD).then_some(Err(*place));
            }
            for edge in problem.edges.iter().filter(|edge| edge.from == *place) {
                let Some(slot) = edge.pool.filter(|_| edge.flow.sold > 0.0) else {
                    continue;
                };
                let rungs = problem.rungs(graph, edge);
                let z = ladder::z_for(rungs, edge.flow.sold)?;
                let mut ticks = 0;
                let flow = ladder::flow_at(rungs, z, &mut ticks);
                order.balances[edge.to] += flow.bought;
                plan.swaps.push(Swap {
                    slot,
                    way: edge.way,
                    from: edge.from,
                    to: edge.to,
                    sold: flow.sold,
                    bought: flow.bought,
                    most: ladder::most_sold(rungs),
                    cost: costs.swap_at(slot.venue) + costs.tick * f64::from(ticks),
                });
            }
        }
        plan.bought = order.balances[BOUGHT];
        (plan.bought > 0.0 && !plan.swaps.is_empty()).then_some(Ok(plan))
    }

    /// The plan with a little less for a pool than it takes; `None` if nobody
    /// takes the rest.
    pub(super) fn limited(mut self, pool: PoolId, most: f64) -> Option<Self> {
        let mut swaps = self.swaps.iter();
        let at = swaps.position(|swap| swap.slot.pool == pool)?;
        self.spare(at, most, MAX_DEPTH)?;
        Some(self)
    }

    /// Lets a swap sell less than this. Those that sell the same token and have
    /// room sell the rest; where there are none, less of the token is bought.
    fn spare(&mut self, at: usize, most: f64, depth: usize) -> Option<()> {
        let swap = self.swaps.get_mut(at).filter(|_| depth > 0)?;
        let from = swap.from;
        let less = swap.sold.min(most) * (1.0 - SPARED);
        let part = 1.0 - less / swap.sold;
        let rest = swap.sold - less;
        (swap.sold, swap.most) = (less, less);
        if self.share_out(from, rest).is_some() {
            return Some(());
        }
        let mut is_given = false;
        for giver in 0..self.swaps.len() {
            if let Some(swap) = self.swaps.get(giver).filter(|swap| swap.to == from) {
                self.spare(giver, swap.sold * (1.0 - part), depth - 1)?;
                is_given = true;
            }
        }
        is_given.then_some(())
    }

    /// Lets those that sell a token and have room sell more of it.
    fn share_out(&mut self, from: usize, mut rest: f64) -> Option<()> {
        for _ in 0..self.swaps.len() {
            if rest <= 0.0 {
                return Some(());
            }
            let has_room = |swap: &&mut Swap| swap.from == from && swap.sold < swap.most;
            let swaps = self.swaps.iter_mut().filter(has_room);
            let room: f64 = swaps.map(|swap| swap.sold).sum();
            let more = 1.0 + rest / room;
            rest = 0.0;
            for swap in self.swaps.iter_mut().filter(has_room) {
                let sold = swap.sold * more;
                rest += (sold - swap.most).max(0.0);
                swap.sold = sold.min(swap.most);
            }
            if room <= 0.0 {
                return None;
            }
        }
        None
    }

    /// The plan without a pool and without all that is of no use then; what is
    /// left keeps its proportions. `None` if nothing is left.
    pub(super) fn without(mut self, pool: PoolId) -> Option<Self> {
        let mut swaps = self.swaps.iter();
        let seed = swaps.position(|swap| swap.slot.pool == pool)?;
        let ends: Vec<[usize; 2]> = self.swaps.iter().map(|swap| [swap.from, swap.to]).collect();
        let (mut bonds, mut cut) = (Bonds::default(), Vec::new());
        bonds.find(&ends);
        bonds.cut(&ends, seed, &mut cut);
        let mut at = 0;
        self.swaps.retain(|_| {
            at += 1;
            !cut.contains(&(at - 1))
        });
        (!self.swaps.is_empty()).then_some(self)
    }

    /// What all swaps cost.
    pub(super) fn cost(&self) -> f64 {
        self.swaps.iter().map(|swap| swap.cost).sum()
    }
}

/// Makes what flows out of a token as much as is there. What a curve cannot
/// take the others have to; `None` if they cannot.
fn fit(problem: &mut Problem, graph: &Graph, place: usize, there: f64) -> Option<()> {
    for _ in 0..problem.edges.len() {
        let scale = there / total(problem, place);
        let mut is_full = false;
        for at in 0..problem.edges.len() {
            let edge = problem.edges[at];
            if edge.from != place || edge.flow.sold <= 0.0 {
                continue;
            }
            let most = ladder::most_sold(problem.rungs(graph, &edge));
            let sold = edge.flow.sold * scale;
            is_full |= sold > most * (1.0 + 1e-12);
            problem.edges[at].flow.sold = sold.min(most);
        }
        if !is_full {
            return Some(());
        }
        if total(problem, place) >= there * (1.0 - 1e-12) {
            return Some(());
        }
        let has_room = problem.edges.iter().any(|edge| {
            edge.from == place
                && edge.flow.sold > 0.0
                && edge.flow.sold < ladder::most_sold(problem.rungs(graph, edge))
        });
        if !has_room {
            return None;
        }
    }
    None
}

/// Sends a little less to a token that cannot be sold any faster.
fn send_less(problem: &mut Problem, place: usize) {
    for edge in problem.edges.iter_mut().filter(|edge| edge.to == place) {
        edge.flow.sold *= 1.0 - REFIT;
    }
}

/// What flows out of a token.
fn total(problem: &Problem, place: usize) -> f64 {
    let from = problem.edges.iter().filter(|edge| edge.from == place);
    from.map(|edge| edge.flow.sold).sum()
}

/// Stops flows that are next to nothing, or that lead to or come from nowhere.
fn cut_dust(problem: &mut Problem, least: f64) {
    for edge in &mut problem.edges {
        if edge.flow.sold * problem.prices[edge.from] < least {
            edge.flow.sold = 0.0;
        }
    }
    for _ in 0..problem.tokens.len() {
        let mut comes = [false; MAX_NODES];
        let mut goes = [false; MAX_NODES];
        (comes[SOLD], goes[BOUGHT]) = (true, true);
        for edge in problem.edges.iter().filter(|edge| edge.flow.sold > 0.0) {
            comes[edge.to] = true;
            goes[edge.from] = true;
        }
        let mut cut = false;
        for edge in &mut problem.edges {
            if edge.flow.sold > 0.0 && !(comes[edge.from] && goes[edge.to]) {
                edge.flow.sold = 0.0;
                cut = true;
            }
        }
        if !cut {
            break;
        }
    }
}

/// The tokens that are sold, each behind all that are sold for it. Where flows
/// go round, the least of them is stopped.
fn rank(problem: &mut Problem) -> Option<Order> {
    let count = problem.tokens.len();
    let mut order = Order {
        ranked: Vec::with_capacity(count),
        balances: [0.0; MAX_NODES],
    };
    let mut is_ranked = [false; MAX_NODES];
    while order.ranked.len() < count {
        let mut waits = [false; MAX_NODES];
        let mut sells = [false; MAX_NODES];
        for edge in problem.edges.iter().filter(|edge| edge.flow.sold > 0.0) {
            sells[edge.from] = true;
            if !is_ranked[edge.from] {
                waits[edge.to] = true;
            }
        }
        if !sells[SOLD] {
            return None;
        }
        let ready = (0..count).find(|at| sells[*at] && !is_ranked[*at] && !waits[*at]);
        if let Some(place) = ready {
            is_ranked[place] = true;
            order.ranked.push(place);
            continue;
        }
        let open = |edge: &&mut super::problem::Edge| edge.flow.sold > 0.0 && !is_ranked[edge.from];
        let prices = &problem.prices;
        let value = |edge: &super::problem::Edge| edge.flow.sold * prices[edge.from];
        let least = problem
            .edges
            .iter_mut()
            .filter(open)
            .min_by(|a, b| value(a).total_cmp(&value(b)));
        match least {
            Some(edge) => edge.flow.sold = 0.0,
            None => break,
        }
        let nothing = f64::MIN_POSITIVE;
        cut_dust(problem, nothing);
    }
    Some(order)
}
