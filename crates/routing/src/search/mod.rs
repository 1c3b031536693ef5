//! The search for routes: candidates, then the best of them.
//!
//! 1. [`paths`]: the best single swaps and single paths, of all there are.
//! 2. [`improve`]: sets of pools, first of those between the two tokens alone,
//!    then of all in the [`arena`] of tokens that matter ([`scope`]), by local
//!    search; the amount is divided over each set as well as it can be
//!    ([`division`]).
//! 3. [`bound`]: how much better any other could be. The tokens that matter are
//!    looked for only where that is much; and where it still is, [`detours`] are
//!    searched: from a relaxed solution, without each venue, and with each alone.
//! 4. [`settle`]: the best of each kind in whole units. What is left of them after
//!    fees and gas decides, so that a route is never worse than a plainer one.

mod additions;
mod arena;
mod bound;
mod branches;
mod cholesky;
mod closure;
mod detours;
mod division;
mod edges;
mod goal;
mod improve;
mod least;
mod paths;
mod plan;
mod prices;
mod purchase;
mod scales;
mod scope;
mod settle;
mod shortest;
#[cfg(test)]
mod tests;

use crate::graph::{Lens, TokenId};
use crate::{Amount, Costs, Graph, Order, Route, VenueSet};
use amm::book::Pools;
use arena::Arena;
use bound::Bound;
use division::{Division, Part};
use goal::Goal;
use improve::{Climb, Closed};
use paths::Path;
use plan::Plan;
use prices::SOLD;
use scope::Scope;
use settle::Candidate;
use std::cell::Cell;

/// Says when a search has to end with what it has.
pub type Stop<'a> = &'a dyn Fn() -> bool;

/// Rounds of local search of one order, all its beginnings together.
const MAX_ROUNDS: usize = 2_000;

/// How often an amount that no single path can take is made smaller.
const MAX_SMALLER: usize = 16;

/// How many times as many swaps as are allowed a climb looks at before it chooses
/// from them.
const NARROW: usize = 3;

/// What a purchase may cost, in times of what it was guessed to, for its bound to hold.
const DEARER: f64 = 1.1;

/// What a bound may leave, as a share: less is not searched for.
const ROOM: f64 = 1e-5;

/// What the best single path may lose to the prices that it moves, as a share: where it
/// loses more, no bound will say that nothing is better.
const MOVED: f64 = 1e-3;

/// Routes that have more of their pools in common (Jaccard's index) count as one.
const SAME: f64 = 0.7;

/// Up to `size` different routes, the best first; none if there is no path. The
/// graph must be that of the pools. A search that has to stop still ends with
/// the plain candidates, or with any route if those do not exist.
pub fn routes(
    graph: &Graph,
    pools: &Pools,
    order: &Order,
    size: usize,
    stop: Stop<'_>,
) -> Vec<Route> {
    let lens = graph.without(order.avoid);
    let topology = lens.topology();
    let ends = [order.sell, order.buy].map(|address| topology.token(address));
    let [Some(sold), Some(bought)] = ends else {
        return Vec::new();
    };
    if sold == bought || order.max_swaps == 0 {
        return Vec::new();
    }
    let lens = if order.direct {
        lens.near(&[sold, bought])
    } else {
        lens
    };
    // Counted in rounds and not by a clock, so that the same order has the same routes
    // wherever the deadline is not met first.
    let rounds = Cell::new(0);
    let limited = || {
        rounds.set(rounds.get() + 1);
        rounds.get() > MAX_ROUNDS || stop()
    };
    let search = |stop| {
        let search = Search {
            lens: &lens,
            pools,
            order,
            ends: [sold, bought],
            stop,
        };
        match order.amount {
            Amount::In { one, many } => search.sale(f64::from(one), f64::from(many), size),
            Amount::Out(amount) => search.purchase(f64::from(amount), size),
        }
    };
    let routes = search(&limited);
    if routes.is_empty() && stop() {
        // Without any route there is nothing to stop with.
        return search(&|| false);
    }
    routes
}

struct Search<'a, 'g> {
    lens: &'a Lens<'g>,
    pools: &'a Pools,
    order: &'a Order,
    ends: [TokenId; 2],
    stop: Stop<'a>,
}

/// What is found for a goal.
struct Found<'g> {
    /// The best single paths, the best first.
    paths: Vec<Path<'g>>,
    /// The best division between the two tokens alone, the best single path where that is
    /// longer, and the best that were found by each search beyond.
    divisions: Vec<(Arena<'g>, Division)>,
    /// What no route exceeds; `None` without a division, or where prices did not settle.
    bound: Option<Bound>,
    /// What matters beyond the direct pools; `None` if routes may not or need not go there.
    around: Option<Scope<'g>>,
}

