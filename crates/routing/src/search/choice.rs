//! Which pools to use, where swaps cost something or may only be few.
//!
//! Every pool that could be used is an edge of its own here, open or closed.
//! What an open one gains at the prices of the solution is about what is lost
//! without it, and what a closed one would gain is about what it would bring:
//! those that bring least are closed, with all that is of no use without them,
//! and those that would bring more are opened in their place. Each attempt
//! begins at the prices of the last, which are close.

use super::Goal;
use super::bonds::Bonds;
use super::greedy;
use super::newton::{self, Fixed, Newton};
use super::plan::Plan;
use super::problem::{Edge, Problem};
use crate::Stop;
use crate::graph::{Graph, PairView, Sale, Slot};
use crate::ladder;

/// Pools that are looked at.
const MAX_POOLS: usize = 384;

/// Pools that are looked at though they do not pay at the first prices: all in
/// all, and the best of each pair in any case.
const PROMISING: usize = 64;
const FIRST_OF_PAIR: usize = 2;

/// How much farther prices may go with fewer pools.
const FARTHER: f64 = 1.02;

/// The part of all that is closed at once where there are too many,
const HASTE: usize = 5;
/// and where they only cost too much.
const PORTIONS: [usize; 4] = [2, 4, 8, usize::MAX];

/// Few pools are closed one after the other.
const FEW: usize = 10;

/// Attempts to close something,
const MAX_CLOSINGS: usize = 64;
/// and to open something: in all, and without success.
const MAX_OPENINGS: usize = 24;
const MAX_FAILURES: usize = 4;

/// Prices that are tried for a token between two pools.
const PRICINGS: usize = 4;

/// Sales that are tried to make a purchase of one.
const SALES: usize = 8;

/// What may be out of balance while pools are chosen, as a share of what is
/// traded, and what shows that there is no solution.
const CLOSE: f64 = 1e-3;
const LOST: f64 = 0.05;

/// What an attempt must bring, as a share.
const SLIGHT: f64 = 1e-8;

/// Memory for the choice of pools.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// Tokens with prices, and all pools that are looked at.
    pub(super) problem: Problem,
    found: Vec<Found>,
    /// The open pools, and the tokens that each joins.
    open: Vec<usize>,
    ends: Vec<[usize; 2]>,
    nets: Vec<f64>,
    groups: Vec<Group>,
    /// The members of the groups, one group after the other.
    members: Vec<usize>,
    /// Pools that have to stay, or that were tried in vain.
    settled: Vec<bool>,
    /// Tokens that open pools pass.
    is_live: Vec<bool>,
    best: State,
}

/// A pool of an edge.
#[derive(Debug, Clone, Copy)]
struct Found {
    edge: usize,
    slot: Slot,
    /// What it gains at the prices, and at prices that are farther apart.
    gain: f64,
    promise: f64,
    /// Whether it is one of the best of its pair.
    is_first: bool,
}

/// Pools that go together.
#[derive(Debug, Clone, Copy)]
struct Group {
    seed: usize,
    /// The first of its members, and the end of them.
    members: [usize; 2],
    /// What they bring beyond what they cost.
    net: f64,
}

impl Group {
    /// Those first that bring least.
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        a.net.total_cmp(&b.net).then(a.seed.cmp(&b.seed))
    }
}

/// Pools that would help: one twice, or two with a token between them.
#[derive(Debug, Clone, Copy)]
struct Entry {
    pools: [usize; 2],
    /// What each brings beyond what it costs.
    net: f64,
    /// The token between them, and its price.
    token: usize,
    price: f64,
}

impl Entry {
    const NONE: Self = Self {
        pools: [usize::MAX; 2],
        net: 0.0,
        token: usize::MAX,
        price: 0.0,
    };
}

/// A solution.
#[derive(Debug, Default)]
struct State {
    is_open: Vec<bool>,
    prices: Vec<f64>,
    worth: f64,
}

/// What a choice is made with.
pub(super) struct Means<'a> {
    pub(super) newton: &'a mut Newton,
    pub(super) stop: Stop<'a>,
}

