//! Several routes for one order: the best, and others that differ from it.

use super::lens::{self, Lens};
use super::newton::Fixed;
use super::plan::Plan;
use super::settle::{Target, settle};
use super::{Goal, ROUNDS, Searcher, Solution};
use crate::graph::TokenId;
use crate::{Amount, Broken, Graph, Order, Route, Stop, VenueSet};
use amm::Refusal;
use amm::book::{PoolId, Pools};

/// Pools that are left out because they refuse.
const MAX_REFUSED: usize = 64;

/// Swaps of the alternative with few.
const FEW: usize = 3;

/// Two routes with more of their pools in common are the same.
const SAME: f64 = 0.7;

struct Finder<'a> {
    graph: &'a Graph,
    pools: &'a Pools,
    order: &'a Order,
    ends: [TokenId; 2],
    fixed: Fixed,
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
    let mut finder = Finder {
        graph,
        pools,
        order,
        ends,
        fixed,
        stop,
        found: Vec::with_capacity(size),
    };
    finder.search(searcher, order, order.avoid, &[]);
    if size > 1 {
        finder.vary(searcher);
    }
    finder.found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    finder.found.truncate(size);
    finder.found.into_iter().map(|(_, route)| route).collect()
}

impl Finder<'_> {
    /// Searches without these, and keeps what is found if it is new.
    fn search(
        &mut self,
        searcher: &mut Searcher,
        order: &Order,
        avoid: VenueSet,
        without: &[PoolId],
    ) {
        let masked;
        let rates = if avoid == VenueSet::NONE && without.is_empty() {
            self.graph.rates()
        } else {
            masked = lens::rates(self.graph, avoid, without, &mut searcher.scratch);
            &masked
        };
        let goal = Goal {
            lens: Lens {
                graph: self.graph,
                avoid,
                without,
                rates,
            },
            order,
            ends: self.ends,
            fixed: self.fixed,
            rounds: if self.found.is_empty() { ROUNDS } else { 1 },
        };
        let solution = searcher.solve(&goal, self.stop);
        let route = solution.and_then(|solution| self.settled(solution));
        // Being late is no reason to find nothing: a search has limits enough.
        let route = route.or_else(|| {
            let solution = (self.stop)().then(|| searcher.solve(&goal, &|| false));
            self.settled(solution??)
        });
        // A plain way is better than a good one that cannot be settled, as
        // where prices of look-alikes make loops.
        let route = route.or_else(|| {
            let solution = searcher.solve_direct(&goal, self.stop)?;
            self.settled(solution)
        });
        if let Some(route) = route {
            self.keep(route);
        }
    }

    /// The route of a solution's plan, or else of its single way.
    fn settled(&self, solution: Solution) -> Option<Route> {
        let Solution { plan, single, gap } = solution;
        let route = self.settle_most(plan);
        let mut route = route.or_else(|| self.settle_most(single?))?;
        route.gap = gap;
        Some(route)
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

    fn keep(&mut self, route: Route) {
        if self.found.iter().any(|(_, known)| is_same(known, &route)) {
            return;
        }
        self.found.push((self.worth(&route), route));
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

    /// Looks for routes that differ from the best.
    fn vary(&mut self, searcher: &mut Searcher) {
        let Some((_, best)) = self.found.first() else {
            return;
        };
        let Some(first) = carrier(best) else {
            return;
        };
        let (order, swaps) = (self.order, best.legs.len());
        let venue = self.pools.get(first).map(|pool| pool.pool.venue());
        self.search(searcher, order, order.avoid, &[first]);
        if let Some(venue) = venue {
            self.search(searcher, order, order.avoid.with(venue), &[]);
        }
        for max_swaps in [FEW, 2, 1].into_iter().filter(|most| *most < swaps) {
            let few = Order {
                max_swaps,
                ..order.clone()
            };
            self.search(searcher, &few, order.avoid, &[]);
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
