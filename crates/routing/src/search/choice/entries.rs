//! Closed pools that would help.

use super::{Choice, Means};
use crate::search::Goal;
use crate::search::problem::Edge;

/// Entries that are tried before the search for them begins anew.
const MAX_ENTRIES: usize = 4;

/// Prices that are tried for a token between two pools.
const PRICINGS: usize = 3;

/// What an attempt must bring, as a share.
const SLIGHT: f64 = 1e-8;

/// A pool that would help, or two with a token between them that no other pool
/// passes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// One of them twice if it is alone.
    pools: [usize; 2],
    /// What each brings beyond what it costs.
    net: f64,
    /// The token between them, and its price.
    token: usize,
    price: f64,
}

impl Entry {
    /// The best first.
    fn order(a: &Self, b: &Self) -> std::cmp::Ordering {
        b.net.total_cmp(&a.net).then(a.pools.cmp(&b.pools))
    }
}

/// The best pool on one side of a token.
#[derive(Debug, Clone, Copy)]
struct Half {
    pool: usize,
    net: f64,
    /// What it gives of the token, or takes.
    amount: f64,
}

impl Choice {
    /// Opens what would bring more than it costs; where there may be no more
    /// pools, in the place of what brings least.
    pub(super) fn exchange(
        &mut self,
        goal: &Goal<'_>,
        limit: usize,
        openings: usize,
        means: &mut Means<'_>,
    ) {
        self.unsettle(goal);
        let (mut tried, mut is_new) = (0, true);
        for _ in 0..openings {
            if (means.stop)() {
                break;
            }
            self.restore(goal.lens.graph);
            if is_new {
                self.look_for_entries(goal, limit);
                (tried, is_new) = (0, false);
            }
            let Some(entry) = self.entries.get(tried).copied() else {
                break;
            };
            tried += 1;
            self.open(&entry);
            let mut worth = self.balance(goal, means);
            let over = self.open_count().saturating_sub(limit);
            if worth.is_some() && over > 0 {
                self.group(goal);
                self.rank_by_place(over);
                worth = self
                    .close(over)
                    .then(|| self.balance_better(goal, means))
                    .flatten();
            }
            let worth = worth.filter(|_| self.open_count() <= limit);
            let least = self.best.worth + self.best.worth.abs() * SLIGHT;
            if let Some(worth) = worth.filter(|worth| *worth > least) {
                self.keep(worth);
                is_new = true;
            }
        }
    }

