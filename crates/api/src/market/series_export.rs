//! Series as rows of a file, a page at a time.

use super::{
    date::Time,
    decimal::Decimal,
    export::{Broken, Cell, Column, Kind, Row},
    pages::{Feed, SeriesKey},
    query::Range,
};
use futures_util::{Stream, stream};
use market::{TokenId, series::Span};
use services::Snapshot;
use std::sync::Arc;

/// Buckets that are read at a time.
const PAGE: usize = 256;

const CANDLES: [Column; 6] = [
    Kind::Time.called("date"),
    Kind::Number.called("open"),
    Kind::Number.called("high"),
    Kind::Number.called("low"),
    Kind::Number.called("close"),
    Kind::Number.called("volume"),
];

const LINE: [Column; 2] = [Kind::Time.called("date"), Kind::Number.called("value")];

/// The columns of transferred volumes.
pub(super) const VOLUMES: [Column; 3] = [
    Kind::Time.called("date"),
    Kind::Number.called("value"),
    Kind::Number.called("valueUsd"),
];

impl Feed {
    /// The columns of its files.
    pub(super) const fn columns(self) -> &'static [Column] {
        match self {
            Self::Candles => &CANDLES,
            Self::Closes => &LINE,
        }
    }
}

/// The rows of a series of prices; none without a key.
pub(super) fn prices(
    snapshot: Arc<Snapshot>,
    key: Option<SeriesKey>,
    range: Range,
) -> impl Stream<Item = Result<Vec<Row>, Broken>> {
    let pages = key.into_iter().flat_map(move |key| {
        let (snapshot, resolution) = (Arc::clone(&snapshot), range.resolution);
        parts(&range.span).map(move |span| {
            let SeriesKey { token, quote, feed } = key;
            let figures = &snapshot.figures;
            let date = |bucket| Cell::Time(Time(resolution.opens(bucket)));
            match feed {
                Feed::Candles => {
                    let candles = figures.candles(token, quote, resolution, span);
                    let rows = candles.iter().map(|(bucket, candle)| {
                        vec![
                            date(bucket),
                            Cell::Number(candle.open),
                            Cell::Number(candle.high),
                            Cell::Number(candle.low),
                            Cell::Number(candle.close),
                            Cell::Exact(Decimal::usd(candle.volume)),
                        ]
                    });
                    rows.collect()
                }
                Feed::Closes => {
                    let closes = figures.closes(token, quote, resolution, span);
                    let rows = closes
                        .iter()
                        .map(|(bucket, close)| vec![date(bucket), Cell::Number(*close)]);
                    rows.collect()
                }
            }
        })
    });
    stream::iter(pages.map(Ok))
}

/// The rows of what was transferred of a token.
pub(super) fn volumes(
    snapshot: Arc<Snapshot>,
    token: Option<TokenId>,
    decimals: u8,
    range: Range,
) -> impl Stream<Item = Result<Vec<Row>, Broken>> {
    let pages = token.into_iter().flat_map(move |token| {
        let (snapshot, resolution) = (Arc::clone(&snapshot), range.resolution);
        parts(&range.span).map(move |span| {
            let amounts = snapshot.figures.transferred(token, resolution, span);
            let rows = amounts.into_iter().map(|(bucket, amount)| {
                let units = amount.units;
                vec![
                    Cell::Time(Time(resolution.opens(bucket))),
                    Cell::Exact(Decimal { units, decimals }),
                    Cell::Exact(Decimal::usd(amount.usd)),
                ]
            });
            rows.collect()
        })
    });
    stream::iter(pages.map(Ok))
}

/// A span in parts, in order.
fn parts(span: &Span) -> impl Iterator<Item = Span> + use<> {
    let end = span.end;
    let starts = span.clone().step_by(PAGE);
    starts.map(move |start| {
        let length = i64::try_from(PAGE).unwrap_or(i64::MAX);
        start..start.saturating_add(length).min(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole_span() {
        let all = |span: Span| parts(&span).collect::<Vec<_>>();
        assert_eq!(all(5..5), []);
        assert_eq!(all(-3..300), [-3..253, 253..300]);
        assert_eq!(all(0..600), [0..256, 256..512, 512..600]);
    }
}
