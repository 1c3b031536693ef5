//! Swaps: quotes, the calls that execute them, and where routes may pass.

mod build;
mod build_body;
mod quote_body;
mod quotes;
mod quotes_query;
mod sources;

use super::TradeState;
pub(crate) use quote_body::{ADDED, ADDED_SCHEMA};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<TradeState>; 3] {
    [
        routes!(quotes::swap_quotes),
        routes!(build::swap_build),
        routes!(sources::swap_sources),
    ]
}
