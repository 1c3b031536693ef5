//! A token and its market, in the shapes of both versions, as they are sent and
//! described.

use super::{decimal::Decimal, points::PricePoint, token_price::ETH};
use crate::{
    dialect::{Dialect, Optional},
    trade::TagName,
};
use market::{Token, figures::Summary};
use primitives::Address;
use serde::Serialize;
use services::GlobalMarket;
use utoipa::ToSchema;

/// The extension that holds a token's website.
const WEBSITE: &str = "website";

/// Everything that a record tells, apart from the price feed.
pub(super) struct RecordFacts<'a> {
    pub(super) token: &'a Token,
    pub(super) summary: Summary,
    pub(super) global: Option<GlobalMarket>,
}

/// A token with its market on this network, and elsewhere if that is known.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenMarket<'a> {
    /// Its contract, hexadecimal without padding.
    #[schema(value_type = String, example = json!(ETH))]
    address: Address,
    #[schema(example = "Ether", max_length = 64)]
    name: &'a str,
    #[schema(example = "ETH", max_length = 32)]
    symbol: &'a str,
    #[schema(example = 18, maximum = 36)]
    decimals: u8,
    /// Address of a picture, or null.
    #[schema(required, example = "https://logo.example/eth.svg")]
    logo_uri: Option<&'a str>,
    /// Whether the operator has verified it.
    verified: bool,
    /// Its name at a global market-data aggregator, or null.
    #[schema(required, example = "ethereum")]
    aggregator_id: Option<&'a str>,
    /// Who vouches for it.
    #[schema(value_type = Vec<TagName>)]
    tags: Vec<&'static str>,
    /// The last seven days in hours.
    line_price_feed_in_usd: Vec<PricePoint>,
    /// What is known from the pools of this network, in USD.
    network: NetworkFigures,
    /// At a global aggregator, if it knows the token.
    #[schema(value_type = Option<GlobalFigures>, nullable = false)]
    #[serde(skip_serializing_if = "Optional::is_absent")]
    global: Optional<GlobalFigures>,
}

/// A token's market on this network, in USD.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[schema(value_type = f64, example = 812_345.67)]
    usd_volume_24h: Decimal,
    /// The same without what only passed through.
    #[schema(value_type = f64, example = 512_345.67)]
    usd_trading_volume_24h: Decimal,
}

/// What a global aggregator says of a token, in USD.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
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

/// A token with its market: figures of this network and of an aggregator together.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenMarketV1<'a> {
    /// Its place among tokens by TVL, from 1.
    #[schema(value_type = u64, example = 1, minimum = 1)]
    position: usize,
    /// Its contract, hexadecimal without padding.
    #[schema(value_type = String, example = json!(ETH))]
    address: Address,
    #[schema(example = "Ether", max_length = 64)]
    name: &'a str,
    #[schema(example = "ETH", max_length = 32)]
    symbol: &'a str,
    #[schema(example = 18, maximum = 36)]
    decimals: u8,
    /// Address of a picture, or null.
    #[schema(required, example = "https://logo.example/eth.svg")]
    logo_uri: Option<&'a str>,
    /// Whether the operator has verified it.
    verified: bool,
    /// Its name at a global market-data aggregator, if it has one.
    #[schema(nullable = false, example = "ethereum")]
    #[serde(skip_serializing_if = "Option::is_none")]
    aggregator_id: Option<&'a str>,
    /// Its website, if the list has it.
    #[schema(nullable = false, example = "https://ether.example")]
    #[serde(skip_serializing_if = "Option::is_none")]
    website: Option<&'a str>,
    /// Who vouches for it.
    #[schema(value_type = Vec<TagName>)]
    tags: Vec<&'static str>,
    /// The last seven days in hours.
    line_price_feed_in_usd: Vec<PricePoint>,
    market: MarketV1,
}

/// A token's market, in USD.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
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
    #[serde(skip_serializing_if = "Option::is_none")]
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
    #[schema(value_type = f64, example = 812_345.67)]
    network_volume_24h: Decimal,
    /// The same without what only passed through.
    #[schema(value_type = f64, example = 512_345.67)]
    network_trading_volume_24h: Decimal,
    /// Whole tokens that exist on this network, or null.
    #[schema(required, value_type = Option<f64>, example = 120_000.0)]
    total_supply: Option<Decimal>,
}

/// A token and its price.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShortToken<'a> {
    /// Its contract, hexadecimal without padding.
    #[schema(value_type = String, example = json!(ETH))]
    address: Address,
    #[schema(example = "Ether", max_length = 64)]
    name: &'a str,
    #[schema(example = "ETH", max_length = 32)]
    symbol: &'a str,
    #[schema(example = 18, maximum = 36)]
    decimals: u8,
    /// Whether the operator has verified it.
    verified: bool,
    /// In USD.
    #[schema(example = 3_500.25)]
    current_price: f64,
}

