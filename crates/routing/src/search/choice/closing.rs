//! Open pools that are better closed.

use super::{Choice, Means};
use crate::graph::Graph;
use crate::search::Goal;
use crate::search::problem::Edge;

/// The part of all that is closed at once where there are too many, and half of
/// them where there are so many times too many,
const HASTE: usize = 3;
const MANY: usize = 4;
/// and where they only cost too much.
const PORTIONS: [usize; 4] = [2, 4, 8, usize::MAX];

/// Few pools are closed one after the other.
const FEW: usize = 10;

/// Attempts to close something.
const MAX_CLOSINGS: usize = 64;

/// Pools that go together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    seed: usize,
    /// The first of its members, and the end of them.
    members: [usize; 2],
    /// What is lost without them, beyond what they cost.
    pub(super) net: f64,
}

impl Group {
    /// Those first that bring least.
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        a.net.total_cmp(&b.net).then(a.seed.cmp(&b.seed))
    }
}

impl Choice {
    /// Closes what brings least until there are few enough.
    pub(super) fn close_most(&mut self, goal: &Goal<'_>, limit: usize, means: &mut Means<'_>) {
        for _ in 0..MAX_CLOSINGS {
            let count = self.open_count();
            let Some(over) = count.checked_sub(limit).filter(|over| *over > 0) else {
                break;
            };
            self.group(goal);
            self.rank_by_place(over);
            let haste = if over > MANY * limit { 2 } else { HASTE };
            if !self.close(over.min((count / haste).max(1))) {
                break;
            }
            match self.balance(goal, means) {
                Some(worth) => self.keep(worth),
                None => self.undo(goal.lens.graph),
            }
        }
    }

    /// Closes what costs more than it brings, as long as that pays.
    pub(super) fn close_dear(&mut self, goal: &Goal<'_>, means: &mut Means<'_>) {
        let mut portion = 0;
        for _ in 0..MAX_CLOSINGS {
            let count = self.open_count();
            self.group(goal);
            self.groups.retain(|group| group.net < 0.0);
            self.groups.sort_unstable_by(Group::order);
            let divisor = PORTIONS.get(portion).copied().unwrap_or(usize::MAX);
            // Two that can stand in for each other must not both go.
            let most = if count <= FEW {
                1
            } else {
                (count / divisor).max(1)
            };
            if (means.stop)() || !self.close(most) {
                break;
            }
            match self.balance_better(goal, means) {
                Some(worth) => {
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

    /// Puts together the open pools that go together.
    pub(super) fn group(&mut self, goal: &Goal<'_>) {
        let Self {
            problem,
            open,
            ends,
            groups,
            members,
            bonds,
            strain,
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
        bonds.find(ends);
        strain.find(problem, open);
        groups.clear();
        members.clear();
        for (place, seed) in open.iter().enumerate() {
            let begin = members.len();
            bonds.cut(ends, place, members);
            let group = members.get_mut(begin..).unwrap_or_default();
            let is_all = group.len() == open.len();
            for member in group.iter_mut() {
                *member = open.get(*member).copied().unwrap_or_default();
            }
            let edges = group.iter().filter_map(|at| problem.edges.get(*at));
            let net = |edge: &Edge| edge.gain(&problem.prices) - goal.cost(edge);
            let net: f64 = edges.clone().map(net).sum();
            let net = net + strain.of(&problem.prices, edges, goal.fixed.measure());
            if !is_all && self.settled.get(*seed) != Some(&true) {
                groups.push(Group {
                    seed: *seed,
                    members: [begin, members.len()],
                    net,
                });
            }
        }
    }

    /// Ranks groups by what they bring for each place that they take up, as far
    /// as places are wanted.
    pub(super) fn rank_by_place(&mut self, wanted: usize) {
        for group in &mut self.groups {
            let [begin, end] = group.members;
            let places = u32::try_from((end - begin).min(wanted)).unwrap_or(u32::MAX);
            group.net /= f64::from(places);
        }
        self.groups.sort_unstable_by(Group::order);
    }

    /// Closes the first groups, as long as that are no more pools than `most`,
    /// but at least one group; says whether there is one.
    pub(super) fn close(&mut self, most: usize) -> bool {
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
}
