//! Reads the query of a token's trades, and the cursor by which it goes on.

use super::{
    date::Moment,
    query::{moment, once},
};
use crate::http::{
    error::{Problems, shown},
    query_values::read_number,
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use services::TradePlace;
use std::ops::Range;
use utoipa::IntoParams;

/// Trades of an answer.
const DEFAULT_LIMIT: u64 = 50;
const MAX_LIMIT: u64 = 200;

/// The query as it is sent; every key may be given once.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct TradeQuery {
    /// `next` of an earlier answer: the trades before those.
    #[param(value_type = Option<String>, max_length = 64, example = "AAAAAAAAAHsAAAAEAAAAAGl9lQA")]
    cursor: Vec<String>,
    /// Trades of an answer at most. Of a token that is traded rarely there may be
    /// fewer, and still more to come.
    #[param(value_type = Option<u64>, minimum = 1, maximum = 200, default = 50, example = 50)]
    limit: Vec<String>,
    /// Trades from this moment on: a date-time with an offset, or a date, which
    /// means its midnight in UTC.
    #[param(value_type = Option<String>, example = "2026-01-31T00:00:00Z")]
    from: Vec<String>,
    /// Trades before this moment.
    #[param(value_type = Option<String>, example = "2026-02-01T00:00:00Z")]
    to: Vec<String>,
}

/// Which trades are asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TradeRequest {
    pub(super) before: Option<Cursor>,
    pub(super) limit: usize,
    /// In seconds since 1970.
    pub(super) span: Range<i64>,
}

/// A place, and the time of its block.
pub(super) type Cursor = (TradePlace, i64);

impl TradeQuery {
    pub(super) fn read(&self, problems: &mut Problems) -> Option<TradeRequest> {
        let cursor = once("cursor", &self.cursor, problems);
        let before = cursor.map(|text| text.map(|text| read_cursor(text, problems)));
        let limit = read_number("limit", &self.limit, 1..=MAX_LIMIT, problems);
        let from = moment("from", &self.from, problems);
        let to = moment("to", &self.to, problems);
        let (from, to) = (from?, to?);
        if let (Some(from), Some(to)) = (from, to)
            && from.at > to.at
        {
            problems.add(format!(
                "from must not be after to, but {} is after {}",
                from.at, to.at
            ));
        }
        let start = from.map_or(0, Moment::next_second);
        let end = to.map_or(i64::MAX, Moment::next_second);
        let before = match before? {
            Some(cursor) => Some(cursor?),
            None => None,
        };
        Some(TradeRequest {
            before,
            limit: usize::try_from(limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(0),
            span: start..end.max(start),
        })
    }
}

/// A cursor as it is sent: nobody has to know what is in it.
pub(super) fn cursor_text((place, time): Cursor) -> String {
    let TradePlace { block, place } = place;
    let bytes = [
        &block.to_be_bytes()[..],
        &place.to_be_bytes(),
        &time.to_be_bytes(),
    ];
    URL_SAFE_NO_PAD.encode(bytes.concat())
}

fn read_cursor(text: &str, problems: &mut Problems) -> Option<Cursor> {
    let read = decode(text);
    if read.is_none() {
        problems.add(format!(
            "cursor must be the next of an earlier answer, not {}",
            shown(text)
        ));
    }
    read
}

fn decode(text: &str) -> Option<Cursor> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (block, rest) = bytes.split_first_chunk()?;
    let (place, rest) = rest.split_first_chunk()?;
    let place = TradePlace {
        block: u64::from_be_bytes(*block),
        place: u32::from_be_bytes(*place),
    };
    let time = i64::from_be_bytes(rest.try_into().ok()?);
    (i64::try_from(place.block).is_ok() && time >= 0).then_some((place, time))
}

#[cfg(test)]
mod tests {
    use super::super::query::parse;
    use super::*;
    use proptest::prelude::*;

    fn read(query: &str) -> Option<TradeRequest> {
        let uri = format!("http://stoa/?{query}").parse().unwrap();
        let mut problems = Problems::default();
        let read = parse::<TradeQuery>(&uri).unwrap().read(&mut problems);
        assert!(read.is_some() || !problems.is_empty());
        read.filter(|_| problems.is_empty())
    }

    #[test]
    fn nothing_asked_is_the_newest_fifty() {
        let asked = read("").unwrap();
        assert_eq!((asked.limit, asked.before), (50, None));
        assert_eq!(asked.span, 0..i64::MAX);
        let asked = read("from=2026-01-31&to=2026-01-31T12:00:00.5Z&limit=200").unwrap();
        assert_eq!(asked.span, 1_769_817_600..1_769_860_801);
    }

    #[test]
    fn what_is_wrong_is_refused() {
        for wrong in [
            "limit=0",
            "limit=201",
            "cursor=x",
            "cursor=AAAA&cursor=AAAA",
            "from=2026-02-01&to=2026-01-01",
            "to=yesterday",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_cursor_reads_back_as_itself(block in 0..1_u64 << 60, place: u32, time in 0..i64::MAX) {
            let cursor = (TradePlace { block, place }, time);
            prop_assert_eq!(decode(&cursor_text(cursor)), Some(cursor));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[ -~]{0,40}") {
            let _ = decode(&text);
        }
    }
}