impl Choice {
    /// Looks for pools between the tokens of a problem: those that gain
    /// something at its prices, and if there are too many of them or if
    /// `farther`, those that would if prices were a little farther apart.
    pub(super) fn gather(&mut self, wide: &Problem, goal: &Goal<'_>, farther: bool) {
        if !farther {
            self.look(wide, goal, 1.0);
        }
        if farther || self.found.len() > goal.order.max_swaps {
            self.look(wide, goal, FARTHER);
        }
        let order = |a: &Found, b: &Found| {
            let gains = b.gain.total_cmp(&a.gain);
            let firsts = gains.then(b.is_first.cmp(&a.is_first));
            let promises = firsts.then(b.promise.total_cmp(&a.promise));
            promises.then(a.slot.pool.cmp(&b.slot.pool))
        };
        self.found.sort_unstable_by(order);
        let sure = self.found.iter();
        let sure = sure.filter(|found| found.gain > 0.0 || found.is_first);
        self.found.truncate((sure.count() + PROMISING).min(MAX_POOLS));
        let Self { problem, found, .. } = self;
        problem.clear();
        problem.tokens.extend_from_slice(&wide.tokens);
        problem.prices.extend_from_slice(&wide.prices);
        for found in found {
            let edge = wide.edges.get(found.edge);
            let view = edge.and_then(|edge| goal.lens.graph.pair(edge.pair));
            if let (Some(edge), Some(view)) = (edge, view) {
                problem.join_pool(edge, &view, &found.slot);
            }
        }
    }

    fn look(&mut self, wide: &Problem, goal: &Goal<'_>, farther: f64) {
        self.found.clear();
        for (at, edge) in wide.edges.iter().enumerate() {
            let price = |place: usize| wide.prices.get(place).copied().unwrap_or_default();
            let prices = [price(edge.from), price(edge.to)];
            let apart = [prices[0], prices[1] * farther];
            let rate = goal.lens.rate(Sale::new(edge.pair, edge.way));
            if rate * apart[1] <= apart[0] {
                continue;
            }
            let Some(view) = goal.lens.graph.pair(edge.pair) else {
                continue;
            };
            let begin = self.found.len();
            for slot in view.slots().iter().filter(|slot| goal.lens.admits(slot)) {
                let promise = gain(&view, edge, slot, apart);
                if promise > 0.0 {
                    self.found.push(Found {
                        edge: at,
                        slot: *slot,
                        gain: gain(&view, edge, slot, prices).max(0.0),
                        promise,
                        is_first: false,
                    });
                }
            }
            let pair = self.found.get_mut(begin..).unwrap_or_default();
            if farther > 1.0 {
                let firsts = pair.len().min(FIRST_OF_PAIR);
                pair.sort_unstable_by(|a, b| b.promise.total_cmp(&a.promise));
                for found in pair.iter_mut().take(firsts) {
                    found.is_first = true;
                }
            }
        }
    }

    /// What all pools gain that pay at the first prices, beyond what as many as
    /// are allowed would keep after costs. Known until a plan is made.
    pub(super) fn paid(&mut self, goal: &Goal<'_>, limit: usize) -> f64 {
        let Self { found, nets, .. } = self;
        nets.clear();
        for found in found.iter() {
            let cost = goal.order.costs.swap_at(found.slot.venue);
            nets.push((found.gain - cost).max(0.0));
        }
        nets.sort_unstable_by(|a, b| b.total_cmp(a));
        let gained: f64 = found.iter().map(|found| found.gain).sum();
        gained - nets.iter().take(limit).sum::<f64>()
    }

    /// The best plan with so many swaps at most that it finds among the pools.
    pub(super) fn plan(
        &mut self,
        goal: &Goal<'_>,
        limit: usize,
        means: &mut Means<'_>,
    ) -> Option<Plan> {
        for edge in &mut self.problem.edges {
            edge.is_open = true;
        }
        self.settled.clear();
        self.settled.resize(self.problem.edges.len(), false);
        let Some(worth) = self.balance(goal, means) else {
            return self.in_chunks(goal, limit, means);
        };
        self.keep(worth);
        self.close_most(goal, limit, means);
        self.improve(goal, limit, means)
    }

    /// The best plan that it finds near to the best solution so far.
    fn improve(
        &mut self,
        goal: &Goal<'_>,
        limit: usize,
        means: &mut Means<'_>,
    ) -> Option<Plan> {
        self.close_dear(goal, means);
        self.exchange(goal, limit, means);
        let plan = self.made(goal, means);
        plan.filter(|plan| plan.swaps.len() <= limit)
    }

    /// What is done where balanced prices are not found: the amount in chunks,
    /// and prices for the pools that those pass.
    fn in_chunks(
        &mut self,
        goal: &Goal<'_>,
        limit: usize,
        means: &mut Means<'_>,
    ) -> Option<Plan> {
        let graph = goal.lens.graph;
        let sold = greedy::fill(&mut self.problem, graph, goal.fixed, limit)?;
        for edge in &mut self.problem.edges {
            edge.is_open = edge.flow.sold > 0.0;
        }
        let chunks = Plan::of(&mut self.problem, graph, Some(sold), &goal.order.costs);
        let chunks = chunks.filter(|plan| goal.is_met(plan));
        let chunks = chunks.or_else(|| self.by_sale(goal, sold, means));
        let found = self.balance(goal, means).and_then(|worth| {
            self.keep(worth);
            self.improve(goal, limit, means)
        });
        found.or(chunks)
    }

