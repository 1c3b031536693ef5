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
        let views: Vec<(TokenId, Link)> = edges
            .iter()
            .filter(|edge| edge.tokens.iter().all(|token| token.index() < tokens))
            .filter_map(both_views)
            .flatten()
            .collect();
        // Each token's number of links goes where the next token starts; their
        // running sum is where its own links start.
        let mut starts = vec![0_usize; tokens.saturating_add(1)];
        for (token, _) in &views {
            if let Some(count) = starts.get_mut(token.index().saturating_add(1)) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut graph = Self {
            links: views.iter().map(|(_, link)| *link).collect(),
            starts,
        };
        graph.place(&views);
        graph
    }

    /// Puts every link where its token's links are, and those in order.
    fn place(&mut self, views: &[(TokenId, Link)]) {
        let mut next = self.starts.clone();
        for (token, link) in views {
            if let Some(free) = next.get_mut(token.index())
                && let Some(place) = self.links.get_mut(*free)
            {
                *place = *link;
                *free += 1;
            }
        }
        let mut rest = self.links.as_mut_slice();
        for bounds in self.starts.windows(2) {
            let [start, end] = bounds else { continue };
            let Some((own, others)) = rest.split_at_mut_checked(end - start) else {
                break;
            };
            own.sort_unstable_by(Link::order);
            rest = others;
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
    /// Neighbour and pool in one number.
    fn name(&self) -> u64 {
        (u64::from(self.neighbour.0) << 32) | u64::from(self.pool.index())
    }

    /// An order without ties between links that differ.
    fn order(&self, other: &Self) -> Ordering {
        self.name()
            .cmp(&other.name())
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
