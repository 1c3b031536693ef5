//! Prices, volumes and TVL over time.

use super::support::{Market, RESOLUTIONS};
use primitives::{Clock, Timestamp};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use std::collections::BTreeMap;

fn column(items: &Value, key: &str) -> Vec<Value> {
    let items = items.as_array().unwrap();
    items.iter().map(|it| it[key].clone()).collect()
}

fn times(items: &Value) -> Vec<i64> {
    let dates = column(items, "date").into_iter();
    dates
        .map(|it| {
            it.as_str()
                .unwrap()
                .parse::<Timestamp>()
                .unwrap()
                .as_second()
        })
        .collect()
}

#[tokio::test]
async fn candles_are_dense_and_ascending_and_each_opens_where_the_last_closed() {
    let market = Market::new(20).await;
    let token = market.address("STRK").await;
    for (resolution, length) in [
        ("1", 60),
        ("5", 300),
        ("15", 900),
        ("1H", 3_600),
        ("4H", 14_400),
    ] {
        let path = format!("/v3/tokens/{token}/prices/candle?resolution={resolution}");
        let candles = market.json(&path).await;
        let times = times(&candles);
        assert!(times.len() >= 2, "{resolution}");
        assert!(times.iter().all(|it| it % length == 0));
        assert!(
            times.windows(2).all(|it| it[1] - it[0] == length),
            "{times:?}"
        );
        let now = market.world.clock.now().as_second();
        assert_eq!(*times.last().unwrap(), now - now % length);
        let candles = candles.as_array().unwrap();
        for pair in candles.windows(2) {
            assert_eq!(pair[0]["close"], pair[1]["open"]);
        }
        for candle in candles {
            let price = |key: &str| candle[key].as_f64().unwrap();
            assert!(price("low") <= price("open").min(price("close")));
            assert!(price("high") >= price("open").max(price("close")));
        }
    }
}

#[tokio::test]
async fn a_line_is_the_closes_of_candles_in_every_resolution_quote_and_version() {
    let market = Market::new(21).await;
    let (token, eth) = (market.address("STRK").await, market.address("ETH").await);
    for quote in [
        "in=usd",
        &format!("in={eth}"),
        &format!("quoteTokenAddress={eth}"),
    ] {
        for resolution in RESOLUTIONS {
            let query = format!("{quote}&resolution={resolution}");
            let candles = market
                .json(&format!("/v3/tokens/{token}/prices/candle?{query}"))
                .await;
            let line = market
                .json(&format!("/v3/tokens/{token}/prices/line?{query}"))
                .await;
            assert!(!candles.as_array().unwrap().is_empty(), "{query}");
            assert_eq!(column(&line, "date"), column(&candles, "date"), "{query}");
            assert_eq!(column(&line, "value"), column(&candles, "close"), "{query}");
            let old = market
                .json(&format!("/v1/tokens/{token}/prices/line?{query}"))
                .await;
            assert_eq!(old, line, "{query}");
        }
    }
}

#[tokio::test]
async fn prices_in_a_token_are_ratios_of_prices_in_usd() {
    let market = Market::new(22).await;
    let (token, eth) = (market.address("STRK").await, market.address("ETH").await);
    let line = async |token: &str, query: &str| {
        let path = format!("/v3/tokens/{token}/prices/line?resolution=15&{query}");
        let line = market.json(&path).await;
        let values = column(&line, "value").into_iter();
        values.map(|it| it.as_f64().unwrap()).collect::<Vec<_>>()
    };
    let in_eth = line(&token, &format!("in={eth}")).await;
    let (usd, eth_usd) = (line(&token, "").await, line(&eth, "").await);
    let count = in_eth.len();
    assert!(count > 10);
    let usd = usd.iter().rev().zip(eth_usd.iter().rev()).rev();
    for (ratio, (usd, eth)) in in_eth.iter().rev().zip(usd.rev()) {
        assert!((ratio / (usd / eth) - 1.0).abs() < 1e-9);
    }
    let itself = line(&eth, &format!("in={eth}")).await;
    assert!(itself.iter().all(|it| (it - 1.0).abs() < 1e-12));
}

