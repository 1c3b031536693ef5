//! The search for routes.
//!
//! The best flow through all pools is a convex problem, and its dual is one
//! price for each token. The search solves it on the few tokens that matter,
//! finds out at these prices which others would help, and takes those in until
//! none would. Then it chooses pools, no more than pay for what their swaps cost
//! and than are allowed, and settles what they trade in whole units.

mod alternatives;
mod bonds;
mod choice;
mod depth;
mod goal;
mod greedy;
mod least;
mod lens;
mod newton;
mod path;
mod plan;
mod problem;
mod reach;
mod settle;
#[cfg(test)]
mod tests;

use crate::graph::TokenId;
use crate::{Amount, Graph, Order, Route};
use amm::book::Pools;
use choice::{Choice, Means};
use depth::Depth;
use goal::Goal;
use lens::Scratch;
use newton::{Fixed, Newton};
use path::Path;
use plan::Plan;
use problem::{BOUGHT, Problem, SOLD};
use reach::{Gain, Missed, Reach};

/// Says when a search has to end with what it has.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// Tokens that are taken in at once, or as many as there are; only few where
/// there is no room for all and they seem to bring more than all that is there:
/// prices tell little then,
const TAKEN_IN: usize = 32;
const FEW_TAKEN_IN: usize = 8;
/// and how often.
const ROUNDS: usize = 5;

/// How much farther prices may go with fewer pools than with all: at least, at
/// most, and by how far they go with all.
const FARTHER: [f64; 2] = [0.001, 0.02];
const FARTHER_BY: f64 = 2.0;

/// Ends with no more pairs take in all their neighbours before alternatives
/// are searched.
const FEW_PAIRS: usize = 8;

/// What may be missed, as a share of what is traded.
const MISSED: f64 = 2e-5;
/// What a swap has to cost, as a share of what is traded, to decide between
/// single ways.
const DEAR: f64 = 2e-4;
/// How far what is missed falls, about, when tokens are taken in.
const FALL: f64 = 4.0;
/// What a token must bring to be taken in.
const NEGLIGIBLE: f64 = 1e-6;

/// A place to search in: memory that is used again by the next search. One
/// for each thread.
#[derive(Debug, Default)]
pub struct Searcher {
    problem: Problem,
    newton: Newton,
    reach: Reach,
    choice: Choice,
    scratch: Scratch,
    depth: Depth,
    firsts: Vec<(f64, TokenId)>,
    taken: Vec<Gain>,
    /// Prices from which a problem is balanced.
    begun: Vec<f64>,
}

/// What a search ends with.
struct Solution {
    /// The best plan,
    plan: Plan,
    /// and the best with one pool after the other.
    single: Option<Plan>,
    /// What no plan exceeds, fees left out.
    bound: f64,
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

    /// The best plan that is found. Where it is not the only one that is asked
    /// for, the search goes on though nothing can be better.
    fn solve(&mut self, goal: &Goal<'_>, alone: bool, stop: Stop<'_>) -> Option<Solution> {
        if goal.order.direct || goal.order.max_swaps <= 1 {
            return self.solve_direct(goal, alone, stop);
        }
        let Self {
            reach,
            scratch,
            depth,
            firsts,
            ..
        } = self;
        let [_, bought] = goal.ends;
        let from = (&[bought][..], &[1.0][..]);
        reach.spread(goal.lens, from, 1.0, reach::FAR);
        let mut path = path::best(goal, reach, firsts, depth, scratch);
        let mut spot = firsts.first().map_or(0.0, |(rate, _)| *rate);
        if path.is_none() {
            // Prices that make loops lead in circles; two swaps cannot.
            reach.spread(goal.lens, from, 1.0, 0);
            path = path::best(goal, reach, firsts, depth, scratch);
            spot = f64::INFINITY;
        }
        let path = path?;
        let mut single = path.plan(goal, scratch);
        let share = goal.cost_share(&path);
        let is_ideal = |plan: &Plan| goal.is_ideal(plan, spot);
        if share > DEAR && !single.as_ref().is_some_and(is_ideal) {
            // Where swaps are dear, a way with fewer may be worth more.
            reach.spread(goal.lens, from, 1.0 - share, reach::FAR);
            let short = path::best(goal, reach, firsts, depth, scratch);
            let short = short.and_then(|path| path.plan(goal, scratch));
            let worth = |plan: &Option<Plan>| plan.as_ref().map(|plan| goal.worth(plan));
            if worth(&short) > worth(&single) {
                single = short;
            }
        }
        let single = single.filter(|plan| plan.swaps.len() <= goal.order.max_swaps);
        let ideal = single.as_ref().filter(|plan| is_ideal(plan));
        if let Some(plan) = ideal.filter(|_| alone) {
            let (plan, bound) = (plan.clone(), f64::NEG_INFINITY);
            return Some(Solution {
                plan,
                single,
                bound,
            });
        }
        self.open(goal, &path);
        let bound = self.widen(goal, spot, stop);
        self.finish(goal, [bound, spot], single, alone, stop)
    }

