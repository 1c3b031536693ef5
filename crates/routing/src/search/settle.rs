//! A plan in whole units: shares, and what the pools' own maths pay for them.

use super::plan::{Plan, Swap};
use super::problem::MAX_NODES;
use crate::{Broken, Executable, Graph, Leg, Route, Share};
use amm::Refusal;
use amm::book::Pools;
use primitives::{Address, U256};

/// Amounts that are tried for a purchase.
const MAX_TRIES: usize = 320;

/// Tries that may leave more than half of a bracket, one after the other.
const MAX_SLOW: usize = 2;

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
    let sold = match target {
        Target::Sell(amount) => amount,
        Target::Buy(amount) => least(&executable, amount, plan.sold, plan.sold / plan.bought)?,
    };
    let run = executable.run(sold)?;
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

/// The smallest amount that buys at least `target`. What is bought never falls
/// when more is sold, so that a bracket can be closed; `price` is about what a
/// unit costs.
fn least(executable: &Executable, target: U256, guess: f64, price: f64) -> Result<U256, Broken> {
    let mut low = U256::ZERO;
    let mut short = target;
    let mut high: Option<(U256, U256)> = None;
    let mut refusal = Broken::Malformed;
    let mut next = U256::saturating_from(guess).max(U256::ONE);
    let mut stride = 1.0;
    let (mut last, mut slow) = (U256::MAX, 0);
    for _ in 0..MAX_TRIES {
        match bought(executable, next) {
            Ok(bought) if bought >= target => high = Some((next, bought - target)),
            Ok(bought) => (low, short) = (next, target - bought),
            // A pool ends before: the route cannot be grown to the target
            // unless a smaller amount does.
            Err(broken) => {
                refusal = broken;
                high = high.or(Some((next, U256::MAX)));
                if high.is_some_and(|(amount, _)| next < amount) {
                    high = Some((next, U256::MAX));
                }
            }
        }
        let Some((top, over)) = high else {
            // What is missing, at the price, and more with every miss.
            let step = U256::saturating_from(f64::from(short) * price * stride + 1.0);
            stride *= 2.0;
            next = low.saturating_add(step);
            continue;
        };
        let width = top - low;
        if width <= U256::ONE {
            return if over == U256::MAX {
                Err(refusal)
            } else {
                Ok(top)
            };
        }
        // Where a swap gets nothing below some amount, lines mislead.
        slow = if width > last >> 1_usize { slow + 1 } else { 0 };
        last = width;
        next = low
            + if slow < MAX_SLOW {
                within(width, short, over)
            } else {
                width >> 1_usize
            };
    }
    Err(Broken::Malformed)
}

/// Where to look within a bracket: where a line between both ends would hit
/// the target, or in the middle where the ends are too near for that.
fn within(width: U256, short: U256, over: U256) -> U256 {
    let sum = short.saturating_add(over);
    let middle: U256 = width >> 1_usize;
    if sum < U256::from(16) || over == U256::MAX {
        return middle.max(U256::ONE);
    }
    let part = f64::from(short) / f64::from(sum);
    let at = U256::saturating_from(f64::from(width) * part);
    // Never so near an end that nothing is learned: the next try may be on the
    // other side, and leaves next to nothing between.
    let margin = (width >> 20_usize).max(U256::ONE);
    at.clamp(margin, width - margin)
}

/// What an amount buys; nothing is bought with an amount of which a swap would
/// get nothing.
fn bought(executable: &Executable, amount: U256) -> Result<U256, Broken> {
    match executable.bought_for(amount) {
        Err(Broken::Refused(_, Refusal::Nothing)) => Ok(U256::ZERO),
        result => result,
    }
}
