//! Recurring orders on the wire.

use super::{super::amount::HexAmount, iso_time::IsoTime, list_query::status_name};
use crate::dialect::Dialect;
use primitives::{Address, Felt, U256, felt_to_hex};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use services::PastPrices;
use trading::recurring::{BuyBounds, Cycle, CycleState, Now, Order, shortfall_bps};
use utoipa::ToSchema;
use uuid::Uuid;

/// A page of a trader's recurring orders.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderPage)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderPageBody<'a> {
    /// The orders of this page.
    #[schema(value_type = Vec<OrderBody>)]
    pub(super) content: Vec<&'a RawValue>,
    /// Orders on a full page.
    #[schema(example = 20)]
    pub(super) size: u64,
    /// This page, from 0.
    #[schema(example = 0)]
    pub(super) number: u64,
    /// Orders on all pages.
    #[schema(example = 3)]
    pub(super) total_elements: u64,
    /// Pages that have content.
    #[schema(example = 1)]
    pub(super) total_pages: u64,
}

/// A recurring order, by what the chain told of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecurringOrder)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderBody {
    /// Follows from the order's address.
    #[schema(format = "uuid", example = "6f0c2b1e-8a57-8c0f-9d5e-2b7f3a1c4d60")]
    id: String,
    /// The block of its creation.
    #[schema(example = 1_234)]
    block_number: u64,
    /// The time of that block.
    #[schema(value_type = String, format = "date-time", example = "2026-12-01T00:00:00Z")]
    timestamp: IsoTime,
    /// Who owns it.
    #[schema(value_type = String, example = "0x1234")]
    trader_address: Address,
    /// Its own contract.
    #[schema(value_type = String, example = "0x5678")]
    order_address: Address,
    #[schema(value_type = String, example = "0x9abc")]
    creation_transaction_hash: HexFelt,
    #[schema(value_type = String, example = "0xdef0")]
    order_class_hash: HexFelt,
    #[schema(value_type = String, example = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")]
    sell_token_address: Address,
    /// What is to be sold in all.
    #[schema(value_type = String, example = "0xde0b6b3a7640000")]
    sell_amount: HexAmount,
    /// What is sold in a cycle.
    #[schema(value_type = String, example = "0x16345785d8a0000")]
    sell_amount_per_cycle: HexAmount,
    #[schema(value_type = String, example = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8")]
    buy_token_address: Address,
    /// When the first cycle is due.
    #[schema(value_type = String, format = "date-time", example = "2026-12-01T00:00:00Z")]
    start_date: IsoTime,
    /// When a further cycle would be due.
    #[schema(value_type = String, format = "date-time", example = "2026-12-11T00:00:00Z")]
    end_date: IsoTime,
    /// Since when it is closed; absent if it is not.
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-12-10T00:00:03Z")]
    #[serde(skip_serializing_if = "Option::is_none")]
    close_date: Option<IsoTime>,
    /// How far cycles are apart: a duration of ISO 8601.
    #[schema(example = "P1D")]
    frequency: String,
    /// Cycles in all.
    #[schema(example = 10)]
    iterations: u32,
    /// `INDEXING` while its block is the newest one, `ACTIVE` while it has cycles
    /// ahead, `CLOSED` after the last one or when it was cancelled.
    #[schema(value_type = super::list_query::StatusName)]
    status: &'static str,
    pricing_strategy: PricingBody,
    /// What was sold so far.
    #[schema(value_type = String, example = "0x16345785d8a0000")]
    amount_sold: HexAmount,
    /// What was bought so far.
    #[schema(value_type = String, example = "0x5f5e100")]
    amount_bought: HexAmount,
    /// What a cycle bought on average, rounded down.
    #[schema(value_type = String, example = "0x5f5e100")]
    average_amount_bought: HexAmount,
    #[schema(example = 1)]
    executed_trades_count: u32,
    #[schema(example = 0)]
    cancelled_trades_count: u32,
    #[schema(example = 9)]
    pending_trades_count: u32,
    /// All cycles, in their order.
    trades: Vec<TradeBody>,
}

/// What a cycle has to buy; a bound is absent where none was set.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderBounds)]
#[serde(rename_all = "camelCase")]
struct PricingBody {
    #[schema(value_type = Option<String>, example = "0x5f5e100")]
    #[serde(skip_serializing_if = "Option::is_none")]
    token_to_min_amount: Option<HexAmount>,
    #[schema(value_type = Option<String>, example = "0xbebc200")]
    #[serde(skip_serializing_if = "Option::is_none")]
    token_to_max_amount: Option<HexAmount>,
}

/// A cycle of an order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecurringTrade)]
#[serde(rename_all = "camelCase")]
struct TradeBody {
    /// What it sold; unless it was executed, what the order plans for each cycle.
    #[schema(value_type = String, example = "0x16345785d8a0000")]
    sell_amount: HexAmount,
    /// In USD, at the time of the trade; absent if it was not executed, or the
    /// token had no price.
    #[schema(example = 250.0)]
    #[serde(skip_serializing_if = "Option::is_none")]
    sell_amount_in_usd: Option<f64>,
    /// What it bought; absent if it was not executed.
    #[schema(value_type = Option<String>, example = "0xee6b280")]
    #[serde(skip_serializing_if = "Option::is_none")]
    buy_amount: Option<HexAmount>,
    /// In USD, at the time of the trade.
    #[schema(example = 249.9)]
    #[serde(skip_serializing_if = "Option::is_none")]
    buy_amount_in_usd: Option<f64>,
    /// By how many basis points it bought less than our best route would have, on the
    /// pools as they were before its block; less than nothing if it bought more.
    /// Absent while it is not measured.
    #[schema(example = 0.3)]
    #[serde(skip_serializing_if = "Option::is_none")]
    shortfall_bps: Option<f64>,
    /// When it is due.
    #[schema(value_type = String, format = "date-time", example = "2026-12-01T00:00:00Z")]
    expected_trade_date: IsoTime,
    /// `PENDING`, `SUCCEEDED` or `CANCELLED`.
    #[schema(example = "SUCCEEDED")]
    status: &'static str,
    /// When it was executed or skipped.
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-12-01T00:00:02Z")]
    #[serde(skip_serializing_if = "Option::is_none")]
    actual_trade_date: Option<IsoTime>,
    /// The transaction in which it was.
    #[schema(value_type = Option<String>, example = "0x9abc")]
    #[serde(skip_serializing_if = "Option::is_none")]
    tx_hash: Option<HexFelt>,
    /// Why it was not executed; absent if it was, or still may be.
    #[schema(example = "not executed in time")]
    #[serde(skip_serializing_if = "Option::is_none")]
    error_reason: Option<String>,
}

