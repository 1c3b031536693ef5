//! Questions about a few directed edges between the places of tokens.

#![expect(
    clippy::indexing_slicing,
    reason = "places of tokens are below MAX_NODES, and orders name edges"
)]

use super::prices::{BOUGHT, MAX_NODES, SOLD};

/// The places, in an arena, of what a swap sells and of what it buys.
pub(super) type Edge = [usize; 2];

/// Edges in an order in which each comes behind all that lead to where it begins,
/// those that begin at one place side by side (Kahn's topological order); `None`
/// if there is a cycle.
pub(super) fn in_order(edges: &[Edge]) -> Option<Vec<usize>> {
    let mut coming = [0_usize; MAX_NODES];
    for [_, to] in edges {
        coming[*to] += 1;
    }
    let begins = |node: &usize| edges.iter().any(|[from, _]| from == node);
    let mut ready: Vec<usize> = (0..MAX_NODES)
        .filter(|node| coming[*node] == 0)
        .filter(begins)
        .collect();
    let mut order = Vec::with_capacity(edges.len());
    while let Some(node) = ready.pop() {
        for (at, [from, to]) in edges.iter().enumerate() {
            if *from == node {
                order.push(at);
                coming[*to] -= 1;
                if coming[*to] == 0 {
                    ready.push(*to);
                }
            }
        }
    }
    (order.len() == edges.len()).then_some(order)
}

/// Which edges are of use: something comes to where they begin, and goes on from
/// where they end.
pub(super) fn in_use(edges: &[Edge]) -> Vec<bool> {
    let mut used = vec![true; edges.len()];
    // Each round but the last leaves out at least one.
    for _ in 0..=edges.len() {
        let (mut comes, mut goes) = ([false; MAX_NODES], [false; MAX_NODES]);
        (comes[SOLD], goes[BOUGHT]) = (true, true);
        for ([from, to], _) in edges.iter().zip(&used).filter(|(_, used)| **used) {
            comes[*to] = true;
            goes[*from] = true;
        }
        let mut is_changed = false;
        for ([from, to], used) in edges.iter().zip(&mut used) {
            if *used && !(comes[*from] && goes[*to]) {
                *used = false;
                is_changed = true;
            }
        }
        if !is_changed {
            break;
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_gives_comes_before_who_sells_and_a_cycle_has_no_order() {
        let edges = [[2, 1], [0, 2], [3, 1], [0, 3], [2, 3]];
        let order = in_order(&edges).unwrap();
        let place = |edge: usize| order.iter().position(|at| *at == edge).unwrap();
        for (at, [from, _]) in edges.iter().enumerate() {
            for (giver, [_, to]) in edges.iter().enumerate() {
                assert!(to != from || place(giver) < place(at));
            }
        }
        let groups = order.chunk_by(|a, b| edges[*a][0] == edges[*b][0]);
        assert_eq!(groups.count(), 3);
        assert_eq!(in_order(&[[0, 2], [2, 3], [3, 2], [3, 1]]), None);
    }

    #[test]
    fn what_comes_from_nowhere_or_leads_nowhere_is_of_no_use() {
        let edges = [[0, 1], [0, 2], [2, 3], [4, 1], [5, 4], [0, 6], [6, 1]];
        let used = [true, false, false, false, false, true, true];
        assert_eq!(in_use(&edges), used);
    }
}
