//! `POST /dca/v3/orders`.

use super::{
    super::{TradeState, built::BuiltBody},
    create_body::{CreateBody, CreateBodyDescription},
    offered::offered,
};
use crate::http::{
    error::{BodyAnswers, Rejection},
    json::JsonText,
    json_answer::Json,
};
use axum::extract::State;
use trading::recurring::order_calls;

/// Build the calls that create a recurring order
///
/// The approval of what is sold, and the deployment of the order by the factory,
/// to be executed in one transaction by `traderAddress`. The number of cycles is
/// `sellAmount` / `sellAmountPerCycle`, rounded down, at most 1,000; what is left
/// over is paid back when the order closes.
#[utoipa::path(
    post,
    path = "/dca/v3/orders",
    operation_id = "dcaCreate",
    tag = "Recurring orders",
    request_body = CreateBodyDescription,
    responses(
        (status = 200, description = "The calls.", body = BuiltBody),
        BodyAnswers,
    ),
)]
pub(super) async fn create_order(
    State(state): State<TradeState>,
    text: JsonText,
) -> Result<Json<BuiltBody>, Rejection> {
    let factory = offered(&state)?.factory();
    let body = text.parse::<CreateBody<'_>>()?;
    let order = body.read(&*state.swaps.fresh()?)?;
    let calls = order_calls(&order, factory);
    Ok(Json(BuiltBody::new(state.swaps.chain_id(), calls)))
}