#[derive(Debug, Clone, Copy)]
struct HexFelt(Felt);

impl Serialize for HexFelt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&felt_to_hex(self.0))
    }
}

impl OrderBody {
    pub(super) fn new(order: &Order, now: Now, prices: &PastPrices, dialect: Dialect) -> Self {
        let (deployed, created) = (order.deployed, order.created);
        let terms = deployed.terms;
        let (counts, traded) = (order.counts(now), order.traded());
        let cycles = order.cycles(now).into_iter();
        Self {
            id: id(deployed.address).to_string(),
            block_number: created.block,
            timestamp: IsoTime(created.time),
            trader_address: deployed.trader,
            order_address: deployed.address,
            creation_transaction_hash: HexFelt(created.transaction),
            order_class_hash: HexFelt(deployed.class_hash),
            sell_token_address: terms.sell,
            sell_amount: HexAmount(terms.amount),
            sell_amount_per_cycle: HexAmount(terms.per_cycle),
            buy_token_address: terms.buy,
            start_date: IsoTime(terms.plan.start),
            end_date: IsoTime(deployed.end),
            close_date: order.close_date(now).map(IsoTime),
            frequency: terms.plan.frequency.to_string(),
            iterations: terms.plan.cycles,
            status: status_name(order.status(now)),
            pricing_strategy: PricingBody::new(terms.bounds, dialect),
            amount_sold: HexAmount(traded.sold),
            amount_bought: HexAmount(traded.bought),
            average_amount_bought: HexAmount(traded.average),
            executed_trades_count: counts.executed,
            cancelled_trades_count: counts.cancelled,
            pending_trades_count: counts.pending,
            trades: cycles
                .map(|cycle| TradeBody::new(&cycle, order, prices))
                .collect(),
        }
    }
}

/// An address is a hash: a part of it tells orders apart as well as chance would.
fn id(order: Address) -> Uuid {
    let [low, high, ..] = *U256::from_be_bytes(order.to_bytes()).as_limbs();
    let half = u128::from(low) | u128::from(high) << 64;
    uuid::Builder::from_custom_bytes(half.to_be_bytes()).into_uuid()
}

impl PricingBody {
    /// Published SDKs take no bounds or both of them.
    fn new(bounds: BuyBounds, dialect: Dialect) -> Self {
        let BuyBounds { least, most } = bounds;
        let is_one_sided = least.is_some() != most.is_some();
        let (least, most) = if is_one_sided && dialect.bounds_come_in_pairs() {
            (least.or(Some(U256::ZERO)), most.or(Some(U256::MAX)))
        } else {
            (least, most)
        };
        Self {
            token_to_min_amount: least.map(HexAmount),
            token_to_max_amount: most.map(HexAmount),
        }
    }
}

impl TradeBody {
    fn new(cycle: &Cycle, order: &Order, prices: &PastPrices) -> Self {
        let terms = order.deployed.terms;
        let mut body = Self {
            sell_amount: HexAmount(terms.per_cycle),
            sell_amount_in_usd: None,
            buy_amount: None,
            buy_amount_in_usd: None,
            shortfall_bps: None,
            expected_trade_date: IsoTime(cycle.due),
            status: "CANCELLED",
            actual_trade_date: None,
            tx_hash: None,
            error_reason: None,
        };
        match cycle.state {
            CycleState::Pending => body.status = "PENDING",
            CycleState::Executed {
                sold,
                bought,
                benchmark,
                mark,
            } => {
                body.status = "SUCCEEDED";
                body.sell_amount = HexAmount(sold);
                body.sell_amount_in_usd = prices.usd(terms.sell, sold, mark.time);
                body.buy_amount = Some(HexAmount(bought));
                body.buy_amount_in_usd = prices.usd(terms.buy, bought, mark.time);
                body.shortfall_bps = benchmark.and_then(|best| shortfall_bps(bought, best));
                body.actual_trade_date = Some(IsoTime(mark.time));
                body.tx_hash = Some(HexFelt(mark.transaction));
            }
            CycleState::Skipped {
                offered,
                bound,
                mark,
            } => {
                let side = if offered < bound {
                    "minimum"
                } else {
                    "maximum"
                };
                let reason = format!("would have bought {offered}, and the {side} is {bound}");
                body.actual_trade_date = Some(IsoTime(mark.time));
                body.tx_hash = Some(HexFelt(mark.transaction));
                body.error_reason = Some(reason);
            }
            CycleState::Missed => body.error_reason = Some("not executed in time".to_owned()),
            CycleState::Cancelled => body.error_reason = Some("the order was cancelled".to_owned()),
        }
        body
    }
}
