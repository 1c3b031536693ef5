//! A token and a page of them, on the wire.

use crate::dialect::Dialect;
use market::Token;
use primitives::Address;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A token of the list, as it is traded.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Token)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenBody<'a> {
    /// Its contract, hexadecimal without padding.
    #[schema(
        value_type = String,
        example = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"
    )]
    address: Address,
    #[schema(example = "Ether", max_length = 64)]
    name: &'a str,
    #[schema(example = "ETH", max_length = 32)]
    symbol: &'a str,
    /// Digits after the point in amounts shown to people.
    #[schema(example = 18, maximum = 36)]
    decimals: u8,
    /// Address of a picture, or null.
    #[schema(example = "https://logo.example/eth.svg")]
    logo_uri: Option<&'a str>,
    /// Volume in USD of the last 24 hours, every leg of every trade.
    #[schema(example = 1_234_567.8)]
    last_daily_volume_usd: f64,
    /// Further facts, all texts; `aggregatorId` is the token's name at a global
    /// market-data aggregator.
    #[schema(value_type = BTreeMap<String, String>, example = json!({"aggregatorId": "ethereum"}))]
    extensions: BTreeMap<&'a str, &'a str>,
    /// Who vouches for it.
    #[schema(value_type = Vec<TagName>)]
    tags: Vec<&'static str>,
}

/// `Verified`: by the operator. `Community`: approved by the community.
/// `Unruggable`: from the launch platform of that name. `PLATFORM`: of this
/// service's own ecosystem. `Unknown`: by nobody.
#[derive(ToSchema)]
#[schema(as = Tag)]
#[expect(
    dead_code,
    reason = "only describes the names; market::Tag is the value"
)]
pub(crate) enum TagName {
    Unknown,
    Verified,
    Community,
    Unruggable,
    #[schema(rename = "PLATFORM")]
    Platform,
}

/// A page of the tokens that match.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TokenPage)]
#[serde(rename_all = "camelCase")]
pub(super) struct TokenPageBody<'a> {
    /// The tokens of this page.
    #[schema(value_type = Vec<TokenBody<'static>>)]
    pub(super) content: Vec<&'a RawValue>,
    /// Tokens on a full page.
    #[schema(example = 20)]
    pub(super) size: u64,
    /// This page, from 0.
    #[schema(example = 0)]
    pub(super) number: u64,
    /// Matching tokens on all pages.
    #[schema(example = 61)]
    pub(super) total_elements: u64,
    /// Pages that have content.
    #[schema(example = 4)]
    pub(super) total_pages: u64,
}

impl<'a> TokenBody<'a> {
    pub(super) fn new(token: &'a Token, dialect: Dialect) -> Self {
        let listing = &*token.listing;
        let aggregator = listing.aggregator_id.as_deref();
        Self {
            address: token.address,
            name: &token.metadata.name,
            symbol: &token.metadata.symbol,
            decimals: token.metadata.decimals,
            logo_uri: listing.logo_uri.as_deref(),
            last_daily_volume_usd: token.daily_volume_usd,
            extensions: listing
                .extensions
                .iter()
                .map(|(key, value)| (key.as_str(), value.as_str()))
                .chain(aggregator.map(|id| (dialect.aggregator_key(), id)))
                .collect(),
            tags: listing.tags.iter().map(|tag| dialect.tag(*tag)).collect(),
        }
    }
}
