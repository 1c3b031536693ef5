//! The calls by which a trader creates and ends an order, and a keeper executes
//! its cycles.

use super::plan::NewOrder;
use crate::{Call, Fixed, Wanted, adapter::halves};
use primitives::{Address, Felt, U256};
use routing::VenueSet;

/// Lets the factory take what is sold, and has it deploy the order.
#[must_use]
pub fn order_calls(order: &NewOrder, factory: Address) -> [Call; 2] {
    let [low, high] = halves(order.amount);
    let approval = Call {
        to: order.sell,
        entrypoint: "approve",
        calldata: vec![factory.felt(), low, high],
    };
    let deployment = Call {
        to: factory,
        entrypoint: "deploy_dca_order",
        calldata: arguments(order),
    };
    [approval, deployment]
}

fn arguments(order: &NewOrder) -> Vec<Felt> {
    let NewOrder {
        sell,
        buy,
        amount,
        per_cycle,
        plan,
        bounds,
    } = order;
    let mut felts = vec![sell.felt()];
    felts.extend([*amount, *per_cycle].map(halves).concat());
    felts.push(buy.felt());
    felts.push(Felt::from(plan.frequency.months()));
    felts.push(Felt::from(plan.frequency.seconds()));
    felts.push(Felt::from(plan.start.as_second()));
    let least = bounds.least.unwrap_or(U256::ZERO);
    let most = bounds.most.unwrap_or(U256::MAX);
    felts.extend([least, most].map(halves).concat());
    felts
}

/// Has an order pay back what it has not sold.
#[must_use]
pub fn cancel_call(order: Address) -> Call {
    Call {
        to: order,
        entrypoint: "cancel_order",
        calldata: Vec::new(),
    }
}

/// Has an order sell a part through the exchange, with these arguments of its
/// `multi_route_swap`, for at least so much.
#[must_use]
pub fn cycle_call(order: Address, cycle: u32, least: U256, swap: &[Felt]) -> Call {
    let mut calldata = vec![Felt::from(cycle)];
    calldata.extend(halves(least));
    calldata.push(Felt::from(swap.len()));
    calldata.extend(swap);
    Call {
        to: order,
        entrypoint: "execute_cycle",
        calldata,
    }
}

/// Has an order let a cycle pass that would buy an amount out of bounds.
#[must_use]
pub fn skip_call(order: Address, cycle: u32, offered: U256) -> Call {
    let mut calldata = vec![Felt::from(cycle)];
    calldata.extend(halves(offered));
    Call {
        to: order,
        entrypoint: "skip_cycle",
        calldata,
    }
}

/// What a cycle of an order trades. The order has what it sells: no node needs to
/// be asked.
#[must_use]
pub fn cycle_sale(order: &NewOrder, max_swaps: usize) -> Wanted {
    Wanted {
        sell: order.sell,
        buy: order.buy,
        amount: Fixed::Sell(order.per_cycle),
        taker: None,
        integrator: None,
        direct: false,
        avoid: VenueSet::NONE,
        size: 1,
        max_swaps,
    }
}
