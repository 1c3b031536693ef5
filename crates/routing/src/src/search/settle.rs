//! A plan in whole units: shares, and what the pools' own maths pay for them.

use super::least::least;
use super::plan::{Plan, Swap};
use crate::graph::{TokenId, Topology};
use crate::{Amount, Broken, Executable, Leg, Order, Route, Share, ladder};
use amm::Refusal;
use amm::book::{PoolId, Pools};
use primitives::{Address, OrImpossible as _, U256};
use std::cmp::Ordering;

/// The part of a pool's capacity that is not touched: curves know it only
/// nearly, and a purchase may have to sell a little more than was planned.
const SPARED: f64 = 1e-6;

/// The same of a pool that refused its part of a purchase: where pools are nearly
/// empty, a little that is missing takes much more than was planned.
const SPARED_AGAIN: f64 = 0.01;

/// Pools that may refuse their part of a plan, one after the other.
const MAX_REFUSALS: usize = 4;

/// A route with what it is worth.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) route: Route,
    /// What is left of what is bought, or minus what is spent, fees and costs
    /// counted.
    pub(super) net: f64,
}

impl Candidate {
    /// The order of candidates: by what they are worth, and where that is the same
    /// but for its last digits, by their amounts.
    pub(super) fn better_first(&self, other: &Self) -> Ordering {
        let worth = other.net.total_cmp(&self.net);
        let bought = other.route.bought.cmp(&self.route.bought);
        worth
            .then(bought)
            .then(self.route.sold.cmp(&other.route.sold))
    }

    /// The route of a plan; `None` if a pool refuses its part.
    pub(super) fn new(
        plan: &Plan<'_>,
        topology: &Topology,
        pools: &Pools,
        order: &Order,
    ) -> Option<Self> {
        let mut limits: Vec<(PoolId, f64)> = Vec::new();
        for _ in 0..=MAX_REFUSALS {
            let (tokens, legs) = legs(plan, topology, &limits)?;
            match settled(plan, tokens, &legs, pools, order.amount) {
                Ok(route) => {
                    let net = net(&route, pools, order);
                    return Some(Self { route, net });
                }
                Err(Broken::Refused(pool, Refusal::TooMuch { most })) => {
                    let spared = match order.amount {
                        Amount::In { .. } => 0.0,
                        Amount::Out(_) => SPARED_AGAIN,
                    };
                    limits.push((pool, f64::from(most) * (1.0 - spared)));
                }
                Err(_) => return None,
            }
        }
        None
    }
}

/// What a route leaves of what it buys, or minus what it takes.
fn net(route: &Route, pools: &Pools, order: &Order) -> f64 {
    let costs = &order.costs;
    let swap = |leg: &Leg| {
        let view = pools.get(leg.pool);
        let view = view.or_impossible("the pools that a route was settled on are there");
        let swap = view.map_or(f64::INFINITY, |view| costs.swap_at(view.pool.venue()));
        swap + costs.tick * f64::from(leg.ticks)
    };
    let cost: f64 = route.legs.iter().map(swap).sum();
    let fee = costs.fee(route.legs.len());
    match order.amount {
        Amount::In { .. } => f64::from(route.bought) * (1.0 - fee) - cost,
        Amount::Out(_) => -(f64::from(route.sold) * (1.0 + fee) + cost),
    }
}

fn settled(
    plan: &Plan<'_>,
    tokens: Vec<Address>,
    legs: &[Leg],
    pools: &Pools,
    amount: Amount,
) -> Result<Route, Broken> {
    let executable = Executable::new(legs, tokens.len(), pools)?;
    let (sold, run) = match amount {
        Amount::In { one, many } => {
            let sold = if legs.len() <= 1 { one } else { many };
            (sold, executable.run(sold)?)
        }
        Amount::Out(bought) => least(&executable, bought, plan.sold, plan.sold / plan.bought)?,
    };
    let legs = legs.iter().zip(run.fills).map(|(leg, fill)| Leg {
        sold: fill.sold,
        bought: fill.bought,
        ticks: fill.ticks,
        ..*leg
    });
    Ok(Route {
        tokens,
        legs: legs.collect(),
        sold,
        bought: run.bought,
        gap: f64::INFINITY,
    })
}

/// The tokens, and the swaps with their shares of what is there, amounts still
/// open. `limits` are what some pools can take at most.
fn legs(
    plan: &Plan<'_>,
    topology: &Topology,
    limits: &[(PoolId, f64)],
) -> Option<(Vec<Address>, Vec<Leg>)> {
    let ends = [plan.swaps.first()?.from, plan.swaps.last()?.to];
    let mut tokens: Vec<TokenId> = ends.to_vec();
    let mut place = |token: TokenId| {
        let known = tokens.iter().position(|known| *known == token);
        let place = known.unwrap_or_else(|| {
            tokens.push(token);
            tokens.len() - 1
        });
        u8::try_from(place).ok()
    };
    let mut legs = Vec::with_capacity(plan.swaps.len());
    for group in plan.swaps.chunk_by(|a, b| a.from == b.from) {
        let mut left: f64 = group.iter().map(|swap| swap.sold).sum();
        for (at, (swap, sold)) in in_order(group, limits).into_iter().enumerate() {
            let share = if at + 1 == group.len() {
                Share::WHOLE
            } else {
                Share::nearest(sold / left)
            };
            left -= sold;
            legs.push(leg(swap, share, place(swap.from)?, place(swap.to)?));
        }
    }
    let addresses = tokens.iter().map(|token| topology.address(*token));
    Some((addresses.collect::<Option<_>>()?, legs))
}

/// Swaps that sell one token, with what they sell. Who sells most takes what
/// rounding leaves and comes last; who sells nearly all that it can could not,
/// and is spared the last part of it.
fn in_order<'a, 'g>(group: &'a [Swap<'g>], limits: &[(PoolId, f64)]) -> Vec<(&'a Swap<'g>, f64)> {
    let most = |swap: &Swap<'_>| {
        let limit = limits.iter().filter(|(pool, _)| *pool == swap.pool.id);
        let limit = limit.map(|(_, most)| *most).fold(f64::INFINITY, f64::min);
        limit.min(ladder::most_sold(swap.pool.rungs(swap.sale.direction))) * (1.0 - SPARED)
    };
    let mut swaps: Vec<(&Swap<'_>, f64)> = group
        .iter()
        .map(|swap| (swap, swap.sold.min(most(swap))))
        .collect();
    let is_full = |swap: &Swap<'_>| swap.sold >= most(swap);
    swaps.sort_by(|(a, x), (b, y)| is_full(b).cmp(&is_full(a)).then(x.total_cmp(y)));
    swaps
}

fn leg(swap: &Swap<'_>, share: Share, from: u8, to: u8) -> Leg {
    Leg {
        pool: swap.pool.id,
        side: swap.pool.side(swap.sale.direction),
        from,
        to,
        share,
        sold: U256::ZERO,
        bought: U256::ZERO,
        ticks: 0,
    }
}
