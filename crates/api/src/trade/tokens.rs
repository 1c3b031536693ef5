//! `GET /v1/{network}/tokens` and `GET /v1/{network}/tokens/{addressOrSymbol}`.

use super::{
    TradeState,
    token::{TokenBody, TokenPageBody},
    token_query::TokenListQuery,
};
use crate::http::{
    compression::WantsGzip,
    content::Content,
    error::{ErrorAnswers, Rejection, shown},
};
use axum::{
    extract::{FromRequestParts, Path, State},
    http::{Uri, header::CONTENT_TYPE, request::Parts},
    response::{IntoResponse, Response},
};
use axum_extra::extract::Query;
use primitives::Address;
use services::Snapshot;
use std::sync::Arc;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<TradeState>; 2] {
    [routes!(list_tokens), routes!(find_token)]
}

/// List tokens
///
/// A page of the tokens that match. All pages of one query together have every
/// match once. A page past the end is empty.
#[utoipa::path(
    get,
    path = "/v1/{network}/tokens",
    operation_id = "listTokens",
    tag = "Token list",
    params(TokenListQuery),
    responses(
        (status = 200, description = "A page of tokens.", body = TokenPageBody<'static>),
        ErrorAnswers,
    ),
)]
async fn list_tokens(
    State(state): State<TradeState>,
    wants: WantsGzip,
    uri: Uri,
) -> Result<Response, Rejection> {
    let text = uri.query().unwrap_or_default();
    let rendered = state.snapshot().map(|it| state.rendered.of(&it.tokens));
    if let Some(page) = rendered.as_ref().ok().and_then(|it| it.kept_page(text)) {
        return Ok(json(page.content(wants)));
    }
    let query = Query::<TokenListQuery>::try_from_uri(&uri)
        .map_err(|error| Rejection::invalid(format!("query: {error}")))?
        .0
        .read(state.dialect)?;
    Ok(json(rendered?.page(text, &query)?.content(wants)))
}

/// Find a token
///
/// By its address, or by its symbol in any case. Of several tokens with one
/// symbol a verified one is preferred, then the one with the largest volume.
#[utoipa::path(
    get,
    path = "/v1/{network}/tokens/{addressOrSymbol}",
    operation_id = "findToken",
    tag = "Token list",
    params((
        "addressOrSymbol" = String, Path,
        description = "An address, if it begins with 0x; a symbol otherwise.",
        example = "ETH",
    )),
    responses(
        (status = 200, description = "The token.", body = TokenBody<'static>),
        ErrorAnswers,
    ),
)]
async fn find_token(
    State(state): State<TradeState>,
    AddressOrSymbol(asked): AddressOrSymbol,
) -> Result<Response, Rejection> {
    let address = read_address(&asked)?;
    let snapshot = state.snapshot()?;
    let found = match address {
        Some(address) => snapshot.tokens.by_address(address),
        None => snapshot.tokens.by_symbol(&asked),
    };
    let (place, token) = found.ok_or(Rejection::UnknownToken { asked })?;
    let rendered = state.rendered.of(&snapshot.tokens);
    let text = rendered.token((place, token))?.get();
    Ok(json(format!("{text}\n")))
}

impl TradeState {
    pub(super) fn snapshot(&self) -> Result<Arc<Snapshot>, Rejection> {
        self.snapshots.load().ok_or(Rejection::NotReady)
    }
}

/// The address, if the text is meant as one.
fn read_address(asked: &str) -> Result<Option<Address>, Rejection> {
    if !asked.starts_with("0x") && !asked.starts_with("0X") {
        return Ok(None);
    }
    let address = asked
        .parse()
        .map_err(|error| Rejection::invalid(format!("address {} {error}", shown(asked))))?;
    Ok(Some(address))
}

fn json(content: impl Into<Content>) -> Response {
    ([(CONTENT_TYPE, "application/json")], content.into()).into_response()
}

struct AddressOrSymbol(String);

impl<S: Send + Sync> FromRequestParts<S> for AddressOrSymbol {
    type Rejection = Rejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Rejection> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let Path(asked) = path.map_err(|_| {
            Rejection::invalid("addressOrSymbol must be percent-encoded UTF-8".to_owned())
        })?;
        Ok(Self(asked))
    }
}
