//! Local search for a set of pools (Aarts & Lenstra, *Local Search in
//! Combinatorial Optimization*): add what helps most, drop what does not pay for
//! its swap or is one too many, as long as that is better. And iterated local search
//! (Lourenço, Martin & Stützle): do without something for a while, since what takes its
//! place may be better with all again.

use super::additions::{Addition, additions};
use super::arena::{Arena, Hop};
use super::branches::{Branch, branches};
use super::division::Division;
use super::edges::{self, Edge};
use super::goal::Goal;
use super::prices::{BOUGHT, Prices, SOLD};
use amm::book::{PoolId, VenueId};
use std::collections::BTreeSet;

/// Improvements of one search; a set of twelve is usually done after twenty.
const MAX_ROUNDS: usize = 64;

/// Additions that are tried before a set counts as the best around.
const TRIES: usize = 6;

/// Additions that gain at least this part of the best one's gain are made at once.
const ALIKE: f64 = 0.1;

/// Of the swaps that are too many, one in so many is dropped at once.
const DROPPED: usize = 10;

/// A part is tried to be left out if that seems to lose less than so many times
/// what its swap costs: losses are known only nearly.
const DOUBT: f64 = 4.0;

/// The part of their costs that swaps have while a relaxed solution grows.
const RELAXED: f64 = 0.25;

/// What counts as better, as a share: less is lost in whole units.
const BETTER: f64 = 1e-8;

/// A local search among the hops of one arena.
pub(super) struct Climb<'a, 'g> {
    pub(super) arena: &'a Arena<'g>,
    pub(super) goal: &'a Goal,
    pub(super) closed: Closed,
    pub(super) stop: &'a dyn Fn() -> bool,
}

/// What a search does without, so that what it finds is unlike what passes it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Closed {
    Nothing,
    Pool(PoolId),
    Venue(VenueId),
    /// A token of the arena, by its place.
    Token(usize),
}

impl Climb<'_, '_> {
    /// The best division that is found from a set of hops on: grown to so many times
    /// as many swaps as are allowed, cut back to what is, and improved there.
    pub(super) fn from(&self, set: &[usize], prices: &Prices, overgrowth: usize) -> Division {
        let start = Division::new(self.arena, self.goal, set, prices);
        let grown = self.grown(start, self.goal.max_swaps.saturating_mul(overgrowth));
        self.cut(grown)
    }

    /// The same by rounding a relaxed solution: grown as if swaps cost but a part of
    /// what they do, so that pools are found that pay together and not alone.
    pub(super) fn relaxed(&self, set: &[usize], prices: &Prices, overgrowth: usize) -> Division {
        let arena = self.arena.at_part_of_cost(RELAXED);
        let climb = Climb {
            arena: &arena,
            ..*self
        };
        let start = Division::new(&arena, self.goal, set, prices);
        let grown = climb.grown(start, self.goal.max_swaps.saturating_mul(overgrowth));
        let grown = Division::new(self.arena, self.goal, &grown.set(), &grown.prices);
        self.cut(grown)
    }

    /// Improves a set as it is.
    pub(super) fn polished(&self, set: &[usize], prices: &Prices) -> Division {
        let start = Division::new(self.arena, self.goal, set, prices);
        self.improved(start, self.goal.max_swaps)
    }

    /// Improves a division without each venue and each token that it passes, one after the
    /// other, and from there with all of them; what is better stays.
    pub(super) fn iterated(&self, mut best: Division) -> Division {
        for closed in self.passed(&best) {
            if (self.stop)() {
                break;
            }
            let climb = Self { closed, ..*self };
            let Some(found) = climb.rest(&best) else {
                continue;
            };
            let found = self.polished(&found.set(), &found.prices);
            if self.is_better(&found, &best) {
                best = found;
            }
        }
        best
    }

    /// What a division passes between its ends.
    fn passed(&self, division: &Division) -> Vec<Closed> {
        let hops = division.parts.iter();
        let hops = hops.filter_map(|part| self.arena.hops.get(part.hop));
        let (mut venues, mut tokens) = (BTreeSet::new(), BTreeSet::new());
        for hop in hops {
            venues.insert(hop.pool.venue);
            tokens.extend(hop.ends());
        }
        let between = tokens
            .into_iter()
            .filter(|node| ![SOLD, BOUGHT].contains(node));
        let venues = venues.into_iter().map(Closed::Venue);
        venues.chain(between.map(Closed::Token)).collect()
    }

    /// What is left of a division where something is closed, improved; `None` if nothing is.
    fn rest(&self, division: &Division) -> Option<Division> {
        let mut set = division.set();
        set.retain(|hop| self.is_open(*hop));
        let set = self.in_use(set);
        (!set.is_empty()).then(|| self.polished(&set, &division.prices))
    }

    /// Cuts back to as many swaps as are allowed, and improves what is left.
    fn cut(&self, grown: Division) -> Division {
        let limit = self.goal.max_swaps;
        let cut = self.trimmed(grown, limit);
        self.improved(cut, limit)
    }

