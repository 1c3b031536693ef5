//! The search for routes.
//!
//! The best flow through all pools is a convex problem, and its dual is one
//! price for each token. The search solves it on the few tokens that matter,
//! finds out at these prices which others would help, and takes those in until
//! none would. Then it leaves out swaps that cost more than they bring, and
//! settles what is left in whole units.

mod alternatives;
mod greedy;
mod lens;
mod newton;
mod path;
mod plan;
mod problem;
mod prune;
mod reach;
mod settle;
#[cfg(test)]
mod tests;

use crate::graph::TokenId;
use crate::{Amount, Graph, Order, Route};
use amm::book::Pools;
use lens::{Lens, Scratch};
use newton::{Fixed, Newton};
use path::Path;
use plan::Plan;
use problem::{MAX_NODES, Problem};
use prune::Pruner;
use reach::{Gain, Reach};

/// Says when a search has to end with what it has.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// Tokens that are taken in at once,
const TAKEN_IN: usize = 32;
/// and how often.
const ROUNDS: usize = 5;

/// Sales that are tried to make a purchase of one.
const SALES: usize = 8;

/// What may be missed, as a share of what is traded.
const MISSED: f64 = 2e-5;
/// What a token must bring to be taken in.
const NEGLIGIBLE: f64 = 1e-6;

/// A place to search in: memory that is used again by the next search. One
/// for each thread.
#[derive(Debug, Default)]
pub struct Searcher {
    problem: Problem,
    newton: Newton,
    reach: Reach,
    pruner: Pruner,
    scratch: Scratch,
    firsts: Vec<(f64, TokenId)>,
    taken: Vec<Gain>,
}

/// What a plan is measured by.
#[derive(Debug, Clone, Copy)]
struct Goal<'a> {
    lens: Lens<'a>,
    order: &'a Order,
    ends: [TokenId; 2],
    fixed: Fixed,
    /// How often tokens are taken in.
    rounds: usize,
}

impl Goal<'_> {
    /// What is sold by a sale; open for a purchase.
    const fn sold(&self) -> Option<f64> {
        match self.fixed {
            Fixed::In(amount) => Some(amount),
            Fixed::Out(_) => None,
        }
    }

    /// How good a plan is, fees and costs counted.
    fn worth(&self, plan: &Plan) -> f64 {
        let fee = self.order.costs.fee(plan.swaps.len());
        match self.fixed {
            Fixed::In(_) => plan.bought * (1.0 - fee) - plan.cost(),
            Fixed::Out(bought) => -(plan.sold * bought / plan.bought * (1.0 + fee) + plan.cost()),
        }
    }

    /// Tokens that are worth looking at: with few swaps few can be passed.
    fn max_tokens(&self) -> usize {
        self.order.max_swaps.saturating_mul(2).clamp(24, MAX_NODES)
    }

    /// The least that a swap costs, as a share of what a way trades.
    fn cost_share(&self, path: &Path) -> f64 {
        (self.least_cost() / path.amount).min(0.5)
    }

    /// The least that a swap costs.
    fn least_cost(&self) -> f64 {
        let costs = self.order.costs.swap.iter().copied();
        let least = costs.fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }
}

/// What a search ends with.
struct Solution {
    /// The best plan,
    plan: Plan,
    /// and the best with one pool after the other.
    single: Option<Plan>,
    /// The most by which any plan can be better, as a share.
    gap: f64,
}

impl Searcher {
    /// Up to `size` different routes, the best first; none if there is no way.
    /// The graph must be that of the pools.
    pub fn routes(
        &mut self,
        graph: &Graph,
        pools: &Pools,
        order: &Order,
        size: usize,
        stop: Stop<'_>,
    ) -> Vec<Route> {
        let topology = graph.topology();
        let ends = [order.sell, order.buy].map(|address| topology.token(address));
        let [Some(sold), Some(bought)] = ends else {
            return Vec::new();
        };
        let fixed = match order.amount {
            Amount::In { many, .. } => Fixed::In(f64::from(many)),
            Amount::Out(amount) => Fixed::Out(f64::from(amount)),
        };
        let empty = matches!(fixed, Fixed::In(amount) | Fixed::Out(amount) if amount <= 0.0);
        if sold == bought || empty {
            return Vec::new();
        }
        alternatives::find(self, graph, pools, order, [sold, bought], fixed, size, stop)
    }

