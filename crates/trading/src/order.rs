//! What somebody wants, and what a route has to do for it.

use crate::{Bps, FeeSide, FeeTerms, GasModel, GasPrices, Integrator, Worth};
use amm::book::Registry;
use primitives::{Address, U256};
use routing::{Amount, Costs, Order, VenueSet};

/// A trade as somebody asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The token to be sold.
    pub sell: Address,
    /// The token to be bought.
    pub buy: Address,
    /// How much.
    pub amount: Fixed,
    /// Who will trade, if that is known already.
    pub taker: Option<Address>,
    /// Who sends the trade here and takes a part of it.
    pub integrator: Option<Integrator>,
    /// Whether every swap goes from the one token to the other.
    pub direct: bool,
    /// No pool of these venues is used.
    pub avoid: VenueSet,
    /// How many quotes are wanted at most.
    pub size: usize,
    /// No route has more swaps.
    pub max_swaps: usize,
}

/// The amount that is given; the other one is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixed {
    /// What leaves the taker, fees included.
    Sell(U256),
    /// What reaches the taker, fees taken.
    Buy(U256),
}

/// What gas costs, and what it is worth beside the tokens of a trade.
#[derive(Debug, Clone, Copy)]
pub struct GasCosts<'a> {
    /// What swaps need.
    pub model: &'a GasModel,
    /// What gas costs now.
    pub prices: GasPrices,
    /// What the tokens are worth. Where a price is missing, gas counts nothing.
    pub worth: Worth,
}

/// The order that routes are searched for; `None` if the amounts with fees have
/// more than 256 bits, so that no pool could pay them.
#[must_use]
pub fn order(
    wanted: &Wanted,
    terms: &FeeTerms,
    gas: &GasCosts<'_>,
    venues: &Registry,
) -> Option<Order> {
    let (amount, fees) = match wanted.amount {
        Fixed::Sell(sold) => sale(wanted, terms, sold),
        Fixed::Buy(bought) => purchase(wanted, terms, bought)?,
    };
    let open = match wanted.amount {
        Fixed::Sell(_) => gas.worth.buy,
        Fixed::Buy(_) => gas.worth.sell,
    };
    let rate = gas.worth.strk.zip(open).map(|(strk, open)| strk / open);
    let rate = rate.filter(|rate| rate.is_finite()).unwrap_or_default();
    let worth = |used: crate::Gas| f64::from(used.fee(&gas.prices)) * rate;
    let swap = venues
        .venues()
        .iter()
        .map(|venue| worth(gas.model.swap(venue.kind)));
    let [fee_one, fee_many] = fees;
    Some(Order {
        sell: wanted.sell,
        buy: wanted.buy,
        amount,
        avoid: wanted.avoid,
        direct: wanted.direct,
        max_swaps: wanted.max_swaps,
        costs: Costs {
            swap: swap.collect(),
            tick: worth(gas.model.tick),
            fee_one,
            fee_many,
        },
    })
}

/// What goes through the pools, and what part of the bought token fees take.
fn sale(wanted: &Wanted, terms: &FeeTerms, sold: U256) -> (Amount, [f64; 2]) {
    let [one, many] = [1, 2].map(|swaps| {
        let rates = terms.rates([wanted.sell, wanted.buy], swaps, wanted.integrator.as_ref());
        match rates.side {
            FeeSide::Sell => (rates.left_of(sold), 0.0),
            FeeSide::Buy => (sold, rates.as_f64()),
        }
    });
    let amount = Amount::In {
        one: one.0,
        many: many.0,
    };
    (amount, [one.1, many.1])
}

/// What has to come out of the pools, and what part fees add to the sold token.
fn purchase(wanted: &Wanted, terms: &FeeTerms, bought: U256) -> Option<(Amount, [f64; 2])> {
    let fee = wanted
        .integrator
        .as_ref()
        .map_or(Bps::ZERO, Integrator::fee);
    Some(match terms.side([wanted.sell, wanted.buy]) {
        FeeSide::Sell => (Amount::Out(bought), [fee.as_f64(); 2]),
        FeeSide::Buy => {
            let target = bought.checked_add(fee.of(bought))?;
            (Amount::Out(target), [0.0; 2])
        }
    })
}
