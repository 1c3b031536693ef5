//! `GET /swap/v3/quotes`.

use super::{super::TradeState, quote_body::QuoteBody, quotes_query::QuotesQuery};
use crate::http::error::{QueryAnswers, Rejection};
use axum::{
    extract::State,
    http::{Uri, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use axum_extra::extract::Query;
use services::QuoteError;

/// Quote a swap
///
/// The best ways to trade one token for another through all pools of the newest
/// block, the best first, net of all fees and judged by what gas costs; empty
/// if there is no way or too little liquidity. The amounts are exact: the calls
/// of a quote, executed on the same block, pay them to the last unit.
///
/// A quote can be built until its `expiry`.
#[utoipa::path(
    get,
    path = "/swap/v3/quotes",
    operation_id = "swapQuotes",
    tag = "Swap",
    params(QuotesQuery),
    responses(
        (status = 200, description = "The quotes.", body = Vec<QuoteBody<'static>>),
        QueryAnswers,
    ),
)]
pub(super) async fn swap_quotes(
    State(state): State<TradeState>,
    uri: Uri,
) -> Result<Response, Rejection> {
    let Query(query) = Query::<QuotesQuery>::try_from_uri(&uri)
        .map_err(|error| Rejection::invalid(format!("query: {error}")))?;
    let snapshot = state.swaps.fresh()?;
    let wanted = query.read(&snapshot, state.swaps.max_swaps())?;
    let offers = state.swaps.quote(wanted, snapshot).await?;
    let chain_id = state.swaps.chain_id();
    let bodies = offers
        .iter()
        .map(|offer| QuoteBody::new(offer, chain_id, state.dialect));
    let text = state.dialect.json(&bodies.collect::<Vec<_>>())?;
    Ok(([(CONTENT_TYPE, "application/json")], text).into_response())
}

impl From<QuoteError> for Rejection {
    fn from(error: QuoteError) -> Self {
        match error {
            QuoteError::Saturated => Self::Saturated,
            QuoteError::Broken => {
                tracing::error!("a search for quotes broke down");
                Self::Internal
            }
        }
    }
}
