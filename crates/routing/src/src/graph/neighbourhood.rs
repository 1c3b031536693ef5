//! Some tokens of a graph and the links between them: an induced subgraph.

use super::topology::{Link, TokenId, Topology};
use std::collections::{HashMap, HashSet};

/// Some tokens, and who is next to whom among them.
#[derive(Debug)]
pub(super) struct Neighbourhood {
    links: HashMap<TokenId, Vec<Link>>,
}

impl Neighbourhood {
    /// These tokens of a topology, with the links that lead from one to another of them.
    pub(super) fn new(topology: &Topology, tokens: &[TokenId]) -> Self {
        let is_near: HashSet<TokenId> = tokens.iter().copied().collect();
        let links = is_near.iter().map(|token| {
            let all = topology.neighbours(*token).iter();
            let near = all.filter(|link| is_near.contains(&link.to)).copied();
            (*token, near.collect())
        });
        Self {
            links: links.collect(),
        }
    }

    /// The pairs of a token with others of them.
    pub(super) fn neighbours(&self, token: TokenId) -> &[Link] {
        self.links
            .get(&token)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// All pairs, each from both of its tokens.
    pub(super) fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.values().flatten()
    }
}