    /// The plan of a purchase as that of the sale that buys as much: sought by
    /// what more or less would buy, from about this amount.
    fn by_sale(&mut self, goal: &Goal<'_>, about: f64, means: &mut Means<'_>) -> Option<Plan> {
        let Fixed::Out(target) = goal.fixed else {
            return None;
        };
        let Self { problem, .. } = self;
        let graph = goal.lens.graph;
        let mut sold = about;
        for _ in 0..SALES {
            let fixed = Fixed::In(sold);
            means.newton.balance(problem, graph, fixed, newton::FINE);
            let plan = Plan::of(problem, graph, Some(sold), &goal.order.costs)?;
            if goal.is_met(&plan) {
                return Some(plan);
            }
            sold += (target - plan.bought) / problem.prices.first().copied()?;
            if !(sold > 0.0 && sold.is_finite()) {
                return None;
            }
        }
        None
    }

    /// The plan of the best solution.
    fn made(&mut self, goal: &Goal<'_>, means: &mut Means<'_>) -> Option<Plan> {
        self.restore(goal.lens.graph);
        let graph = goal.lens.graph;
        means
            .newton
            .balance(&mut self.problem, graph, goal.fixed, newton::FINE);
        let plan = Plan::of(&mut self.problem, graph, goal.sold(), &goal.order.costs);
        plan.filter(|plan| goal.is_met(plan))
    }

    /// Solves with the open pools, closes those that nothing flows through,
    /// and says what the rest is worth; `None` if they cannot do it.
    fn balance(&mut self, goal: &Goal<'_>, means: &mut Means<'_>) -> Option<f64> {
        let Self { problem, .. } = self;
        let balance = means
            .newton
            .balance(problem, goal.lens.graph, goal.fixed, CLOSE);
        if balance.rest > LOST {
            return None;
        }
        let (mut count, mut cost) = (0, 0.0);
        for edge in &mut problem.edges {
            edge.is_open &= edge.flow.sold > 0.0;
            if edge.is_open {
                count += 1;
                cost += goal.cost(edge);
            }
        }
        Some(goal.net(balance.bound, count, cost))
    }

    fn keep(&mut self, worth: f64) {
        let Self { problem, best, .. } = self;
        best.is_open.clear();
        best.is_open.extend(problem.edges.iter().map(|edge| edge.is_open));
        best.prices.clone_from(&problem.prices);
        best.worth = worth;
    }

    fn restore(&mut self, graph: &Graph) {
        let Self { problem, best, .. } = self;
        for (edge, is_open) in problem.edges.iter_mut().zip(&best.is_open) {
            edge.is_open = *is_open;
        }
        problem.prices.clone_from(&best.prices);
        problem.flow(graph, &best.prices, |_, _| ());
    }

    /// Closes what brings least until there are few enough.
    fn close_most(&mut self, goal: &Goal<'_>, limit: usize, means: &mut Means<'_>) {
        for _ in 0..MAX_CLOSINGS {
            let count = self.open_count();
            let Some(over) = count.checked_sub(limit).filter(|over| *over > 0) else {
                break;
            };
            self.group(goal);
            self.rank_by_place(over);
            if !self.close(over.min((count / HASTE).max(1))) {
                break;
            }
            match self.balance(goal, means) {
                Some(worth) => self.keep(worth),
                None => self.undo(goal.lens.graph),
            }
        }
    }

    /// Closes what costs more than it brings, as long as that pays.
    fn close_dear(&mut self, goal: &Goal<'_>, means: &mut Means<'_>) {
        let mut portion = 0;
        for _ in 0..MAX_CLOSINGS {
            let count = self.open_count();
            self.group(goal);
            self.groups.retain(|group| group.net < 0.0);
            let divisor = PORTIONS.get(portion).copied().unwrap_or(usize::MAX);
            // Two that can stand in for each other must not both go.
            let most = if count <= FEW { 1 } else { (count / divisor).max(1) };
            if (means.stop)() || !self.close(most) {
                break;
            }
            match self.balance(goal, means) {
                Some(worth) if worth > self.best.worth => {
                    self.keep(worth);
                    portion = portion.saturating_sub(1);
                }
                // Too much at once.
                _ if portion + 1 < PORTIONS.len() && most > 1 => {
                    portion += 1;
                    self.restore(goal.lens.graph);
                }
                _ => self.undo(goal.lens.graph),
            }
        }
    }