    /// The best plan between the two tokens alone.
    fn solve_direct(&mut self, goal: &Goal<'_>, alone: bool, stop: Stop<'_>) -> Option<Solution> {
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
        self.finish(goal, [balance.bound, rate], single, alone, stop)
    }

    /// Begins the problem with the tokens of a single way, at the prices at which
    /// it ends (or a part of it, where it exhausts its pools), and with those that
    /// most trade passes if they would help there.
    fn open(&mut self, goal: &Goal<'_>, path: &Path) {
        let Self {
            problem, scratch, ..
        } = self;
        let [sold, bought] = goal.ends;
        let path = path.unexhausted(goal, scratch);
        problem.clear();
        problem.add(goal.lens, sold, path.price, scratch);
        problem.add(goal.lens, bought, 1.0, scratch);
        for (token, price) in path.prices() {
            problem.add(goal.lens, token, price, scratch);
        }
        for token in goal.lens.graph.topology().hubs() {
            let [ask, bid] = problem.offers(goal.lens, *token);
            if ask < bid {
                problem.add(goal.lens, *token, (ask * bid).sqrt(), scratch);
            }
        }
    }

    /// Balances the problem and takes in tokens that would help, until none
    /// would by much. Gives the bound on all routes at the prices found; none
    /// where it would be beyond that of the first unit's price.
    fn widen(&mut self, goal: &Goal<'_>, spot: f64, stop: Stop<'_>) -> f64 {
        let cost = goal.least_cost();
        let ideal = goal.ideal(spot);
        let mut missed = Missed::default();
        for round in 0.. {
            let Self {
                problem,
                newton,
                reach,
                scratch,
                taken,
                begun,
                ..
            } = self;
            let graph = goal.lens.graph;
            begun.clone_from(&problem.prices);
            let balance = newton.balance(problem, graph, goal.fixed, newton::FINE);
            let went_astray = balance.rest > newton::COARSE;
            let is_full = problem.tokens.len() >= goal.max_tokens();
            if is_full && balance.bound + missed.most / FALL > ideal {
                return f64::INFINITY;
            }
            let known = (&problem.tokens[..], &problem.prices[..]);
            reach.spread(goal.lens, known, 1.0, reach::FAR);
            let limits = [NEGLIGIBLE, MISSED].map(|share| balance.bound.abs() * share);
            let room = goal.max_tokens().saturating_sub(problem.tokens.len());
            let wanted = room.min(TAKEN_IN.max(problem.tokens.len()));
            let gains;
            (missed, gains) = reach.gains(goal.lens, problem, cost, limits, wanted, scratch);
            let is_enough = missed.likely <= balance.bound.abs() * MISSED;
            // Without a solution there is nothing to stop with.
            let is_late = !went_astray && stop();
            let is_last = is_enough || gains.is_empty() || is_full || is_late;
            if is_last || round >= ROUNDS {
                return balance.bound + missed.most;
            }
            let mut taken = std::mem::take(taken);
            taken.clear();
            let most = if gains.len() > room && missed.likely > balance.bound.abs() {
                FEW_TAKEN_IN
            } else {
                wanted
            };
            taken.extend(gains.iter().take(most));
            for gain in &taken {
                if self.problem.tokens.len() < goal.max_tokens() {
                    self.take_in(goal, gain);
                }
            }
            self.taken = taken;
            if went_astray {
                self.rewind(goal);
            }
        }
        f64::INFINITY
    }