impl<'a> RecordFacts<'a> {
    pub(super) fn v3(&self, dialect: Dialect, feed: Vec<PricePoint>) -> TokenMarket<'a> {
        let Token {
            metadata, listing, ..
        } = self.token;
        TokenMarket {
            address: self.token.address,
            name: &metadata.name,
            symbol: &metadata.symbol,
            decimals: metadata.decimals,
            logo_uri: listing.logo_uri.as_deref(),
            verified: self.token.is_verified(),
            aggregator_id: listing.aggregator_id.as_deref(),
            tags: self.tags(dialect),
            line_price_feed_in_usd: feed,
            network: self.network(dialect),
            global: dialect.optional(self.global.as_ref().map(GlobalFigures::from)),
        }
    }

    fn network(&self, dialect: Dialect) -> NetworkFigures {
        let it = &self.summary;
        NetworkFigures {
            usd: it.usd,
            usd_tvl: it.tvl_usd,
            usd_tvl_uncounted: self.uncounted(dialect),
            usd_price_change_1h: it.change_1h.usd,
            usd_price_change_percentage_1h: it.change_1h.percentage,
            usd_price_change_24h: it.change_24h.usd,
            usd_price_change_percentage_24h: it.change_24h.percentage,
            usd_price_change_7d: it.change_7d.usd,
            usd_price_change_percentage_7d: it.change_7d.percentage,
            usd_volume_24h: Decimal::usd(it.volume_24h),
            usd_trading_volume_24h: Decimal::usd(it.net_volume_24h),
        }
    }

    pub(super) fn v1(
        &self,
        dialect: Dialect,
        position: usize,
        feed: Vec<PricePoint>,
    ) -> TokenMarketV1<'a> {
        let Token {
            metadata, listing, ..
        } = self.token;
        TokenMarketV1 {
            position,
            address: self.token.address,
            name: &metadata.name,
            symbol: &metadata.symbol,
            decimals: metadata.decimals,
            logo_uri: listing.logo_uri.as_deref(),
            verified: self.token.is_verified(),
            aggregator_id: listing.aggregator_id.as_deref(),
            website: listing.extensions.get(WEBSITE).map(String::as_str),
            tags: self.tags(dialect),
            line_price_feed_in_usd: feed,
            market: self.market_v1(dialect),
        }
    }

    fn market_v1(&self, dialect: Dialect) -> MarketV1 {
        let (it, global) = (&self.summary, self.global.as_ref());
        let decimals = self.token.metadata.decimals;
        let supply = it.supply.map(|units| Decimal { units, decimals });
        let worth = supply
            .map(|supply| it.usd * supply.nearest())
            .filter(|worth| worth.is_finite());
        MarketV1 {
            current_price: it.usd,
            market_cap: global.map(|it| it.market_cap).or(worth).unwrap_or(0.0),
            fully_diluted_valuation: global.map(|it| it.fdv).or(worth),
            network_tvl: it.tvl_usd,
            network_tvl_uncounted: self.uncounted(dialect),
            price_change_1h: it.change_1h.usd,
            price_change_percentage_1h: it.change_1h.percentage,
            price_change_24h: it.change_24h.usd,
            price_change_percentage_24h: it.change_24h.percentage,
            price_change_7d: it.change_7d.usd,
            price_change_percentage_7d: it.change_7d.percentage,
            market_cap_change_24h: global.map(|it| it.market_cap_change_24h),
            market_cap_change_percentage_24h: global.map(|it| it.market_cap_change_percentage_24h),
            network_volume_24h: Decimal::usd(it.volume_24h),
            network_trading_volume_24h: Decimal::usd(it.net_volume_24h),
            total_supply: supply,
        }
    }

    pub(super) fn short(&self) -> ShortToken<'a> {
        let metadata = &self.token.metadata;
        ShortToken {
            address: self.token.address,
            name: &metadata.name,
            symbol: &metadata.symbol,
            decimals: metadata.decimals,
            verified: self.token.is_verified(),
            current_price: self.summary.usd,
        }
    }

    fn tags(&self, dialect: Dialect) -> Vec<&'static str> {
        let tags = self.token.listing.tags.iter();
        tags.map(|tag| dialect.tag(*tag)).collect()
    }

    /// By how much the TVL is less than what lies at exchanges.
    fn uncounted(&self, dialect: Dialect) -> Option<f64> {
        let uncounted = self.summary.uncounted_tvl_usd;
        (uncounted > 0.0 && dialect.has_additions()).then_some(uncounted)
    }
}

impl From<&GlobalMarket> for GlobalFigures {
    fn from(market: &GlobalMarket) -> Self {
        Self {
            usd: market.usd,
            usd_market_cap: market.market_cap,
            usd_fdv: market.fdv,
            usd_market_cap_change_24h: market.market_cap_change_24h,
            usd_market_cap_change_percentage_24h: market.market_cap_change_percentage_24h,
        }
    }
}
