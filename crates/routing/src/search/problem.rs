//! The part of a graph on which flows are balanced: some tokens, and the pairs
//! between them.

use super::lens::{Lens, Scratch};
use super::newton::Fixed;
use crate::graph::{Graph, PairId, PairView, Sale, Slot, TokenId, Way};
use crate::ladder::{self, Flow};
use amm::Rung;

/// Tokens of a problem.
pub(super) const MAX_NODES: usize = 640;

/// The place of the sold token,
pub(super) const SOLD: usize = 0;
/// and of the bought one.
pub(super) const BOUGHT: usize = 1;

/// Tokens with prices, and what flows between them at those prices.
#[derive(Debug, Default)]
pub(super) struct Problem {
    /// The sold token, the bought one, and those between.
    pub(super) tokens: Vec<TokenId>,
    pub(super) prices: Vec<f64>,
    pub(super) edges: Vec<Edge>,
    /// Curves that are not the graph's own.
    arena: Vec<Rung>,
}

/// A pair in one direction, or one of its pools.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) pair: PairId,
    pub(super) way: Way,
    /// The pool, if it is one alone.
    pub(super) pool: Option<Slot>,
    /// Whether anything may flow.
    pub(super) is_open: bool,
    pub(super) curve: Curve,
    /// The ratio of prices above which something flows.
    pub(super) threshold: f64,
    /// The piece of the curve on which the flow ends.
    pub(super) hint: u32,
    /// What flows at the prices that were asked last.
    pub(super) flow: Flow,
}

impl Edge {
    /// What it gains by its flow at prices.
    pub(super) fn gain(&self, prices: &[f64]) -> f64 {
        let [paid, gained] = self.values(prices);
        gained - paid
    }

    /// What its flow takes and gives, in value.
    pub(super) fn values(&self, prices: &[f64]) -> [f64; 2] {
        let [from, to] = self.prices(prices);
        [from * self.flow.sold, to * self.flow.bought]
    }

    /// How fast the value of its flow grows with the logarithm of its prices.
    pub(super) fn conductance(&self, prices: &[f64]) -> f64 {
        let [from, to] = self.prices(prices);
        0.5 * self.flow.slope * (from * to).sqrt()
    }

    fn prices(&self, prices: &[f64]) -> [f64; 2] {
        [self.from, self.to].map(|place| prices.get(place).copied().unwrap_or_default())
    }
}

/// Where a curve lies.
#[derive(Debug, Clone, Copy)]
pub(super) enum Curve {
    Graph(Sale),
    Arena([u32; 2]),
}

impl Problem {
    pub(super) fn clear(&mut self) {
        self.tokens.clear();
        self.prices.clear();
        self.edges.clear();
        self.arena.clear();
    }

    pub(super) fn has(&self, token: TokenId) -> bool {
        self.tokens.contains(&token)
    }

    /// Adds a token, and its pairs with those that are there.
    pub(super) fn add(
        &mut self,
        lens: Lens<'_>,
        token: TokenId,
        price: f64,
        scratch: &mut Scratch,
    ) {
        if self.tokens.len() >= MAX_NODES || self.has(token) {
            return;
        }
        let place = self.tokens.len();
        self.tokens.push(token);
        self.prices.push(price);
        for other in 0..place {
            let Some(&neighbour) = self.tokens.get(other) else {
                continue;
            };
            if let Some(pair) = lens.graph.topology().between(token, neighbour) {
                self.join(lens, pair, place, other, scratch);
                self.join(lens, pair, other, place, scratch);
            }
        }
    }

    /// What the cheapest seller of a token asks for the first unit, and what the
    /// best buyer pays, at the problem's prices.
    pub(super) fn offers(&self, lens: Lens<'_>, token: TokenId) -> [f64; 2] {
        let [mut ask, mut bid] = [f64::INFINITY, 0.0_f64];
        let known = self.tokens.iter().zip(&self.prices).enumerate();
        for (place, (other, price)) in known {
            let Some(sale) = lens.graph.topology().sale(token, *other) else {
                continue;
            };
            if place != BOUGHT {
                ask = ask.min(price / lens.rate(sale.back()));
            }
            if place != SOLD {
                bid = bid.max(price * lens.rate(sale));
            }
        }
        [ask, bid]
    }

