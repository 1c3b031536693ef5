//! What the trading API answers from.

use super::{rendered::RenderedTokens, rendered_orders::RenderedOrders};
use crate::dialect::Dialect;
use services::{RecurringOrders, Snapshots, Staking, Swaps};
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
    pub(super) dialect: Dialect,
    pub(super) rendered: Arc<RenderedTokens>,
    pub(super) rendered_orders: Arc<RenderedOrders>,
}

impl TradeState {
    pub(crate) fn new(
        snapshots: Snapshots,
        swaps: Swaps,
        orders: Option<RecurringOrders>,
        staking: Option<Staking>,
        dialect: Dialect,
    ) -> Self {
        Self {
            snapshots,
            swaps,
            orders,
            staking,
            dialect,
            rendered: Arc::new(RenderedTokens::new(dialect)),
            rendered_orders: Arc::default(),
        }
    }
}
