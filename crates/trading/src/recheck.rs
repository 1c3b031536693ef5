//! Whether a quote's calls would still succeed.

use crate::adapter::{Params, traded};
use crate::contract::{Failed, Swap, run};
use crate::{Exact, FeeTerms, Hop, Quote, Slippage};
use amm::Refusal;
use amm::book::{PoolId, Pools};
use primitives::U256;
use routing::{Broken, Executable, Leg};
use thiserror::Error;

/// Why the calls of a quote would fail.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WouldRevert {
    /// A pool is not there, not traded with, or another one than was quoted.
    #[error("a pool of {venue} in the route is not traded with any more")]
    Gone {
        /// The pool's venue.
        venue: String,
    },
    /// A pool cannot do its part.
    #[error("a pool of {venue} in the route refuses its part: {refusal}")]
    Refused {
        /// The pool's venue.
        venue: String,
        /// What it says.
        refusal: Refusal,
    },
    /// The trade gives less than the minimum.
    #[error("the trade would buy {bought} now, less than the minimum of {least}")]
    TooLittle {
        /// What it gives.
        bought: U256,
        /// The minimum.
        least: U256,
    },
    /// The trade needs more than the maximum.
    #[error("the trade would have to sell more than the maximum of {most} now")]
    TooMuch {
        /// The maximum.
        most: U256,
    },
    /// The exchange contract gives up before it has bought enough.
    #[error("the trade would not buy enough within the steps that the exchange contract makes")]
    TooSlow,
    /// The quote does not fit together.
    #[error("the swaps of the quote do not fit together")]
    Malformed,
}

impl WouldRevert {
    /// Whether prices moved by more than the slippage allows; otherwise a pool
    /// of the route cannot do its part at all.
    #[must_use]
    pub const fn is_slippage(&self) -> bool {
        matches!(
            self,
            Self::TooLittle { .. } | Self::TooMuch { .. } | Self::TooSlow
        )
    }
}

/// Whether the calls of a quote with this slippage would succeed on these pools
/// and terms. What the taker has and allows is not looked at.
pub fn recheck(
    quote: &Quote,
    pools: &Pools,
    terms: &FeeTerms,
    slippage: Slippage,
) -> Result<(), WouldRevert> {
    outcome(quote, pools, terms, slippage).map(|_| ())
}

/// What the calls would sell and buy.
pub(crate) fn outcome(
    quote: &Quote,
    pools: &Pools,
    terms: &FeeTerms,
    slippage: Slippage,
) -> Result<(U256, U256), WouldRevert> {
    let legs = legs(quote);
    let swap = Swap {
        terms,
        tokens: [quote.sell, quote.buy],
        integrator: quote.integrator.as_ref(),
        legs: &legs,
        route: executable(quote, &legs, pools)?,
    };
    match quote.exact {
        Exact::In => {
            let least = slippage.least(quote.buy_amount);
            let settled = swap.sell(quote.sell_amount);
            let bought = settled.map_err(|broken| named(quote, broken))?.bought;
            if bought < least {
                return Err(WouldRevert::TooLittle { bought, least });
            }
            Ok((quote.sell_amount, bought))
        }
        Exact::Out => {
            let most = slippage.most(quote.sell_amount);
            let sold = swap.purchase(quote.sell_amount, most, quote.buy_amount);
            let sold = sold.map_err(|failed| match failed {
                Failed::Broken(broken) => named(quote, broken),
                Failed::Dear => WouldRevert::TooMuch { most },
                Failed::Slow => WouldRevert::TooSlow,
            })?;
            Ok((sold, quote.buy_amount))
        }
    }
}

/// What the swaps of a quote would give on other pools for what it sends through
/// them, fees left out.
pub fn bought_on(quote: &Quote, pools: &Pools) -> Result<U256, WouldRevert> {
    let legs = legs(quote);
    let route = executable(quote, &legs, pools)?;
    let first = legs.iter().filter(|leg| leg.from == 0);
    let sold = first
        .map(|leg| leg.sold)
        .fold(U256::ZERO, U256::saturating_add);
    let run = run(&route, &legs, sold).map_err(|broken| named(quote, broken))?;
    Ok(run.bought)
}

fn legs(quote: &Quote) -> Vec<Leg> {
    quote.hops.iter().map(|hop| hop.leg).collect()
}

/// The swaps on these pools, if the calls would reach the same pools.
fn executable(quote: &Quote, legs: &[Leg], pools: &Pools) -> Result<Executable, WouldRevert> {
    for hop in &quote.hops {
        if !is_there(hop, pools) {
            return Err(named(quote, Broken::Gone(hop.leg.pool)));
        }
    }
    let places = legs.iter().map(|leg| leg.from.max(leg.to));
    let tokens = places.max().map_or(0, |last| usize::from(last) + 1);
    Executable::new(legs, tokens, pools).map_err(|broken| named(quote, broken))
}

/// After a reorganisation the place of a pool may be another one's.
fn is_there(hop: &Hop, pools: &Pools) -> bool {
    pools.get(hop.leg.pool).is_some_and(|view| {
        view.router() == Some(hop.router)
            && traded(&view, hop.leg.side) == (hop.sell, hop.buy)
            && Params::of(&view) == Some(hop.params)
    })
}

/// What breaks, with the name of the venue.
fn named(quote: &Quote, broken: Broken) -> WouldRevert {
    let venue = |pool: PoolId| {
        let hop = quote.hops.iter().find(|hop| hop.leg.pool == pool);
        hop.map_or_else(String::new, |hop| hop.venue.clone())
    };
    match broken {
        Broken::Gone(pool) => WouldRevert::Gone { venue: venue(pool) },
        Broken::Refused(pool, refusal) => WouldRevert::Refused {
            venue: venue(pool),
            refusal,
        },
        Broken::Malformed => WouldRevert::Malformed,
    }
}
