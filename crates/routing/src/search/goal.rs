//! What is asked of a plan, and how good one is.

use super::lens::Lens;
use super::newton::Fixed;
use super::path::Path;
use super::plan::Plan;
use super::problem::{Edge, MAX_NODES};
use crate::Order;
use crate::graph::TokenId;

/// What a plan is measured by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal<'a> {
    pub(super) lens: Lens<'a>,
    pub(super) order: &'a Order,
    pub(super) ends: [TokenId; 2],
    pub(super) fixed: Fixed,
}

impl Goal<'_> {
    /// What is sold by a sale; open for a purchase.
    pub(super) const fn sold(&self) -> Option<f64> {
        match self.fixed {
            Fixed::In(amount) => Some(amount),
            Fixed::Out(_) => None,
        }
    }

    /// How good a plan is, fees and costs counted.
    pub(super) fn worth(&self, plan: &Plan) -> f64 {
        let fee = self.order.costs.fee(plan.swaps.len());
        match self.fixed {
            Fixed::In(_) => plan.bought * (1.0 - fee) - plan.cost(),
            Fixed::Out(bought) => -(plan.sold * bought / plan.bought * (1.0 + fee) + plan.cost()),
        }
    }

    /// Tokens that are worth looking at: with few swaps few can be passed.
    pub(super) fn max_tokens(&self) -> usize {
        self.order.max_swaps.saturating_mul(2).clamp(24, MAX_NODES)
    }

    /// The least that a swap costs, as a share of what a way trades.
    pub(super) fn cost_share(&self, path: &Path) -> f64 {
        (self.least_cost() / path.amount).min(0.5)
    }

    /// The least that a swap costs.
    pub(super) fn least_cost(&self) -> f64 {
        let costs = self.order.costs.swap.iter().copied();
        let least = costs.fold(f64::INFINITY, f64::min);
        if least.is_finite() { least } else { 0.0 }
    }

    /// What no route exceeds, if no unit can be traded at a better price than this.
    pub(super) fn ideal(&self, spot: f64) -> f64 {
        match self.fixed {
            Fixed::In(amount) => amount * spot,
            Fixed::Out(amount) => -amount / spot,
        }
    }

    /// Whether nothing can be better than a plan at such a price.
    pub(super) fn is_ideal(&self, plan: &Plan, spot: f64) -> bool {
        let ideal = self.ideal(spot);
        let fee = ideal.abs() * self.order.costs.fee_one;
        self.worth(plan) >= ideal - fee - self.least_cost()
    }

    /// Whether a plan really does what is asked, nearly.
    pub(super) fn is_met(&self, plan: &Plan) -> bool {
        match self.fixed {
            Fixed::In(_) => true,
            Fixed::Out(bought) => (plan.bought / bought - 1.0).abs() < 1e-3,
        }
    }

    /// The most by which any plan can be better than this one, as a share.
    pub(super) fn gap(&self, plan: &Plan, bound: f64) -> f64 {
        let net = self.amount_of(plan) - plan.cost();
        ((bound - net) / net.abs()).max(0.0)
    }

    /// What using a pool costs.
    pub(super) fn cost(&self, edge: &Edge) -> f64 {
        let costs = &self.order.costs;
        let swap = edge.pool.map_or(0.0, |slot| costs.swap_at(slot.venue));
        swap + costs.tick * f64::from(edge.hint)
    }

    /// What is left of an amount that is bought (or sold, if negative) by so
    /// many swaps that cost so much.
    pub(super) fn net(&self, amount: f64, swaps: usize, cost: f64) -> f64 {
        amount - amount.abs() * self.order.costs.fee(swaps) - cost
    }

    /// What a plan buys, or minus what it sells.
    pub(super) fn amount_of(&self, plan: &Plan) -> f64 {
        match self.fixed {
            Fixed::In(_) => plan.bought,
            Fixed::Out(bought) => -plan.sold * bought / plan.bought,
        }
    }
}
