//! Several routes for one order: the best, and others that differ from it.

use super::choice::Means;
use super::lens::{self, Lens};
use super::newton::Fixed;
use super::plan::Plan;
use super::settle::{Target, settle};
use super::{Goal, Searcher, Solution};
use crate::graph::TokenId;
use crate::{Amount, Broken, Graph, Order, Route, Stop};
use amm::Refusal;
use amm::book::{PoolId, Pools};

/// Pools that are left out because they refuse.
const MAX_REFUSED: usize = 64;

/// What is planned beyond a purchase that could not be settled.
const ROOM: f64 = 1e-3;

/// Swaps of the alternative with few.
const FEW: usize = 3;

/// Other plans that are worse than the best by more than this share are not
/// sought: who looked for the worst would look longest.
const WORSE: f64 = 0.5;

/// Two routes with more of their pools in common are the same.
const SAME: f64 = 0.7;

struct Finder<'a> {
    graph: &'a Graph,
    pools: &'a Pools,
    order: &'a Order,
    stop: Stop<'a>,
    found: Vec<(f64, Route)>,
}

/// Up to `size` routes.
#[expect(clippy::too_many_arguments, reason = "the one way in")]
pub(super) fn find(
    searcher: &mut Searcher,
    graph: &Graph,
    pools: &Pools,
    order: &Order,
    ends: [TokenId; 2],
    fixed: Fixed,
    size: usize,
    stop: Stop<'_>,
) -> Vec<Route> {
    let masked = lens::rates(graph, order.avoid, &mut searcher.scratch);
    let goal = Goal {
        lens: Lens {
            graph,
            avoid: order.avoid,
            without: None,
            rates: masked.as_deref().unwrap_or(graph.rates()),
        },
        order,
        ends,
        fixed,
    };
    let mut finder = Finder {
        graph,
        pools,
        order,
        stop,
        found: Vec::with_capacity(size),
    };
    let solution = finder.search(searcher, &goal, size == 1);
    if let Some(solution) = solution.filter(|_| size > 1) {
        finder.vary(searcher, &goal, solution);
    }
    finder.found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    finder.found.truncate(size);
    finder.found.into_iter().map(|(_, route)| route).collect()
}