#[tokio::test]
async fn any_division_of_a_range_gives_the_same_items() {
    let mut market = Market::new(23).await;
    let token = market.address("ETH").await;
    market.pass(50).await;
    let start = market.world.clock.now().as_second() - 36_000;
    let at = |minutes: i64| Timestamp::from_second(start + minutes * 60).unwrap();
    for feed in [
        "prices/candle",
        "prices/line",
        "volumes/line",
        "exchange-tvl/line",
    ] {
        let path = format!("/v3/tokens/{token}/{feed}?resolution=1");
        let part = async |from: i64, to: i64| {
            let range = format!("startDate={}&endDate={}", at(from), at(to));
            let answer = market.ok(&format!("{path}&{range}")).await;
            let text = answer.text().to_owned();
            text.trim_matches(['[', ']', '\n']).to_owned()
        };
        let whole = part(0, 600).await;
        for cuts in [vec![1], vec![255, 256, 257, 511], vec![100, 599]] {
            let mut parts = Vec::new();
            let mut from = 0;
            for to in cuts.into_iter().chain([600]) {
                parts.push(part(from, to).await);
                from = to;
            }
            assert!(parts.join(",") == whole, "{feed}");
        }
    }
}

#[tokio::test]
async fn the_bucket_that_has_not_ended_is_last_and_can_be_left_out() {
    let market = Market::new(24).await;
    let token = market.address("ETH").await;
    for feed in [
        "prices/candle",
        "prices/line",
        "volumes/line",
        "exchange-volumes/line",
        "exchange-tvl/line",
    ] {
        let path = format!("/v3/tokens/{token}/{feed}?resolution=1H");
        let answer = market.ok(&path).await;
        let dates = column(&answer.json(), "date");
        let partial = dates.last().unwrap().as_str();
        assert_eq!(answer.header("x-partial-bucket"), partial, "{feed}");
        let ended = market.ok(&format!("{path}&partial=false")).await;
        assert_eq!(ended.header("x-partial-bucket"), None);
        let kept: Vec<_> = dates.iter().filter(|it| it.as_str() != partial).collect();
        assert_eq!(
            column(&ended.json(), "date").iter().collect::<Vec<_>>(),
            kept
        );
    }
}

#[tokio::test]
async fn a_range_begins_with_the_bucket_of_its_start_and_ends_before_its_end() {
    let market = Market::new(25).await;
    let token = market.address("ETH").await;
    let path = format!("/v3/tokens/{token}/prices/line?resolution=1H");
    let dates = async |query: &str| {
        let line = market.json(&format!("{path}&{query}")).await;
        column(&line, "date")
    };
    let all = dates("").await;
    let noon = all[all.len() - 3]
        .as_str()
        .unwrap()
        .parse::<Timestamp>()
        .unwrap();
    let at = |seconds: i64| Timestamp::from_second(noon.as_second() + seconds).unwrap();
    let three = &all[all.len() - 3..];
    assert_eq!(dates(&format!("startDate={}", at(0))).await, three);
    assert_eq!(dates(&format!("startDate={}", at(3_599))).await, three);
    assert_eq!(
        dates(&format!("startDate={}&endDate={}", at(0), at(3_600))).await,
        three[..1]
    );
    assert_eq!(
        dates(&format!("startDate={}&endDate={}", at(0), at(3_601))).await,
        three[..2]
    );
    assert_eq!(
        dates(&format!("startDate={}&endDate=2099-01-01", at(0))).await,
        three
    );
    let none: [Value; 0] = [];
    assert_eq!(dates("startDate=2098-01-01&endDate=2099-01-01").await, none);
    assert_eq!(
        dates(&format!("startDate={}&endDate={}", at(0), at(0))).await,
        none
    );
}

/// An item with its amounts as they were written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Exact {
    value: Box<RawValue>,
    value_usd: Box<RawValue>,
    exchange: String,
}

/// A decimal text in units of which `10^decimals` are one.
fn units(text: &RawValue, decimals: usize) -> u128 {
    let (whole, part) = text.get().split_once('.').unwrap_or((text.get(), ""));
    assert!(part.len() <= decimals, "{text}");
    format!("{whole}{part:0<decimals$}").parse().unwrap()
}

/// Token units and USD by exchange.
fn sums(text: &str) -> BTreeMap<String, (u128, u128)> {
    let items: Vec<Exact> = serde_json::from_str(text).unwrap();
    let mut sums = BTreeMap::new();
    for item in items {
        let sum: &mut (u128, u128) = sums.entry(item.exchange).or_default();
        sum.0 += units(&item.value, 18);
        sum.1 += units(&item.value_usd, 8);
    }
    sums
}

