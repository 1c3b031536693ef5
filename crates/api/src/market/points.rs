//! Points of series, as they are sent and described.

use super::{
    date::{Day, Time},
    decimal::Decimal,
};
use market::figures;
use serde::Serialize;
use utoipa::ToSchema;

/// A price at the end of a bucket, or now.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PricePoint {
    /// When the bucket began.
    #[schema(value_type = String, format = DateTime, example = "2026-01-31T12:00:00Z")]
    pub(super) date: Time,
    #[schema(example = 3_500.25)]
    pub(super) value: f64,
}

/// The course of a price in one bucket.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(super) struct Candle {
    /// When the bucket began.
    #[schema(value_type = String, format = DateTime, example = "2026-01-31T12:00:00Z")]
    date: Time,
    /// The close of the bucket before.
    #[schema(example = 3_490.0)]
    open: f64,
    #[schema(example = 3_512.5)]
    high: f64,
    #[schema(example = 3_488.0)]
    low: f64,
    /// At the bucket's end, or now.
    #[schema(example = 3_500.25)]
    close: f64,
    /// What was traded, in what prices are quoted in.
    #[schema(value_type = f64, example = 12_345.67)]
    volume: Decimal,
}

impl Candle {
    pub(super) fn new(date: Time, candle: &figures::Candle) -> Self {
        Self {
            date,
            open: candle.open,
            high: candle.high,
            low: candle.low,
            close: candle.close,
            volume: Decimal::usd(candle.volume),
        }
    }
}

/// What was transferred of a token in one bucket.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct VolumePoint {
    /// When the bucket began.
    #[schema(value_type = String, format = DateTime, example = "2026-01-31T12:00:00Z")]
    pub(super) date: Time,
    /// In whole tokens, exact.
    #[schema(value_type = f64, example = 12.5)]
    pub(super) value: Decimal,
    /// What it was worth then.
    #[schema(value_type = f64, example = 43_753.125)]
    pub(super) value_usd: Decimal,
}

/// What was traded of a token, or lay of it in pools, at one exchange.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExchangePoint<'a> {
    /// When the bucket began, or the moment that was asked about.
    #[schema(value_type = String, format = DateTime, example = "2026-01-31T12:00:00Z")]
    pub(super) date: Time,
    /// In whole tokens, exact.
    #[schema(value_type = f64, example = 12.5)]
    pub(super) value: Decimal,
    /// What it was worth then.
    #[schema(value_type = f64, example = 43_753.125)]
    pub(super) value_usd: Worth,
    #[schema(example = "Ekubo")]
    pub(super) exchange: &'a str,
}

/// What an amount is worth.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub(super) enum Worth {
    /// Of trades, which are added up.
    Exact(Decimal),
    /// Of what lies in pools, by the price of the time.
    Nearest(f64),
}

/// What was traded of a token at one exchange on some days.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExchangeVolume<'a> {
    /// In whole tokens, exact.
    #[schema(value_type = f64, example = 12.5)]
    pub(super) value: Decimal,
    /// What it was worth then.
    #[schema(value_type = f64, example = 43_753.125)]
    pub(super) value_usd: Decimal,
    #[schema(example = "Ekubo")]
    pub(super) exchange: &'a str,
    /// The first day.
    #[schema(value_type = String, format = Date, example = "2026-01-25")]
    pub(super) start_date: Day,
    /// The last day.
    #[schema(value_type = String, format = Date, example = "2026-01-31")]
    pub(super) end_date: Day,
}

/// What was traded of a token at one exchange on some days.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExchangeVolumeV1<'a> {
    /// When the first day began.
    #[schema(value_type = String, format = DateTime, example = "2026-01-25T00:00:00Z")]
    date: Time,
    /// In whole tokens, exact.
    #[schema(value_type = f64, example = 12.5)]
    value: Decimal,
    /// What it was worth then.
    #[schema(value_type = f64, example = 43_753.125)]
    value_usd: Decimal,
    #[schema(example = "Ekubo")]
    exchange: &'a str,
    /// The first day.
    #[schema(value_type = String, format = Date, example = "2026-01-25")]
    start_date: Day,
    /// The last day.
    #[schema(value_type = String, format = Date, example = "2026-01-31")]
    end_date: Day,
}

impl<'a> From<ExchangeVolume<'a>> for ExchangeVolumeV1<'a> {
    fn from(volume: ExchangeVolume<'a>) -> Self {
        Self {
            date: volume.start_date.begins(),
            value: volume.value,
            value_usd: volume.value_usd,
            exchange: volume.exchange,
            start_date: volume.start_date,
            end_date: volume.end_date,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn candles_are_written_as_documented() {
        let candle = figures::Candle {
            open: 0.1,
            high: 2.5e-9,
            low: 1e21,
            close: 3.0,
            volume: 150_000_000,
        };
        let text = serde_json::to_string(&Candle::new(Time(20_454 * 86_400), &candle)).unwrap();
        let expected = json!({
            "date": "2026-01-01T00:00:00Z", "open": 0.1, "high": 2.5e-9, "low": 1e21,
            "close": 3.0, "volume": 1.5
        });
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    }

    proptest! {
        #[test]
        fn a_price_reads_back_as_itself(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            let text = serde_json::to_string(&PricePoint { date: Time(0), value }).unwrap();
            let text = text.strip_prefix(r#"{"date":"1970-01-01T00:00:00Z","value":"#).unwrap();
            let text = text.strip_suffix('}').unwrap();
            if value.is_finite() {
                prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits);
            } else {
                prop_assert_eq!(text, "null");
            }
        }
    }
}
