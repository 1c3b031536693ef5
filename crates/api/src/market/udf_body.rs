//! What the data feed of charts answers. The names are the charts' own.

use super::{decimal::Decimal, udf_query::RESOLUTIONS};
use serde::Serialize;
use utoipa::ToSchema;

/// What everything is listed at.
pub(super) const EXCHANGE: &str = "Stoa";

/// What everything is.
pub(super) const KIND: &str = "crypto";

/// Digits of a price that a chart shows, at least.
const SHOWN_DIGITS: f64 = 6.0;

/// Digits after the point that a chart can have.
const MAX_DECIMALS: f64 = 15.0;

/// What the feed can do.
#[derive(Debug, Serialize, ToSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question that charts ask"
)]
pub(super) struct UdfConfig {
    supported_resolutions: [&'static str; 9],
    supports_search: bool,
    supports_group_request: bool,
    supports_marks: bool,
    supports_timescale_marks: bool,
    supports_time: bool,
    exchanges: Vec<UdfExchange>,
    symbols_types: Vec<UdfType>,
}

/// An exchange to choose.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UdfExchange {
    #[schema(example = "Stoa")]
    value: &'static str,
    #[schema(example = "Stoa")]
    name: &'static str,
    #[schema(example = "All pools")]
    desc: &'static str,
}

/// A type to choose.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UdfType {
    #[schema(example = "Crypto")]
    name: &'static str,
    #[schema(example = "crypto")]
    value: &'static str,
}

impl UdfConfig {
    pub(super) fn new() -> Self {
        Self {
            supported_resolutions: resolutions(),
            supports_search: true,
            supports_group_request: false,
            supports_marks: false,
            supports_timescale_marks: false,
            supports_time: true,
            exchanges: vec![UdfExchange {
                value: EXCHANGE,
                name: EXCHANGE,
                desc: "All pools of all venues",
            }],
            symbols_types: vec![UdfType {
                name: "Crypto",
                value: KIND,
            }],
        }
    }
}

fn resolutions() -> [&'static str; 9] {
    RESOLUTIONS.map(|(name, ..)| name)
}

/// What a charting library has to know of a token.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UdfSymbol<'a> {
    #[schema(example = "ETH")]
    name: &'a str,
    /// The token's address, by which its bars are asked for.
    #[schema(example = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")]
    ticker: String,
    #[schema(example = "Ether")]
    description: &'a str,
    #[serde(rename = "type")]
    #[schema(example = "crypto")]
    kind: &'static str,
    #[schema(example = "24x7")]
    session: &'static str,
    #[schema(example = "Etc/UTC")]
    timezone: &'static str,
    #[schema(example = "Stoa")]
    exchange: &'static str,
    #[schema(example = "Stoa")]
    listed_exchange: &'static str,
    #[schema(example = "price")]
    format: &'static str,
    #[schema(example = "USD")]
    currency_code: &'static str,
    #[schema(example = 1)]
    minmov: u8,
    /// Prices are shown in parts of this.
    #[schema(example = 100)]
    pricescale: u64,
    has_intraday: bool,
    has_daily: bool,
    has_weekly_and_monthly: bool,
    intraday_multipliers: [&'static str; 5],
    daily_multipliers: [&'static str; 1],
    weekly_multipliers: [&'static str; 1],
    monthly_multipliers: [&'static str; 2],
    supported_resolutions: [&'static str; 9],
    #[schema(example = 2)]
    volume_precision: u8,
    #[schema(example = "streaming")]
    data_status: &'static str,
}

impl<'a> UdfSymbol<'a> {
    pub(super) fn new(name: &'a str, description: &'a str, ticker: String, usd: f64) -> Self {
        Self {
            name,
            ticker,
            description,
            kind: KIND,
            session: "24x7",
            timezone: "Etc/UTC",
            exchange: EXCHANGE,
            listed_exchange: EXCHANGE,
            format: "price",
            currency_code: "USD",
            minmov: 1,
            pricescale: pricescale(usd),
            has_intraday: true,
            has_daily: true,
            has_weekly_and_monthly: true,
            intraday_multipliers: ["1", "5", "15", "60", "240"],
            daily_multipliers: ["1"],
            weekly_multipliers: ["1"],
            monthly_multipliers: ["1", "12"],
            supported_resolutions: resolutions(),
            volume_precision: 2,
            data_status: "streaming",
        }
    }
}

/// The power of ten whose parts show enough digits of a price.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number of at most fifteen"
)]
fn pricescale(usd: f64) -> u64 {
    let decimals = if usd > 0.0 {
        SHOWN_DIGITS - usd.log10().ceil()
    } else {
        SHOWN_DIGITS
    };
    10_u64.pow(decimals.clamp(2.0, MAX_DECIMALS) as u32)
}

/// A symbol that was found.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UdfFound<'a> {
    #[schema(example = "ETH")]
    pub(super) symbol: &'a str,
    #[schema(example = "Stoa:ETH")]
    pub(super) full_name: String,
    #[schema(example = "Ether")]
    pub(super) description: &'a str,
    #[schema(example = "Stoa")]
    pub(super) exchange: &'static str,
    /// The token's address.
    #[schema(example = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")]
    pub(super) ticker: String,
    #[serde(rename = "type")]
    #[schema(example = "crypto")]
    pub(super) kind: &'static str,
}

/// Bars, or that there are none.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(super) struct UdfHistory {
    /// `ok`, or `no_data` if there are no bars.
    #[schema(example = "ok")]
    pub(super) s: &'static str,
    /// When each bar begins, in seconds since 1970 UTC, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!([1_769_817_600]))]
    pub(super) t: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!([3_490.0]))]
    pub(super) o: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!([3_512.5]))]
    pub(super) h: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!([3_488.0]))]
    pub(super) l: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!([3_500.25]))]
    pub(super) c: Vec<f64>,
    /// Traded volume in USD.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<f64>, example = json!([12_345.67]))]
    pub(super) v: Vec<Decimal>,
    /// When the newest bar before the range begins, if there are none in it.
    #[serde(rename = "nextTime", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 1_769_814_000)]
    pub(super) next_time: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enough_digits_are_shown() {
        for (usd, scale) in [
            (3_500.0, 100),
            (99_000.0, 100),
            (1.0, 1_000_000),
            (0.5, 1_000_000),
            (0.000_012, 10_000_000_000),
            (1e-30, 1_000_000_000_000_000),
            (0.0, 1_000_000),
            (f64::NAN, 1_000_000),
        ] {
            assert_eq!(pricescale(usd), scale, "{usd}");
        }
    }
}
