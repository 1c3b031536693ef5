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
    /// Which pool.
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
        let mut links: Vec<(TokenId, Link)> = Vec::with_capacity(edges.len().saturating_mul(2));
        links.extend(
            edges
                .iter()
                .filter(|edge| edge.tokens.iter().all(|token| token.index() < tokens))
                .filter_map(both_views)
                .flatten(),
        );
        links.sort_unstable_by(|(token, link), (other, beside)| {
            token.cmp(other).then_with(|| link.order(beside))
        });
        let mut starts = Vec::with_capacity(tokens.saturating_add(1));
        for (place, (token, _)) in links.iter().enumerate() {
            while starts.len() <= token.index() {
                starts.push(place);
            }
        }
        starts.resize(tokens.saturating_add(1), links.len());
        Self {
            starts,
            links: links.into_iter().map(|(_, link)| link).collect(),
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

impl Link {
    /// An order without ties between links that differ.
    fn order(&self, other: &Self) -> Ordering {
        (self.neighbour, self.pool)
            .cmp(&(other.neighbour, other.pool))
            .then_with(|| self.mid.total_cmp(&other.mid))
            .then_with(|| self.depth.total_cmp(&other.depth))
            .then_with(|| self.own_depth.total_cmp(&other.own_depth))
    }
}

/// Whether a figure can be reckoned with: above 0, and neither so small nor so
/// large that digits are lost.
pub(super) fn is_sound(figure: f64) -> bool {
    figure > 0.0 && figure.is_normal()
}

fn both_views(edge: &Edge) -> Option<[(TokenId, Link); 2]> {
    let [first, second] = edge.tokens;
    let inverse = edge.mid.recip();
    let sold = edge.depth;
    let depth = [
        sold[0].min(sold[1] * inverse),
        sold[1].min(sold[0] * edge.mid),
    ];
    let is_usable = first != second
        && [edge.mid, inverse, sold[0], sold[1], depth[0], depth[1]]
            .into_iter()
            .all(is_sound);
    let view = |neighbour, mid, depth, own_depth| Link {
        neighbour,
        pool: edge.pool,
        mid,
        depth,
        own_depth,
    };
    is_usable.then(|| {
        [
            (first, view(second, edge.mid, depth[1], depth[0])),
            (second, view(first, inverse, depth[0], depth[1])),
        ]
    })
}