#[tokio::test]
async fn volumes_by_exchange_are_the_sums_of_their_lines() {
    let market = Market::new(26).await;
    let token = market.address("ETH").await;
    for version in ["v3", "v1"] {
        let base = format!("/{version}/tokens/{token}/exchange-volumes");
        let days = "startDate=2027-01-14&endDate=2027-01-16";
        let total = market.ok(&format!("{base}?{days}")).await;
        let total = sums(total.text());
        assert!(total.len() >= 2 && total.values().all(|it| it.0 > 0 && it.1 > 0));
        for resolution in ["15", "1H", "1D"] {
            let range = format!("startDate=2027-01-14&endDate=2027-01-17&resolution={resolution}");
            let line = market.ok(&format!("{base}/line?{range}")).await;
            assert!(sums(line.text()) == total, "{resolution}");
        }
    }
}

#[tokio::test]
async fn days_are_taken_whole_and_default_to_the_last_seven() {
    let market = Market::new(27).await;
    let token = market.address("ETH").await;
    let base = format!("/v1/tokens/{token}/exchange-volumes");
    let week = market.ok(&base).await;
    let today = market.world.clock.now().to_string()[..10].to_owned();
    assert_eq!(week.json()[0]["endDate"], today);
    assert_eq!(week.json()[0]["startDate"], "2027-01-09");
    assert_eq!(week.json()[0]["date"], "2027-01-09T00:00:00Z");
    assert_eq!(
        week.header("x-partial-bucket"),
        Some(&*format!("{today}T00:00:00Z"))
    );
    let timed = format!("{base}?startDate=2027-01-09T23:59:59Z&endDate={today}T00:00:01Z");
    assert_eq!(market.ok(&timed).await.body, week.body);
    for future in [
        "endDate=2099-01-01",
        "startDate=2027-01-09&endDate=2099-01-01T12:00:00Z",
    ] {
        let answer = market.ok(&format!("{base}?{future}")).await;
        assert_eq!(answer.body, week.body, "{future}");
        assert_eq!(
            answer.header("x-partial-bucket"),
            week.header("x-partial-bucket")
        );
    }
    let later = format!("{base}?startDate=2098-01-01&endDate=2099-01-01");
    assert_eq!(market.ok(&later).await.text(), "[]\n");
    let v3 = market
        .json(&format!("/v3/tokens/{token}/exchange-volumes"))
        .await;
    assert_eq!(v3[0].get("date"), None);
    assert_eq!(v3[0]["value"], week.json()[0]["value"]);
}

#[tokio::test]
async fn tvl_of_a_moment_is_the_line_at_that_moment() {
    let market = Market::new(28).await;
    let token = market.address("ETH").await;
    let base = format!("/v3/tokens/{token}/exchange-tvl");
    let now = market.json(&base).await;
    assert!(!now.as_array().unwrap().is_empty());
    let date = market.world.clock.now().to_string();
    assert!(
        column(&now, "date")
            .iter()
            .all(|it| *it == date[..19].to_owned() + "Z")
    );
    let line = market.json(&format!("{base}/line?resolution=1")).await;
    let line = line.as_array().unwrap();
    let latest = &line[line.len() - now.as_array().unwrap().len()..];
    for (point, last) in now.as_array().unwrap().iter().zip(latest) {
        for key in ["exchange", "value", "valueUsd"] {
            assert_eq!(point[key], last[key]);
        }
    }
    let today = &date[..10];
    for query in [
        format!("?endDate={today}&startDate={today}"),
        format!("?endDate={date}"),
        format!("?date={date}"),
        "?date=2099-01-01".to_owned(),
    ] {
        let old = market
            .json(&format!("/v1/tokens/{token}/exchange-tvl{query}"))
            .await;
        assert_eq!(old, now, "{query}");
    }
    let past = market.json(&format!("{base}?date=2020-01-01")).await;
    assert_eq!(past.as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn the_dates_of_clients_are_understood() {
    let market = Market::new(29).await;
    let token = market.address("ETH").await;
    let line = async |start: &str| {
        let path = format!("/v3/tokens/{token}/prices/line?resolution=5&startDate={start}");
        market.json(&path).await
    };
    let expected = line("2027-01-15T09:00:00Z").await;
    assert!(!expected.as_array().unwrap().is_empty());
    for same in [
        "2027-01-15T09%3A00%3A00.000Z",
        "2027-01-15T11:00:00%2B02:00",
        "2027-01-15T11:00:00+02:00",
        "2027-01-15T04:00:00-05:00",
        "2027-01-15T09:04:59.999Z",
    ] {
        assert_eq!(line(same).await, expected, "{same}");
    }
}
