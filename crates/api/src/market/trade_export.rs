//! Trades as rows of a file, a page at a time.

use super::{
    export::{Broken, Cell, Column, Kind, Row},
    trade_body::TradeBody,
};
use futures_util::{Stream, stream};
use services::{TradeHistory, TradePage, TradesAsked};

/// Trades of a file at most.
const MAX_ROWS: usize = 50_000;

/// Trades that are read at a time.
pub(super) const PAGE: usize = 200;

pub(super) const COLUMNS: [Column; 11] = [
    Kind::Count.called("blockNumber"),
    Kind::Time.called("timestamp"),
    Kind::Text.called("transactionHash"),
    Kind::Text.called("pool"),
    Kind::Text.called("venue"),
    Kind::Text.called("side"),
    Kind::Text.called("amount"),
    Kind::Text.called("otherToken"),
    Kind::Text.called("otherAmount"),
    Kind::Number.called("priceUsd"),
    Kind::Number.called("valueUsd"),
];

/// What is still to be read.
struct Rest {
    history: TradeHistory,
    asked: TradesAsked,
    decimals: u8,
    /// A page that was read and not told yet.
    page: Option<TradePage>,
    /// Rows that may still come.
    room: usize,
}

/// The rows of the trades that are asked for, from a page on that was read.
pub(super) fn rows(
    history: TradeHistory,
    asked: TradesAsked,
    decimals: u8,
    first: TradePage,
) -> impl Stream<Item = Result<Vec<Row>, Broken>> {
    let rest = Rest {
        history,
        asked,
        decimals,
        page: Some(first),
        room: MAX_ROWS,
    };
    stream::try_unfold(rest, |mut rest| async move {
        let Some(page) = rest.page.take() else {
            return Ok(None);
        };
        let trades = page.trades.iter().take(rest.room);
        let told = trades.filter_map(|trade| TradeBody::new(trade, rest.decimals, &page.snapshot));
        let rows: Vec<Row> = told.map(row).collect();
        rest.room = rest.room.saturating_sub(page.trades.len());
        rest.asked.before = page.next;
        if page.next.is_some() && rest.room > 0 {
            let next = rest.history.page(&rest.asked).await?;
            rest.page = Some(next.ok_or(Broken::NoHistory)?);
        }
        Ok(Some((rows, rest)))
    })
}

fn row(trade: TradeBody<'_>) -> Row {
    let number = |number: Option<f64>| number.map_or(Cell::Null, Cell::Number);
    vec![
        Cell::Count(trade.block_number),
        Cell::Time(trade.timestamp),
        trade.transaction_hash.map_or(Cell::Null, Cell::Text),
        Cell::Text(trade.pool),
        Cell::Text(trade.venue.to_owned()),
        Cell::Text(trade.side.to_owned()),
        Cell::Text(trade.amount),
        Cell::Text(trade.other_token.to_string()),
        Cell::Text(trade.other_amount),
        number(trade.price_usd),
        trade.value_usd.map_or(Cell::Null, Cell::Exact),
    ]
}
