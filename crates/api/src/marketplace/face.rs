//! What every answer of the marketplace has: the document of a refusal, where
//! the caller stands, and that nobody keeps it.

use super::{MarketplaceState, Problem, buckets::Counted, catalog::Slug, gate::Anyone, problem};
use crate::{
    error::{Rejection, shown},
    limits,
};
use axum::{
    extract::Request,
    http::{HeaderValue, Method, Uri, header::CACHE_CONTROL},
    response::{IntoResponse, Response},
};

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Where wallets come to pay, and want to be told in their own way.
const WALLET_PREFIXES: [&str; 2] = ["/v1/chain-pay/", "/v1/solana-pay/"];

/// What the answer to a request needs to know of it.
#[derive(Debug)]
pub(crate) struct Face {
    path: String,
    is_for_wallet: bool,
    counted: Counted,
}

impl Face {
    pub(crate) fn before(request: &mut Request) -> Self {
        let path = request.uri().path().to_owned();
        let is_for_wallet = *request.method() == Method::POST
            && WALLET_PREFIXES
                .iter()
                .any(|prefix| path.starts_with(prefix));
        let counted = Counted::default();
        request.extensions_mut().insert(counted.clone());
        Self {
            path,
            is_for_wallet,
            counted,
        }
    }
}

impl MarketplaceState {
    /// The answer as it leaves.
    pub(crate) fn turn(&self, face: &Face, answer: Result<Response, Rejection>) -> Response {
        let answer = answer.unwrap_or_else(|rejection| Problem::from(rejection).into_response());
        let errors_url = &self.0.errors_url;
        let mut response = problem::write(answer, errors_url, &face.path, face.is_for_wallet);
        let headers = response.headers_mut();
        if let Some(decision) = face.counted.last() {
            limits::write_headers(&decision, headers);
        }
        headers.entry(CACHE_CONTROL).or_insert(NO_STORE);
        response
    }
}

/// There is nothing at this path.
pub(super) async fn unknown_path(_: Anyone, uri: Uri) -> Problem {
    let told = format!("there is nothing at {}; see /docs", shown(uri.path()));
    Problem::new(Slug::NotFound, told)
}

/// The path does not know the method.
pub(super) async fn wrong_method(_: Anyone) -> Problem {
    Problem::plain(Slug::MethodNotAllowed)
}
