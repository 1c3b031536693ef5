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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::{USUAL, bought, bps, pools, sold, wanted};
    use crate::{Gas, Integrator};
    use amm::book::Kind;
    use std::collections::BTreeMap;

    const PRICES: GasPrices = GasPrices {
        l1: 3,
        l1_data: 5,
        l2: 7,
    };

    fn terms(weight_sold: u32) -> FeeTerms {
        FeeTerms {
            one: bps(2),
            many: bps(15),
            weights: BTreeMap::from([(sold(), weight_sold)]),
            ..FeeTerms::default()
        }
    }

    fn somebody() -> Integrator {
        Integrator::new(bps(30), bought(), "somebody".to_owned()).unwrap()
    }

    fn ordered(amount: Fixed, weight_sold: u32, worth: Worth) -> Option<Order> {
        let gas = GasCosts {
            model: &GasModel::simulated(),
            prices: PRICES,
            worth,
        };
        let wanted = wanted(amount, Some(somebody()));
        order(&wanted, &terms(weight_sold), &gas, pools(&USUAL).registry())
    }

    fn has_fees(order: &Order, fees: [f64; 2]) -> bool {
        [order.costs.fee_one, order.costs.fee_many].map(f64::to_bits) == fees.map(f64::to_bits)
    }

    #[test]
    fn fees_on_what_is_sold_never_reach_the_pools() {
        let million = U256::from(1_000_000);
        let order = ordered(Fixed::Sell(million), 1, Worth::default()).unwrap();
        let [one, many] = [996_800, 995_500].map(U256::from);
        assert_eq!(order.amount, Amount::In { one, many });
        assert!(has_fees(&order, [0.0, 0.0]));
    }

    #[test]
    fn fees_on_what_is_bought_are_a_part_of_it() {
        let million = U256::from(1_000_000);
        let order = ordered(Fixed::Sell(million), 0, Worth::default()).unwrap();
        let (one, many) = (million, million);
        assert_eq!(order.amount, Amount::In { one, many });
        assert!(has_fees(&order, [0.0032, 0.0045]));
    }

    #[test]
    fn pools_have_to_give_the_integrators_part_of_a_purchase_too() {
        let million = U256::from(1_000_000);
        let order = ordered(Fixed::Buy(million), 0, Worth::default()).unwrap();
        assert_eq!(order.amount, Amount::Out(U256::from(1_003_000)));
        assert!(has_fees(&order, [0.0, 0.0]));
        let order = ordered(Fixed::Buy(million), 1, Worth::default()).unwrap();
        assert_eq!(order.amount, Amount::Out(million));
        assert!(has_fees(&order, [0.003, 0.003]));
        assert_eq!(ordered(Fixed::Buy(U256::MAX), 0, Worth::default()), None);
    }

    #[test]
    fn gas_counts_in_the_token_whose_amount_is_open() {
        let worth = Worth {
            sell: Some(2.0),
            buy: Some(8.0),
            strk: Some(4.0),
        };
        let model = GasModel::simulated();
        let fri = |gas: Gas| {
            let Gas { l1, l1_data, l2 } = gas;
            f64::from(U256::from(3 * l1 + 5 * l1_data + 7 * l2))
        };
        for (amount, rate) in [(Fixed::Sell(U256::ONE), 0.5), (Fixed::Buy(U256::ONE), 2.0)] {
            let costs = ordered(amount, 0, worth).unwrap().costs;
            assert_eq!(
                costs.swap,
                Kind::ALL.map(|kind| fri(model.swap(kind)) * rate)
            );
            assert_eq!(costs.tick.to_bits(), (fri(model.tick) * rate).to_bits());
            assert!(costs.tick > 0.0);
        }
    }

    #[test]
    fn gas_counts_nothing_where_a_price_is_missing_or_makes_no_sense() {
        let worth = Worth {
            sell: Some(2.0),
            buy: None,
            strk: Some(4.0),
        };
        let costs = |amount, worth| ordered(amount, 0, worth).unwrap().costs;
        let sale = costs(Fixed::Sell(U256::ONE), worth);
        assert_eq!((sale.swap, sale.tick), (vec![0.0; 9], 0.0));
        assert!(costs(Fixed::Buy(U256::ONE), worth).tick > 0.0);
        let buy = Some(0.0);
        let sale = costs(Fixed::Sell(U256::ONE), Worth { buy, ..worth });
        assert_eq!((sale.swap, sale.tick), (vec![0.0; 9], 0.0));
    }
}
