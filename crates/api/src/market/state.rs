//! What the market API answers from.

use super::{
    kept_answers::KeptAnswers, pool_board::PoolBoards, ranking::Rankings, series::KeptSeries,
};
use crate::{dialect::Dialect, http::streams::Streams};
use market::Token;
use primitives::{BlockRef, Clock, Timestamp};
use services::{GlobalFeed, GlobalMarket, RecurringOrders, Snapshots, TradeHistory};
use std::{fmt, ops::Deref, sync::Arc};

/// What these routes answer from.
#[derive(Clone)]
pub(crate) struct MarketState(Arc<Parts>);

pub(crate) struct Parts {
    pub(super) snapshots: Snapshots,
    pub(super) global: GlobalFeed,
    /// Where there is a factory.
    pub(super) orders: Option<RecurringOrders>,
    pub(super) streams: Streams,
    pub(super) trades: TradeHistory,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) dialect: Dialect,
    pub(super) series: KeptSeries,
    pub(super) rankings: Rankings,
    pub(super) boards: PoolBoards,
    pub(super) answers: KeptAnswers,
}

impl MarketState {
    pub(crate) fn new(
        snapshots: Snapshots,
        global: GlobalFeed,
        orders: Option<RecurringOrders>,
        streams: Streams,
        trades: TradeHistory,
        clock: Arc<dyn Clock>,
        dialect: Dialect,
    ) -> Self {
        Self(Arc::new(Parts {
            snapshots,
            global,
            orders,
            streams,
            trades,
            clock,
            dialect,
            series: KeptSeries::default(),
            rankings: Rankings::default(),
            boards: PoolBoards::default(),
            answers: KeptAnswers::default(),
        }))
    }

    /// What a global aggregator says of a token when a block is the newest.
    pub(super) fn global_market(
        &self,
        token: &Token,
        head: BlockRef,
        now: Timestamp,
    ) -> Option<GlobalMarket> {
        let id = token.listing.aggregator_id.as_deref()?;
        self.global.get(id, head.number, now)
    }
}

impl Deref for MarketState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl fmt::Debug for MarketState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MarketState").finish_non_exhaustive()
    }
}
