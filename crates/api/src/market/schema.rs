//! What answers look like, for the documentation. They are written by hand, in
//! `json` and beside the routes; tests hold the two together.

#![expect(dead_code, reason = "only describes what is written elsewhere")]

use crate::trade::TagName;
use utoipa::ToSchema;

const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";

/// The tokens that are asked about.
#[derive(ToSchema)]
pub(super) struct TokenAddresses {
    /// Their addresses. A token that is asked for twice is answered once.
    #[schema(min_items = 1, max_items = 50, example = json!([ETH]))]
    tokens: Vec<String>,
}

/// A price in USD.
#[derive(ToSchema)]
pub(super) struct UsdPrice {
    #[schema(example = 3_500.25)]
    usd: f64,
}

/// What a token is worth now.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct TokenPrice {
    /// Its contract, hexadecimal without padding.
    #[schema(example = json!(ETH))]
    address: String,
    #[schema(example = 18, maximum = 36)]
    decimals: u8,
    /// On this network.
    network_market: UsdPrice,
    /// At a global aggregator, if it knows the token.
    #[schema(nullable = false)]
    global_market: Option<UsdPrice>,
}

/// A token and its market.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct TokenMarket {
    /// Its contract, hexadecimal without padding.
    #[schema(example = json!(ETH))]
    address: String,
    #[schema(example = "Ether", max_length = 64)]
    name: String,
    #[schema(example = "ETH", max_length = 32)]
    symbol: String,
    #[schema(example = 18, maximum = 36)]
    decimals: u8,
    /// Address of a picture, or null.
    #[schema(required, example = "https://logo.example/eth.svg")]
    logo_uri: Option<String>,
    /// Whether the operator has verified it.
    verified: bool,
    /// Its name at a global market-data aggregator, or null.
    #[schema(required, example = "ethereum")]
    aggregator_id: Option<String>,
    /// Who vouches for it.
    tags: Vec<TagName>,
    /// The last seven days in hours.
    line_price_feed_in_usd: Vec<PricePoint>,
    /// On this network.
    network: NetworkFigures,
    /// At a global aggregator, if it knows the token.
    #[schema(nullable = false)]
    global: Option<GlobalFigures>,
}

/// A token's market on this network, in USD.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct NetworkFigures {
    /// The price.
    #[schema(example = 3_500.25)]
    usd: f64,
    /// What lies of it in pools; of a token that nobody vouches for, at most as
    /// much as lies beside it.
    #[schema(example = 1_250_000.5)]
    usd_tvl: f64,
    /// What lies of it in pools beyond `usdTvl`, so that the two together are
    /// the sum of `exchange-tvl`; absent if nothing does.
    #[schema(nullable = false, example = 250.5)]
    usd_tvl_uncounted: Option<f64>,
    /// Of the price; 0 if there was none an hour ago.
    #[schema(example = 12.5)]
    usd_price_change_1h: f64,
    /// Null if there was no price then.
    #[schema(required, example = 0.36)]
    usd_price_change_percentage_1h: Option<f64>,
    #[schema(example = -20.25)]
    usd_price_change_24h: f64,
    #[schema(required, example = -0.58)]
    usd_price_change_percentage_24h: Option<f64>,
    #[schema(example = 100.0)]
    usd_price_change_7d: f64,
    #[schema(required, example = 2.94)]
    usd_price_change_percentage_7d: Option<f64>,
    /// Every leg of every trade of the last 24 hours.
    #[schema(example = 812_345.67)]
    usd_volume_24h: f64,
    /// The same without what only passed through.
    #[schema(example = 512_345.67)]
    usd_trading_volume_24h: f64,
}

/// What a global aggregator says of a token, in USD.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct GlobalFigures {
    /// The price.
    #[schema(example = 3_501.0)]
    usd: f64,
    /// What all tokens in circulation are worth.
    #[schema(example = 420_000_000_000.0)]
    usd_market_cap: f64,
    /// What all tokens that there will be are worth.
    #[schema(example = 420_000_000_000.0)]
    usd_fdv: f64,
    #[schema(example = 1_000_000_000.0)]
    usd_market_cap_change_24h: f64,
    #[schema(example = 0.24)]
    usd_market_cap_change_percentage_24h: f64,
}

/// A price at the end of a bucket, or now.
#[derive(ToSchema)]
pub(super) struct PricePoint {
    /// When the bucket began.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    date: String,
    #[schema(example = 3_500.25)]
    value: f64,
}

/// The course of a price in one bucket.
#[derive(ToSchema)]
pub(super) struct Candle {
    /// When the bucket began.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    date: String,
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
    #[schema(example = 12_345.67)]
    volume: f64,
}

/// What was transferred of a token in one bucket.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct VolumePoint {
    /// When the bucket began.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    date: String,
    /// In whole tokens, exact.
    #[schema(example = 12.5)]
    value: f64,
    /// What it was worth then.
    #[schema(example = 43_753.125)]
    value_usd: f64,
}

/// What was traded of a token, or lay of it in pools, at one exchange.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct ExchangePoint {
    /// When the bucket began, or the moment that was asked about.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    date: String,
    /// In whole tokens, exact.
    #[schema(example = 12.5)]
    value: f64,
    /// What it was worth then.
    #[schema(example = 43_753.125)]
    value_usd: f64,
    #[schema(example = "Ekubo")]
    exchange: String,
}

/// What was traded of a token at one exchange on some days.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct ExchangeVolume {
    /// In whole tokens, exact.
    #[schema(example = 12.5)]
    value: f64,
    /// What it was worth then.
    #[schema(example = 43_753.125)]
    value_usd: f64,
    #[schema(example = "Ekubo")]
    exchange: String,
    /// The first day.
    #[schema(format = Date, example = "2026-01-25")]
    start_date: String,
    /// The last day.
    #[schema(format = Date, example = "2026-01-31")]
    end_date: String,
}