impl Finder<'_> {
    /// Searches for the best route, and keeps it.
    fn search(
        &mut self,
        searcher: &mut Searcher,
        goal: &Goal<'_>,
        alone: bool,
    ) -> Option<Solution> {
        let solution = searcher.solve(goal, alone, self.stop);
        let solution = solution.filter(|solution| self.settled(goal, solution));
        // Being late is no reason to find nothing: a search has limits enough.
        let solution = solution.or_else(|| {
            let late = (self.stop)().then(|| searcher.solve(goal, alone, &|| false));
            late?.filter(|solution| self.settled(goal, solution))
        });
        // A purchase that takes pools to their very ends needs some room.
        let solution = solution.or_else(|| {
            let fixed = goal.fixed.roomier(ROOM)?;
            let goal = Goal { fixed, ..*goal };
            let roomy = searcher.solve(&goal, alone, self.stop);
            roomy.filter(|solution| self.settled(&goal, solution))
        });
        // A plain way is better than a good one that cannot be settled, as
        // where prices of look-alikes make loops.
        solution.or_else(|| {
            let direct = searcher.solve_direct(goal, alone, self.stop);
            direct.filter(|solution| self.settled(goal, solution))
        })
    }

    /// Settles a solution's plan, or else its single way; says whether one of
    /// them could be.
    fn settled(&mut self, goal: &Goal<'_>, solution: &Solution) -> bool {
        let Solution {
            plan,
            single,
            bound,
        } = solution;
        let mut plans = [Some(plan), single.as_ref()].into_iter().flatten();
        plans.any(|plan| self.keep(goal, plan.clone(), *bound))
    }

    /// Looks for routes that differ from the best.
    fn vary(&mut self, searcher: &mut Searcher, goal: &Goal<'_>, solution: Solution) {
        let Some(first) = self.found.first().and_then(|(_, best)| carrier(best)) else {
            return;
        };
        let venue = self.pools.get(first).map(|pool| pool.pool.venue());
        let avoid = venue.map_or(goal.lens.avoid, |venue| goal.lens.avoid.with(venue));
        let without_pool = Lens {
            without: Some(first),
            ..goal.lens
        };
        let without_venue = Lens { avoid, ..goal.lens };
        let Searcher { choice, newton, .. } = searcher;
        let stop = self.stop;
        let worth = goal.worth(&solution.plan);
        let least = worth - worth.abs() * WORSE;
        let means = &mut Means {
            newton,
            stop,
            least,
        };
        if goal.order.max_swaps > FEW
            && let Some(plan) = choice.fewer(goal, FEW, means)
        {
            self.keep(goal, plan, solution.bound);
        }
        for lens in [without_pool, without_venue] {
            let goal = Goal { lens, ..*goal };
            if let Some(plan) = choice.other(&goal, means) {
                self.keep(&goal, plan, solution.bound);
            }
        }
        if let Some(single) = solution.single {
            self.keep(goal, single, solution.bound);
        }
    }

    /// Settles a plan and keeps the route if it is new; says whether the plan
    /// could be settled.
    fn keep(&mut self, goal: &Goal<'_>, plan: Plan, bound: f64) -> bool {
        let gap = goal.gap(&plan, bound);
        let Some(mut route) = self.settle_most(plan) else {
            return false;
        };
        route.gap = gap;
        if !self.found.iter().any(|(_, known)| is_same(known, &route)) {
            self.found.push((self.worth(&route), route));
        }
        true
    }

    /// The route of a plan. A pool that refuses in whole units what it seemed
    /// to take gets less, or is left out.
    fn settle_most(&self, mut plan: Plan) -> Option<Route> {
        for _ in 0..MAX_REFUSED {
            match self.settle(&plan) {
                Ok(route) => return Some(route),
                Err(Broken::Refused(pool, Refusal::TooMuch { most })) => {
                    let less = plan.clone().limited(pool, f64::from(most));
                    plan = less.or_else(|| plan.without(pool))?;
                }
                Err(Broken::Refused(pool, _) | Broken::Gone(pool)) => plan = plan.without(pool)?,
                Err(Broken::Malformed) => return None,
            }
        }
        None
    }

    fn settle(&self, plan: &Plan) -> Result<Route, Broken> {
        let target = match self.order.amount {
            Amount::In { one, .. } if plan.swaps.len() == 1 => Target::Sell(one),
            Amount::In { many, .. } => Target::Sell(many),
            Amount::Out(amount) => Target::Buy(amount),
        };
        settle(plan, self.graph, self.pools, target)
    }

    /// How good a route is, fees and costs counted.
    fn worth(&self, route: &Route) -> f64 {
        let costs = &self.order.costs;
        let swap = |pool: PoolId| {
            let venue = self.pools.get(pool).map(|pool| pool.pool.venue());
            venue.map_or(0.0, |venue| costs.swap_at(venue))
        };
        let cost = |leg: &crate::Leg| swap(leg.pool) + costs.tick * f64::from(leg.ticks);
        let cost: f64 = route.legs.iter().map(cost).sum();
        let fee = costs.fee(route.legs.len());
        match self.order.amount {
            Amount::In { .. } => f64::from(route.bought) * (1.0 - fee) - cost,
            Amount::Out(_) => -(f64::from(route.sold) * (1.0 + fee) + cost),
        }
    }
}

/// The pool through which most of the value goes: the largest part of what is
/// sold at first.
fn carrier(route: &Route) -> Option<PoolId> {
    let firsts = route.legs.iter().filter(|leg| leg.from == 0);
    firsts.max_by_key(|leg| leg.sold).map(|leg| leg.pool)
}

/// Whether two routes have most of their pools in common.
fn is_same(a: &Route, b: &Route) -> bool {
    let has = |route: &Route, pool| route.legs.iter().any(|leg| leg.pool == pool);
    let common = a.legs.iter().filter(|leg| has(b, leg.pool)).count();
    let all = a.legs.len() + b.legs.len() - common;
    let [common, all] = [common, all].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    f64::from(common) > SAME * f64::from(all)
}
