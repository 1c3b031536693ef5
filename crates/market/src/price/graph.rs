//! Which tokens are connected by which pools, in an order of its own: the order
//! in which pools are given does not matter.

use super::Edge;
use crate::token_id::TokenId;
use amm::book::PoolId;
use std::cmp::Ordering;

/// A pool as one of its two tokens sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    /// The other token.
    pub(super) neighbour: TokenId,
    /// The pool that connects both; others may do so, too.
    pub(super) pool: PoolId,
    /// Of the neighbour for one of the token.
    pub(super) mid: f64,
    /// What moves the pool by two per cent in its weaker direction, in the
    /// neighbour's units. Liquidity on one side alone, which may be made of
    /// nothing but the token itself, supports no price.
    pub(super) depth: f64,
    /// The same in the token's own units.
    pub(super) own_depth: f64,
}

/// All links, those of a token side by side.
pub(super) struct Graph {
    starts: Vec<usize>,
    links: Vec<Link>,
}

impl Graph {
    pub(super) fn new(edges: &[Edge], tokens: usize) -> Self {
        let mut usable: Vec<Edge> = edges
            .iter()
            .filter(|edge| edge.tokens.iter().all(|token| token.index() < tokens))
            .filter_map(as_deep_as_its_weaker_side)
            .collect();
        if !usable.is_sorted_by(|one, other| order(one, other).is_le()) {
            usable.sort_unstable_by(order);
        }
        let starts = starts(&usable, tokens);
        Self {
            links: links(&usable, &starts),
            starts,
        }
    }

    /// The links of a token, in the order of neighbours and pools.
    pub(super) fn links(&self, token: TokenId) -> &[Link] {
        let start = self.starts.get(token.index());
        let end = self.starts.get(token.index().saturating_add(1));
        match (start, end) {
            (Some(start), Some(end)) => self.links.get(*start..*end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The links of a token, those to the same neighbour together.
    pub(super) fn by_neighbour(&self, token: TokenId) -> impl Iterator<Item = &[Link]> {
        self.links(token)
            .chunk_by(|link, beside| link.neighbour == beside.neighbour)
    }
}

/// Whether a figure can be reckoned with: above 0, and neither so small nor so
/// large that digits are lost.
pub(super) fn is_sound(figure: f64) -> bool {
    figure > 0.0 && figure.is_normal()
}

fn as_deep_as_its_weaker_side(edge: &Edge) -> Option<Edge> {
    let [first, second] = edge.depth;
    let depth = [first.min(second / edge.mid), second.min(first * edge.mid)];
    let figures = [
        edge.mid,
        edge.mid.recip(),
        first,
        second,
        depth[0],
        depth[1],
    ];
    let is_usable = edge.tokens[0] != edge.tokens[1] && figures.into_iter().all(is_sound);
    is_usable.then_some(Edge { depth, ..*edge })
}

/// An order without ties between edges that differ.
fn order(one: &Edge, other: &Edge) -> Ordering {
    (one.pool, one.tokens)
        .cmp(&(other.pool, other.tokens))
        .then_with(|| one.mid.total_cmp(&other.mid))
        .then_with(|| one.depth[0].total_cmp(&other.depth[0]))
        .then_with(|| one.depth[1].total_cmp(&other.depth[1]))
}

/// Where the links of each token start, and where the last ones end.
fn starts(edges: &[Edge], tokens: usize) -> Vec<usize> {
    let mut starts = vec![0; tokens.saturating_add(1)];
    for token in edges.iter().flat_map(|edge| edge.tokens) {
        if let Some(count) = starts.get_mut(token.index().saturating_add(1)) {
            *count += 1;
        }
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    starts
}

/// The links of all tokens. Edges are dealt out to their tokens, and from there,
/// token by token, to those at their other ends: so everybody's links come to
/// be in the order of neighbours without being compared.
fn links(edges: &[Edge], starts: &[usize]) -> Vec<Link> {
    let Some(filler) = edges.first() else {
        return Vec::new();
    };
    let count = edges.len().saturating_mul(2);
    let mut dealt = Deal::new(starts, vec![(filler, 0); count]);
    for edge in edges {
        for (side, token) in edge.tokens.into_iter().enumerate() {
            dealt.put(token, (edge, side));
        }
    }
    let mut links = Deal::new(starts, vec![link_from(filler, 0).1; count]);
    for (edge, side) in dealt.items {
        let (token, link) = link_from(edge, side);
        links.put(token, link);
    }
    links.items
}

/// What the token at the other end sees of an edge whose given side is the
/// neighbour.
fn link_from(edge: &Edge, neighbour_side: usize) -> (TokenId, Link) {
    let [first, second] = edge.tokens;
    let [first_depth, second_depth] = edge.depth;
    let link = |neighbour, mid, depth, own_depth| Link {
        neighbour,
        pool: edge.pool,
        mid,
        depth,
        own_depth,
    };
    if neighbour_side == 0 {
        (
            second,
            link(first, edge.mid.recip(), first_depth, second_depth),
        )
    } else {
        (first, link(second, edge.mid, second_depth, first_depth))
    }
}

/// Items that are dealt out to tokens, each token's in the order in which they
/// come.
struct Deal<Item> {
    next: Vec<usize>,
    items: Vec<Item>,
}

impl<Item> Deal<Item> {
    /// The items are overwritten.
    fn new(starts: &[usize], items: Vec<Item>) -> Self {
        Self {
            next: starts.to_vec(),
            items,
        }
    }

    fn put(&mut self, token: TokenId, item: Item) {
        if let Some(next) = self.next.get_mut(token.index())
            && let Some(place) = self.items.get_mut(*next)
        {
            *place = item;
            *next += 1;
        }
    }
}
