//! More places to begin from, where a better route may be: multi-start local search
//! (Martí, Resende & Ribeiro, *Multi-start methods for combinatorial optimization*).
//!
//! Local search ends at different places. Where the [bound](super::bound) leaves room
//! beyond what is found, it begins again from farther above the limit of swaps, from a
//! relaxed solution, from parts of an amount that is too much for most pools, without each
//! venue, and with each venue alone; then once more from the best of all of them, by
//! iterated local search. So an order that leaves no venue out is about as good as any
//! that does: those are searched without most detours, and are among the candidates of the
//! other. What a detour without venues may pass is the neighbourhood of the order and not
//! the whole graph, whose size would decide otherwise how long all of them take.

use super::arena::Arena;
use super::bound::Bound;
use super::division::Division;
use super::goal::Goal;
use super::improve::{Climb, Closed};
use super::prices::SOLD;
use super::scope::Scope;
use super::{Found, NARROW, ROOM, Search, best, paths};
use crate::VenueSet;
use crate::graph::Lens;
use amm::book::VenueId;
use std::collections::BTreeSet;

/// How many times as many swaps as are allowed a wider climb looks at.
const WIDE: usize = 8;

/// The last unit's price beside the average one, below which most of an order is lost to
/// its price; parts of the amount that such an order is continued from, and how much
/// larger the next part is.
const EXHAUSTED: f64 = 0.5;
const BEGINNINGS: [f64; 2] = [0.01, 0.1];
const GROWTH: f64 = 4.0;

impl<'g> Search<'_, 'g> {
    /// Divisions that may be better than what is found, as far as its bound allows.
    pub(super) fn detours(&self, goal: &Goal, found: &Found<'g>) -> Vec<(Arena<'g>, Division)> {
        let mut divisions = Vec::new();
        let Some(scope) = found.around.as_ref() else {
            return divisions;
        };
        let Some((_, first)) = best(goal, &found.divisions) else {
            return divisions;
        };
        let mut net = first.net(goal);
        let may_pay = |avoid: VenueSet, net: f64| {
            let is_near = |bound: &Bound| bound.net(goal, avoid) - net <= ROOM * net.abs();
            !(self.stop)() && !found.bound.as_ref().is_some_and(is_near)
        };
        if !may_pay(VenueSet::NONE, net) {
            return divisions;
        }
        divisions.extend(self.climb(scope, goal, WIDE));
        divisions.extend(self.relaxed(scope, goal));
        if first.prices[SOLD] * goal.many < first.bought * EXHAUSTED {
            let begin = BEGINNINGS.iter();
            divisions.extend(begin.filter_map(|part| self.continued(goal, *part)));
        }
        if self.order.avoid == VenueSet::NONE {
            let hops = scope.arena.hops.iter();
            let venues: BTreeSet<VenueId> = hops.map(|hop| hop.pool.venue).collect();
            let all: VenueSet = venues.iter().copied().collect();
            let each = |venue: VenueId| [VenueSet::NONE.with(venue), all.but(venue)];
            let near = self.lens.near(&scope.near(self.lens, goal));
            for avoid in venues.iter().copied().flat_map(each) {
                if let Some((_, division)) = divisions.last() {
                    net = net.max(division.net(goal));
                }
                if may_pay(avoid, net) {
                    divisions.extend(self.detour(&near, goal, avoid));
                }
            }
        }
        let last = best(goal, &divisions)
            .and_then(|(arena, best)| self.iterated(scope, goal, arena, best));
        divisions.extend(last);
        divisions
    }

    /// The best division that does without some venues.
    pub(super) fn detour(
        &self,
        near: &Lens<'g>,
        goal: &Goal,
        avoid: VenueSet,
    ) -> Option<(Arena<'g>, Division)> {
        let lens = near.without(avoid);
        let search = Search {
            lens: &lens,
            ..*self
        };
        let paths = paths::best(&lens, goal, self.ends, self.max_hops());
        let scope = if self.max_hops() > 1 {
            search.around(goal, &paths)
        } else {
            Scope::direct(&lens, goal, self.ends)
        };
        search.climb(&scope, goal, NARROW)
    }

    fn relaxed(&self, scope: &Scope<'g>, goal: &Goal) -> Option<(Arena<'g>, Division)> {
        if scope.start.is_empty() {
            return None;
        }
        let division =
            self.climber(&scope.arena, goal)
                .relaxed(&scope.start, &scope.prices, NARROW);
        Some((scope.arena.clone(), division))
    }

    /// The best division of a part of the amount, among what matters to that, improved for
    /// ever larger parts up to the whole (continuation; Allgower & Georg, *Numerical
    /// Continuation Methods*): few paths take all of such an order, and they show little.
    fn continued(&self, goal: &Goal, begin: f64) -> Option<(Arena<'g>, Division)> {
        let of = |part: f64| Goal {
            one: goal.one * part,
            many: goal.many * part,
            ..goal.clone()
        };
        let mut part = begin;
        let first = of(part);
        let paths = paths::best(self.lens, &first, self.ends, self.max_hops());
        let (arena, mut division) = self.climb(&self.around(&first, &paths), &first, NARROW)?;
        while part < 1.0 {
            part = (part * GROWTH).min(1.0);
            let larger = of(part);
            let climb = self.climber(&arena, &larger);
            division = climb.polished(&division.set(), &division.prices);
        }
        Some((arena, division))
    }

    /// A division that was found elsewhere, improved among all pools that matter.
    fn iterated(
        &self,
        scope: &Scope<'g>,
        goal: &Goal,
        arena: &Arena<'g>,
        division: &Division,
    ) -> Option<(Arena<'g>, Division)> {
        let tokens = division
            .parts
            .iter()
            .filter_map(|part| arena.hops.get(part.hop));
        let set = tokens.map(|hop| scope.arena.find(hop.pool, hop.sale));
        let set: Vec<usize> = set.collect::<Option<_>>()?;
        let mut prices = scope.prices.clone();
        for (place, token) in arena.tokens.iter().enumerate() {
            if let Some(at) = scope.arena.tokens.iter().position(|known| known == token) {
                prices[at] = division.prices[place];
            }
        }
        let climb = self.climber(&scope.arena, goal);
        let mut division = climb.polished(&set, &prices);
        if self.order.avoid == VenueSet::NONE {
            division = climb.iterated(division);
        }
        Some((scope.arena.clone(), division))
    }

    pub(super) fn climber<'a>(&'a self, arena: &'a Arena<'g>, goal: &'a Goal) -> Climb<'a, 'g> {
        Climb {
            arena,
            goal,
            closed: Closed::Nothing,
            stop: self.stop,
        }
    }
}
