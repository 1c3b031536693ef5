//! `POST /dca/v3/orders/{orderAddress}/cancel`.

use super::{
    super::{TradeState, built::BuiltBody},
    offered::offered,
};
use crate::http::{
    error::{QueryAnswers, Rejection, shown},
    json_answer::Json,
};
use axum::extract::{Path, State};
use primitives::Address;
use trading::recurring::cancel_call;

/// Build the call that ends a recurring order
///
/// The order pays back what it has not sold; its trader alone may call it. The
/// body is empty.
#[utoipa::path(
    post,
    path = "/dca/v3/orders/{orderAddress}/cancel",
    operation_id = "dcaCancel",
    tag = "Recurring orders",
    params(("orderAddress" = String, Path, description = "The order's contract.", example = "0x1234")),
    responses(
        (status = 200, description = "The call.", body = BuiltBody),
        QueryAnswers,
    ),
)]
pub(super) async fn cancel_order(
    State(state): State<TradeState>,
    Path(order): Path<String>,
) -> Result<Json<BuiltBody>, Rejection> {
    offered(&state)?;
    state.snapshot()?;
    let read = order.parse::<Address>();
    let order = read
        .map_err(|error| Rejection::invalid(format!("orderAddress {} {error}", shown(&order))))?;
    let chain_id = state.swaps.chain_id();
    Ok(Json(BuiltBody::new(chain_id, [cancel_call(order)])))
}