    /// Goes back to the best solution; what was to go first has to stay.
    fn undo(&mut self, graph: &Graph) {
        self.restore(graph);
        if let Some(group) = self.groups.first()
            && let Some(settled) = self.settled.get_mut(group.seed)
        {
            *settled = true;
        }
    }

    /// Opens what would bring more than it costs; where there may be no more
    /// pools, in the place of what brings least.
    fn exchange(&mut self, goal: &Goal<'_>, limit: usize, means: &mut Means<'_>) {
        self.settled.fill(false);
        let mut failures = 0;
        for _ in 0..MAX_OPENINGS {
            if failures == MAX_FAILURES || (means.stop)() {
                break;
            }
            self.restore(goal.lens.graph);
            let Some(entering) = self.missed(goal, limit) else {
                break;
            };
            self.open(&entering);
            let mut worth = self.balance(goal, means);
            for _ in 0..2 {
                let over = self.open_count().saturating_sub(limit);
                if worth.is_some() && over > 0 {
                    self.group(goal);
                    worth = self.close(over).then(|| self.balance(goal, means)).flatten();
                }
            }
            let worth = worth.filter(|_| self.open_count() <= limit);
            let least = self.best.worth + self.best.worth.abs() * SLIGHT;
            match worth.filter(|worth| *worth > least) {
                Some(worth) => {
                    self.keep(worth);
                    failures = 0;
                }
                None => failures += 1,
            }
        }
    }

    fn open(&mut self, entry: &Entry) {
        for at in entry.pools {
            if let Some(settled) = self.settled.get_mut(at) {
                *settled = true;
            }
            if let Some(edge) = self.problem.edges.get_mut(at) {
                edge.is_open = true;
            }
        }
        if let Some(price) = self.problem.prices.get_mut(entry.token) {
            *price = entry.price;
        }
    }

    /// Puts together the open pools that go together, those first that bring
    /// least.
    fn group(&mut self, goal: &Goal<'_>) {
        let Self {
            problem,
            open,
            ends,
            groups,
            members,
            ..
        } = self;
        open.clear();
        ends.clear();
        for (at, edge) in problem.edges.iter().enumerate() {
            if edge.is_open {
                open.push(at);
                ends.push([edge.from, edge.to]);
            }
        }
        let net = |place: &usize| {
            let edge = open.get(*place).and_then(|at| problem.edges.get(*at));
            edge.map_or(0.0, |edge| edge.gain(&problem.prices) - goal.cost(edge))
        };
        let bonds = Bonds::new(ends);
        groups.clear();
        members.clear();
        for (place, seed) in open.iter().enumerate() {
            let begin = members.len();
            bonds.cut(ends, place, members);
            let group = members.get_mut(begin..).unwrap_or_default();
            let net = group.iter().map(net).sum();
            let is_all = group.len() == open.len();
            for member in group {
                *member = open.get(*member).copied().unwrap_or_default();
            }
            if !is_all && self.settled.get(*seed) != Some(&true) {
                groups.push(Group {
                    seed: *seed,
                    members: [begin, members.len()],
                    net,
                });
            }
        }
        groups.sort_unstable_by(Group::order);
    }

    /// Ranks groups by what they bring for each place that they take up, as far
    /// as places are wanted.
    fn rank_by_place(&mut self, wanted: usize) {
        for group in &mut self.groups {
            let [begin, end] = group.members;
            let places = u32::try_from((end - begin).min(wanted)).unwrap_or(u32::MAX);
            group.net /= f64::from(places);
        }
        self.groups.sort_unstable_by(Group::order);
    }

    /// Closes the first groups, as long as that are no more pools than `most`,
    /// but at least one group; says whether there is one.
    fn close(&mut self, most: usize) -> bool {
        let Self {
            problem,
            groups,
            members,
            open,
            ..
        } = self;
        let mut closed = 0;
        for group in groups.iter() {
            let [begin, end] = group.members;
            let members = members.get(begin..end).unwrap_or_default();
            let is_open = |at: &&usize| problem.edges.get(**at).is_some_and(|edge| edge.is_open);
            let more = members.iter().filter(is_open).count();
            if (closed > 0 && closed + more > most) || closed + more >= open.len() {
                continue;
            }
            closed += more;
            for at in members {
                if let Some(edge) = problem.edges.get_mut(*at) {
                    edge.is_open = false;
                }
            }
        }
        closed > 0
    }