    /// The best plan that is found.
    fn solve(&mut self, goal: &Goal<'_>, stop: Stop<'_>) -> Option<Solution> {
        if goal.order.direct || goal.order.max_swaps <= 1 {
            return self.solve_direct(goal, stop);
        }
        let Self {
            reach,
            scratch,
            firsts,
            ..
        } = self;
        let [_, bought] = goal.ends;
        let from = (&[bought][..], &[1.0][..]);
        reach.spread(goal.lens, from, 1.0, reach::FAR);
        let mut path = path::best(goal, reach, firsts, scratch);
        let mut spot = firsts.first().map_or(0.0, |(rate, _)| *rate);
        if path.is_none() {
            // Prices that make loops lead in circles; two swaps cannot.
            reach.spread(goal.lens, from, 1.0, 0);
            path = path::best(goal, reach, firsts, scratch);
            spot = f64::INFINITY;
        }
        let path = path?;
        let mut single = path.plan(goal, scratch);
        let share = goal.cost_share(&path);
        if share > MISSED {
            // Where swaps are dear, a way with fewer may be worth more.
            reach.spread(goal.lens, from, 1.0 - share, reach::FAR);
            let short = path::best(goal, reach, firsts, scratch);
            let short = short.and_then(|path| path.plan(goal, scratch));
            let worth = |plan: &Option<Plan>| plan.as_ref().map(|plan| goal.worth(plan));
            if worth(&short) > worth(&single) {
                single = short;
            }
        }
        let single = single.filter(|plan| plan.swaps.len() <= goal.order.max_swaps);
        if let Some(plan) = single.as_ref().filter(|plan| goal.is_ideal(plan, spot)) {
            let (plan, gap) = (plan.clone(), 0.0);
            return Some(Solution { plan, single, gap });
        }
        self.open(goal, &path);
        let bound = self.widen(goal, stop);
        self.finish(goal, bound, single, stop)
    }

    /// The best plan between the two tokens alone.
    fn solve_direct(&mut self, goal: &Goal<'_>, stop: Stop<'_>) -> Option<Solution> {
        let [sold, bought] = goal.ends;
        let sale = goal.lens.graph.topology().sale(sold, bought)?;
        let rate = goal.lens.rate(sale);
        self.problem.clear();
        self.problem.add(goal.lens, sold, rate, &mut self.scratch);
        self.problem.add(goal.lens, bought, 1.0, &mut self.scratch);
        let balance =
            self.newton
                .balance(&mut self.problem, goal.lens.graph, goal.fixed, newton::FINE);
        let path = Path::direct(sale, bought);
        let single = path.priced(goal.lens, goal.fixed, &mut self.scratch);
        let single = single.and_then(|path| path.plan(goal, &mut self.scratch));
        self.finish(goal, balance.bound, single, stop)
    }

    /// Begins the problem with the tokens of a single way, at the prices at which
    /// it ends.
    fn open(&mut self, goal: &Goal<'_>, path: &Path) {
        let Self {
            problem, scratch, ..
        } = self;
        let [sold, bought] = goal.ends;
        problem.clear();
        problem.add(goal.lens, sold, path.price, scratch);
        problem.add(goal.lens, bought, 1.0, scratch);
        for (token, price) in path.prices() {
            problem.add(goal.lens, token, price, scratch);
        }
    }

    /// Balances the problem and takes in tokens that would help, until none
    /// would by much. Gives the bound on all routes at the prices found.
    fn widen(&mut self, goal: &Goal<'_>, stop: Stop<'_>) -> f64 {
        let cost = goal.least_cost();
        let mut tolerance = newton::COARSE;
        for round in 0.. {
            let Self {
                problem,
                newton,
                reach,
                scratch,
                taken,
                ..
            } = self;
            let mut balance = newton.balance(problem, goal.lens.graph, goal.fixed, tolerance);
            let known = (&problem.tokens[..], &problem.prices[..]);
            reach.spread(goal.lens, known, 1.0, reach::FAR);
            let limits = [NEGLIGIBLE, MISSED].map(|share| balance.bound.abs() * share);
            let (missed, gains) = reach.gains(goal.lens, problem, cost, limits, scratch);
            let is_full = problem.tokens.len() >= goal.max_tokens();
            let is_enough = missed <= balance.bound.abs() * MISSED;
            // Without a solution there is nothing to stop with.
            let is_late = balance.rest <= newton::COARSE && stop();
            let is_last = is_enough || round >= goal.rounds || is_full || is_late;
            if is_last && balance.rest > newton::FINE {
                balance = newton.balance(problem, goal.lens.graph, goal.fixed, newton::FINE);
                if is_enough && round < goal.rounds {
                    tolerance = newton::FINE;
                    continue;
                }
            }
            if is_last {
                return balance.bound + missed;
            }
            let mut taken = std::mem::take(taken);
            taken.clear();
            taken.extend(gains.iter().take(TAKEN_IN));
            for gain in &taken {
                if self.problem.tokens.len() < goal.max_tokens() {
                    self.take_in(goal, gain);
                }
            }
            self.taken = taken;
        }
        f64::INFINITY
    }

    /// Takes in a token, and those on its way to the problem.
    fn take_in(&mut self, goal: &Goal<'_>, gain: &Gain) {
        let (mut token, mut price) = (gain.token, gain.price);
        for _ in 0..ROUNDS {
            self.problem.add(goal.lens, token, price, &mut self.scratch);
            match self.reach.next(goal.lens, token) {
                Some(next) if !self.problem.has(next) => token = next,
                _ => break,
            }
            price = self.reach.value(goal.lens, token);
        }
    }

