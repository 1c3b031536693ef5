//! What pools say of a token's price, and what the weight of them agrees on.

use super::graph::Link;
use amm::book::PoolId;

/// One pool's word on a token's price.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// The pool.
    pub(super) link: Link,
    /// The price that it says.
    pub(super) usd: f64,
    /// USD that stand behind it.
    pub(super) weight: f64,
    /// Whether its other token is an anchor.
    pub(super) is_anchored: bool,
}

/// What stands behind a price.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Agreement {
    /// The weight of all that agree with it.
    pub(super) support: f64,
    /// The part of it that comes straight from anchors.
    pub(super) backing: f64,
    /// The weightiest that agree.
    pub(super) pools: [Option<PoolId>; 3],
}

/// The candidate at the middle of all weight: as long as less than half of it
/// is wrong, it lies between two candidates that are right.
///
/// Afterwards the candidates are in the order of prices.
pub(super) fn weighted_median(candidates: &mut [Candidate]) -> Option<Candidate> {
    candidates.sort_unstable_by(|one, other| {
        let place = |candidate: &Candidate| (candidate.link.pool, candidate.link.neighbour);
        one.usd
            .total_cmp(&other.usd)
            .then_with(|| place(one).cmp(&place(other)))
            .then_with(|| one.weight.total_cmp(&other.weight))
    });
    let total: f64 = candidates.iter().map(|candidate| candidate.weight).sum();
    let mut below = 0.0;
    candidates
        .iter()
        .find(|candidate| {
            below += candidate.weight;
            below * 2.0 >= total
        })
        .copied()
}

/// What agrees with a price up to a relative tolerance.
pub(super) fn agreement(candidates: &[Candidate], usd: f64, tolerance: f64) -> Agreement {
    let mut agreement = Agreement::default();
    let mut weightiest = [(0.0, None); 3];
    for candidate in candidates {
        if (candidate.usd - usd).abs() > usd * tolerance {
            continue;
        }
        agreement.support += candidate.weight;
        if candidate.is_anchored {
            agreement.backing += candidate.weight;
        }
        rank(&mut weightiest, candidate.weight, candidate.link.pool);
    }
    agreement.pools = weightiest.map(|(_, pool)| pool);
    agreement
}

/// Takes a pool up among the weightiest, each once.
fn rank(weightiest: &mut [(f64, Option<PoolId>); 3], weight: f64, pool: PoolId) {
    let [first, second, third] = weightiest;
    let known = [&*first, &*second, &*third]
        .into_iter()
        .any(|(heavier, known)| *known == Some(pool) && *heavier >= weight);
    if known {
        return;
    }
    let mut carried = (weight, Some(pool));
    for place in [first, second, third] {
        let goes_before = place.1.is_none_or(|other| {
            carried.0 > place.0 || (carried.0 >= place.0 && carried.1 < Some(other))
        });
        if goes_before {
            std::mem::swap(place, &mut carried);
            // What is pushed out goes on to the next place, unless it is the
            // same pool with less weight, or nothing.
            if carried.1.is_none() || carried.1 == Some(pool) {
                return;
            }
        }
    }
}
