//! Quotes on the wire.

use super::super::amount::HexAmount;
use crate::dialect::Dialect;
use amm::book::Spot;
use primitives::{Address, Felt, felt_to_hex};
use serde::{Serialize, Serializer};
use services::Offer;
use trading::{Bps, Hop, RouteNode, tree};
use utoipa::ToSchema;

/// What an order sells and buys by the best way found, with fees and route.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Quote)]
#[serde(rename_all = "camelCase")]
pub(super) struct QuoteBody<'a> {
    /// By which it is built.
    #[schema(format = "uuid", example = "6f0c2b1e-8a57-4c0f-9d5e-2b7f3a1c4d60")]
    quote_id: String,
    #[schema(value_type = String, example = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")]
    sell_token_address: Address,
    /// What leaves the taker, fees included.
    #[schema(value_type = String, example = "0xde0b6b3a7640000")]
    sell_amount: HexAmount,
    /// Its worth at the reference price, 0 if there is none.
    #[schema(example = 2_500.12)]
    sell_amount_in_usd: f64,
    #[schema(value_type = String, example = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8")]
    buy_token_address: Address,
    /// What reaches the taker, all fees taken.
    #[schema(value_type = String, example = "0x94f5b8c0")]
    buy_amount: HexAmount,
    /// Its worth at the reference price, 0 if there is none.
    #[schema(example = 2_499.05)]
    buy_amount_in_usd: f64,
    fee: FeeBody,
    /// The chain that the quote is for.
    #[schema(example = "0x534e5f53544f41")]
    chain_id: String,
    /// The block whose pools were asked.
    #[schema(value_type = String, example = "0x1a2b")]
    block_number: String,
    /// When the quote can no longer be built, in seconds since 1970 UTC.
    #[schema(example = 1_800_000_030)]
    expiry: i64,
    /// The swaps, as a tree: what follows a swap hangs below it.
    routes: Vec<RouteBody<'a>>,
    /// What gas will cost, in the smallest unit of STRK.
    #[schema(value_type = String, example = "0x2386f26fc10000")]
    gas_fees: HexAmount,
    /// The same in USD; absent if STRK has no price.
    #[schema(example = 0.004)]
    #[serde(skip_serializing_if = "Option::is_none")]
    gas_fees_in_usd: Option<f64>,
    /// By how many basis points what is bought is worth more than what is sold,
    /// at reference prices and fees included; negative is a loss, 0 if a price
    /// is not known.
    #[schema(example = -4.28)]
    price_impact: f64,
    /// Of a whole token; absent if it has none.
    #[schema(example = 2_500.12)]
    #[serde(skip_serializing_if = "Option::is_none")]
    sell_token_price_in_usd: Option<f64>,
    /// Of a whole token; absent if it has none.
    #[schema(example = 1.0)]
    #[serde(skip_serializing_if = "Option::is_none")]
    buy_token_price_in_usd: Option<f64>,
    /// How far what the route pays is expected to fall until the quote expires,
    /// in per cent: the largest fall from one of the last 32 blocks to any later
    /// one of them, or the volatility of the tokens' prices over the last hour
    /// scaled to the quote's lifetime, whichever is more.
    #[schema(example = 0.02)]
    estimated_slippage: f64,
    /// The most by which any other way with as many swaps could be better, in
    /// basis points; absent if that is not known.
    #[schema(nullable = false, example = 1.7)]
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_bps: Option<f64>,
    /// The swaps in the order in which they are executed.
    #[schema(required, value_type = Vec<SwapBody<'static>>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    swaps: Option<Vec<SwapBody<'a>>>,
    /// Whether `sellAmount` is more than the taker has; absent if no
    /// `takerAddress` was given, or if no node said what it has.
    #[schema(nullable = false, example = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    exceeds_balance: Option<bool>,
}

/// The properties of a quote that no published API has, and the schema that
/// only they use.
pub(crate) const ADDED: [(&str, &str); 3] = [
    ("Quote", "gapBps"),
    ("Quote", "swaps"),
    ("Quote", "exceedsBalance"),
];
pub(crate) const ADDED_SCHEMA: &str = "QuoteSwap";

/// One swap of a quote.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuoteSwap)]
#[serde(rename_all = "camelCase")]
pub(super) struct SwapBody<'a> {
    /// The pool: the address of its contract; where it has none, its number at
    /// the exchange, or the parts of its key: both tokens, fee as a fraction of
    /// 2^128, tick spacing and extension, joined by `/`.
    #[schema(example = "0x4d0390b777b424e43839cd1e744799f3de6c176c7e32c1812a41dbd9c19db6a")]
    pool: String,
    /// The exchange.
    #[schema(example = "JediSwap")]
    venue: &'a str,
    #[schema(value_type = String, example = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")]
    sell_token_address: Address,
    #[schema(value_type = String, example = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8")]
    buy_token_address: Address,
    /// What goes into the pool.
    #[schema(value_type = String, example = "0xde0b6b3a7640000")]
    sell_amount: HexAmount,
    /// What comes out of it.
    #[schema(value_type = String, example = "0x94f5b8c0")]
    buy_amount: HexAmount,
}

