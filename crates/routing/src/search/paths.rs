//! The best single paths: one pool after the other, at most three, no token twice.
//!
//! Branch and bound (Land & Doig): paths are followed from the sold token with
//! the whole amount; what any continuation could still pay at the prices of
//! first units bounds it, and a path that cannot be among the best is not
//! followed. So the paths found are the best of all, as far as curves are exact.

use super::goal::Goal;
use super::shortest::shortest;
use crate::graph::{Lens, Link, Pool, Sale, TokenId};
use crate::ladder;
use std::sync::Arc;

/// The most swaps of a path, unless so few do not join its ends.
const MAX_HOPS: usize = 3;

/// Paths that are kept: the best one, those that only whole units tell from it,
/// and some that show which tokens matter. Of those that are hardly less than the last
/// of them, some more.
const KEPT: usize = 12;
const KEPT_TIED: usize = 48;

/// Curves are known to 5·10⁻⁵: which of two pools pays more is not known below this share.
const TIE: f64 = 1e-4;

/// One pool after the other, each selling all that the one before bought.
#[derive(Debug, Clone)]
pub(super) struct Path<'g> {
    pub(super) hops: Vec<PathHop<'g>>,
    pub(super) bought: f64,
    /// What is left after fees and costs.
    pub(super) net: f64,
}

impl Path<'_> {
    /// The price of the first unit along it.
    pub(super) fn first_price(&self) -> f64 {
        let rungs = |hop: &PathHop<'_>| ladder::first_price(hop.pool.rungs(hop.sale.direction));
        self.hops.iter().map(rungs).product()
    }

    /// The price of the last unit of a goal's amount at each of its swaps; `None` if its
    /// pools do not take as much.
    pub(super) fn last_prices(&self, goal: &Goal) -> Option<Vec<f64>> {
        let mut amount = goal.amount(self.hops.len());
        let price = |hop: &PathHop<'_>| {
            let rungs = hop.pool.rungs(hop.sale.direction);
            let price = ladder::price_behind(rungs, amount);
            amount = ladder::flow_for(rungs, amount)?.bought;
            Some(price)
        };
        self.hops.iter().map(price).collect()
    }
}

/// A swap of a path: it sells what the one before it bought, the first what the order sells.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathHop<'g> {
    pub(super) to: TokenId,
    pub(super) pool: &'g Arc<Pool>,
    pub(super) sale: Sale,
}

/// The best paths for a goal, the best first. Of pools side by side that lead on
/// to the same tokens the best counts.
pub(super) fn best<'g>(
    lens: &Lens<'g>,
    goal: &Goal,
    [sold, bought]: [TokenId; 2],
    max_hops: usize,
) -> Vec<Path<'g>> {
    let max_hops = max_hops.min(MAX_HOPS).min(goal.max_swaps);
    let mut tree = Tree {
        lens,
        goal,
        bought,
        max_hops,
        rates: Rates::new(lens, bought, max_hops),
        hops: Vec::with_capacity(MAX_HOPS),
        passed: vec![sold],
        found: Vec::new(),
    };
    tree.direct(sold);
    if max_hops > 1 {
        tree.follow(sold, goal.many, 0.0);
    }
    if tree.found.is_empty() && max_hops == MAX_HOPS {
        tree.found.extend(longer(lens, goal, [sold, bought]));
    }
    tree.found
}

/// A path between tokens that no three swaps join, by the best pools along a path.
fn longer<'g>(lens: &Lens<'g>, goal: &Goal, ends: [TokenId; 2]) -> Option<Path<'g>> {
    let (mut amount, mut cost) = (goal.many, 0.0);
    let mut hops = Vec::new();
    for Link { to, sale } in shortest(lens, ends, goal.max_swaps)? {
        let flow = |pool: &Arc<Pool>| ladder::flow_for(pool.rungs(sale.direction), amount);
        let pools = lens
            .pools(sale)
            .filter_map(|pool| Some((pool, flow(pool)?.bought)));
        let (pool, bought) = pools.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        hops.push(PathHop { to, pool, sale });
        amount = bought;
        cost += goal.costs.swap_at(pool.venue);
    }
    Some(Path {
        bought: amount,
        net: goal.net(amount, hops.len(), cost),
        hops,
    })
}

/// The best price of first units from tokens to the bought one, by the number of
/// swaps that are left: Bellman–Ford's first rounds.
struct Rates {
    by_one: Vec<f64>,
    by_two: Vec<f64>,
}

impl Rates {
    fn new(lens: &Lens<'_>, bought: TokenId, max_hops: usize) -> Self {
        let mut rates = Self {
            by_one: vec![0.0; lens.topology().token_count()],
            by_two: Vec::new(),
        };
        for link in lens.neighbours(bought) {
            if let Some(rate) = rates.by_one.get_mut(link.to as usize) {
                *rate = lens.rate(link.sale.back());
            }
        }
        if max_hops < MAX_HOPS {
            return rates;
        }
        rates.by_two.clone_from(&rates.by_one);
        for link in lens.neighbours(bought) {
            let last = lens.rate(link.sale.back());
            for before in lens.neighbours(link.to).iter().filter(|_| last > 0.0) {
                if let Some(rate) = rates.by_two.get_mut(before.to as usize) {
                    *rate = rate.max(lens.rate(before.sale.back()) * last);
                }
            }
        }
        rates
    }

