//! The single way that pays most for all of an amount.
//!
//! By the prices of first units a token is worth the most that any amount of it
//! can pay. So the way that could still pay most is followed first, with what is
//! left of the amount behind each swap; once none could pay more than the best
//! that arrived, that is the best of all.

use super::lens::{Lens, Scratch};
use super::path::{MAX_HOPS, Path};
use super::reach::Reach;
use crate::graph::{NONE, Sale, TokenId, Topology};
use crate::ladder;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Swaps that are looked at.
const MAX_LOOKS: usize = 4_096;

/// Memory for the search.
#[derive(Debug, Default)]
pub(super) struct Depth {
    /// The most that reached each token: connectors, and then others.
    reached: Vec<Reached>,
    others: Vec<TokenId>,
    fronts: BinaryHeap<Front>,
}

#[derive(Debug, Clone, Copy)]
struct Reached {
    amount: f64,
    /// The swap that it came by, and the token that was sold.
    sale: Sale,
    from: TokenId,
}

impl Reached {
    const NOTHING: Self = Self {
        amount: 0.0,
        sale: Sale::new(0, 0),
        from: NONE,
    };
}

/// An amount that is at a token, and the most that it can pay.
#[derive(Debug, Clone, Copy)]
struct Front {
    most: f64,
    amount: f64,
    token: TokenId,
    hops: usize,
}

impl Ord for Front {
    fn cmp(&self, other: &Self) -> Ordering {
        let most = self.most.total_cmp(&other.most);
        most.then(other.token.cmp(&self.token))
    }
}

impl PartialOrd for Front {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Front {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Front {}

impl Depth {
    /// The way that buys most for an amount, if one takes all of it. The values
    /// must be those that follow from the bought token alone.
    pub(super) fn best(
        &mut self,
        lens: Lens<'_>,
        reach: &Reach,
        [sold, bought]: [TokenId; 2],
        amount: f64,
        scratch: &mut Scratch,
    ) -> Option<Path> {
        let topology = lens.graph.topology();
        self.reached.clear();
        self.reached
            .resize(topology.connectors().len(), Reached::NOTHING);
        self.others.clear();
        let all = Reached {
            amount,
            ..Reached::NOTHING
        };
        self.reach(topology, sold, all);
        self.fronts.clear();
        self.fronts.push(Front {
            most: f64::INFINITY,
            amount,
            token: sold,
            hops: 0,
        });
        let mut end = Reached::NOTHING;
        let mut looks = 0;
        while let Some(front) = self.fronts.pop().filter(|front| front.most > end.amount) {
            // It may have been reached by a better way since.
            if front.amount < self.reached(topology, front.token).amount {
                continue;
            }
            let sale = topology.sale(front.token, bought);
            let all = sale.and_then(|sale| {
                let amount = ladder::bought_for(lens.curve(sale, scratch), front.amount);
                let from = front.token;
                amount.map(|amount| Reached { amount, sale, from })
            });
            if let Some(all) = all.filter(|all| all.amount > end.amount) {
                end = all;
            }
            if front.hops + 2 <= MAX_HOPS {
                looks += self.pass_on(lens, reach, &front, end.amount, scratch);
            }
            if looks > MAX_LOOKS {
                break;
            }
        }
        self.way(topology, end, [sold, bought])
    }

    /// Sells what is at a token for each of its neighbours, if that could pay
    /// more than this in the end; says how many were looked at.
    fn pass_on(
        &mut self,
        lens: Lens<'_>,
        reach: &Reach,
        front: &Front,
        least: f64,
        scratch: &mut Scratch,
    ) -> usize {
        let topology = lens.graph.topology();
        let mut looks = 0;
        for (to, sale, value) in reach.around(lens, front.token) {
            let known = self.reached(topology, to).amount.max(least / value);
            if front.amount * lens.rate(sale) <= known {
                continue;
            }
            looks += 1;
            let amount = ladder::bought_for(lens.curve(sale, scratch), front.amount);
            let Some(amount) = amount.filter(|amount| *amount > known) else {
                continue;
            };
            let from = front.token;
            self.reach(topology, to, Reached { amount, sale, from });
            self.fronts.push(Front {
                most: amount * value,
                amount,
                token: to,
                hops: front.hops + 1,
            });
        }
        looks
    }

