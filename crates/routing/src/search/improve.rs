//! Local search for a set of pools (Aarts & Lenstra, *Local Search in
//! Combinatorial Optimization*): add what helps most, drop what does not pay for
//! its swap or is one too many, as long as that is better.

use super::additions::{Addition, additions};
use super::arena::{Arena, Hop};
use super::branches::{Branch, branches};
use super::division::Division;
use super::edges::{self, Edge};
use super::goal::Goal;
use super::prices::{Prices, SOLD};
use crate::VenueSet;
use amm::book::PoolId;

/// Improvements of one search; a set of twelve is usually done after twenty.
const MAX_ROUNDS: usize = 64;

/// Additions that are tried before a set counts as the best around.
const TRIES: usize = 6;

/// How many times as many swaps as are allowed are looked at before.
const OVERGROWTH: usize = 2;

/// A part is tried to be left out if that seems to lose less than so many times
/// what its swap costs: losses are known only nearly.
const DOUBT: f64 = 4.0;

/// What counts as better, as a share: less is lost in whole units.
const BETTER: f64 = 1e-8;

/// A place of the search.
pub(super) struct Climb<'a, 'g> {
    pub(super) arena: &'a Arena<'g>,
    pub(super) goal: &'a Goal,
    /// Venues and a pool that are not used.
    pub(super) closed: VenueSet,
    pub(super) without: Option<PoolId>,
    pub(super) stop: &'a dyn Fn() -> bool,
}

impl Climb<'_, '_> {
    /// The best division that is found from a set of hops on: grown beyond what is
    /// allowed, cut back to it, and improved there.
    pub(super) fn from(&self, set: &[usize], prices: &Prices) -> Division {
        let start = Division::new(self.arena, self.goal, set, prices);
        let limit = self.goal.max_swaps;
        let grown = self.improved(start, limit.saturating_mul(OVERGROWTH));
        let cut = self.trimmed(grown, limit);
        self.improved(cut, limit)
    }

    /// Whether a hop may be used.
    pub(super) fn is_open(&self, hop: usize) -> bool {
        let pool = self.arena.hops.get(hop).map(|hop| hop.pool);
        pool.is_some_and(|pool| !self.closed.has(pool.venue) && self.without != Some(pool.id))
    }

    /// Makes it better as long as that is possible, with at most so many swaps.
    fn improved(&self, mut now: Division, limit: usize) -> Division {
        for _ in 0..MAX_ROUNDS {
            // Without a real division there is nothing to stop with.
            if now.bought > 0.0 && (self.stop)() {
                break;
            }
            match self.add(&now, limit).or_else(|| self.drop(&now)) {
                Some(better) => now = better,
                None => break,
            }
        }
        now
    }

    /// The first of the most helpful additions that makes it better.
    fn add(&self, now: &Division, limit: usize) -> Option<Division> {
        let value = now.prices[SOLD] * self.goal.many;
        let found = additions(self.arena, now, value, |hop| self.is_open(hop));
        let tries = found
            .iter()
            .filter(|addition| self.fits(now, addition))
            .take(TRIES);
        for addition in tries {
            let mut set = now.set();
            set.extend_from_slice(&addition.hops);
            let trial = self.trimmed(
                Division::new(self.arena, self.goal, &set, &addition.prices),
                limit,
            );
            if self.is_better(&trial, now) {
                return Some(trial);
            }
        }
        None
    }

    /// The first branch without which it is better.
    fn drop(&self, now: &Division) -> Option<Division> {
        let branches = branches(self.arena, now);
        let may_pay = |branch: &&Branch| branch.loss < DOUBT * branch.cost;
        let mut trials = branches
            .iter()
            .filter(may_pay)
            .map(|branch| self.without(now, branch));
        trials.find(|trial| self.is_better(trial, now))
    }

    fn is_better(&self, trial: &Division, now: &Division) -> bool {
        let [net, before] = [trial, now].map(|division| division.net(self.goal));
        net > before && net - before > before.abs() * BETTER
    }

    /// Drops what is too many, and what costs more than it brings.
    fn trimmed(&self, mut division: Division, limit: usize) -> Division {
        for _ in 0..division.parts.len() {
            let branches = branches(self.arena, &division);
            let weakest = branches
                .iter()
                .min_by(|a, b| a.brings().total_cmp(&b.brings()));
            let Some(weakest) = weakest else { break };
            let is_too_many = division.parts.len() > limit;
            if !is_too_many && (weakest.brings() >= 0.0 || division.bought <= 0.0) {
                break;
            }
            let trial = self.without(&division, weakest);
            if !is_too_many && !self.is_better(&trial, &division) {
                break;
            }
            division = trial;
        }
        division
    }

    /// The same without a branch, and without all that is of no use then.
    fn without(&self, division: &Division, branch: &Branch) -> Division {
        let mut set = division.set();
        set.retain(|hop| !branch.hops.contains(hop));
        let mut used = edges::in_use(&self.edges(&set)).into_iter();
        set.retain(|_| used.next().unwrap_or_default());
        Division::new(self.arena, self.goal, &set, &division.prices)
    }

    /// Whether no flow could go round with an addition.
    fn fits(&self, now: &Division, addition: &Addition) -> bool {
        let set = [now.set(), addition.hops.clone()].concat();
        edges::in_order(&self.edges(&set)).is_some()
    }

    fn edges(&self, set: &[usize]) -> Vec<Edge> {
        let hops = set.iter().filter_map(|at| self.arena.hops.get(*at));
        hops.map(Hop::ends).collect()
    }
}
