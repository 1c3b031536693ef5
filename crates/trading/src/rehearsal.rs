//! Calls that try a token out: it is bought along a path, and all of it is sold
//! back.
//!
//! Both trades ask for exactly what the maths of their pools say. The calls
//! succeed only if that arrives: a token that keeps a part of a transfer for
//! somebody, or that can be bought and not sold, makes them revert.

use crate::adapter::{halves, traded};
use crate::build::swap;
use crate::{Call, FeeSide, FeeTerms, Params};
use amm::book::{AnyCurve, PoolId, PoolView, Pools};
use amm::{Curve as _, Side};
use primitives::{Address, Felt, U256};
use routing::Share;

/// One swap of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// The pool that is swapped with, on the way out and back.
    pub pool: PoolId,
    /// Which of its tokens is sold to it on the way out.
    pub sold: Side,
}

/// A pool of the path, as the trades so far leave it.
struct Stop<'a> {
    view: PoolView<'a>,
    curve: AnyCurve,
    sold: Side,
}

/// What a trade sells and buys.
struct Sale {
    tokens: [Address; 2],
    sold: U256,
    bought: U256,
    swaps: Vec<Vec<Felt>>,
}

/// The calls by which an account sells this much of the first token of a path,
/// and sells what it gets for it back; `None` if pools cannot trade so much, or
/// so little.
#[must_use]
pub fn rehearsal(
    path: &[Step],
    amount: U256,
    pools: &Pools,
    terms: &FeeTerms,
    [account, exchange]: [Address; 2],
) -> Option<Vec<Call>> {
    let stops = path.iter().map(|step| Stop::of(*step, pools));
    let mut stops: Vec<Stop<'_>> = stops.collect::<Option<_>>()?;
    let there = sale(&mut stops, amount, terms)?;
    stops.reverse();
    for stop in &mut stops {
        stop.sold = stop.sold.other();
    }
    let back = sale(&mut stops, there.bought, terms)?;
    let calls = [there, back].map(|sale| sale.calls(account, exchange));
    Some(calls.concat())
}

impl<'a> Stop<'a> {
    fn of(step: Step, pools: &'a Pools) -> Option<Self> {
        let view = pools.get(step.pool)?;
        Some(Self {
            view,
            curve: view.curve().ok()?,
            sold: step.sold,
        })
    }
}

/// Sells an amount through all stops, which are afterwards as that leaves them.
fn sale(stops: &mut [Stop<'_>], sold: U256, terms: &FeeTerms) -> Option<Sale> {
    let end = |stop: &Stop<'_>| traded(&stop.view, stop.sold);
    let tokens = [end(stops.first()?).0, end(stops.last()?).1];
    let rates = terms.rates(tokens, stops.len(), None);
    let mut amount = match rates.side {
        FeeSide::Sell => rates.left_of(sold),
        FeeSide::Buy => sold,
    };
    let mut swaps = Vec::with_capacity(stops.len());
    for stop in stops {
        let fill = stop.curve.exact_in(stop.sold, amount).ok()?;
        stop.curve = stop.curve.after(stop.sold, &fill)?;
        let router = stop.view.router()?;
        let params = Params::of(&stop.view)?;
        swaps.push(swap(
            traded(&stop.view, stop.sold),
            router,
            Share::WHOLE,
            &params,
        ));
        amount = fill.bought;
    }
    let bought = match rates.side {
        FeeSide::Sell => amount,
        FeeSide::Buy => rates.left_of(amount),
    };
    (!bought.is_zero()).then_some(Sale {
        tokens,
        sold,
        bought,
        swaps,
    })
}

impl Sale {
    fn calls(&self, taker: Address, exchange: Address) -> Vec<Call> {
        let [sold_token, bought_token] = self.tokens;
        let [sold, bought] = [self.sold, self.bought].map(halves);
        let approval = Call {
            to: sold_token,
            entrypoint: "approve",
            calldata: [&[exchange.felt()], &sold[..]].concat(),
        };
        // What is expected is also the least that is accepted.
        let mut calldata = vec![sold_token.felt()];
        calldata.extend(sold);
        calldata.push(bought_token.felt());
        calldata.extend([bought, bought].concat());
        calldata.push(taker.felt());
        // Neither a fee of an integrator's nor an integrator.
        calldata.extend([Felt::ZERO, Felt::ZERO]);
        calldata.push(Felt::from(self.swaps.len()));
        calldata.extend(self.swaps.concat());
        let trade = Call {
            to: exchange,
            entrypoint: "multi_route_swap",
            calldata,
        };
        vec![approval, trade]
    }
}
