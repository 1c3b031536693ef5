//! Series and trades as files.

use super::support::Market;
use crate::support::{Answer, send};
use axum::{body::Body, http::Request};
use bytes::Bytes;
use parquet::{
    file::reader::{FileReader as _, SerializedFileReader},
    record::{Field, Row},
};
use serde_json::{Number, Value};

const PARQUET: &str = "application/vnd.apache.parquet";

/// The lines of a file, each as its cells.
fn cells(answer: &Answer) -> Vec<Vec<String>> {
    assert_eq!(
        answer.header("content-type"),
        Some("text/csv; charset=utf-8")
    );
    let text = answer.text();
    assert!(text.ends_with("\r\n"));
    let lines = text.split_terminator("\r\n");
    lines
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

fn rows(answer: &Answer) -> Vec<Row> {
    assert_eq!(answer.header("content-type"), Some(PARQUET));
    let bytes = Bytes::from(answer.body.clone());
    let reader = SerializedFileReader::new(bytes).unwrap();
    reader
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

/// Whether a number is that of the JSON, whose reader may miss the last digit.
fn is_number(found: f64, number: &Number) -> bool {
    let number = number.as_f64().unwrap();
    found.to_bits().abs_diff(number.to_bits()) <= 1
}

/// A cell of CSV says the same as a value of JSON.
fn is_same(cell: &str, value: &Value) -> bool {
    match value {
        Value::Null => cell.is_empty(),
        Value::String(text) => cell == text,
        Value::Number(number) => is_number(cell.parse().unwrap(), number),
        _ => false,
    }
}

/// The same of a cell of Parquet.
fn is_field(field: &Field, value: &Value) -> bool {
    match (field, value) {
        (Field::Null, Value::Null) => true,
        (Field::Str(text), Value::String(value)) => text == value,
        (Field::Double(found), Value::Number(number)) => is_number(*found, number),
        (Field::Long(number), Value::Number(value)) => *number == value.as_i64().unwrap(),
        (Field::TimestampMillis(millis), Value::String(value)) => {
            let time: primitives::Timestamp = value.parse().unwrap();
            *millis == time.as_millisecond()
        }
        _ => false,
    }
}

/// Both files say what the JSON says, column by column.
async fn agree(market: &Market, path: &str, items: &[Value]) {
    assert!(!items.is_empty(), "{path}");
    let mark = if path.contains('?') { '&' } else { '?' };
    let csv = cells(&market.ok(&format!("{path}{mark}format=csv")).await);
    let (names, lines) = csv.split_first().unwrap();
    assert_eq!(lines.len(), items.len(), "{path}");
    for (line, item) in lines.iter().zip(items) {
        assert_eq!(names.len(), item.as_object().unwrap().len(), "{path}");
        for (name, cell) in names.iter().zip(line) {
            assert!(is_same(cell, &item[name]), "{path} {name}: {cell} {item}");
        }
    }
    let read = rows(&market.ok(&format!("{path}{mark}format=parquet")).await);
    assert_eq!(read.len(), items.len(), "{path}");
    for (row, item) in read.iter().zip(items) {
        for (name, field) in row.get_column_iter() {
            assert!(
                is_field(field, &item[name]),
                "{path} {name}: {field} {item}"
            );
        }
    }
}

#[tokio::test]
async fn series_are_the_same_in_every_form() {
    let market = Market::new(81).await;
    let (eth, strk) = (market.address("ETH").await, market.address("STRK").await);
    for path in [
        format!("/v3/tokens/{eth}/prices/candle?resolution=1"),
        format!("/v1/tokens/{eth}/prices/candle?resolution=1H&in={strk}"),
        format!("/v3/tokens/{strk}/prices/line"),
        format!("/v1/tokens/{strk}/prices/line?resolution=4H"),
        format!("/v3/tokens/{strk}/volumes/line?resolution=15"),
        format!("/v1/tokens/{strk}/volumes/line?resolution=1H"),
    ] {
        let items = market.json(&path).await;
        agree(&market, &path, items.as_array().unwrap()).await;
    }
}

#[tokio::test]
async fn a_file_of_trades_has_all_pages() {
    let market = Market::new(82).await;
    let token = market.address("ETH").await;
    let path = format!("/v3/tokens/{token}/trades");
    let mut items = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = market.json(&format!("{path}?limit=7{cursor}")).await;
        items.extend(page["content"].as_array().unwrap().clone());
        match page["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    agree(&market, &path, &items).await;
}

#[tokio::test]
async fn a_file_is_asked_for_by_what_is_accepted_too() {
    let market = Market::new(83).await;
    let token = market.address("ETH").await;
    let path = format!("/v3/tokens/{token}/prices/line");
    for (accept, media) in [
        ("text/csv", "text/csv; charset=utf-8"),
        (PARQUET, PARQUET),
        ("*/*", "application/json"),
    ] {
        let request = Request::get(&path).header("accept", accept);
        let answer = send(&market.bench.router, request, Body::empty()).await;
        assert_eq!(answer.header("content-type"), Some(media));
        let varies = answer.headers.get_all("vary").iter();
        assert!(varies.into_iter().any(|it| it == "accept"), "{accept}");
        let is_file = answer.header("content-disposition").is_some();
        assert_eq!(is_file, media != "application/json");
    }
    let refused = market.bench.get(&format!("{path}?format=xlsx")).await;
    assert_eq!(
        refused.refused(400),
        ["format must be json, csv or parquet, not \"xlsx\""]
    );
}

#[tokio::test]
async fn a_token_without_figures_has_a_file_without_rows() {
    let market = Market::new(84).await;
    let snapshot = market.station.snapshots.load().unwrap();
    let tokens = snapshot.tokens.tokens().iter().map(|token| token.address);
    let unpriced = tokens
        .into_iter()
        .find(|address| {
            let id = snapshot.figures.token(*address);
            id.is_none_or(|id| snapshot.figures.price(id).is_none())
        })
        .unwrap();
    let path = format!("/v3/tokens/{unpriced}/prices/candle");
    let csv = market.ok(&format!("{path}?format=csv")).await;
    assert_eq!(csv.text(), "date,open,high,low,close,volume\r\n");
    let parquet = market.ok(&format!("{path}?format=parquet")).await;
    assert!(rows(&parquet).is_empty());
}
