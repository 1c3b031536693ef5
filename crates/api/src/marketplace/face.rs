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

impl MarketplaceState {
    /// Has a request answered by `run`, which may fail as all requests may.
    pub(crate) async fn surround<F>(
        &self,
        mut request: Request,
        run: impl FnOnce(Request) -> F,
    ) -> Response
    where
        F: Future<Output = Result<Response, Rejection>>,
    {
        let path = request.uri().path().to_owned();
        let wallet = *request.method() == Method::POST
            && WALLET_PREFIXES
                .iter()
                .any(|prefix| path.starts_with(prefix));
        let counted = Counted::default();
        request.extensions_mut().insert(counted.clone());
        let answer = run(request).await;
        let answer = answer.unwrap_or_else(|rejection| Problem::from(rejection).into_response());
        let mut response = problem::write(answer, &self.0.errors_url, &path, wallet);
        let headers = response.headers_mut();
        if let Some(decision) = counted.last() {
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
