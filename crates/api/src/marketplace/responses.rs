//! What every answer of the marketplace has: the document of a refusal, where
//! the caller stands, and that nobody keeps it.

use super::{MarketplaceState, Problem, buckets::Counted, catalog::Slug, gate::Anyone, problem};
use crate::http::{
    error::{Rejection, shown},
    limits,
    middleware::{OwnAnswers, PendingAnswer},
};
use axum::{
    extract::{Extension, Request},
    http::{HeaderValue, Method, header::CACHE_CONTROL},
    response::{IntoResponse, Response},
};

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Where wallets come to pay, and want to be told in their own way.
const WALLET_PREFIXES: [&str; 2] = ["/v1/chain-pay/", "/v1/solana-pay/"];

/// The path that was asked for: where routes are nested, handlers see the end of
/// it alone.
#[derive(Debug, Clone)]
pub(super) struct WholePath(String);

/// What the answer to a request needs to know of it.
struct Pending {
    state: MarketplaceState,
    path: String,
    is_for_wallet: bool,
    counted: Counted,
}

impl OwnAnswers for MarketplaceState {
    fn expect(&self, request: &mut Request) -> Box<dyn PendingAnswer> {
        let path = request.uri().path().to_owned();
        let is_for_wallet = *request.method() == Method::POST
            && WALLET_PREFIXES
                .iter()
                .any(|prefix| path.starts_with(prefix));
        let counted = Counted::default();
        request.extensions_mut().insert(counted.clone());
        request.extensions_mut().insert(WholePath(path.clone()));
        Box::new(Pending {
            state: self.clone(),
            path,
            is_for_wallet,
            counted,
        })
    }
}

impl PendingAnswer for Pending {
    fn refusal(&self, rejection: Rejection) -> Response {
        Problem::from(rejection).into_response()
    }

    fn finish(&self, answer: Result<Response, Rejection>) -> Response {
        let answer = answer.unwrap_or_else(|rejection| self.refusal(rejection));
        let errors_url = self.state.errors_url();
        let mut response = problem::write(answer, errors_url, &self.path, self.is_for_wallet);
        let headers = response.headers_mut();
        if let Some(decision) = self.counted.last() {
            limits::write_headers(&decision, headers);
        }
        headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
        response
    }
}

/// There is nothing at this path.
pub(super) async fn unknown_path(_: Anyone, asked: Option<Extension<WholePath>>) -> Problem {
    let path = asked.map(|Extension(WholePath(path))| path);
    let path = path.unwrap_or_default();
    let told = format!("there is nothing at {}; see /docs", shown(&path));
    Problem::new(Slug::NotFound, told)
}

/// The path does not know the method.
pub(super) async fn wrong_method(_: Anyone) -> Problem {
    Problem::plain(Slug::MethodNotAllowed)
}