/// What others take of a trade.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuoteFee)]
#[serde(rename_all = "camelCase")]
pub(super) struct FeeBody {
    /// The token that pays: the one of the two that the exchange contract gives
    /// more weight.
    #[schema(value_type = String, example = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8")]
    fee_token: Address,
    /// What the exchange takes.
    #[schema(value_type = String, example = "0x3b9aca")]
    platform_fees: HexAmount,
    #[schema(example = 0.5)]
    platform_fees_in_usd: f64,
    /// Its part in basis points.
    #[schema(value_type = String, example = "0xf")]
    platform_fees_bps: HexBps,
    /// What the integrator takes.
    #[schema(value_type = String, example = "0x0")]
    integrator_fees: HexAmount,
    #[schema(example = 0.0)]
    integrator_fees_in_usd: f64,
    /// Its part in basis points.
    #[schema(value_type = String, example = "0x0")]
    integrator_fees_bps: HexBps,
}

/// A swap.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Route, no_recursion)]
#[serde(rename_all = "camelCase")]
pub(super) struct RouteBody<'a> {
    /// The exchange.
    #[schema(example = "Ekubo")]
    name: &'a str,
    /// The contract by which the exchange is known.
    #[schema(value_type = String, example = "0x5dd3d2f4429af886cd1a3b08289dbcea99a294197e9eb43b0e0325b4b")]
    address: Address,
    /// Its share of what is sold or, below another swap, of what that gives;
    /// those of siblings add to 1.
    #[schema(example = 0.55)]
    percent: f64,
    #[schema(value_type = String, example = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")]
    sell_token_address: Address,
    #[schema(value_type = String, example = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8")]
    buy_token_address: Address,
    /// The swaps that follow; empty if none does.
    #[schema(value_type = Vec<RouteBody<'static>>)]
    routes: Vec<Self>,
    /// Ways that the exchange contract would try at execution in place of this
    /// one: always 0, since none are built.
    #[schema(example = 0)]
    alternative_swap_count: u32,
}

/// Basis points of a whole.
const BPS: f64 = 10_000.0;

/// Basis points in hexadecimal.
#[derive(Debug, Clone, Copy)]
struct HexBps(Bps);

impl Serialize for HexBps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0.get()))
    }
}

impl<'a> QuoteBody<'a> {
    pub(super) fn new(offer: &'a Offer, chain_id: Felt, dialect: Dialect) -> Self {
        let quote = &offer.quote;
        let [sell_price, buy_price] = offer.prices;
        let has_additions = dialect.has_additions();
        let gap = Some(offer.gap * BPS).filter(|gap| has_additions && gap.is_finite());
        Self {
            quote_id: offer.id.to_string(),
            sell_token_address: quote.sell,
            sell_amount: HexAmount(quote.sell_amount),
            sell_amount_in_usd: offer.sell_usd(),
            buy_token_address: quote.buy,
            buy_amount: HexAmount(quote.buy_amount),
            buy_amount_in_usd: offer.buy_usd(),
            fee: FeeBody::new(offer),
            chain_id: felt_to_hex(chain_id),
            block_number: format!("{:#x}", quote.block),
            expiry: offer.expiry,
            routes: tree(quote).into_iter().map(RouteBody::new).collect(),
            gas_fees: HexAmount(offer.gas_fee),
            gas_fees_in_usd: offer.gas_usd(),
            price_impact: offer.price_impact(),
            sell_token_price_in_usd: sell_price,
            buy_token_price_in_usd: buy_price,
            estimated_slippage: offer.estimated_slippage,
            gap_bps: gap,
            swaps: has_additions.then(|| quote.hops.iter().map(SwapBody::new).collect()),
            exceeds_balance: offer.exceeds_balance.filter(|_| has_additions),
        }
    }
}

impl<'a> SwapBody<'a> {
    fn new(hop: &'a Hop) -> Self {
        Self {
            pool: pool(hop),
            venue: &hop.venue,
            sell_token_address: hop.sell,
            buy_token_address: hop.buy,
            sell_amount: HexAmount(hop.leg.sold),
            buy_amount: HexAmount(hop.leg.bought),
        }
    }
}

/// What tells a pool from all others of its exchange.
fn pool(hop: &Hop) -> String {
    match hop.spot {
        Spot::Contract(pool) => pool.to_string(),
        Spot::Numbered(number) => number.to_string(),
        Spot::Keyed {
            fee,
            tick_spacing,
            extension,
        } => {
            let (token0, token1) = hop.leg.side.of([hop.sell, hop.buy]);
            format!("{token0}/{token1}/{fee:#x}/{tick_spacing}/{extension}")
        }
    }
}

impl FeeBody {
    fn new(offer: &Offer) -> Self {
        let fees = &offer.quote.fees;
        Self {
            fee_token: fees.token,
            platform_fees: HexAmount(fees.platform),
            platform_fees_in_usd: offer.fee_usd(fees.platform),
            platform_fees_bps: HexBps(fees.platform_bps),
            integrator_fees: HexAmount(fees.integrator),
            integrator_fees_in_usd: offer.fee_usd(fees.integrator),
            integrator_fees_bps: HexBps(fees.integrator_bps),
        }
    }
}

impl<'a> RouteBody<'a> {
    fn new(node: RouteNode<'a>) -> Self {
        Self {
            name: node.venue,
            address: node.router,
            percent: node.percent,
            sell_token_address: node.sell,
            buy_token_address: node.buy,
            routes: node.routes.into_iter().map(Self::new).collect(),
            alternative_swap_count: 0,
        }
    }
}