/// What was traded of a token at one exchange on some days.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct ExchangeVolumeV1 {
    /// When the first day began.
    #[schema(format = DateTime, example = "2026-01-25T00:00:00Z")]
    date: String,
    /// In whole tokens, exact.
    #[schema(example = 12.5)]
    value: f64,
    /// What it was worth then.
    #[schema(example = 43_753.125)]
    value_usd: f64,
    #[schema(example = "Ekubo")]
    exchange: String,
    /// The first day.
    #[schema(format = Date, example = "2026-01-25")]
    start_date: String,
    /// The last day.
    #[schema(format = Date, example = "2026-01-31")]
    end_date: String,
}

/// A token and its market.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct TokenMarketV1 {
    /// Its place among tokens by TVL, from 1.
    #[schema(example = 1, minimum = 1)]
    position: u64,
    /// Its contract, hexadecimal without padding.
    #[schema(example = json!(ETH))]
    address: String,
    #[schema(example = "Ether", max_length = 64)]
    name: String,
    #[schema(example = "ETH", max_length = 32)]
    symbol: String,
    #[schema(example = 18, maximum = 36)]
    decimals: u8,
    /// Address of a picture, or null.
    #[schema(required, example = "https://logo.example/eth.svg")]
    logo_uri: Option<String>,
    /// Whether the operator has verified it.
    verified: bool,
    /// Its name at a global market-data aggregator, if it has one.
    #[schema(nullable = false, example = "ethereum")]
    aggregator_id: Option<String>,
    /// Its website, if the list has it.
    #[schema(nullable = false, example = "https://ether.example")]
    website: Option<String>,
    /// Who vouches for it.
    tags: Vec<TagName>,
    /// The last seven days in hours.
    line_price_feed_in_usd: Vec<PricePoint>,
    market: MarketV1,
}

/// A token's market, in USD.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct MarketV1 {
    #[schema(example = 3_500.25)]
    current_price: f64,
    /// Of a global aggregator, otherwise of all tokens that exist on this
    /// network; 0 if neither is known.
    #[schema(example = 420_000_000_000.0)]
    market_cap: f64,
    /// The same for all tokens that there will be, or null.
    #[schema(required, example = 420_000_000_000.0)]
    fully_diluted_valuation: Option<f64>,
    /// What lies of it in pools of this network; of a token that nobody vouches
    /// for, at most as much as lies beside it.
    #[schema(example = 1_250_000.5)]
    network_tvl: f64,
    /// What lies of it in pools beyond `networkTvl`, so that the two together
    /// are the sum of `exchange-tvl`; absent if nothing does.
    #[schema(nullable = false, example = 250.5)]
    network_tvl_uncounted: Option<f64>,
    /// Of the price; 0 if there was none an hour ago.
    #[schema(example = 12.5)]
    price_change_1h: f64,
    /// Null if there was no price then.
    #[schema(required, example = 0.36)]
    price_change_percentage_1h: Option<f64>,
    #[schema(example = -20.25)]
    price_change_24h: f64,
    #[schema(required, example = -0.58)]
    price_change_percentage_24h: Option<f64>,
    #[schema(example = 100.0)]
    price_change_7d: f64,
    #[schema(required, example = 2.94)]
    price_change_percentage_7d: Option<f64>,
    /// Of a global aggregator, or null.
    #[schema(required, example = 1_000_000_000.0)]
    market_cap_change_24h: Option<f64>,
    #[schema(required, example = 0.24)]
    market_cap_change_percentage_24h: Option<f64>,
    /// Every leg of every trade of the last 24 hours.
    #[schema(example = 812_345.67)]
    network_volume_24h: f64,
    /// The same without what only passed through.
    #[schema(example = 512_345.67)]
    network_trading_volume_24h: f64,
    /// Whole tokens that exist on this network, or null.
    #[schema(required, example = 120_000.0)]
    total_supply: Option<f64>,
}

/// A token and its price.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct ShortToken {
    /// Its contract, hexadecimal without padding.
    #[schema(example = json!(ETH))]
    address: String,
    #[schema(example = "Ether", max_length = 64)]
    name: String,
    #[schema(example = "ETH", max_length = 32)]
    symbol: String,
    #[schema(example = 18, maximum = 36)]
    decimals: u8,
    /// Whether the operator has verified it.
    verified: bool,
    /// In USD.
    #[schema(example = 3_500.25)]
    current_price: f64,
}

/// What a token is worth now. The same price has several names, because clients
/// of this path have read it by each of them.
#[derive(ToSchema)]
pub(super) struct TokenPriceV1 {
    /// Its contract, hexadecimal without padding.
    #[schema(example = json!(ETH))]
    address: String,
    #[schema(example = 18, maximum = 36)]
    decimals: u8,
    /// In USD.
    #[schema(rename = "usdPrice", example = 3_500.25)]
    usd_price: f64,
    #[schema(rename = "priceInUSD", example = 3_500.25)]
    price_in_usd: f64,
    #[schema(rename = "priceInUsd", example = 3_500.25)]
    price_in_usd_number: f64,
    /// In wei, hexadecimal; absent while ETH has no price.
    #[schema(rename = "priceInETH", nullable = false, example = "0xde0b6b3a7640000")]
    price_in_eth: Option<String>,
    /// In ETH; absent while ETH has no price.
    #[schema(rename = "priceInEth", nullable = false, example = 1.0)]
    price_in_eth_number: Option<f64>,
}