    /// Goes back to the prices from which fewer tokens could not do it, if those
    /// are nearer to the end: where the bound is lower.
    fn rewind(&mut self, goal: &Goal<'_>) {
        let Self {
            problem,
            newton,
            reach,
            begun,
            ..
        } = self;
        let mut bound = |problem: &mut Problem| {
            newton
                .balance(problem, goal.lens.graph, goal.fixed, f64::INFINITY)
                .bound
        };
        let far = bound(problem);
        let known = problem.tokens.get(..begun.len()).unwrap_or_default();
        reach.spread(goal.lens, (known, begun), 1.0, reach::FAR);
        for (token, price) in problem.tokens.iter().zip(&problem.prices).skip(begun.len()) {
            let value = reach.value(goal.lens, *token);
            begun.push(if value > 0.0 { value } else { *price });
        }
        std::mem::swap(begun, &mut problem.prices);
        if bound(problem) > far {
            std::mem::swap(begun, &mut problem.prices);
        }
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

    /// Chooses pools for the balanced problem and makes a plan of them.
    fn finish(
        &mut self,
        goal: &Goal<'_>,
        [bound, spot]: [f64; 2],
        single: Option<Plan>,
        alone: bool,
        stop: Stop<'_>,
    ) -> Option<Solution> {
        if !alone && !goal.order.direct {
            self.surround(goal);
        }
        let Self {
            problem,
            newton,
            choice,
            scratch,
            ..
        } = self;
        let [least, most] = FARTHER;
        let moved = moved(problem, spot) * FARTHER_BY;
        let farther = if alone {
            moved.clamp(least, most)
        } else {
            most
        };
        let paid = choice.gather(problem, goal, 1.0 + farther, alone);
        let bound = ceiling(goal, [bound, goal.ideal(spot)], paid, scratch);
        let least = f64::NEG_INFINITY;
        let means = &mut Means {
            newton,
            stop,
            least,
        };
        let plan = choice.plan(goal, means);
        let plan = match (plan, single.as_ref()) {
            (Some(plan), Some(single)) if goal.worth(single) >= goal.worth(&plan) => single.clone(),
            (Some(plan), _) => plan,
            (None, single) => single?.clone(),
        };
        Some(Solution {
            plan,
            single,
            bound,
        })
    }

    /// Takes in all tokens next to an end that has only few of them.
    fn surround(&mut self, goal: &Goal<'_>) {
        let topology = goal.lens.graph.topology();
        for (place, end) in goal.ends.into_iter().enumerate() {
            let links = topology.neighbours(end);
            if links.len() > FEW_PAIRS {
                continue;
            }
            let price = self.problem.prices.get(place).copied().unwrap_or_default();
            for link in links {
                let sold = goal.lens.rate(link.sale);
                let rate = if place == SOLD {
                    sold.recip()
                } else {
                    goal.lens.rate(link.sale.back())
                };
                if rate > 0.0 && rate.is_finite() {
                    self.problem
                        .add(goal.lens, link.to, price * rate, &mut self.scratch);
                }
            }
        }
    }
}

/// The part of the first unit's price that is lost at a problem's prices.
fn moved(problem: &Problem, spot: f64) -> f64 {
    let price = |place: usize| problem.prices.get(place).copied().unwrap_or_default();
    1.0 - price(SOLD) / price(BOUGHT) / spot
}

/// What no plan exceeds, costs counted: a single swap is known, and any other
/// plan has at least two, whose pools keep no more than they bring beyond costs,
/// and no more than if all units were traded as the first.
fn ceiling(goal: &Goal<'_>, [bound, ideal]: [f64; 2], paid: f64, scratch: &mut Scratch) -> f64 {
    let [sold, bought] = goal.ends;
    let sale = goal.lens.graph.topology().sale(sold, bought);
    let one = sale.and_then(|sale| Path::direct(sale, bought).plan(goal, scratch));
    let one = one.map_or(f64::NEG_INFINITY, |plan| {
        goal.amount_of(&plan) - plan.cost()
    });
    let two = 2.0 * goal.least_cost();
    one.max((bound - paid.max(two)).min(ideal - two))
}