    /// The closed pool, or the two that lead through a token that no other pool
    /// passes, that would bring most: something at least, and where there may be
    /// no more pools, more than what brings least.
    fn missed(&mut self, goal: &Goal<'_>, limit: usize) -> Option<Entry> {
        self.group(goal);
        let is_full = self.open.len() >= limit;
        let weakest = self.groups.first().map_or(0.0, |group| group.net);
        let mut best = Entry::NONE;
        if is_full {
            best.net = weakest.max(0.0);
        }
        let places = self.problem.tokens.len();
        self.is_live.clear();
        self.is_live.resize(places, false);
        for place in self.ends.iter().flatten() {
            if let Some(live) = self.is_live.get_mut(*place) {
                *live = true;
            }
        }
        let is_live = |place: usize| self.is_live.get(place) == Some(&true);
        for (at, edge) in self.problem.edges.iter().enumerate() {
            if self.is_settled(at) || edge.is_open || !is_live(edge.from) || !is_live(edge.to) {
                continue;
            }
            let net = self.net(goal, edge, &self.problem.prices);
            if net > best.net {
                best = Entry { pools: [at; 2], net, ..best };
            }
        }
        for place in (0..places).filter(|place| !is_live(*place)) {
            let entry = self.through(goal, place, &is_live);
            if entry.net > best.net * 2.0 {
                best = Entry { net: entry.net / 2.0, ..entry };
            }
        }
        best.pools.iter().all(|at| *at != usize::MAX).then_some(best)
    }

    fn is_settled(&self, at: usize) -> bool {
        self.settled.get(at) == Some(&true)
    }

    /// What a pool would bring beyond what it costs.
    fn net(&self, goal: &Goal<'_>, edge: &Edge, prices: &[f64]) -> f64 {
        let mut edge = *edge;
        edge.flow = self.problem.flow_of(goal.lens.graph, &edge, prices);
        edge.gain(prices) - goal.cost(&edge)
    }

    /// The best two pools that lead through a token.
    fn through(&self, goal: &Goal<'_>, place: usize, is_live: &impl Fn(usize) -> bool) -> Entry {
        let Self { problem, .. } = self;
        let mut best = Entry::NONE;
        let price = |place: usize| problem.prices.get(place).copied().unwrap_or_default();
        let around = || {
            let edges = problem.edges.iter().enumerate();
            edges.filter(|(at, edge)| {
                let ends = (edge.from == place && is_live(edge.to))
                    || (edge.to == place && is_live(edge.from));
                ends && !self.is_settled(*at)
            })
        };
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for (_, edge) in around() {
            if edge.to == place {
                low = low.min(price(edge.from) * edge.threshold);
            } else {
                high = high.max(price(edge.to) / edge.threshold);
            }
        }
        if low >= high {
            return best;
        }
        for _ in 0..PRICINGS {
            let middle = (low * high).sqrt();
            let mut sides = [(f64::NEG_INFINITY, usize::MAX, 0.0); 2];
            for (at, edge) in around() {
                let prices = if edge.to == place {
                    [price(edge.from), middle]
                } else {
                    [middle, price(edge.to)]
                };
                let mut edge = *edge;
                edge.flow = problem.flow_between(goal.lens.graph, &edge, prices);
                let net = prices[1] * edge.flow.bought - prices[0] * edge.flow.sold - goal.cost(&edge);
                let side = &mut sides[usize::from(edge.from == place)];
                if net > side.0 {
                    let amount = if edge.to == place { edge.flow.bought } else { edge.flow.sold };
                    *side = (net, at, amount);
                }
            }
            let [comes, goes] = sides;
            let net = comes.0 + goes.0;
            if best.price <= 0.0 || net < best.net {
                best = Entry { pools: [comes.1, goes.1], net, token: place, price: middle };
            }
            if comes.2 > goes.2 {
                high = middle;
            } else {
                low = middle;
            }
        }
        best
    }

    fn open_count(&self) -> usize {
        let edges = self.problem.edges.iter();
        edges.filter(|edge| edge.is_open).count()
    }
}

/// What a pool gains at the prices of its tokens.
fn gain(view: &PairView<'_>, edge: &Edge, slot: &Slot, [price, value]: [f64; 2]) -> f64 {
    let z = (value / price).sqrt();
    let flow = if view.slots().len() == 1 {
        ladder::flow_at(view.rungs(edge.way), z, &mut 0)
    } else {
        ladder::flow_of(view.changes(slot, edge.way), z)
    };
    value * flow.bought - price * flow.sold
}