    /// Pools may be tried again if they are admitted.
    pub(super) fn unsettle(&mut self, goal: &Goal<'_>) {
        for (settled, edge) in self.settled.iter_mut().zip(&self.problem.edges) {
            *settled = edge.pool.is_none_or(|slot| !goal.lens.admits(&slot));
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

    /// Looks for pools that would bring something, and where there may be no
    /// more of them, more than what brings least now; the best first.
    fn look_for_entries(&mut self, goal: &Goal<'_>, limit: usize) {
        self.group(goal);
        let is_full = self.open.len() >= limit;
        let weakest = self.groups.iter().map(|group| group.net).reduce(f64::min);
        let least = weakest.filter(|_| is_full).unwrap_or(0.0).max(0.0);
        self.find_live();
        let mut entries = std::mem::take(&mut self.entries);
        entries.clear();
        for (at, edge) in self.problem.edges.iter().enumerate() {
            let joins = self.is_live(edge.from) && self.is_live(edge.to);
            if edge.is_open || !joins || self.is_settled(at) {
                continue;
            }
            let price = |place: usize| self.price(place);
            let (net, _) = self.would_net(goal, edge, [price(edge.from), price(edge.to)]);
            if net > least {
                entries.push(Entry {
                    pools: [at; 2],
                    net,
                    token: usize::MAX,
                    price: 0.0,
                });
            }
        }
        let places = 0..self.problem.tokens.len();
        for place in places.filter(|place| !self.is_live(*place)) {
            entries.extend(self.through(goal, place, least));
        }
        if entries.len() > MAX_ENTRIES {
            entries.select_nth_unstable_by(MAX_ENTRIES, Entry::order);
            entries.truncate(MAX_ENTRIES);
        }
        entries.sort_unstable_by(Entry::order);
        self.entries = entries;
    }

    fn find_live(&mut self) {
        self.live.clear();
        self.live.resize(self.problem.tokens.len(), false);
        for place in self.ends.iter().flatten() {
            if let Some(live) = self.live.get_mut(*place) {
                *live = true;
            }
        }
    }

    fn is_live(&self, place: usize) -> bool {
        self.live.get(place) == Some(&true)
    }

    fn is_settled(&self, at: usize) -> bool {
        self.settled.get(at) == Some(&true)
    }

    fn price(&self, place: usize) -> f64 {
        self.problem.prices.get(place).copied().unwrap_or_default()
    }

    /// What a pool would bring beyond what it costs, at the prices of its
    /// tokens, and its flow's amounts.
    fn would_net(&self, goal: &Goal<'_>, edge: &Edge, prices: [f64; 2]) -> (f64, [f64; 2]) {
        let mut edge = *edge;
        edge.flow = self.problem.flow_between(goal.lens.graph, &edge, prices);
        let amounts = [edge.flow.sold, edge.flow.bought];
        let gain = prices[1] * edge.flow.bought - prices[0] * edge.flow.sold;
        (gain - goal.cost(&edge), amounts)
    }

    /// The closed pools between a token and those that open pools pass.
    fn around(&self, place: usize) -> impl Iterator<Item = (usize, &Edge)> {
        let begin = |place: usize| self.begins.get(place).copied().unwrap_or_default();
        let here = self.around.get(begin(place)..begin(place + 1));
        let here = here.unwrap_or_default().iter();
        let edges = here.filter_map(|at| Some((*at, self.problem.edges.get(*at)?)));
        edges.filter(move |(at, edge)| {
            let other = if edge.from == place {
                edge.to
            } else {
                edge.from
            };
            self.is_live(other) && !self.is_settled(*at)
        })
    }

    /// The best two pools that lead through a token, at a price at which about
    /// as much comes as goes; `None` if they bring no more than this.
    fn through(&self, goal: &Goal<'_>, place: usize, least: f64) -> Option<Entry> {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for (_, edge) in self.around(place) {
            if edge.to == place {
                low = low.min(self.price(edge.from) * edge.threshold);
            } else {
                high = high.max(self.price(edge.to) / edge.threshold);
            }
        }
        let mut best: Option<Entry> = None;
        for _ in 0..PRICINGS {
            if low >= high {
                break;
            }
            let price = (low * high).sqrt();
            let [comes, goes] = self.halves(goal, place, price);
            let (comes, goes) = (comes?, goes?);
            let net = f64::midpoint(comes.net, goes.net);
            if net <= least {
                return None;
            }
            if best.is_none_or(|best| net < best.net) {
                best = Some(Entry {
                    pools: [comes.pool, goes.pool],
                    net,
                    token: place,
                    price,
                });
            }
            if comes.amount > goes.amount {
                high = price;
            } else {
                low = price;
            }
        }
        best
    }

    /// The best pools that give a token and that take it, at a price.
    fn halves(&self, goal: &Goal<'_>, place: usize, price: f64) -> [Option<Half>; 2] {
        let [mut comes, mut goes]: [Option<Half>; 2] = [None; 2];
        for (pool, edge) in self.around(place) {
            let gives = edge.to == place;
            let prices = if gives {
                [self.price(edge.from), price]
            } else {
                [price, self.price(edge.to)]
            };
            let (net, [sold, bought]) = self.would_net(goal, edge, prices);
            let amount = if gives { bought } else { sold };
            let half = if gives { &mut comes } else { &mut goes };
            if half.is_none_or(|half| net > half.net) {
                *half = Some(Half { pool, net, amount });
            }
        }
        [comes, goes]
    }
}
