//! A path between two tokens through as few others as possible: breadth-first search
//! from the end, by layers, of each layer's links those with the best prices of first
//! units (Bellman–Ford's rounds without a second visit).

use crate::graph::{Lens, Link, TokenId};

/// Swaps of a path at most.
const MAX_LENGTH: usize = 8;

/// How a token is left towards the end.
#[derive(Debug, Clone, Copy)]
struct Step {
    layer: usize,
    /// What a first unit of the token is worth in the end.
    rate: f64,
    link: Link,
}

/// The links of the path, if there is one of at most so many swaps.
pub(super) fn shortest(
    lens: &Lens<'_>,
    [sold, bought]: [TokenId; 2],
    max_swaps: usize,
) -> Option<Vec<Link>> {
    let mut steps: Vec<Option<Step>> = vec![None; lens.topology().token_count()];
    let step = |steps: &[Option<Step>], token: TokenId| steps.get(token as usize).copied()?;
    let mut frontier = vec![bought];
    for layer in 0..max_swaps.min(MAX_LENGTH) {
        let mut reached = Vec::new();
        for token in frontier {
            let worth = step(&steps, token).map_or(1.0, |step| step.rate);
            for link in lens.neighbours(token) {
                let (to, sale) = (token, link.sale.back());
                let rate = worth * lens.rate(sale);
                let slot = steps.get_mut(link.to as usize);
                let Some(slot) = slot.filter(|_| rate > 0.0 && link.to != bought) else {
                    continue;
                };
                if slot.is_none() {
                    reached.push(link.to);
                }
                if slot.is_none_or(|known| known.layer == layer && rate > known.rate) {
                    let link = Link { to, sale };
                    *slot = Some(Step { layer, rate, link });
                }
            }
        }
        if reached.is_empty() || step(&steps, sold).is_some() {
            break;
        }
        frontier = reached;
    }
    let (mut links, mut from) = (Vec::new(), sold);
    while from != bought {
        let Step { link, .. } = step(&steps, from)?;
        links.push(link);
        from = link.to;
    }
    Some(links)
}
