//! Whether there are recurring orders here.

use super::super::TradeState;
use crate::http::error::Rejection;
use services::RecurringOrders;

/// The orders, where there is a factory.
pub(super) fn offered(state: &TradeState) -> Result<&RecurringOrders, Rejection> {
    let message = "recurring orders are not offered here: no factory is configured";
    let orders = state.orders.as_ref();
    orders.ok_or_else(|| Rejection::invalid(message.to_owned()))
}