    /// Makes a plan of the balanced problem and leaves out what costs too much.
    fn finish(
        &mut self,
        goal: &Goal<'_>,
        bound: f64,
        single: Option<Plan>,
        stop: Stop<'_>,
    ) -> Option<Solution> {
        let Self {
            problem,
            newton,
            pruner,
            scratch,
            ..
        } = self;
        let costs = &goal.order.costs;
        let mut plan = Plan::of(problem, goal.lens, goal.sold(), costs, &|_| true, scratch);
        if !plan.as_ref().is_some_and(|plan| goal.is_met(plan)) {
            let sold = greedy::fill(problem, goal.lens.graph, goal.fixed);
            plan = sold.and_then(|sold| {
                let chunks = Plan::of(problem, goal.lens, Some(sold), costs, &|_| true, scratch);
                by_sale(problem, goal, sold, newton, scratch).or(chunks)
            });
        }
        // Whoever uses a pool pays for it: no plan keeps all that it brings.
        let paid = plan.iter().flat_map(|plan| &plan.swaps);
        let paid: f64 = paid.map(|swap| swap.surplus.min(swap.cost)).sum();
        let bound = ceiling(goal, bound, paid, scratch);
        let plan = plan.map(|plan| pruner.prune(plan, problem, goal, newton, scratch, stop));
        let allowed = 1..=goal.order.max_swaps;
        let plan = plan.filter(|plan| allowed.contains(&plan.swaps.len()));
        let best = match (plan, single.as_ref()) {
            (Some(plan), Some(single)) if goal.worth(single) >= goal.worth(&plan) => single.clone(),
            (Some(plan), _) => plan,
            (None, single) => single?.clone(),
        };
        let net = goal.amount_of(&best) - best.cost();
        let gap = ((bound - net) / net.abs()).max(0.0);
        let plan = best;
        Some(Solution { plan, single, gap })
    }
}

/// The plan of a purchase whose prices were not found, as that of the sale that
/// buys as much: sought by what more or less would buy, from about this amount.
fn by_sale(
    problem: &mut Problem,
    goal: &Goal<'_>,
    about: f64,
    newton: &mut Newton,
    scratch: &mut Scratch,
) -> Option<Plan> {
    let Fixed::Out(target) = goal.fixed else {
        return None;
    };
    let costs = &goal.order.costs;
    let mut sold = about;
    for _ in 0..SALES {
        newton.balance(problem, goal.lens.graph, Fixed::In(sold), newton::FINE);
        let mut plan = Plan::of(problem, goal.lens, Some(sold), costs, &|_| true, scratch)?;
        let price = problem.prices.first().copied()?;
        if goal.is_met(&plan) {
            // What swaps bring is compared with costs in the sold token.
            for swap in &mut plan.swaps {
                swap.surplus /= price;
            }
            return Some(plan);
        }
        sold += (target - plan.bought) / price;
        if !(sold > 0.0 && sold.is_finite()) {
            return None;
        }
    }
    None
}

/// What no plan exceeds, costs counted: a single swap is known, and any other
/// plan has at least two; its pools keep no more than they bring beyond costs.
fn ceiling(goal: &Goal<'_>, bound: f64, paid: f64, scratch: &mut Scratch) -> f64 {
    let [sold, bought] = goal.ends;
    let sale = goal.lens.graph.topology().sale(sold, bought);
    let one = sale.and_then(|sale| Path::direct(sale, bought).plan(goal, scratch));
    let one = one.map_or(f64::NEG_INFINITY, |plan| {
        goal.amount_of(&plan) - plan.cost()
    });
    one.max(bound - paid.max(2.0 * goal.least_cost()))
}

impl Goal<'_> {
    /// Whether nothing can be better than a plan, if no unit can be traded at a
    /// better price than this.
    fn is_ideal(&self, plan: &Plan, spot: f64) -> bool {
        let ideal = match self.fixed {
            Fixed::In(amount) => amount * spot,
            Fixed::Out(amount) => -amount / spot,
        };
        let fee = ideal.abs() * self.order.costs.fee_one;
        self.worth(plan) >= ideal - fee - self.least_cost()
    }

    /// Whether a plan really does what is asked, nearly.
    fn is_met(&self, plan: &Plan) -> bool {
        match self.fixed {
            Fixed::In(_) => true,
            Fixed::Out(bought) => (plan.bought / bought - 1.0).abs() < 1e-3,
        }
    }

    /// What a plan buys, or minus what it sells.
    fn amount_of(&self, plan: &Plan) -> f64 {
        match self.fixed {
            Fixed::In(_) => plan.bought,
            Fixed::Out(bought) => -plan.sold * bought / plan.bought,
        }
    }
}
