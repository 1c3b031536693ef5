//! Which pools to use, where swaps cost something or may only be few.
//!
//! Every pool that could be used is an edge of its own here, open or closed.
//! What an open one gains at the prices of the solution is about what is lost
//! without it, and what a closed one would gain is about what it would bring:
//! those that bring least are closed, with all that is of no use without them,
//! and those that would bring more are opened in their place. Each attempt
//! begins at the prices of the last, which are close.

mod closing;
mod entries;
mod gather;
mod purchase;
mod strain;

use super::Goal;
use super::bonds::Bonds;
use super::greedy;
use super::newton::{self, Fixed, Newton};
use super::plan::Plan;
use super::problem::Problem;
use crate::Stop;
use crate::graph::Graph;
use closing::Group;
use entries::Entry;
use gather::Found;
use strain::Strain;

/// Pools that are open at first, for each swap that a route may have.
const PER_SWAP: usize = 4;

/// Attempts to open something: for the best plan, and for others.
const MAX_OPENINGS: usize = 24;
const FEW_OPENINGS: usize = 4;

/// What may be out of balance while pools are chosen, as a share of what is
/// traded, and what shows that there is no solution.
const CLOSE: f64 = 3e-5;
const LOST: f64 = 1e-3;

/// Memory for the choice of pools.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// Tokens with prices, and all pools that are looked at.
    problem: Problem,
    /// The prices at which they were found.
    first: Vec<f64>,
    found: Vec<Found>,
    /// The open pools, and the tokens that each joins.
    open: Vec<usize>,
    ends: Vec<[usize; 2]>,
    nets: Vec<f64>,
    entries: Vec<Entry>,
    groups: Vec<Group>,
    bonds: Bonds,
    strain: Strain,
    /// The members of the groups, one group after the other.
    members: Vec<usize>,
    /// Pools that have to stay, or that were tried in vain.
    settled: Vec<bool>,
    /// Tokens that open pools pass.
    live: Vec<bool>,
    /// The pools of each token, one token after the other, and where they begin.
    around: Vec<usize>,
    begins: Vec<usize>,
    /// The best solution of the choice that is made, and of the first one.
    best: State,
    main: State,
}

/// A solution.
#[derive(Debug, Default)]
struct State {
    is_open: Vec<bool>,
    prices: Vec<f64>,
    worth: f64,
}

impl State {
    fn copy(&mut self, other: &Self) {
        self.is_open.clone_from(&other.is_open);
        self.prices.clone_from(&other.prices);
        self.worth = other.worth;
    }
}

/// What a choice is made with.
pub(super) struct Means<'a> {
    pub(super) newton: &'a mut Newton,
    pub(super) stop: Stop<'a>,
    /// What a plan has to be worth.
    pub(super) least: f64,
}

impl Choice {
    /// The best plan that it finds among the pools.
    pub(super) fn plan(&mut self, goal: &Goal<'_>, means: &mut Means<'_>) -> Option<Plan> {
        let limit = goal.order.max_swaps;
        self.open_all(goal);
        self.close_all_but(goal, limit.saturating_mul(PER_SWAP));
        let found = if self.open_count() > limit && matches!(goal.fixed, Fixed::Out(_)) {
            self.begin_purchase(goal, limit, means)
        } else {
            self.begin(goal, limit, means)
        };
        let found = found.or_else(|| {
            self.open_all(goal);
            self.begin(goal, limit, means)
        });
        let plan = found.and_then(|()| self.improve(goal, limit, MAX_OPENINGS, means));
        if plan.is_some() {
            self.main.copy(&self.best);
        }
        plan.or_else(|| self.in_chunks(goal, limit, means))
    }

    /// The best plan that it finds without pools that the goal does not admit.
    pub(super) fn other(&mut self, goal: &Goal<'_>, means: &mut Means<'_>) -> Option<Plan> {
        let limit = goal.order.max_swaps;
        if self.resume(goal, means).is_none() {
            self.open_all(goal);
            self.begin(goal, limit, means)?;
        }
        self.improve(goal, limit, FEW_OPENINGS, means)
    }

    /// The best plan that it finds with fewer swaps.
    pub(super) fn fewer(
        &mut self,
        goal: &Goal<'_>,
        limit: usize,
        means: &mut Means<'_>,
    ) -> Option<Plan> {
        self.resume(goal, means)?;
        self.close_most(goal, limit, means);
        self.improve(goal, limit, FEW_OPENINGS, means)
    }

    /// Goes back to the best plan's pools, as far as they are admitted; `None` if
    /// those cannot do it, or are only few of them.
    fn resume(&mut self, goal: &Goal<'_>, means: &mut Means<'_>) -> Option<()> {
        if self.main.prices.len() != self.problem.tokens.len() {
            return None;
        }
        let Self { best, main, .. } = self;
        best.copy(main);
        self.restore(goal.lens.graph);
        self.unsettle(goal);
        let before = self.open_count();
        for edge in &mut self.problem.edges {
            edge.is_open &= edge.pool.is_some_and(|slot| goal.lens.admits(&slot));
        }
        if 2 * self.open_count() < before {
            return None;
        }
        let worth = self.balance(goal, means)?;
        self.keep(worth);
        Some(())
    }

