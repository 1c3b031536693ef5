//! What the trading API answers from.

use super::rendered::RenderedTokens;
use crate::dialect::Dialect;
use services::{Snapshots, Swaps};
use std::sync::Arc;

/// What these routes answer from.
#[derive(Clone)]
pub(crate) struct TradeState {
    pub(super) snapshots: Snapshots,
    pub(super) swaps: Swaps,
    pub(super) dialect: Dialect,
    pub(super) rendered: Arc<RenderedTokens>,
}

impl TradeState {
    pub(crate) fn new(snapshots: Snapshots, swaps: Swaps, dialect: Dialect) -> Self {
        Self {
            snapshots,
            swaps,
            dialect,
            rendered: Arc::new(RenderedTokens::new(dialect)),
        }
    }
}
