//! `POST /dca/v3/orders/preview`.

use super::{
    super::{TradeState, amount::HexAmount},
    create_body::{CreateBody, CreateBodyDescription},
    iso_time::IsoTime,
    offered::offered,
};
use crate::http::{
    error::{BodyAnswers, Rejection},
    json::JsonText,
    json_answer::Json,
};
use axum::extract::State;
use primitives::U256;
use serde::Serialize;
use services::{Offer, PastPrices, Snapshot};
use trading::{
    Bps,
    recurring::{NewOrder, Replay, cycle_sale, replay},
};
use utoipa::ToSchema;

/// What an order would do.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderPreview)]
#[serde(rename_all = "camelCase")]
pub(super) struct PreviewBody {
    /// Cycles in all.
    #[schema(example = 10)]
    iterations: u32,
    /// When the first cycle is due.
    #[schema(value_type = String, format = "date-time", example = "2026-12-01T00:00:00Z")]
    start_date: IsoTime,
    /// When a further cycle would be due.
    #[schema(value_type = String, format = "date-time", example = "2026-12-11T00:00:00Z")]
    end_date: IsoTime,
    /// One cycle, on the newest block; absent if there is no way to trade it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<CycleBody>,
    replay: ReplayBody,
}

/// One cycle, executed now.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CyclePreview)]
#[serde(rename_all = "camelCase")]
struct CycleBody {
    /// What it would buy, all fees taken.
    #[schema(value_type = String, example = "0x5f5e100")]
    buy_amount: HexAmount,
    #[schema(example = 250.0)]
    sell_amount_in_usd: f64,
    #[schema(example = 249.9)]
    buy_amount_in_usd: f64,
    /// By how many basis points what is bought is worth more than what is sold.
    #[schema(example = -4.28)]
    price_impact: f64,
    /// What gas costs whoever executes it, in the smallest unit of STRK.
    #[schema(value_type = String, example = "0x2386f26fc10000")]
    gas_fees: HexAmount,
    /// Whether it would be executed, and not skipped.
    #[schema(example = true)]
    is_within_bounds: bool,
}

/// The order as if it had ended now, at the closes of our own candles: estimates,
/// without the impact of its own trades.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderReplay)]
#[serde(rename_all = "camelCase")]
struct ReplayBody {
    /// When the first cycle was due of those for which both tokens had a price;
    /// absent if none had.
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-11-20T00:00:00Z")]
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<IsoTime>,
    /// Until when.
    #[schema(value_type = String, format = "date-time", example = "2026-11-30T00:00:00Z")]
    to: IsoTime,
    /// Cycles that would have been executed.
    #[schema(example = 9)]
    executed_trades_count: u32,
    /// Cycles that would have missed their bounds.
    #[schema(example = 1)]
    skipped_trades_count: u32,
    #[schema(value_type = String, example = "0xc7d713b49da0000")]
    amount_sold: HexAmount,
    #[schema(value_type = String, example = "0x35a4e900")]
    amount_bought: HexAmount,
    /// What a cycle would have bought on average, rounded down.
    #[schema(value_type = String, example = "0x5f5e100")]
    average_amount_bought: HexAmount,
    /// The exchange's fee that was taken off, in basis points.
    #[schema(example = 2)]
    fee_bps: u32,
    /// What gas of the executed cycles would cost at today's price.
    #[schema(value_type = String, example = "0x13fbe85edc90000")]
    gas_fees: HexAmount,
}

/// Preview a recurring order
///
/// The plan replayed over our own candles, so that it ends now: what it would have
/// bought, and which cycles its bounds would have skipped. And what one cycle would
/// buy on the newest block.
#[utoipa::path(
    post,
    path = "/dca/v3/orders/preview",
    operation_id = "dcaPreview",
    tag = "Recurring orders",
    request_body = CreateBodyDescription,
    responses(
        (status = 200, description = "What it would do.", body = PreviewBody),
        BodyAnswers,
    ),
)]
pub(super) async fn preview_order(
    State(state): State<TradeState>,
    text: JsonText,
) -> Result<Json<PreviewBody>, Rejection> {
    offered(&state)?;
    let body = text.parse::<CreateBody<'_>>()?;
    let snapshot = state.swaps.fresh()?;
    let order = body.read(&snapshot)?;
    let sale = cycle_sale(&order, state.swaps.max_swaps());
    let offers = state.swaps.quote(sale, snapshot.clone()).await?;
    let offer = offers.first();
    Ok(Json(PreviewBody {
        iterations: order.plan.cycles,
        start_date: IsoTime(order.plan.start),
        end_date: IsoTime(order.plan.end().ok_or(Rejection::Internal)?),
        cycle: offer.map(|offer| CycleBody::new(offer, &order)),
        replay: ReplayBody::new(offer, &order, &snapshot),
    }))
}

impl CycleBody {
    fn new(offer: &Offer, order: &NewOrder) -> Self {
        Self {
            buy_amount: HexAmount(offer.quote.buy_amount),
            sell_amount_in_usd: offer.sell_usd(),
            buy_amount_in_usd: offer.buy_usd(),
            price_impact: offer.price_impact(),
            gas_fees: HexAmount(offer.gas_fee),
            is_within_bounds: order.bounds.allow(offer.quote.buy_amount),
        }
    }
}

impl ReplayBody {
    fn new(offer: Option<&Offer>, order: &NewOrder, snapshot: &Snapshot) -> Self {
        let fee = offer.map_or(Bps::ZERO, |offer| offer.quote.fees.platform_bps);
        let gas = offer.map_or(U256::ZERO, |offer| offer.gas_fee);
        let (now, prices) = (snapshot.head_time, PastPrices::new(snapshot));
        let price = |time| prices.ratio([order.sell, order.buy], time);
        let Replay {
            first,
            executed,
            skipped,
            sold,
            bought,
        } = replay(order, now, fee, price);
        let count = U256::from(executed);
        Self {
            from: first.map(IsoTime),
            to: IsoTime(now),
            executed_trades_count: executed,
            skipped_trades_count: skipped,
            amount_sold: HexAmount(sold),
            amount_bought: HexAmount(bought),
            average_amount_bought: HexAmount(bought.checked_div(count).unwrap_or_default()),
            fee_bps: fee.get(),
            gas_fees: HexAmount(gas.saturating_mul(count)),
        }
    }
}