    /// Whether a hop may be used.
    pub(super) fn is_open(&self, hop: usize) -> bool {
        let hop = self.arena.hops.get(hop);
        hop.is_some_and(|hop| match self.closed {
            Closed::Nothing => true,
            Closed::Pool(pool) => hop.pool.id != pool,
            Closed::Venue(venue) => hop.pool.venue != venue,
            Closed::Token(node) => !hop.ends().contains(&node),
        })
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

    /// Makes the most helpful additions, several at a time, as long as that is
    /// better and there are fewer swaps than this.
    fn grown(&self, mut now: Division, limit: usize) -> Division {
        for _ in 0..limit {
            if now.parts.len() >= limit || (now.bought > 0.0 && (self.stop)()) {
                break;
            }
            let mut found = self.additions(&now);
            let least = found.first().map_or(0.0, |best| best.gain * ALIKE);
            found.retain(|addition| addition.gain >= least);
            // Too many at once may take prices too far: then half of them.
            let halves = std::iter::successors(Some(found.len()), |count| Some(count / 2));
            let mut trials = halves
                .take_while(|count| *count > 0)
                .map(|count| self.with_all(&now, found.iter().take(count), limit));
            let Some(better) = trials.find(|trial| self.is_better(trial, &now)) else {
                break;
            };
            now = better;
        }
        now
    }

    /// The same with all of some additions that fit and that the limit allows.
    fn with_all<'x>(
        &self,
        now: &Division,
        additions: impl Iterator<Item = &'x Addition>,
        limit: usize,
    ) -> Division {
        let (mut set, mut prices) = (now.set(), now.prices.clone());
        for addition in additions {
            if set.len() < limit && self.fits(&set, addition) {
                set.extend_from_slice(&addition.hops);
                prices.extend(&addition.prices);
            }
        }
        Division::new(self.arena, self.goal, &set, &prices)
    }

    /// The first of the most helpful additions that makes it better.
    fn add(&self, now: &Division, limit: usize) -> Option<Division> {
        let set = now.set();
        let found = self.additions(now);
        let fitting = found.iter().filter(|addition| self.fits(&set, addition));
        let mut trials = fitting.take(TRIES).map(|addition| {
            let set = [set.as_slice(), &addition.hops].concat();
            let mut prices = now.prices.clone();
            prices.extend(&addition.prices);
            self.trimmed(Division::new(self.arena, self.goal, &set, &prices), limit)
        });
        trials.find(|trial| self.is_better(trial, now))
    }

    /// What would help, the most helpful first.
    fn additions(&self, now: &Division) -> Vec<Addition> {
        let value = now.prices[SOLD] * self.goal.many;
        additions(self.arena, now, value, |hop| self.is_open(hop))
    }

    /// The first branch without which it is better.
    fn drop(&self, now: &Division) -> Option<Division> {
        let branches = branches(self.arena, now);
        let may_pay = |branch: &&Branch| branch.loss < DOUBT * branch.cost;
        let mut trials = branches
            .iter()
            .filter(may_pay)
            .map(|branch| self.without(now, std::slice::from_ref(branch)));
        trials.find(|trial| self.is_better(trial, now))
    }

    fn is_better(&self, trial: &Division, now: &Division) -> bool {
        let [net, before] = [trial, now].map(|division| division.net(self.goal));
        net > before && net - before > before.abs() * BETTER
    }

    /// Drops what is too many, the weakest first, and what costs more than it
    /// brings.
    fn trimmed(&self, mut division: Division, limit: usize) -> Division {
        for _ in 0..division.parts.len() {
            let mut branches = branches(self.arena, &division);
            branches.sort_by(|a, b| a.brings().total_cmp(&b.brings()));
            let Some(weakest) = branches.first() else {
                break;
            };
            let excess = division.parts.len().saturating_sub(limit);
            if excess == 0 && (weakest.brings() >= 0.0 || division.bought <= 0.0) {
                break;
            }
            // Losses are those of one branch alone, so that only a part goes at once.
            branches.truncate(excess.div_ceil(DROPPED).max(1));
            let trial = self.without(&division, &branches);
            if excess == 0 && !self.is_better(&trial, &division) {
                break;
            }
            division = trial;
        }
        division
    }

    /// The same without some branches, and without all that is of no use then.
    fn without(&self, division: &Division, branches: &[Branch]) -> Division {
        let mut set = division.set();
        let is_dropped = |hop: &usize| branches.iter().any(|branch| branch.hops.contains(hop));
        set.retain(|hop| !is_dropped(hop));
        let set = self.in_use(set);
        Division::new(self.arena, self.goal, &set, &division.prices)
    }

    /// Hops without those that lead to or come from nowhere.
    fn in_use(&self, mut set: Vec<usize>) -> Vec<usize> {
        let mut used = edges::in_use(&self.edges(&set)).into_iter();
        set.retain(|_| used.next().unwrap_or_default());
        set
    }

    /// Whether with an addition no flow can go round and no pool trades twice.
    fn fits(&self, set: &[usize], addition: &Addition) -> bool {
        let pool = |at: &usize| self.arena.hops.get(*at).map(|hop| hop.pool.id);
        let is_new = |at: &usize| set.iter().all(|used| pool(used) != pool(at));
        let set = [set, &addition.hops].concat();
        addition.hops.iter().all(is_new) && edges::in_order(&self.edges(&set)).is_some()
    }

    fn edges(&self, set: &[usize]) -> Vec<Edge> {
        let hops = set.iter().filter_map(|at| self.arena.hops.get(*at));
        hops.map(Hop::ends).collect()
    }
}
