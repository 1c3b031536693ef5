//! Purchases, searched as the sales of what they cost.
//!
//! What has to be sold is not known before the pools are, and the pools depend on
//! it. So a guess is searched as a sale, each of the plans found is made to buy
//! what is wanted, and if that costs much more or less than was guessed, the sale
//! of that is searched; at last the sale of exactly what it costs, with all detours,
//! so that what a sale gives can be bought for no more.

use super::arena::Arena;
use super::division::Division;
use super::goal::Goal;
use super::paths::{self, Path};
use super::plan::Plan;
use super::prices::SOLD;
use super::settle::Candidate;
use super::{Found, Search, best};
use crate::{Costs, Route, VenueSet, ladder};
use std::collections::HashSet;

/// The most sales that are searched until one costs about what was guessed.
const MAX_SALES: usize = 10;

/// Sales of exactly what a purchase costs that are searched, as long as that is better by
/// this share.
const MAX_EXACT: usize = 3;
const BETTER: f64 = 1e-4;

/// Plans that are counted in whole units.
const MAX_SETTLED: usize = 24;

/// How far a plan may be dearer than the cheapest, as a share, if whole units are to
/// decide between them: curves are known to 5·10⁻⁵.
const CLOSE: f64 = 3e-4;

/// Amounts that are tried for the first guess.
const MAX_GUESSES: usize = 24;

/// What may be missing for detours to make up for it, as a share.
const REACH: f64 = 0.5;

/// How much more is tried at once, in times of what was too little.
const MOST_AT_ONCE: f64 = 64.0;

/// Where what is enough costs so many times what was too little, other pools may do with
/// something between.
const FAR: f64 = 1.2;

/// How far a guess may be off, as a share: the best pools are the same then.
const NEAR: f64 = 0.01;

/// A purchase, as far as it is searched.
struct Purchase<'s, 'a, 'g> {
    search: &'s Search<'a, 'g>,
    bought: f64,
    plans: Vec<Plan<'g>>,
    /// What the cheapest plan costs, and the most that was too little.
    cost: f64,
    low: f64,
    /// The last sale that bought enough, and what was found for it.
    last: Option<(Goal, Found<'g>)>,
}