    /// With at most so many swaps left, one or two.
    fn get(&self, token: TokenId, left: usize) -> f64 {
        let rates = if left <= 1 {
            &self.by_one
        } else {
            &self.by_two
        };
        rates.get(token as usize).copied().unwrap_or_default()
    }
}

struct Tree<'a, 'g> {
    lens: &'a Lens<'g>,
    goal: &'a Goal,
    bought: TokenId,
    max_hops: usize,
    rates: Rates,
    /// The path until here, and the tokens on it.
    hops: Vec<PathHop<'g>>,
    passed: Vec<TokenId>,
    /// The best paths so far, the best first.
    found: Vec<Path<'g>>,
}

impl<'g> Tree<'_, 'g> {
    /// Every single swap: each pool counts.
    fn direct(&mut self, sold: TokenId) {
        if let Some(sale) = self.lens.topology().sale(sold, self.bought) {
            for pool in self.lens.pools(sale) {
                self.finish(pool, sale, self.goal.one, 0.0);
            }
        }
    }

    /// Follows all continuations through another token that may still be among
    /// the best, the most promising first.
    fn follow(&mut self, from: TokenId, amount: f64, cost: f64) {
        let left = self.max_hops - self.hops.len() - 1;
        let mut open: Vec<(f64, Link)> = Vec::new();
        for link in self.lens.neighbours(from) {
            let rate = self.lens.rate(link.sale) * self.rates.get(link.to, left);
            let is_new = link.to != self.bought && !self.passed.contains(&link.to);
            let most = self.goal.net(amount * rate, 2, cost);
            if is_new && rate > 0.0 && most > self.least() {
                open.push((most, *link));
            }
        }
        open.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        for (most, link) in open {
            if most <= self.least() {
                break;
            }
            for (pool, bought, paid) in self.undominated(link.sale, amount) {
                self.enter(link, pool, bought, cost + paid);
            }
        }
    }

    /// Goes to another token, ends from there, and follows on.
    fn enter(&mut self, link: Link, pool: &'g Arc<Pool>, amount: f64, cost: f64) {
        let (to, sale) = (link.to, link.sale);
        self.hops.push(PathHop { to, pool, sale });
        self.passed.push(to);
        if let Some(sale) = self.lens.topology().sale(to, self.bought) {
            for (pool, _, _) in self.undominated(sale, amount) {
                self.finish(pool, sale, amount, cost);
            }
        }
        if self.hops.len() + 1 < self.max_hops {
            self.follow(to, amount, cost);
        }
        self.passed.pop();
        self.hops.pop();
    }

    /// The pools of a sale that no other both pays more and costs less than, as far as
    /// curves tell, with what they pay and cost.
    fn undominated(&self, sale: Sale, amount: f64) -> Vec<(&'g Arc<Pool>, f64, f64)> {
        let mut best: Vec<(&Arc<Pool>, f64, f64)> = Vec::new();
        for pool in self.lens.pools(sale) {
            let Some((bought, cost)) = self.traded(pool, sale, amount) else {
                continue;
            };
            if best
                .iter()
                .all(|(_, more, less)| bought > *more * (1.0 - TIE) || cost < *less)
            {
                best.retain(|(_, less, more)| *less > bought * (1.0 - TIE) || *more < cost);
                best.push((pool, bought, cost));
            }
        }
        best
    }

    /// What a pool pays for an amount, in whole units, and what its swap costs: where few
    /// units are worth much, more than one pool pays as many.
    fn traded(&self, pool: &Pool, sale: Sale, amount: f64) -> Option<(f64, f64)> {
        let flow = ladder::flow_for(pool.rungs(sale.direction), amount)?;
        let ticks = if pool.has_ticks { flow.passed } else { 0 };
        let costs = &self.goal.costs;
        let cost = costs.swap_at(pool.venue) + costs.tick * f64::from(ticks);
        Some((flow.bought.floor(), cost))
    }

    /// Ends with this swap, and keeps the path if it is among the best.
    fn finish(&mut self, pool: &'g Arc<Pool>, sale: Sale, amount: f64, cost: f64) {
        let Some((bought, paid)) = self.traded(pool, sale, amount) else {
            return;
        };
        let net = self.goal.net(bought, self.hops.len() + 1, cost + paid);
        if net <= self.least() || bought <= 0.0 {
            return;
        }
        let to = self.bought;
        let mut hops = self.hops.clone();
        hops.push(PathHop { to, pool, sale });
        let place = self.found.partition_point(|path| path.net >= net);
        self.found.insert(place, Path { hops, bought, net });
        let least = self.least();
        self.found.retain(|path| path.net > least);
        self.found.truncate(KEPT_TIED);
    }

    /// What a path must leave to be kept.
    fn least(&self) -> f64 {
        let last = self.found.get(KEPT - 1);
        last.map_or(f64::NEG_INFINITY, |path| path.net - path.bought * TIE)
    }
}
