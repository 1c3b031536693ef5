//! A trade and a page of them, as they are sent and described.

use super::{date::Time, decimal::Decimal, pool_id::pool_name, token_price::ETH};
use primitives::{Address, felt_to_hex};
use serde::Serialize;
use services::{Snapshot, ToldTrade};
use utoipa::ToSchema;

/// A trade of a token with a pool.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TradeBody<'a> {
    #[schema(example = 1_234_567)]
    pub(super) block_number: u64,
    /// The time of its block.
    #[schema(value_type = String, format = DateTime, example = "2026-01-31T12:00:00Z")]
    pub(super) timestamp: Time,
    /// Null of blocks that an earlier version of the program has indexed, as its
    /// worth.
    #[schema(required, example = "0x5f1a")]
    pub(super) transaction_hash: Option<String>,
    /// The `id` of the pool.
    #[schema(example = "a1f0c2d4e5b697887766554433221100")]
    pub(super) pool: String,
    #[schema(example = "Ekubo")]
    pub(super) venue: &'a str,
    /// `buy` if the token came out of the pool, `sell` if it went into it.
    #[schema(example = "buy")]
    pub(super) side: &'static str,
    /// Smallest units of the token, hexadecimal.
    #[schema(example = "0xde0b6b3a7640000")]
    pub(super) amount: String,
    #[schema(value_type = String, example = json!(ETH))]
    pub(super) other_token: Address,
    /// Smallest units of the other token, hexadecimal.
    #[schema(example = "0xd09dc300")]
    pub(super) other_amount: String,
    /// What a whole token came to in it; null if nobody knows.
    #[schema(required, example = 3_500.25)]
    pub(super) price_usd: Option<f64>,
    /// What it counts as in volumes; null if nobody knows.
    #[schema(required, value_type = Option<f64>, example = 3_500.25)]
    pub(super) value_usd: Option<Decimal>,
}

/// Some trades of a token.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TradePageBody<'a> {
    /// Newest first.
    pub(super) content: Vec<TradeBody<'a>>,
    /// The `cursor` of the trades before these; null after the oldest.
    #[schema(required, example = "AAAAAAAAAHsAAAAEAAAAAGl9lQA")]
    pub(super) next: Option<String>,
}

impl<'a> TradeBody<'a> {
    /// What is told of a trade of a token with so many decimals; none if its pool
    /// is not known.
    pub(super) fn new(trade: &ToldTrade, decimals: u8, snapshot: &'a Snapshot) -> Option<Self> {
        let view = snapshot.pools.get(trade.pool)?;
        let amount = Decimal {
            units: trade.amount,
            decimals,
        };
        let value_usd = trade.usd.map(Decimal::usd);
        let price_usd = value_usd.map(|usd| usd.nearest() / amount.nearest());
        Some(Self {
            block_number: trade.place.block,
            timestamp: Time(trade.time.as_second()),
            transaction_hash: trade.transaction.map(felt_to_hex),
            pool: pool_name(&view),
            venue: &view.venue.name,
            side: if trade.is_purchase { "buy" } else { "sell" },
            amount: format!("{:#x}", trade.amount),
            other_token: trade.other,
            other_amount: format!("{:#x}", trade.other_amount),
            price_usd: price_usd.filter(|price| price.is_finite()),
            value_usd,
        })
    }
}
