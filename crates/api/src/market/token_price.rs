//! Prices of now, as they are sent and described.

use crate::dialect::Optional;
use primitives::Address;
use serde::Serialize;
use utoipa::ToSchema;

/// What one whole token is worth.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UsdPrice {
    #[schema(example = 3_500.25)]
    usd: f64,
}

impl UsdPrice {
    pub(super) const fn new(usd: f64) -> Self {
        Self { usd }
    }
}

/// What a token is worth now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenPrice {
    /// Its contract, hexadecimal without padding.
    #[schema(value_type = String, example = json!(ETH))]
    pub(super) address: Address,
    #[schema(example = 18, maximum = 36)]
    pub(super) decimals: u8,
    /// By the pools of this network.
    #[schema(value_type = UsdPrice)]
    pub(super) network_market: Optional<UsdPrice>,
    /// At a global aggregator, if it knows the token.
    #[schema(value_type = Option<UsdPrice>, nullable = false)]
    #[serde(skip_serializing_if = "Optional::is_absent")]
    pub(super) global_market: Optional<UsdPrice>,
}

/// What a token is worth now. The same price has several names, because clients
/// of this path have read it by each of them.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TokenPriceV1 {
    /// Its contract, hexadecimal without padding.
    #[schema(value_type = String, example = json!(ETH))]
    pub(super) address: Address,
    #[schema(example = 18, maximum = 36)]
    pub(super) decimals: u8,
    /// Of one whole token; `priceInUSD` and `priceInUsd` are the same number.
    #[serde(rename = "usdPrice")]
    #[schema(example = 3_500.25)]
    pub(super) usd_price: f64,
    #[serde(rename = "priceInUSD")]
    #[schema(example = 3_500.25)]
    pub(super) price_in_usd: f64,
    #[serde(rename = "priceInUsd")]
    #[schema(example = 3_500.25)]
    pub(super) price_in_usd_number: f64,
    /// In wei, hexadecimal; absent while ETH has no price.
    #[serde(rename = "priceInETH", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "0xde0b6b3a7640000")]
    pub(super) price_in_eth: Option<String>,
    /// In ETH; absent while ETH has no price.
    #[serde(rename = "priceInEth", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 1.0)]
    pub(super) price_in_eth_number: Option<f64>,
}

/// An address of the descriptions.
pub(super) const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
