//! Flows as swaps in an order in which they can be executed.

use super::{Flows, Streets, Trade};
use amm::book::Pools;
use primitives::U256;
use routing::{Executable, Leg, Route, Share};
use std::collections::{BTreeMap, BTreeSet};

/// Less of a trade is not worth a swap.
const DUST: f64 = 1e-6;

impl Streets {
    /// The route of flows when this amount is sold; `None` if they lead nowhere
    /// or a pool refuses its part.
    #[must_use]
    pub fn settled(
        &self,
        trade: &Trade,
        flows: &Flows,
        amount: U256,
        pools: &Pools,
    ) -> Option<Route> {
        let mut flows = flows.clone();
        let least = DUST * trade.amount * self.worths.get(trade.from)?;
        flows.retain(|street, sold| {
            let from = self.all.get(*street).map(|street| street.from);
            let worth = from.and_then(|from| self.worths.get(from));
            worth.is_some_and(|worth| *sold * worth > least)
        });
        let order = self.ordered(trade, &mut flows)?;
        let mut legs = self.legs(trade, &order, &flows)?;
        let mut tokens = vec![
            *self.addresses.get(trade.from)?,
            *self.addresses.get(trade.to)?,
        ];
        let between = order.iter().skip(1);
        tokens.extend(between.filter_map(|token| self.addresses.get(*token)));
        let run = Executable::new(&legs, tokens.len(), pools)
            .ok()?
            .run(amount)
            .ok()?;
        for (leg, fill) in legs.iter_mut().zip(&run.fills) {
            (leg.sold, leg.bought, leg.ticks) = (fill.sold, fill.bought, fill.ticks);
        }
        Some(Route {
            tokens,
            legs,
            sold: amount,
            bought: run.bought,
            gap: f64::INFINITY,
        })
    }

    /// The tokens that are sold, each after all that give it. Where flows run in
    /// circles, or end where nothing is sold, the smallest ones are left out.
    fn ordered(&self, trade: &Trade, flows: &mut Flows) -> Option<Vec<usize>> {
        loop {
            self.without_dead_ends(trade, flows);
            let mut order = vec![trade.from];
            let mut open = flows.clone();
            let mut next = 0;
            while let Some(token) = order.get(next).copied() {
                next += 1;
                let given: BTreeSet<usize> = self.targets(&open, token).collect();
                open.retain(|street, _| self.source(*street) != Some(token));
                let ready = given.into_iter().filter(|given| {
                    *given != trade.to
                        && !open
                            .keys()
                            .any(|street| self.target(*street) == Some(*given))
                });
                order.extend(ready);
            }
            let Some(smallest) = self.smallest(&open) else {
                return (!flows.is_empty()).then_some(order);
            };
            flows.remove(&smallest);
        }
    }

    /// Leaves out what gives a token that nobody sells, and what sells a token
    /// that nobody gives.
    fn without_dead_ends(&self, trade: &Trade, flows: &mut Flows) {
        loop {
            let count = flows.len();
            let sold: BTreeSet<_> = flows.keys().map(|street| self.source(*street)).collect();
            let given: BTreeSet<_> = flows.keys().map(|street| self.target(*street)).collect();
            flows.retain(|street, _| {
                let (from, to) = (self.source(*street), self.target(*street));
                (from == Some(trade.from) || given.contains(&from))
                    && (to == Some(trade.to) || sold.contains(&to))
                    && to != Some(trade.from)
                    && from != Some(trade.to)
            });
            if flows.len() == count {
                return;
            }
        }
    }

    fn legs(&self, trade: &Trade, order: &[usize], flows: &Flows) -> Option<Vec<Leg>> {
        // The places of tokens in a route: the sold one, the bought one, the rest.
        let mut places = BTreeMap::from([(trade.to, 1_u8)]);
        for (token, place) in order.iter().zip((0..=u8::MAX).filter(|place| *place != 1)) {
            places.insert(*token, place);
        }
        let mut legs = Vec::new();
        for token in order {
            let mut left: Vec<(usize, f64)> = flows
                .iter()
                .filter(|(street, _)| self.source(**street) == Some(*token))
                .map(|(street, sold)| (*street, *sold))
                .collect();
            left.reverse();
            while let Some((street, sold)) = left.pop() {
                let rest: f64 = left.iter().map(|(_, sold)| sold).sum();
                let street = self.all.get(street)?;
                legs.push(Leg {
                    pool: street.pool,
                    side: street.side,
                    from: *places.get(&street.from)?,
                    to: *places.get(&street.to)?,
                    share: if left.is_empty() {
                        Share::WHOLE
                    } else {
                        Share::nearest(sold / (sold + rest))
                    },
                    sold: U256::ZERO,
                    bought: U256::ZERO,
                    ticks: 0,
                });
            }
        }
        Some(legs)
    }

    fn source(&self, street: usize) -> Option<usize> {
        self.all.get(street).map(|street| street.from)
    }

    fn target(&self, street: usize) -> Option<usize> {
        self.all.get(street).map(|street| street.to)
    }

    fn targets(&self, flows: &Flows, token: usize) -> impl Iterator<Item = usize> {
        let streets = flows.keys().filter_map(|street| self.all.get(*street));
        streets
            .filter(move |street| street.from == token)
            .map(|street| street.to)
    }

    /// The street in which least worth flows.
    #[expect(clippy::indexing_slicing, reason = "streets and tokens of this list")]
    fn smallest(&self, flows: &Flows) -> Option<usize> {
        let worth = |(street, sold): &(&usize, &f64)| self.worths[self.all[**street].from] * **sold;
        let smallest = flows
            .iter()
            .min_by(|one, other| worth(one).total_cmp(&worth(other)));
        smallest.map(|(street, _)| *street)
    }
}
