//! A plan in whole units: shares, and what the pools' own maths pay for them.

use super::least::least;
use super::plan::{Plan, Swap};
use super::problem::MAX_NODES;
use crate::{Broken, Executable, Graph, Leg, Route, Share};
use amm::book::Pools;
use primitives::{Address, U256};

/// The part of a pool's capacity that is not touched: the search knows it only
/// nearly. A purchase may have to sell a little more than was planned.
const SPARED_BY_SALE: f64 = 1e-8;
const SPARED_BY_PURCHASE: f64 = 1e-4;

/// What is to be settled.
#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    /// This much is sold.
    Sell(U256),
    /// At least this much is bought, with as little as possible.
    Buy(U256),
}

/// The route of a plan.
pub(super) fn settle(
    plan: &Plan,
    graph: &Graph,
    pools: &Pools,
    target: Target,
) -> Result<Route, Broken> {
    let spared = match target {
        Target::Sell(_) => SPARED_BY_SALE,
        Target::Buy(_) => SPARED_BY_PURCHASE,
    };
    let (tokens, legs) = legs(plan, graph, spared).ok_or(Broken::Malformed)?;
    let executable = Executable::new(&legs, tokens.len(), pools)?;
    let (sold, run) = match target {
        Target::Sell(amount) => (amount, executable.run(amount)?),
        Target::Buy(amount) => least(&executable, amount, plan.sold, plan.sold / plan.bought)?,
    };
    let legs = legs.into_iter().zip(run.fills).map(|(leg, fill)| Leg {
        sold: fill.sold,
        bought: fill.bought,
        ticks: fill.ticks,
        ..leg
    });
    Ok(Route {
        tokens,
        legs: legs.collect(),
        sold,
        bought: run.bought,
        gap: f64::INFINITY,
    })
}

/// The swaps with their shares of what is there, amounts still open.
fn legs(plan: &Plan, graph: &Graph, spared: f64) -> Option<(Vec<Address>, Vec<Leg>)> {
    let mut tokens = Vec::with_capacity(8);
    let mut places = [u8::MAX; MAX_NODES];
    let mut place = |at: usize| -> Option<u8> {
        let known = places.get_mut(at)?;
        if *known == u8::MAX {
            *known = u8::try_from(tokens.len()).ok()?;
            let token = plan.tokens.get(at)?;
            tokens.push(graph.topology().address(*token)?);
        }
        Some(*known)
    };
    place(0)?;
    place(1)?;
    let mut legs = Vec::with_capacity(plan.swaps.len());
    let mut sellers = Vec::with_capacity(plan.swaps.len());
    // Swaps of one token stand together.
    for group in plan.swaps.chunk_by(|a, b| a.from == b.from) {
        sellers.clear();
        sellers.extend_from_slice(group);
        // Who sells most takes what rounding leaves; who sells nearly all that it
        // can could not, and is spared the last part of it.
        let mut left: f64 = sellers.iter().map(|swap| swap.sold).sum();
        let kept = 1.0 - spared;
        let is_full = |swap: &Swap| swap.sold >= swap.most * kept;
        let by_room = |a: &Swap, b: &Swap| is_full(b).cmp(&is_full(a));
        sellers.sort_by(|a, b| by_room(a, b).then(a.sold.total_cmp(&b.sold)));
        for swap in &mut sellers {
            swap.sold = swap.sold.min(swap.most * kept);
        }
        for (at, swap) in sellers.iter().enumerate() {
            let share = if at + 1 == sellers.len() {
                Share::WHOLE
            } else {
                Share::nearest(swap.sold / left)
            };
            left -= swap.sold;
            legs.push(leg(swap, share, place(swap.from)?, place(swap.to)?));
        }
    }
    Some((tokens, legs))
}

fn leg(swap: &Swap, share: Share, from: u8, to: u8) -> Leg {
    Leg {
        pool: swap.slot.pool,
        side: swap.slot.side(swap.way),
        from,
        to,
        share,
        sold: U256::ZERO,
        bought: U256::ZERO,
        ticks: 0,
    }
}
