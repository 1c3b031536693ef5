//! The calls by which a trader creates and ends an order.

use super::plan::NewOrder;
use crate::{Call, adapter::halves};
use primitives::{Address, Felt, U256};

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
