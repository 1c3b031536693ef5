//! A route with everything that its execution and its description need.

use crate::adapter::{Params, traded};
use crate::contract::{Settled, Swap};
use crate::gas::Work;
use crate::{FeeTerms, Fees, Fixed, Gas, GasModel, Integrator, Wanted};
use amm::Fill;
use amm::book::{Pools, Spot};
use primitives::{Address, U256};
use routing::{Broken, Leg, Route};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a trade would pay at a block. This is what is kept until somebody wants
/// to execute it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// The token that is sold.
    pub sell: Address,
    /// The token that is bought.
    pub buy: Address,
    /// What leaves the taker, fees included.
    pub sell_amount: U256,
    /// What reaches the taker, fees taken.
    pub buy_amount: U256,
    /// Which of the two was given.
    pub exact: Exact,
    /// What others take.
    pub fees: Fees,
    /// The swaps, in the order in which they are executed.
    pub hops: Vec<Hop>,
    /// Who will trade, if that was known.
    pub taker: Option<Address>,
    /// Who sent the trade here.
    pub integrator: Option<Integrator>,
    /// What the execution needs.
    pub gas: Gas,
    /// The block whose pools were asked.
    pub block: u64,
}

/// Which amount of a trade was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exact {
    /// The sold one.
    In,
    /// The bought one.
    Out,
}

/// One swap of a quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// The swap.
    pub leg: Leg,
    /// The token that it sells.
    pub sell: Address,
    /// The token that it buys.
    pub buy: Address,
    /// What people call its venue.
    pub venue: String,
    /// The contract by which the exchange contract knows the venue.
    pub router: Address,
    /// Which of the venue's pools it is, to the exchange contract.
    pub params: Params,
    /// The same, to people.
    pub spot: Spot,
}

/// Why a route makes no quote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unquotable {
    /// It cannot be executed.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// What it buys is lost in roundings and fees.
    #[error("the route buys nothing")]
    Nothing,
    /// No amount sold through it is enough.
    #[error("the route cannot buy as much")]
    OutOfReach,
}

/// The quote of a route on the pools that it was found on.
pub fn quote(
    wanted: &Wanted,
    route: &Route,
    pools: &Pools,
    terms: &FeeTerms,
    model: &GasModel,
    block: u64,
) -> Result<Quote, Unquotable> {
    let swap = Swap {
        terms,
        tokens: [wanted.sell, wanted.buy],
        integrator: wanted.integrator.as_ref(),
        legs: &route.legs,
        route: route.executable(pools)?,
    };
    let (exact, settled) = match wanted.amount {
        Fixed::Sell(amount) => (Exact::In, swap.sell(amount)?),
        Fixed::Buy(amount) => {
            let settled = swap.buy(amount, route.sold);
            (Exact::Out, settled.ok_or(Unquotable::OutOfReach)?)
        }
    };
    if settled.bought.is_zero() {
        return Err(Unquotable::Nothing);
    }
    let Settled {
        sold,
        bought,
        fees,
        run,
    } = settled;
    let filled = route.legs.iter().zip(&run.fills);
    let hops = filled.map(|(leg, fill)| hop(leg, fill, route, pools));
    let hops = hops.collect::<Result<Vec<_>, _>>()?;
    let legs: Vec<Leg> = hops.iter().map(|hop| hop.leg).collect();
    Ok(Quote {
        sell: wanted.sell,
        buy: wanted.buy,
        sell_amount: sold,
        buy_amount: bought,
        exact,
        fees,
        gas: model.of(&Work::of(&legs, pools)),
        hops,
        taker: wanted.taker,
        integrator: wanted.integrator.clone(),
        block,
    })
}

/// A swap with what its pool is called by.
fn hop(leg: &Leg, fill: &Fill, route: &Route, pools: &Pools) -> Result<Hop, Broken> {
    let gone = Broken::Gone(leg.pool);
    let view = pools.get(leg.pool).ok_or(gone)?;
    let (sell, buy) = traded(&view, leg.side);
    let token = |place: u8| route.tokens.get(usize::from(place)).copied();
    if (token(leg.from), token(leg.to)) != (Some(sell), Some(buy)) {
        return Err(Broken::Malformed);
    }
    Ok(Hop {
        leg: Leg {
            sold: fill.sold,
            bought: fill.bought,
            ticks: fill.ticks,
            ..*leg
        },
        sell,
        buy,
        venue: view.venue.name.clone(),
        router: view.router().ok_or(gone)?,
        params: Params::of(&view).ok_or(gone)?,
        spot: view.spot(),
    })
}