impl<'g> Search<'_, 'g> {
    pub(super) fn purchase(&self, bought: f64, size: usize) -> Vec<Route> {
        let mut purchase = Purchase {
            search: self,
            bought,
            plans: Vec::new(),
            cost: f64::INFINITY,
            low: 0.0,
            last: None,
        };
        purchase.approach();
        purchase.search_exactly();
        let Purchase {
            mut plans, last, ..
        } = purchase;
        let Some((goal, found)) = last else {
            return Vec::new();
        };
        let bound = found.bound.as_ref().map(|bound| -bound.cost(bought));
        let gas = |plan: &Plan<'_>| {
            let swaps = plan.swaps.iter();
            let gas = swaps.map(|swap| self.order.costs.swap_at(swap.pool.venue));
            gas.sum::<f64>()
        };
        let cost = |plan: &Plan<'_>| plan.sold + gas(plan);
        plans.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
        let mut settled: Vec<Candidate> = Vec::new();
        // What cannot be the best, since ticks cost less than swaps, may be another one.
        let may_be_best =
            |plan: &Plan<'_>, best: &Candidate| cost(plan) <= -best.net * (1.0 + CLOSE) + gas(plan);
        let (mut tried, mut known) = (0, HashSet::new());
        let mut dearer = Vec::new();
        for plan in plans {
            if settled
                .first()
                .is_some_and(|best| !may_be_best(&plan, best))
            {
                dearer.push(plan);
            } else if tried < MAX_SETTLED && !known.contains(&plan.pools()) {
                tried += 1;
                if let Some(candidate) = self.settle(&plan) {
                    known.insert(plan.pools());
                    settled.push(candidate);
                    settled.sort_by(Candidate::better_first);
                }
            }
        }
        let others = || {
            let others = buying(&self.others(&goal, &found), &goal, bought);
            dearer.into_iter().chain(others).collect()
        };
        self.chosen(settled, bound, size, others)
    }

    /// Whether as many pools as a route may pass hold as much of the bought token.
    fn is_there(&self, bought: f64) -> bool {
        let [_, token] = self.ends;
        let sales = self.lens.neighbours(token).iter();
        let sales = sales.map(|link| link.sale.back());
        let pools = sales.flat_map(|sale| {
            let pools = self.lens.pools(sale);
            pools.map(move |pool| ladder::most_bought(pool.rungs(sale.direction)))
        });
        let mut most: Vec<f64> = pools.collect();
        most.sort_by(|a, b| b.total_cmp(a));
        most.iter().take(self.order.max_swaps).sum::<f64>() > bought
    }

    /// Single paths, each of as much as buys what is wanted.
    fn buying_along(&self, paths: &[Path<'g>], bought: f64) -> impl Iterator<Item = Plan<'g>> {
        let [start, _] = self.ends;
        paths.iter().filter_map(move |path| {
            let sold = sold_along(path, bought)?;
            Some(Plan {
                bought,
                ..Plan::single(path, start, sold)
            })
        })
    }

    /// The sale of an amount that buys about as much as is wanted.
    fn sale_of(&self, sold: f64, bought: f64) -> Goal {
        Goal {
            one: sold,
            many: sold,
            costs: Costs {
                fee_one: 0.0,
                fee_many: 0.0,
                ..self.order.costs.at(bought / sold)
            },
            max_swaps: self.order.max_swaps,
        }
    }

    /// About what a purchase costs by the best single path, or, where none has as
    /// much, at the price of what they have.
    fn first_guess(&self, bought: f64) -> Option<f64> {
        let mut sold = 1.0;
        let mut known = None;
        for _ in 0..MAX_GUESSES {
            // What gas is worth beside the sold token is not known before.
            let goal = Goal {
                costs: Costs::default(),
                ..self.sale_of(sold, bought)
            };
            let paths = paths::best(self.lens, &goal, self.ends, self.max_hops());
            let needed = paths.iter().filter_map(|path| sold_along(path, bought));
            let least = needed.fold(f64::INFINITY, f64::min);
            if least.is_finite() {
                let is_near = (least / sold - 1.0).abs() <= NEAR;
                sold = least;
                known = Some(least);
                if is_near {
                    break;
                }
            } else if let Some(best) = paths.first() {
                // Too little of it on any of these paths.
                known = known.or(Some(sold * bought / best.bought));
                sold *= 64.0;
            } else if known.is_some() {
                break;
            } else {
                sold /= 1e3;
            }
        }
        known
    }
}

impl<'g> Purchase<'_, '_, 'g> {
    /// Searches sales until one costs about what was guessed.
    fn approach(&mut self) {
        let mut next = self.search.first_guess(self.bought);
        for _ in 0..MAX_SALES {
            let Some(sold) = next else {
                return;
            };
            next = self.search_sale(sold);
        }
    }

    /// Searches a sale, without detours unless nothing else buys enough, and says which
    /// one may be better.
    fn search_sale(&mut self, sold: f64) -> Option<f64> {
        let (goal, found, mut plans) = self.sale(sold);
        plans.extend(self.search.buying_along(&found.paths, self.bought));
        let mut cost = cheapest(&plans);
        let is_last = is_near(cost, sold) || cost >= self.cost;
        let best = best(&goal, &found.divisions).map(|(_, best)| best);
        let missing = best.map_or(self.bought, |best| self.bought - best.bought);
        // What is missing costs no less than at the price of the last unit.
        let more = missing / best.map_or(f64::INFINITY, |best| best.prices[SOLD]);
        if is_last && cost.is_infinite() && missing <= self.bought * REACH {
            let detours = self.search.detours(&goal, &found);
            plans.extend(buying(&detours, &goal, self.bought));
            cost = cheapest(&plans);
        }
        let is_better = cost < self.cost.min(sold) * (1.0 - NEAR);
        self.plans.extend(plans);
        self.cost = self.cost.min(cost);
        if cost > sold && sold < self.cost {
            self.low = self.low.max(sold);
        }
        if cost.is_finite() {
            self.last = Some((goal, found));
        }
        if !self.plans.is_empty() && (self.search.stop)() {
            return None;
        }
        if self.cost.is_infinite() {
            // The pools found cannot give as much: others may, for more.
            let is_there = self.search.is_there(self.bought);
            return is_there.then(|| sold + more.clamp(sold, sold * MOST_AT_ONCE));
        }
        if self.low > 0.0 && self.cost > self.low * FAR {
            return Some((self.low * self.cost).sqrt());
        }
        (is_better || !is_last).then_some(self.cost)
    }

    /// Searches the sale of exactly what the purchase costs, with all detours, as long as
    /// that is better: other pools may be the best for that than for about as much.
    fn search_exactly(&mut self) {
        for _ in 0..MAX_EXACT {
            let has_room = |(goal, found): &(Goal, Found<'_>)| found.has_room(goal, VenueSet::NONE);
            if !self.last.as_ref().is_some_and(has_room) || (self.search.stop)() {
                return;
            }
            let before = self.cost;
            let (goal, found, mut plans) = self.sale(before);
            let detours = self.search.detours(&goal, &found);
            plans.extend(buying(&detours, &goal, self.bought));
            self.cost = before.min(cheapest(&plans));
            self.plans.extend(plans);
            self.last = Some((goal, found));
            if self.cost >= before * (1.0 - BETTER) {
                return;
            }
        }
    }

    /// A sale, searched without detours, and its plans that buy enough.
    fn sale(&self, sold: f64) -> (Goal, Found<'g>, Vec<Plan<'g>>) {
        let goal = self.search.sale_of(sold, self.bought);
        let found = self.search.find(&goal);
        let plans = buying(&found.divisions, &goal, self.bought);
        (goal, found, plans)
    }
}

/// Whether a cost is about what was guessed.
fn is_near(cost: f64, guess: f64) -> bool {
    (cost / guess - 1.0).abs() <= NEAR
}

fn cheapest(plans: &[Plan<'_>]) -> f64 {
    let costs = plans.iter().map(|plan| plan.sold);
    costs.fold(f64::INFINITY, f64::min)
}

/// Divisions, each of as much as buys what is wanted.
fn buying<'g>(divisions: &[(Arena<'g>, Division)], goal: &Goal, bought: f64) -> Vec<Plan<'g>> {
    let divided = divisions.iter().filter_map(|(arena, division)| {
        let (division, sold) = division.buying(arena, goal, bought)?;
        Plan::of(&division, arena, sold)
    });
    divided.collect()
}

/// What has to be sold along a path; `None` if its pools do not have as much.
fn sold_along(path: &Path<'_>, bought: f64) -> Option<f64> {
    let mut hops = path.hops.iter().rev();
    hops.try_fold(bought, |bought, hop| {
        ladder::sold_for(hop.pool.rungs(hop.sale.direction), bought)
    })
}
