//! Small markets searched by brute force: every way that passes no token twice,
//! and parts of the trade moved from one to another as long as that pays, in
//! whole units.

use super::Asked;
use amm::book::Pools;
use oracles::generated::{Query, Variant};
use oracles::rivals::{Flows, Streets, Trade};
use primitives::U256;

/// Parts that are moved at first, and at last.
const COARSE: f64 = 0.125;
const FINE: f64 = 1e-7;

/// Moves that are tried with each part.
const ROUNDS: usize = 40;

struct Brute<'a> {
    streets: &'a Streets,
    trade: &'a Trade,
    amount: U256,
    pools: &'a Pools,
    ways: Vec<Vec<usize>>,
}

impl Brute<'_> {
    /// What the ways buy together, each with a part of the trade.
    fn bought(&self, parts: &[f64]) -> U256 {
        let mut flows = Flows::new();
        for (way, part) in self.ways.iter().zip(parts).filter(|(_, part)| **part > 0.0) {
            for street in way {
                *flows.entry(*street).or_default() += part * self.streets.same(*street, self.trade);
            }
        }
        let route = self
            .streets
            .settled(self.trade, &flows, self.amount, self.pools);
        route.map_or(U256::ZERO, |route| route.bought)
    }

    fn best(&self) -> U256 {
        let alone = |way: usize| {
            let mut parts = vec![0.0; self.ways.len()];
            parts[way] = 1.0;
            (self.bought(&parts), parts)
        };
        let first = (0..self.ways.len())
            .map(alone)
            .max_by_key(|(bought, _)| *bought);
        let Some((mut best, mut parts)) = first else {
            return U256::ZERO;
        };
        let mut moved = COARSE;
        while moved > FINE {
            for _ in 0..ROUNDS {
                let Some((more, better)) = self.better(&parts, best, moved) else {
                    break;
                };
                (best, parts) = (more, better);
            }
            moved /= 2.0;
        }
        best
    }

    /// The best of all moves of a part from one way to another, if any pays.
    fn better(&self, parts: &[f64], best: U256, moved: f64) -> Option<(U256, Vec<f64>)> {
        let mut found: Option<(U256, Vec<f64>)> = None;
        for from in (0..parts.len()).filter(|from| parts[*from] > 0.0) {
            for to in (0..parts.len()).filter(|to| *to != from) {
                let mut next = parts.to_vec();
                let part = moved.min(parts[from]);
                next[from] -= part;
                next[to] += part;
                let bought = self.bought(&next);
                if bought > found.as_ref().map_or(best, |(most, _)| *most) {
                    found = Some((bought, next));
                }
            }
        }
        found
    }
}

/// The best route of a sale, and what brute force buys.
fn both(asked: &mut Asked, query: &Query) -> Option<(f64, f64)> {
    let route = asked.free(query);
    let streets = Streets::new(&asked.market);
    let trade = streets.trade(query.sell, query.buy, f64::from(query.amount))?;
    let brute = Brute {
        streets: &streets,
        trade: &trade,
        amount: query.amount,
        pools: asked.market.pools(),
        ways: streets.ways(&trade),
    };
    let best = brute.best();
    let mine = route.map_or(U256::ZERO, |route| route.bought);
    Some((f64::from(mine), f64::from(best)))
}

#[test]
fn no_way_through_a_small_market_buys_more() {
    let (mut sales, mut splits) = (0, 0);
    for seed in 0..24 {
        let variant = Variant::ALL[usize::try_from(seed).unwrap() % 3];
        let mut asked = Asked::new(10, 100 + seed, variant);
        let queries = asked.market.queries(seed, 12).into_iter();
        for query in queries
            .filter(|query| !query.exact_out && !query.direct)
            .take(2)
        {
            let Some((mine, best)) = both(&mut asked, &query) else {
                continue;
            };
            let kept = best * asked.market.worth(query.buy) / query.worth;
            if kept > 0.7 {
                assert!(
                    mine >= best * (1.0 - 1e-5),
                    "{seed} {query:?}: {mine} {best}"
                );
                sales += 1;
                splits += usize::from(mine > best * (1.0 + 1e-5));
            }
        }
    }
    // Brute force is no straw man: it hardly ever falls behind.
    assert!(sales > 20 && splits < sales / 3, "{splits} of {sales}");
}
