//! Fewer swaps: those that cost more than they bring are left out.
//!
//! What a pool gains at the prices of a solution is the least that is lost
//! without it. Where that is more than its cost the pool stays; the others are
//! left out, with all that is of no use without them, as long as it pays.

use super::Goal;
use super::lens::{self, Lens, Scratch};
use super::newton::{self, Newton};
use super::plan::{MAX_SWAPS, Plan, Swap, useless_without};
use super::problem::{BOUGHT, Problem, SOLD};
use crate::Stop;
use crate::graph::{Sale, Slot};
use crate::ladder;
use amm::book::PoolId;

/// Attempts to leave something out.
const MAX_ATTEMPTS: usize = 64;

/// What is left out at once, as a part of all, as long as it pays.
const PORTIONS: [usize; 4] = [2, 4, 8, usize::MAX];

/// The part of all that goes at once where there are too many.
const HASTES: [usize; 2] = [6, 3];

/// Plans with no more swaps lose one after the other.
const FEW_SWAPS: usize = 10;

/// Attempts to take something in again.
const MAX_RETURNS: usize = 16;

/// Memory for the smaller problems.
#[derive(Debug, Default)]
pub(super) struct Pruner {
    /// The pools of the plan in hand, and the problem of them alone.
    pools: Vec<PoolId>,
    pub(super) problem: Problem,
    /// Pools that are known to be worth it.
    settled: Vec<PoolId>,
    groups: Vec<Group>,
}

/// Swaps that go together, by the places of their bits.
#[derive(Debug, Clone, Copy)]
struct Group {
    seed: PoolId,
    members: u128,
    /// What they cost beyond what they bring.
    excess: f64,
}

impl Pruner {
    /// The best plan that it finds with fewer swaps, and with no more than the
    /// goal allows if it can. The plan must be that of `full` at its prices.
    pub(super) fn prune(
        &mut self,
        plan: Plan,
        full: &Problem,
        goal: &Goal<'_>,
        newton: &mut Newton,
        scratch: &mut Scratch,
        stop: Stop<'_>,
    ) -> Plan {
        let plan = self.cut(plan, goal, newton, scratch);
        let is_over = plan.swaps.len() > goal.order.max_swaps;
        if !is_over && plan.cost() <= 0.0 {
            return plan;
        }
        let mut best = self.thin(plan.clone(), HASTES[0], full, goal, newton, scratch, stop);
        if is_over && !stop() {
            // Which pools are the best few depends on the order in which the
            // others go.
            let other = self.thin(plan, HASTES[1], full, goal, newton, scratch, stop);
            if other.swaps.len() <= goal.order.max_swaps && goal.worth(&other) > goal.worth(&best) {
                best = other;
            }
        }
        best
    }

