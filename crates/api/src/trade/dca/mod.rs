//! Recurring orders: the calls that create and end them, and what became of them.

mod cancel;
mod create;
mod create_body;
mod iso_time;
mod list;
mod list_query;
mod offered;
mod order_body;
mod preview;

use super::TradeState;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<TradeState>; 3] {
    [
        routes!(list::list_orders, create::create_order),
        routes!(preview::preview_order),
        routes!(cancel::cancel_order),
    ]
}