    /// Adds a pair, in the direction from one token to another.
    fn join(
        &mut self,
        lens: Lens<'_>,
        pair: PairId,
        from: usize,
        to: usize,
        scratch: &mut Scratch,
    ) {
        // Nothing is bought with what is being bought, nor sold for what is sold.
        if from == BOUGHT || to == SOLD {
            return;
        }
        let Some(view) = lens.graph.pair(pair) else {
            return;
        };
        let (Some(a), Some(b)) = (self.tokens.get(from), self.tokens.get(to)) else {
            return;
        };
        let way = usize::from(a > b);
        let sale = Sale::new(pair, way);
        let rate = lens.rate(sale);
        if rate <= 0.0 {
            return;
        }
        let curve = if lens.is_whole(&view) {
            Curve::Graph(sale)
        } else {
            let begin = self.arena.len();
            lens.merge(&view, way, &mut self.arena, &mut scratch.merging);
            self.curve_from(begin)
        };
        self.edges.push(Edge {
            from,
            to,
            pair,
            way,
            pool: None,
            is_open: true,
            curve,
            threshold: rate.recip(),
            hint: 0,
            flow: Flow::default(),
        });
    }

    /// Adds one pool of an edge of another problem with the same tokens.
    pub(super) fn join_pool(&mut self, edge: &Edge, view: &PairView<'_>, slot: &Slot) {
        let curve = if view.slots().len() == 1 {
            Curve::Graph(Sale::new(edge.pair, edge.way))
        } else {
            let begin = self.arena.len();
            ladder::add(view.changes(slot, edge.way), &mut self.arena);
            self.curve_from(begin)
        };
        let first = match curve {
            Curve::Graph(_) => view.rungs(edge.way).first(),
            Curve::Arena([begin, _]) => self.arena.get(begin as usize),
        };
        if let Some(first) = first {
            self.edges.push(Edge {
                pool: Some(*slot),
                is_open: true,
                curve,
                threshold: first.z * first.z,
                hint: 0,
                flow: Flow::default(),
                ..*edge
            });
        }
    }

    fn curve_from(&self, begin: usize) -> Curve {
        let range = [begin, self.arena.len()];
        Curve::Arena(range.map(|at| u32::try_from(at).unwrap_or(u32::MAX)))
    }

    /// The curve of an edge.
    pub(super) fn rungs<'s>(&'s self, graph: &'s Graph, edge: &Edge) -> &'s [Rung] {
        self.curve(graph, edge.curve)
    }

    /// The curve that lies there.
    pub(super) fn curve<'s>(&'s self, graph: &'s Graph, curve: Curve) -> &'s [Rung] {
        rungs(&self.arena, graph, curve)
    }

    /// Whether the open edges at the ends can take as much as is asked.
    pub(super) fn can(&self, graph: &Graph, fixed: Fixed) -> bool {
        let mut most = 0.0;
        for edge in self.edges.iter().filter(|edge| edge.is_open) {
            most += match fixed {
                Fixed::In(_) if edge.from == SOLD => ladder::most_sold(self.rungs(graph, edge)),
                Fixed::Out(_) if edge.to == BOUGHT => most_bought(self.rungs(graph, edge)),
                _ => 0.0,
            };
        }
        matches!(fixed, Fixed::In(amount) | Fixed::Out(amount) if amount < most)
    }

    /// What would flow through an edge at the prices of its tokens, open or not.
    pub(super) fn flow_between(&self, graph: &Graph, edge: &Edge, [from, to]: [f64; 2]) -> Flow {
        let ratio = to / from;
        if ratio <= edge.threshold {
            return Flow::default();
        }
        ladder::flow_at(self.rungs(graph, edge), ratio.sqrt(), &mut 0)
    }

    /// What flows at prices: for each edge, its flow is kept, and given away
    /// with the prices' ratio if there is any.
    pub(super) fn flow(&mut self, graph: &Graph, prices: &[f64], mut each: impl FnMut(&Edge, f64)) {
        for edge in &mut self.edges {
            edge.flow = Flow::default();
            if !edge.is_open {
                continue;
            }
            let (Some(from), Some(to)) = (prices.get(edge.from), prices.get(edge.to)) else {
                continue;
            };
            let ratio = to / from;
            if ratio <= edge.threshold {
                continue;
            }
            let z = ratio.sqrt();
            let mut hint = edge.hint;
            edge.flow = ladder::flow_at(rungs(&self.arena, graph, edge.curve), z, &mut hint);
            edge.hint = hint;
            each(edge, z);
        }
    }
}

/// The most that can be bought along a curve.
fn most_bought(rungs: &[Rung]) -> f64 {
    let last = rungs.last();
    last.map_or(0.0, |rung| rung.bought + rung.slope / rung.z)
}

fn rungs<'s>(arena: &'s [Rung], graph: &'s Graph, curve: Curve) -> &'s [Rung] {
    match curve {
        Curve::Graph(sale) => graph.rungs(sale.pair(), sale.way()),
        Curve::Arena([start, end]) => {
            let rungs = arena.get(start as usize..end as usize);
            rungs.unwrap_or_default()
        }
    }
}