impl Found<'_> {
    /// Whether the best single path moves its pools' prices, so that a division over more
    /// of them is better.
    fn moves_prices(&self, goal: &Goal) -> bool {
        self.paths.first().is_some_and(|path| {
            let amount = goal.amount(path.hops.len());
            path.bought < amount * path.first_price() * (1.0 - MOVED)
        })
    }

    /// Whether there may be anything better without the pools of some venues.
    fn has_room(&self, goal: &Goal, avoid: VenueSet) -> bool {
        let Some((bound, (_, best))) = self.bound.as_ref().zip(best(goal, &self.divisions)) else {
            return true;
        };
        let net = best.net(goal);
        bound.net(goal, avoid) - net > ROOM * net.abs()
    }
}

impl<'g> Search<'_, 'g> {
    fn sale(&self, one: f64, many: f64, size: usize) -> Vec<Route> {
        let goal = Goal {
            one,
            many,
            costs: self.order.costs.clone(),
            max_swaps: self.order.max_swaps,
        };
        let mut found = self.find(&goal);
        found.divisions.extend(self.detours(&goal, &found));
        let [start, _] = self.ends;
        let single = |path: &Path<'g>| Plan::single(path, start, goal.amount(path.hops.len()));
        let divided = |(arena, division): &(Arena<'g>, Division)| {
            Plan::of(division, arena, goal.amount(division.parts.len()))
        };
        let plans = found.paths.iter().map(single);
        let plans: Vec<Plan<'g>> = plans
            .chain(found.divisions.iter().filter_map(divided))
            .collect();
        let bound = found.bound.as_ref();
        let bound = bound.map(|bound| bound.net(&goal, VenueSet::NONE));
        let others = || {
            let others = self.others(&goal, &found);
            others.iter().filter_map(divided).collect()
        };
        self.chosen(self.settled(&plans), bound, size, others)
    }

    /// Single paths, divisions between both tokens alone and beyond, and a bound on all.
    /// Where that says that nothing beyond is better, it is not looked for.
    fn find(&self, goal: &Goal) -> Found<'g> {
        let paths = paths::best(self.lens, goal, self.ends, self.max_hops());
        let direct = Scope::direct(self.lens, goal, self.ends);
        let longer = paths.first().filter(|path| path.hops.len() > 1);
        let longer = longer
            .map(|path| scope::divided(self.lens, goal, self.ends, std::slice::from_ref(path)));
        let direct = self.climb(&direct, goal, NARROW);
        let mut found = Found {
            divisions: direct.into_iter().chain(longer).collect(),
            paths,
            bound: None,
            around: None,
        };
        let may_go_on = self.max_hops() > 1 && goal.max_swaps > 1;
        if may_go_on && !found.moves_prices(goal) {
            found.bound = self.bound(goal, &found.divisions, bound::NO_SLACK);
        }
        if may_go_on && found.has_room(goal, VenueSet::NONE) {
            let around = self.around(goal, &found.paths);
            found.divisions.extend(self.climb(&around, goal, NARROW));
            found.bound = None;
            found.around = Some(around);
        }
        if found.bound.is_none() {
            found.bound = self.bound(goal, &found.divisions, bound::SLACKS);
        }
        found
    }

    /// What matters beyond the direct pools.
    fn around(&self, goal: &Goal, paths: &[Path<'g>]) -> Scope<'g> {
        let smaller = if paths.is_empty() {
            self.smaller_paths(goal)
        } else {
            Vec::new()
        };
        let paths = if paths.is_empty() { &smaller } else { paths };
        Scope::around(self.lens, goal, self.ends, paths)
    }

    /// What no route exceeds, by the best division.
    fn bound(
        &self,
        goal: &Goal,
        divisions: &[(Arena<'g>, Division)],
        slacks: &[f64],
    ) -> Option<Bound> {
        let best = best(goal, divisions)?;
        let price = best.1.prices[SOLD];
        if let Amount::Out(_) = self.order.amount {
            // What a swap costs is worth no more than it could still buy.
            let mut goal = goal.clone();
            goal.costs = Costs {
                fee_one: 0.0,
                fee_many: 0.0,
                ..self.order.costs.at(price)
            };
            let most = goal.many * DEARER;
            return bound::bound(self.lens, &goal, most, best, slacks);
        }
        bound::bound(self.lens, goal, goal.many, best, slacks)
    }

    const fn max_hops(&self) -> usize {
        if self.order.direct { 1 } else { usize::MAX }
    }

    fn climb(
        &self,
        scope: &Scope<'g>,
        goal: &Goal,
        overgrowth: usize,
    ) -> Option<(Arena<'g>, Division)> {
        if scope.start.is_empty() {
            return None;
        }
        let climb = self.climber(&scope.arena, goal);
        let division = climb.from(&scope.start, &scope.prices, overgrowth);
        Some((scope.arena.clone(), division))
    }

    /// Divisions unlike the best one: without the pool that trades most of what it
    /// sells, and without the venue of that pool.
    fn others(&self, goal: &Goal, found: &Found<'g>) -> Vec<(Arena<'g>, Division)> {
        let Some((arena, best)) = best(goal, &found.divisions) else {
            return Vec::new();
        };
        let worth = |part: &Part| {
            let hop = arena.hops.get(part.hop);
            hop.map_or(0.0, |hop| part.sold * best.prices[hop.from])
        };
        let main = best
            .parts
            .iter()
            .max_by(|a, b| worth(a).total_cmp(&worth(b)));
        let Some(main) = main.and_then(|part| arena.hops.get(part.hop)) else {
            return Vec::new();
        };
        let scope = if self.max_hops() > 1 {
            self.around(goal, &found.paths)
        } else {
            Scope::direct(self.lens, goal, self.ends)
        };
        let climb = Climb {
            closed: Closed::Pool(main.pool.id),
            ..self.climber(&scope.arena, goal)
        };
        let pools = open_seed(&climb, &found.paths).map(|seed| {
            let division = climb.from(&seed, &scope.prices, NARROW);
            (scope.arena.clone(), division)
        });
        let avoid = VenueSet::NONE.with(main.pool.venue);
        pools
            .into_iter()
            .chain(self.detour(self.lens, goal, avoid))
            .collect()
    }

    /// Paths of an amount that is small enough for them.
    fn smaller_paths(&self, goal: &Goal) -> Vec<Path<'g>> {
        if shortest::shortest(self.lens, self.ends, goal.max_swaps).is_none() {
            return Vec::new();
        }
        let mut goal = goal.clone();
        for _ in 0..MAX_SMALLER {
            goal.one /= 8.0;
            goal.many /= 8.0;
            let paths = paths::best(self.lens, &goal, self.ends, usize::MAX);
            if !paths.is_empty() {
                return paths;
            }
        }
        Vec::new()
    }

    /// The best of all candidates, and if more are wanted, others that are different. The
    /// first is the same however many are wanted.
    fn chosen(
        &self,
        mut candidates: Vec<Candidate>,
        bound: Option<f64>,
        size: usize,
        others: impl FnOnce() -> Vec<Plan<'g>>,
    ) -> Vec<Route> {
        let Some(best) = candidates.first().map(|best| best.net) else {
            return Vec::new();
        };
        if size > 1 {
            let others = self.settled(&others());
            let is_no_better = |other: &Candidate| other.net <= best;
            candidates.extend(others.into_iter().filter(is_no_better));
            candidates.sort_by(Candidate::better_first);
        }
        let mut chosen: Vec<Route> = Vec::new();
        for Candidate { mut route, net } in candidates {
            if chosen.len() >= size {
                break;
            }
            if chosen.iter().all(|other| common(other, &route) <= SAME) {
                let gap = bound.map(|bound| (bound - net) / net.abs());
                let gap = gap.filter(|gap| !gap.is_nan());
                route.gap = gap.map_or(f64::INFINITY, |gap| gap.max(0.0));
                chosen.push(route);
            }
        }
        chosen
    }

    /// Plans in whole units, the best first.
    fn settled(&self, plans: &[Plan<'g>]) -> Vec<Candidate> {
        let settled = plans.iter().filter_map(|plan| self.settle(plan));
        let mut candidates: Vec<Candidate> = settled.collect();
        candidates.sort_by(Candidate::better_first);
        candidates
    }

    /// A plan in whole units; `None` if a pool refuses its part.
    fn settle(&self, plan: &Plan<'_>) -> Option<Candidate> {
        Candidate::new(plan, self.lens.topology(), self.pools, self.order)
    }
}

/// The division that leaves most after fees and costs.
fn best<'a, 'g>(
    goal: &Goal,
    divisions: &'a [(Arena<'g>, Division)],
) -> Option<&'a (Arena<'g>, Division)> {
    let net = |division: &Division| division.net(goal);
    let order = |(_, a): &&(_, Division), (_, b): &&(_, Division)| net(a).total_cmp(&net(b));
    divisions.iter().max_by(order)
}

/// The hops of the best path that a search may use.
fn open_seed(climb: &Climb<'_, '_>, paths: &[Path<'_>]) -> Option<Vec<usize>> {
    let seeds = paths.iter().map(|path| seed(climb.arena, path));
    let is_open =
        |seed: &Vec<usize>| !seed.is_empty() && seed.iter().all(|hop| climb.is_open(*hop));
    seeds.into_iter().find(is_open)
}

/// The places of a path's hops in an arena; none at all if one of them is not there.
fn seed(arena: &Arena<'_>, path: &Path<'_>) -> Vec<usize> {
    let hops = path.hops.iter();
    let hops = hops.map(|hop| arena.find(hop.pool, hop.sale));
    hops.collect::<Option<_>>().unwrap_or_default()
}

/// The part of two routes' pools that they have in common.
fn common(one: &Route, other: &Route) -> f64 {
    let has = |pool| other.legs.iter().any(|leg| leg.pool == pool);
    let both = one.legs.iter().filter(|leg| has(leg.pool)).count();
    let all = one.legs.len() + other.legs.len() - both;
    #[expect(clippy::cast_precision_loss, reason = "swaps of a route")]
    let part = |count: usize| count as f64;
    part(both) / part(all)
}