    /// Leaves out swaps as long as it pays, and while there are too many, no
    /// more than a part of all at once.
    #[expect(
        clippy::too_many_arguments,
        reason = "the memory of a search in its parts"
    )]
    fn thin(
        &mut self,
        mut best: Plan,
        haste: usize,
        full: &Problem,
        goal: &Goal<'_>,
        newton: &mut Newton,
        scratch: &mut Scratch,
        stop: Stop<'_>,
    ) -> Plan {
        self.settled.clear();
        let mut portion = 0;
        for _ in 0..MAX_ATTEMPTS {
            let over = best.swaps.len().saturating_sub(goal.order.max_swaps);
            if stop() && over == 0 {
                break;
            }
            let dropped = self.choose(&best, (over, haste), portion);
            if dropped == 0 {
                break;
            }
            self.keep_all_but(&best, dropped);
            let next = self.resolve(&best, goal, newton, scratch);
            match next {
                Some(next) if over > 0 || goal.worth(&next) > goal.worth(&best) => {
                    best = next;
                    portion = portion.saturating_sub(1);
                }
                // Too much at once.
                _ if portion + 1 < PORTIONS.len() => portion += 1,
                _ => {
                    let seed = self.groups.first().map(|group| group.seed);
                    self.settled.extend(seed);
                }
            }
        }
        if !stop() {
            best = self.take_back(full, best, goal, newton, scratch);
        }
        best
    }

    /// A plan of at most as many swaps as can be told apart.
    fn cut(
        &mut self,
        mut plan: Plan,
        goal: &Goal<'_>,
        newton: &mut Newton,
        scratch: &mut Scratch,
    ) -> Plan {
        while plan.swaps.len() > MAX_SWAPS {
            let mut order: Vec<&Swap> = plan.swaps.iter().collect();
            order.sort_by(|a, b| b.surplus.total_cmp(&a.surplus));
            order.truncate(MAX_SWAPS);
            self.pools.clear();
            self.pools.extend(order.iter().map(|swap| swap.slot.pool));
            match self.resolve(&plan, goal, newton, scratch) {
                Some(next) if next.swaps.len() < plan.swaps.len() => plan = next,
                _ => plan.swaps.clear(),
            }
        }
        plan
    }

    /// Which swaps to leave out next: those that cost more than they bring, the
    /// worst first, a portion of all at once; if there are too many, those that
    /// bring least.
    fn choose(&mut self, plan: &Plan, (over, haste): (usize, usize), portion: usize) -> u128 {
        self.groups.clear();
        for swap in &plan.swaps {
            if self.settled.contains(&swap.slot.pool) {
                continue;
            }
            let members = useless_without(plan, swap);
            let all = plan.swaps.iter().zip(0..);
            let excess: f64 = all
                .filter(|(_, at)| members >> at & 1 == 1)
                .map(|(swap, _)| swap.cost - swap.surplus)
                .sum();
            let is_all = members.count_ones() as usize == plan.swaps.len();
            if (excess > 0.0 || over > 0) && !is_all {
                self.groups.push(Group {
                    seed: swap.slot.pool,
                    members,
                    excess,
                });
            }
        }
        let order = |a: &Group, b: &Group| b.excess.total_cmp(&a.excess).then(a.seed.cmp(&b.seed));
        self.groups.sort_unstable_by(order);
        let divisor = PORTIONS.get(portion).copied().unwrap_or(usize::MAX);
        let mut most = (plan.swaps.len() / divisor).max(1);
        if plan.swaps.len() <= FEW_SWAPS {
            // Two that can stand in for each other must not both go.
            most = 1;
        }
        if over > 0 {
            // Prices move with every pool that goes: the fewer at once, the
            // better the choice of the next.
            most = most.min(over).min((plan.swaps.len() / haste).max(1));
        }
        let mut dropped = 0_u128;
        for group in &self.groups {
            let with = dropped | group.members;
            let count = with.count_ones() as usize;
            // The first goes in any case.
            if (dropped == 0 || count <= most) && count < plan.swaps.len() {
                dropped = with;
            }
        }
        dropped
    }

    /// Solves again with the chosen pools alone.
    fn resolve(
        &mut self,
        plan: &Plan,
        goal: &Goal<'_>,
        newton: &mut Newton,
        scratch: &mut Scratch,
    ) -> Option<Plan> {
        let Self { pools, problem, .. } = self;
        restrict(problem, plan, pools, goal.lens, scratch);
        newton.balance(problem, goal.lens.graph, goal.fixed, newton::FINE);
        let keep = |slot: &Slot| pools.contains(&slot.pool);
        let plan = Plan::of(
            problem,
            goal.lens,
            goal.sold(),
            &goal.order.costs,
            &keep,
            scratch,
        );
        plan.filter(|plan| goal.is_met(plan))
    }

    /// Takes in again what would bring more than it costs; where there may be
    /// no more swaps, in the place of what brings least.
    fn take_back(
        &mut self,
        full: &Problem,
        mut best: Plan,
        goal: &Goal<'_>,
        newton: &mut Newton,
        scratch: &mut Scratch,
    ) -> Plan {
        for _ in 0..MAX_RETURNS {
            self.pools.clear();
            self.pools
                .extend(best.swaps.iter().map(|swap| swap.slot.pool));
            if self.resolve(&best, goal, newton, scratch).is_none() {
                break;
            }
            let Some((pool, pair, ends)) = self.missed(full, goal, scratch) else {
                break;
            };
            let Self { pools, problem, .. } = self;
            pools.push(pool);
            let [from, to] = ends;
            problem.edges.retain(|edge| edge.pair != pair);
            let keep = |slot: &Slot| pools.contains(&slot.pool);
            problem.join(goal.lens, pair, from, to, &keep, scratch);
            newton.balance(problem, goal.lens.graph, goal.fixed, newton::FINE);
            let costs = &goal.order.costs;
            let next = Plan::of(problem, goal.lens, goal.sold(), costs, &keep, scratch);
            let next = next.filter(|next| goal.is_met(next));
            let next = next.and_then(|next| self.fit(next, goal, newton, scratch));
            match next {
                Some(next) if goal.worth(&next) > goal.worth(&best) => best = next,
                _ => break,
            }
        }
        best
    }

    /// A plan without what brings least, if it has too many swaps.
    fn fit(
        &mut self,
        plan: Plan,
        goal: &Goal<'_>,
        newton: &mut Newton,
        scratch: &mut Scratch,
    ) -> Option<Plan> {
        if plan.swaps.len() <= goal.order.max_swaps {
            return Some(plan);
        }
        self.settled.clear();
        let dropped = self.choose(&plan, (1, 1), 0);
        self.keep_all_but(&plan, dropped);
        let plan = self.resolve(&plan, goal, newton, scratch);
        plan.filter(|plan| plan.swaps.len() <= goal.order.max_swaps)
    }

    /// Chooses the pools of a plan's other swaps.
    fn keep_all_but(&mut self, plan: &Plan, dropped: u128) {
        self.pools.clear();
        let kept = plan.swaps.iter().zip(0..);
        let kept = kept.filter(|(_, at)| dropped >> at & 1 == 0);
        self.pools.extend(kept.map(|(swap, _)| swap.slot.pool));
    }

    /// The pool that is not used and would bring most beyond its cost.
    fn missed(
        &self,
        full: &Problem,
        goal: &Goal<'_>,
        scratch: &mut Scratch,
    ) -> Option<(PoolId, u32, [usize; 2])> {
        let place = |at: usize| {
            let token = full.tokens.get(at)?;
            self.problem.tokens.iter().position(|known| known == token)
        };
        let mut best = None;
        let mut most = 0.0;
        for edge in &full.edges {
            let (Some(from), Some(to)) = (place(edge.from), place(edge.to)) else {
                continue;
            };
            let prices = &self.problem.prices;
            let (Some(price), Some(value)) = (prices.get(from), prices.get(to)) else {
                continue;
            };
            if goal.lens.rate(Sale::new(edge.pair, edge.way)) * value <= *price {
                continue;
            }
            let view = goal.lens.graph.pair(edge.pair)?;
            for slot in view.slots() {
                if !goal.lens.admits(slot) || self.pools.contains(&slot.pool) {
                    continue;
                }
                let mut ticks = 0;
                let rungs = lens::pool(&view, slot, edge.way, scratch);
                let flow = ladder::flow_at(rungs, (value / price).sqrt(), &mut ticks);
                let costs = &goal.order.costs;
                let cost = costs.swap_at(slot.venue) + costs.tick * f64::from(ticks);
                let gain = value * flow.bought - price * flow.sold - cost;
                if gain > most {
                    most = gain;
                    best = Some((slot.pool, edge.pair, [from, to]));
                }
            }
        }
        best
    }
}