    fn place(&self, topology: &Topology, token: TokenId) -> usize {
        let connector = topology.connector_of(token);
        if connector != NONE {
            return connector as usize;
        }
        let other = self.others.iter().position(|other| *other == token);
        topology.connectors().len() + other.unwrap_or(self.others.len())
    }

    fn reached(&self, topology: &Topology, token: TokenId) -> Reached {
        let reached = self.reached.get(self.place(topology, token));
        reached.copied().unwrap_or(Reached::NOTHING)
    }

    fn reach(&mut self, topology: &Topology, token: TokenId, reached: Reached) {
        let place = self.place(topology, token);
        if let Some(known) = self.reached.get_mut(place) {
            *known = reached;
        } else {
            self.others.push(token);
            self.reached.push(reached);
        }
    }

    /// The way to the end; `None` if there is none.
    fn way(&self, topology: &Topology, end: Reached, [sold, bought]: [TokenId; 2]) -> Option<Path> {
        let mut hops = Vec::with_capacity(MAX_HOPS);
        let (mut reached, mut to) = (end, bought);
        while reached.from != NONE && hops.len() < MAX_HOPS {
            hops.push((reached.sale, to));
            if reached.from == sold {
                let mut hops = hops.into_iter().rev();
                return hops.try_fold(Path::EMPTY, |path, (sale, to)| path.with(sale, to));
            }
            to = reached.from;
            reached = self.reached(topology, to);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VenueSet;
    use crate::graph::Graph;
    use crate::search::newton::Fixed;
    use crate::search::reach::FAR;
    use crate::testing::{ONE, Pool, market, token};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Tokens of the markets.
    const TOKENS: u64 = 6;

    /// The most that any way buys, found by trying all.
    fn most(
        lens: Lens<'_>,
        [from, bought]: [TokenId; 2],
        amount: f64,
        passed: &mut Vec<TokenId>,
    ) -> f64 {
        passed.push(from);
        let mut most = 0.0_f64;
        for link in lens.graph.topology().neighbours(from) {
            if passed.contains(&link.to) {
                continue;
            }
            let mut scratch = Scratch::default();
            let curve = lens.curve(link.sale, &mut scratch);
            let Some(amount) = ladder::bought_for(curve, amount) else {
                continue;
            };
            most = most.max(if link.to == bought {
                amount
            } else {
                self::most(lens, [link.to, bought], amount, passed)
            });
        }
        passed.pop();
        most
    }

    /// Pools at prices at which nothing is earned by trading in a circle.
    fn pools() -> impl Strategy<Value = Vec<Pool>> {
        let pool = (0..TOKENS, 1..TOKENS, 0.0..5.0_f64, 1..1_000_u32);
        let pool = pool.prop_map(|(a, step, depth, fee)| {
            let b = (a + step) % TOKENS;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "depths of up to 100,000"
            )]
            let depth = 10_f64.powf(depth) as u128 * ONE;
            (
                [a, b],
                [depth * u128::from(b + 1), depth * u128::from(a + 1)],
                fee,
            )
        });
        prop::collection::vec(pool, 1..16)
    }

    proptest! {
        #[test]
        fn no_other_way_buys_more(pools in pools(), whole in 1..10_000_u128) {
            let market = market(&pools);
            let graph = Graph::new(market.pools(), |_| 1.0, &BTreeSet::new());
            let topology = graph.topology();
            let ends = [topology.token(token(0)), topology.token(token(1))];
            let [Some(sold), Some(bought)] = ends else { return Ok(()) };
            let lens = Lens {
                graph: &graph,
                avoid: VenueSet::NONE,
                without: None,
                rates: graph.rates(),
            };
            #[expect(clippy::cast_precision_loss, reason = "any amount will do")]
            let amount = (whole * ONE) as f64;
            let mut reach = Reach::default();
            reach.spread(lens, (&[bought], &[1.0]), 1.0, FAR);
            let scratch = &mut Scratch::default();
            let way = Depth::default().best(lens, &reach, [sold, bought], amount, scratch);
            let way = way.and_then(|way| way.priced(lens, Fixed::In(amount), scratch));
            let found = way.map_or(0.0, |way| way.amount);
            let most = most(lens, [sold, bought], amount, &mut Vec::new());
            prop_assert!((found - most).abs() <= 1e-9 * most, "{found} of {most}");
        }
    }
}