    /// Opens all pools that are admitted, at the prices at which they were found.
    fn open_all(&mut self, goal: &Goal<'_>) {
        let Self {
            problem,
            settled,
            first,
            ..
        } = self;
        settled.clear();
        settled.resize(problem.edges.len(), false);
        problem.prices.clone_from(first);
        for edge in &mut problem.edges {
            edge.is_open = edge.pool.is_some_and(|slot| goal.lens.admits(&slot));
        }
    }

    /// Leaves open no more than the best pools that pay.
    fn close_all_but(&mut self, goal: &Goal<'_>, most: usize) {
        let Self { problem, first, .. } = self;
        problem.flow(goal.lens.graph, first, |_, _| ());
        for edge in &mut problem.edges {
            edge.is_open &= edge.flow.sold > 0.0;
        }
        let over = self.open_count().saturating_sub(most);
        if over > 0 {
            self.group(goal);
            self.rank_by_place(over);
            self.close(over);
        }
    }

    /// Solves with the open pools and closes most of them, if there are too many;
    /// `None` if there is no solution with few enough.
    fn begin(&mut self, goal: &Goal<'_>, limit: usize, means: &mut Means<'_>) -> Option<()> {
        let worth = self.balance(goal, means)?;
        self.keep(worth);
        self.close_most(goal, limit, means);
        (self.open_count() <= limit).then_some(())
    }

    /// The best plan that it finds near to the best solution so far.
    fn improve(
        &mut self,
        goal: &Goal<'_>,
        limit: usize,
        openings: usize,
        means: &mut Means<'_>,
    ) -> Option<Plan> {
        self.close_dear(goal, means);
        self.exchange(goal, limit, openings, means);
        let plan = self.made(goal, means);
        plan.filter(|plan| plan.swaps.len() <= limit)
    }

    /// What is done where balanced prices are not found: the amount in chunks,
    /// and prices for the pools that those pass.
    fn in_chunks(&mut self, goal: &Goal<'_>, limit: usize, means: &mut Means<'_>) -> Option<Plan> {
        let graph = goal.lens.graph;
        self.open_all(goal);
        let sold = greedy::fill(&mut self.problem, graph, goal.fixed, limit)?;
        for edge in &mut self.problem.edges {
            edge.is_open = edge.flow.sold > 0.0;
        }
        let chunks = Plan::of(&mut self.problem, graph, Some(sold), &goal.order.costs);
        let chunks = chunks.filter(|plan| goal.is_met(plan));
        let chunks = chunks.or_else(|| self.by_sale(goal, sold, means));
        let found = self.balance(goal, means).and_then(|worth| {
            self.keep(worth);
            self.improve(goal, limit, MAX_OPENINGS, means)
        });
        found.or(chunks)
    }

    /// The plan of the best solution.
    fn made(&mut self, goal: &Goal<'_>, means: &mut Means<'_>) -> Option<Plan> {
        self.restore(goal.lens.graph);
        let graph = goal.lens.graph;
        means
            .newton
            .balance(&mut self.problem, graph, goal.fixed, newton::FINE);
        let plan = Plan::of(&mut self.problem, graph, goal.sold(), &goal.order.costs);
        plan.filter(|plan| goal.is_met(plan))
    }

    /// Solves with the open pools, closes those that nothing flows through,
    /// and says what the rest is worth; `None` if they cannot do it.
    fn balance(&mut self, goal: &Goal<'_>, means: &mut Means<'_>) -> Option<f64> {
        self.balance_beyond(means.least, goal, means)
    }

    /// The same where they are worth more than the best solution so far.
    fn balance_better(&mut self, goal: &Goal<'_>, means: &mut Means<'_>) -> Option<f64> {
        let least = self.best.worth.max(means.least);
        let worth = self.balance_beyond(least, goal, means);
        worth.filter(|worth| *worth > least)
    }

    fn balance_beyond(
        &mut self,
        least: f64,
        goal: &Goal<'_>,
        means: &mut Means<'_>,
    ) -> Option<f64> {
        let Self { problem, .. } = self;
        let graph = goal.lens.graph;
        if !problem.can(graph, goal.fixed) {
            return None;
        }
        let balance = means
            .newton
            .balance_beyond(least, problem, graph, goal.fixed, CLOSE);
        if balance.rest > LOST {
            return None;
        }
        let (mut count, mut cost) = (0, 0.0);
        for edge in &mut problem.edges {
            edge.is_open &= edge.flow.sold > 0.0;
            if edge.is_open {
                count += 1;
                cost += goal.cost(edge);
            }
        }
        Some(goal.net(balance.bound, count, cost))
    }

    fn keep(&mut self, worth: f64) {
        let Self { problem, best, .. } = self;
        best.is_open.clear();
        best.is_open
            .extend(problem.edges.iter().map(|edge| edge.is_open));
        best.prices.clone_from(&problem.prices);
        best.worth = worth;
    }

    fn restore(&mut self, graph: &Graph) {
        let Self { problem, best, .. } = self;
        for (edge, is_open) in problem.edges.iter_mut().zip(&best.is_open) {
            edge.is_open = *is_open;
        }
        problem.prices.clone_from(&best.prices);
        problem.flow(graph, &best.prices, |_, _| ());
    }

    fn open_count(&self) -> usize {
        let edges = self.problem.edges.iter();
        edges.filter(|edge| edge.is_open).count()
    }
}
