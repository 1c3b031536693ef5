//! Where a stream's events come from.

use super::super::view::View;
use market::{
    figures::Candle,
    series::{Bucket, Resolution, Span},
};
use primitives::Address;
use services::{RecentBlocks, RecurringOrders};

/// A price, and by how many per cent it changed in 24 hours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PriceFigure {
    pub(super) usd: f64,
    pub(super) change: Option<f64>,
}

/// Recurring orders of a trader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OrdersFigure {
    /// The newest block that they are known by.
    pub(super) block: u64,
    /// Another number when something has changed.
    pub(super) imprint: u64,
}

/// Everything that may be told, as of one moment.
pub(super) trait Source {
    fn recent(&self) -> &RecentBlocks;
    /// The time of the newest block, in seconds since 1970.
    fn head_time(&self) -> i64;
    /// The market's time.
    fn now(&self) -> i64;
    fn price(&self, token: Address) -> Option<PriceFigure>;
    fn candles(&self, token: Address, resolution: Resolution, span: Span) -> Vec<(Bucket, Candle)>;
    fn orders(&self, trader: Address) -> Option<OrdersFigure>;
}

/// What is published now.
pub(super) struct Published<'a> {
    pub(super) view: View,
    pub(super) orders: Option<&'a RecurringOrders>,
}

impl Source for Published<'_> {
    fn recent(&self) -> &RecentBlocks {
        &self.view.snapshot.recent
    }

    fn head_time(&self) -> i64 {
        self.view.snapshot.figures.head_time()
    }

    fn now(&self) -> i64 {
        self.view.now
    }

    /// As the market tells it: of tokens that are shown.
    fn price(&self, token: Address) -> Option<PriceFigure> {
        let snapshot = &self.view.snapshot;
        snapshot.tokens.by_address(token)?;
        let token = snapshot.figures.token(token)?;
        Some(PriceFigure {
            usd: snapshot.figures.price(token)?.usd,
            change: snapshot
                .figures
                .day_change(token, self.view.now)?
                .percentage,
        })
    }

    fn candles(&self, token: Address, resolution: Resolution, span: Span) -> Vec<(Bucket, Candle)> {
        let snapshot = &self.view.snapshot;
        let token = snapshot
            .tokens
            .by_address(token)
            .and(snapshot.figures.token(token));
        token.map_or_else(Vec::new, |token| {
            let candles = snapshot.figures.candles(token, None, resolution, span);
            candles.iter().map(|(bucket, it)| (bucket, *it)).collect()
        })
    }

    fn orders(&self, trader: Address) -> Option<OrdersFigure> {
        self.orders?.look(|book, now| OrdersFigure {
            block: now.block,
            imprint: book.imprint(trader, now),
        })
    }
}
