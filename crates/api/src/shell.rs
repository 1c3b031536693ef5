//! What surrounds every request: its id, its log line and figures, CORS,
//! limits, a deadline and isolation from panics.

use crate::{
    compression,
    config::ApiConfig,
    cors, entity_tag,
    error::Rejection,
    limits::{self, Limits},
    marketplace::MarketplaceState,
    metrics, request_id,
};
use axum::{
    Router,
    extract::{DefaultBodyLimit, MatchedPath, Request, State},
    http::{Method, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
};
use futures_util::FutureExt;
use hyper::body::Body as _;
use primitives::Entropy;
use std::{any::Any, panic::AssertUnwindSafe, sync::Arc, time::Duration};
use tokio::time::Instant;
use tracing::Instrument;

/// The route of requests that match none.
const NO_ROUTE: &str = "none";

/// The surroundings, shared by all requests.
#[derive(Debug, Clone)]
pub(crate) struct Shell(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    limits: Limits,
    entropy: Arc<dyn Entropy>,
    timeout: Duration,
    max_body_bytes: usize,
    answers: metrics::Answers,
}

/// Whether a request counts against its caller's limit.
#[derive(Debug, Clone)]
enum Counting {
    Counted,
    Free,
    /// The marketplace counts by itself, and refuses in its own way.
    Marketplace(MarketplaceState),
}

impl Shell {
    pub(crate) fn new(config: &ApiConfig, limits: Limits, entropy: Arc<dyn Entropy>) -> Self {
        Self(Arc::new(Parts {
            limits,
            entropy,
            timeout: config.request_timeout,
            max_body_bytes: config.max_body_bytes,
            answers: metrics::Answers::default(),
        }))
    }

    /// Surrounds routes: requests to `counted` ones, and to paths that do not
    /// exist, are rate limited, requests to `free` ones are not.
    pub(crate) fn around(&self, counted: Router, free: Router) -> Router {
        let counted = counted.fallback(unknown_path);
        self.layered(counted, Counting::Counted)
            .merge(self.around_free(free))
    }

    /// Surrounds routes that are not rate limited.
    pub(crate) fn around_free(&self, free: Router) -> Router {
        self.layered(free, Counting::Free)
    }

    /// Surrounds the routes of the marketplace.
    pub(crate) fn around_marketplace(&self, routes: Router, state: &MarketplaceState) -> Router {
        self.layered(routes, Counting::Marketplace(state.clone()))
    }

    /// One function does all of the work: each further layer would cost every
    /// request a few allocations.
    fn layered(&self, routes: Router, counting: Counting) -> Router {
        routes
            .method_not_allowed_fallback(wrong_method)
            .layer(from_fn_with_state((self.clone(), counting), surround))
    }

    async fn answer(&self, counting: Counting, request: Request, next: Next) -> Response {
        if request.method() == Method::OPTIONS {
            return cors::preflight();
        }
        match counting {
            Counting::Counted => self.admit(request, next).await,
            Counting::Free => {
                let answer = self.isolated(self.run(request, next)).await;
                answer.unwrap_or_else(IntoResponse::into_response)
            }
            Counting::Marketplace(state) => {
                let run = |request| self.isolated(self.pass(request, next));
                state.surround(request, run).await
            }
        }
    }

    /// Counts the request; every answer to a counted one says where the caller
    /// stands.
    async fn admit(&self, request: Request, next: Next) -> Response {
        let limits = &self.0.limits;
        let caller = limits.caller(&request);
        let mut counted = None;
        let answer = async {
            match limits.admit(caller, &mut counted).await {
                Ok(()) => self.run(request, next).await,
                Err(rejection) => rejection.into_response(),
            }
        };
        let answer = self.isolated(answer).await;
        let mut response = answer.unwrap_or_else(IntoResponse::into_response);
        if let Some(decision) = counted {
            limits::write_headers(&decision, response.headers_mut());
        }
        response
    }

    async fn run(&self, request: Request, next: Next) -> Response {
        let most = self.0.max_body_bytes;
        if declared_length(&request).is_some_and(|length| length > most) {
            return Rejection::BodyTooLarge.into_response();
        }
        self.pass(request, next).await
    }

    /// Has the request answered, if its body is not too long to be read.
    async fn pass(&self, mut request: Request, next: Next) -> Response {
        if !request.body().is_end_stream() {
            DefaultBodyLimit::max(self.0.max_body_bytes).apply(&mut request);
        }
        compression::answer(request, next).await
    }

    /// Neither a panic nor a long wait reaches beyond its own request.
    fn isolated(
        &self,
        answer: impl Future<Output = Response>,
    ) -> impl Future<Output = Result<Response, Rejection>> {
        let answer = AssertUnwindSafe(answer).catch_unwind();
        let answer = tokio::time::timeout(self.0.timeout, answer);
        answer.map(|ended| match ended {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(panic)) => {
                tracing::error!(cause = panic_text(&*panic), "request panicked");
                Err(Rejection::Internal)
            }
            Err(_) => Err(Rejection::TooSlow),
        })
    }
}

/// Names the request, has it answered, and notes how that went.
async fn surround(
    State((shell, counting)): State<(Shell, Counting)>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let id = request_id::accept_or_make(request.headers(), &*shell.0.entropy);
    let method = metrics::method_name(request.method());
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let route = matched.as_ref().map_or(NO_ROUTE, MatchedPath::as_str);
    let span = tracing::info_span!(
        "request",
        request_id = id.to_str().unwrap_or_default(),
        method,
        route,
    );
    let answer = shell.answer(counting, request, next);
    let mut response = answer.instrument(span.clone()).await;
    response.headers_mut().insert(request_id::X_REQUEST_ID, id);
    cors::allow(response.headers_mut());
    entity_tag::mark_encoded(response.headers_mut());
    let (status, took) = (response.status(), started.elapsed());
    shell.0.answers.record(route, method, status, took);
    span.in_scope(|| {
        let duration_ms = took.as_secs_f64() * 1e3;
        tracing::info!(status = status.as_u16(), duration_ms, "answered");
    });
    response
}

fn declared_length(request: &Request) -> Option<usize> {
    let length = request.headers().get(header::CONTENT_LENGTH)?;
    // A length that does not fit is too long for anyone.
    Some(length.to_str().ok()?.parse().unwrap_or(usize::MAX))
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text")
}

async fn unknown_path() -> Rejection {
    Rejection::UnknownPath
}

async fn wrong_method() -> Rejection {
    Rejection::WrongMethod
}
