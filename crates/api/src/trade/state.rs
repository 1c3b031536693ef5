//! What the trading API answers from.

use super::{
    rendered::RenderedTokens, rendered_orders::RenderedOrders, rendered_staker::RenderedStaker,
};
use crate::dialect::Dialect;
use services::{RecurringOrders, Snapshots, Staking, Swaps, paymaster::Sponsors};
use std::sync::Arc;

/// What these routes answer from.
#[derive(Clone)]
pub(crate) struct TradeState {
    pub(super) snapshots: Snapshots,
    pub(super) swaps: Swaps,
    /// Recurring orders, where there is a factory.
    pub(super) orders: Option<RecurringOrders>,
    /// Staking, where there is a staker.
    pub(super) staking: Option<Staking>,
    /// Those who pay for others.
    pub(super) sponsors: Sponsors,
    pub(super) dialect: Dialect,
    pub(super) rendered: Arc<RenderedTokens>,
    pub(super) rendered_orders: Arc<RenderedOrders>,
    pub(super) rendered_staker: Arc<RenderedStaker>,
}

impl TradeState {
    pub(crate) fn new(
        snapshots: Snapshots,
        swaps: Swaps,
        orders: Option<RecurringOrders>,
        staking: Option<Staking>,
        sponsors: Sponsors,
        dialect: Dialect,
    ) -> Self {
        Self {
            snapshots,
            swaps,
            orders,
            staking,
            sponsors,
            dialect,
            rendered: Arc::new(RenderedTokens::new(dialect)),
            rendered_orders: Arc::default(),
            rendered_staker: Arc::default(),
        }
    }
}