/// The problem of a plan's tokens and of these pools alone.
fn restrict(
    small: &mut Problem,
    plan: &Plan,
    pools: &[PoolId],
    lens: Lens<'_>,
    scratch: &mut Scratch,
) {
    small.clear();
    let price = |token| {
        let at = plan.tokens.iter().position(|known| *known == token);
        let price = at.and_then(|at| plan.prices.get(at));
        price.copied().unwrap_or(1.0)
    };
    let ends = [SOLD, BOUGHT].map(|end| plan.tokens.get(end).copied());
    for token in ends.into_iter().flatten() {
        small.tokens.push(token);
        small.prices.push(price(token));
    }
    let kept = |swap: &&Swap| pools.contains(&swap.slot.pool);
    for swap in plan.swaps.iter().filter(kept) {
        let [from, to] = [swap.from, swap.to].map(|at| {
            let token = plan.tokens.get(at).copied().unwrap_or_default();
            let place = small.tokens.iter().position(|known| *known == token);
            place.unwrap_or_else(|| {
                small.tokens.push(token);
                small.prices.push(price(token));
                small.tokens.len() - 1
            })
        });
        if !small.edges.iter().any(|edge| edge.pair == swap.pair) {
            let keep = |slot: &Slot| pools.contains(&slot.pool);
            small.join(lens, swap.pair, from, to, &keep, scratch);
        }
    }
}
