//! `POST /swap/v3/build`.

use super::{
    super::{TradeState, built::BuiltBody},
    build_body::{BuildBody, BuildBodyDescription},
};
use crate::http::{
    error::{BodyAnswers, Rejection},
    json::JsonText,
    json_answer::Json,
};
use axum::extract::State;
use services::BuildError;

/// Build the calls of a quote
///
/// The calls that execute a quote: the approval of the exchange contract, if
/// it is needed, and the swap, which fails if it would pay less than the quote with the
/// `slippage` taken off, rounded down (or would need more than the quote with
/// the `slippage` added). The quote is tried on the newest block first: if it
/// would fail there, it is refused.
#[utoipa::path(
    post,
    path = "/swap/v3/build",
    operation_id = "swapBuild",
    tag = "Swap",
    request_body = BuildBodyDescription,
    responses(
        (status = 200, description = "The calls.", body = BuiltBody),
        BodyAnswers,
    ),
)]
pub(super) async fn swap_build(
    State(state): State<TradeState>,
    text: JsonText,
) -> Result<Json<BuiltBody>, Rejection> {
    let request = text.parse::<BuildBody<'_>>()?.read()?;
    let built = state.swaps.build(&request).await;
    let built = built.map_err(|error| refusal(error, request.quote))?;
    Ok(Json(built.into()))
}

/// Why there are no calls, and what to do about it. The words in capitals are
/// those that clients look for.
fn refusal(error: BuildError, quote: uuid::Uuid) -> Rejection {
    let message = match error {
        BuildError::Expired => format!(
            "QUOTE_EXPIRED: quote {quote} has expired or was never given; ask for a new one"
        ),
        BuildError::NoTaker => {
            "takerAddress is required: the quote was asked for without one".to_owned()
        }
        BuildError::NoExecutor => {
            "private swaps are not offered here: no executor is configured".to_owned()
        }
        BuildError::WouldRevert(reason) if reason.is_slippage() => {
            format!("SLIPPAGE_EXCEEDED: {reason}; ask for a new quote, or allow more slippage")
        }
        BuildError::WouldRevert(reason) => {
            format!("INSUFFICIENT_LIQUIDITY: {reason}; ask for a new quote")
        }
        BuildError::Stale(stale) => return stale.into(),
    };
    Rejection::invalid(message)
}
