//! What surrounds every request: its id, its log line and figures, CORS,
//! limits, a deadline and isolation from panics.

use super::{
    addressing,
    arrival::Arrival,
    compression::{self, Accepted},
    cors, entity_tag,
    error::Rejection,
    limits::{self, Caller, Limits},
    metrics, request_id, signing,
};
use axum::{
    Router,
    extract::{DefaultBodyLimit, MatchedPath, Request},
    http::{HeaderMap, HeaderName, HeaderValue, Method, header},
    response::{IntoResponse, Response},
    routing::Route,
};
use futures_util::FutureExt;
use hyper::body::Body as _;
use primitives::Entropy;
use services::{AnswerSigner, Snapshots};
use std::{
    any::Any,
    convert::Infallible,
    fmt,
    panic::AssertUnwindSafe,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{sync::Semaphore, time::Instant};
use tower::{Service, layer::layer_fn};
use tracing::Instrument;

/// The route of requests that match none.
const NO_ROUTE: &str = "none";

/// What simulated people of our own call themselves (`User-Agent`): the log of
/// requests is not about them.
pub const SIMULATED_PERSON: &str = "stoa-simulated-person";

/// Counted requests that are answered at once; more wait for their turn, the first
/// come first. Whatever else the process does then waits behind these few, not
/// behind as many as there are connections.
const TURNS: usize = 128;

/// Bytes of a body that are read where nothing else is said.
const USUAL_BODY_BYTES: usize = 2 * 1024 * 1024;

/// Says that an answer may change in what it tells of the past, which is still to be
/// read.
const PROVISIONAL: HeaderName = HeaderName::from_static("x-stoa-provisional");
const HISTORY: HeaderValue = HeaderValue::from_static("history");

/// The surroundings, shared by all requests.
#[derive(Debug, Clone)]
pub(crate) struct Middleware(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    limits: Limits,
    entropy: Arc<dyn Entropy>,
    /// Signs answers to counted requests.
    signer: Option<AnswerSigner>,
    /// What answers to counted requests are made of.
    snapshots: Snapshots,
    timeout: Duration,
    max_body_bytes: usize,
    answers: metrics::Answers,
    turns: Semaphore,
}

/// Whether a request counts against its caller's limit.
#[derive(Debug, Clone)]
enum Counting {
    Counted,
    Free,
    /// The product counts by itself.
    ByProduct(Arc<dyn OwnAnswers>),
}

/// A product that counts its requests by itself and refuses in its own words.
pub(crate) trait OwnAnswers: fmt::Debug + Send + Sync {
    /// Looks at a request before it is answered.
    fn expect(&self, request: &mut Request) -> Box<dyn PendingAnswer>;
}

/// What becomes the answer of such a product.
pub(crate) trait PendingAnswer: Send + Sync {
    /// A refusal by HTTP itself, in the product's words.
    fn refusal(&self, rejection: Rejection) -> Response;

    /// The answer as it leaves.
    fn finish(&self, answer: Result<Response, Rejection>) -> Response;
}

impl Middleware {
    pub(crate) fn new(
        request_timeout: Duration,
        max_body_bytes: usize,
        limits: Limits,
        entropy: Arc<dyn Entropy>,
        signer: Option<AnswerSigner>,
        snapshots: Snapshots,
    ) -> Self {
        Self(Arc::new(Parts {
            limits,
            entropy,
            signer,
            snapshots,
            timeout: request_timeout,
            max_body_bytes,
            answers: metrics::Answers::default(),
            turns: Semaphore::new(TURNS),
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

    /// Surrounds free routes whose paths others share: those say what is answered
    /// to further methods.
    pub(crate) fn around_beside(&self, free: Router) -> Router {
        self.layer(free, Counting::Free)
    }

    /// Surrounds the routes of a product that counts by itself.
    pub(crate) fn around_product(&self, routes: Router, product: Arc<dyn OwnAnswers>) -> Router {
        self.layered(routes, Counting::ByProduct(product))
    }

    fn layered(&self, routes: Router, counting: Counting) -> Router {
        self.layer(routes.method_not_allowed_fallback(wrong_method), counting)
    }

    /// One layer does all of the work: each further one would cost every
    /// request a few allocations.
    fn layer(&self, routes: Router, counting: Counting) -> Router {
        let middleware = self.clone();
        routes.layer(layer_fn(move |route| {
            Surrounded(Arc::new(Surroundings {
                middleware: middleware.clone(),
                counting: counting.clone(),
                route,
            }))
        }))
    }

    /// The answer to a request, if it may be given.
    async fn answer(
        &self,
        handling: Handling,
        arrival: &Arrival,
        answer: Pin<&mut impl Future<Output = Response>>,
    ) -> Response {
        match handling {
            Handling::Preflight => cors::preflight(),
            Handling::Counted(caller) => self.admit(caller, arrival, answer).await,
            Handling::Free => {
                let answer = self.isolated(arrival, answer).await;
                answer.unwrap_or_else(IntoResponse::into_response)
            }
            Handling::ByProduct(pending) => pending.finish(self.isolated(arrival, answer).await),
        }
    }

    /// Counts the request; every answer to a counted one says where the caller
    /// stands. One with a body takes no turn: it might be slow to arrive.
    async fn admit(
        &self,
        caller: Caller,
        arrival: &Arrival,
        answer: Pin<&mut impl Future<Output = Response>>,
    ) -> Response {
        // Before: the answer may be made of what is shown now.
        let is_provisional = self.0.snapshots.is_provisional();
        let mut counted = None;
        let admitted = async {
            match self.0.limits.admit(caller, &mut counted).await {
                Ok(()) if arrival.has_body() => answer.await,
                Ok(()) => {
                    let _turn = self.0.turns.acquire().await;
                    answer.await
                }
                Err(rejection) => rejection.into_response(),
            }
        };
        let answer = self.isolated(arrival, admitted).await;
        let mut response = answer.unwrap_or_else(IntoResponse::into_response);
        if let Some(decision) = counted {
            limits::write_headers(&decision, response.headers_mut());
        }
        if is_provisional {
            response.headers_mut().insert(PROVISIONAL, HISTORY);
        }
        response
    }

    /// Neither a panic nor a long wait reaches beyond its own request. The layers
    /// of `tower-http` for both answer by themselves; here it is a refusal, which
    /// each product words, and which knows whose fault a long wait is.
    fn isolated(
        &self,
        arrival: &Arrival,
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
            Err(_) if arrival.is_awaited() => Err(Rejection::SlowBody),
            Err(_) => Err(Rejection::TooSlow),
        })
    }

    /// Why a request is not even looked at.
    fn refusal(&self, handling: &Handling, request: &Request) -> Option<Rejection> {
        if !addressing::names_one_host(request) {
            return Some(Rejection::NotOneHost);
        }
        let is_too_long = handling.measures()
            && declared_length(request).is_some_and(|length| length > self.0.max_body_bytes);
        is_too_long.then_some(Rejection::BodyTooLarge)
    }

    /// No more of a body is read than that.
    fn limit_body(&self, request: &mut Request) {
        let most = self.0.max_body_bytes;
        let usual = u64::try_from(most.min(USUAL_BODY_BYTES)).unwrap_or(0);
        let length = request.body().size_hint().upper();
        // Whatever has a length is held to it.
        if length.is_none_or(|length| length > usual) {
            DefaultBodyLimit::max(most).apply(request);
        }
    }
}

/// A route with what surrounds it.
#[derive(Debug, Clone)]
struct Surrounded(Arc<Surroundings>);

#[derive(Debug)]
struct Surroundings {
    middleware: Middleware,
    counting: Counting,
    route: Route,
}

/// What is done about a request.
enum Handling {
    /// It is only asked what may be asked.
    Preflight,
    /// It is answered if its caller may ask.
    Counted(Caller),
    Free,
    ByProduct(Box<dyn PendingAnswer>),
}

impl Handling {
    /// Whether it is refused here if its body is too long. A product that refuses
    /// in its own words finds that out when it reads it.
    const fn measures(&self) -> bool {
        matches!(self, Self::Counted(_) | Self::Free)
    }

    /// A refusal in the words of whom it is asked of.
    fn refuse(&self, rejection: Rejection) -> Response {
        match self {
            Self::ByProduct(pending) => pending.refusal(rejection),
            Self::Preflight | Self::Counted(_) | Self::Free => rejection.into_response(),
        }
    }
}

impl Service<Request> for Surrounded {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        Box::pin(Arc::clone(&self.0).surround(request))
    }
}

impl Surroundings {
    /// Names the request, has it answered, and notes how that went. Whatever
    /// needs the request itself comes before there is anything to wait for:
    /// what waits carries it along once, and is small.
    fn surround(
        self: Arc<Self>,
        mut request: Request,
    ) -> impl Future<Output = Result<Response, Infallible>> + Send {
        let started = Instant::now();
        let id = request_id::accept_or_make(request.headers(), &*self.middleware.0.entropy);
        let method = metrics::method_name(request.method());
        let matched = request.extensions().get::<MatchedPath>().cloned();
        let handling = self.handling(&mut request);
        let refusal = self.middleware.refusal(&handling, &request);
        // Apart: it is large, and seldom there.
        let mut refusal = refusal.map(|rejection| Box::new(handling.refuse(rejection)));
        let is_signed = self.signer().is_some() && signing::is_asked(request.headers_mut());
        let accepted = Accepted::of(request.headers());
        let is_simulated = is_of_a_simulated_person(request.headers());
        self.middleware.limit_body(&mut request);
        let arrival = Arrival::of(&mut request);
        let mut answer = self.route.clone().call(request);
        async move {
            let route = matched.as_ref().map_or(NO_ROUTE, MatchedPath::as_str);
            let span = tracing::info_span!(
                "request",
                request_id = id.to_str().unwrap_or_default(),
                method,
                route,
            );
            let answer = std::pin::pin!(async {
                if let Some(refusal) = refusal.take() {
                    return *refusal;
                }
                let Ok(mut response) = (&mut answer).await;
                if accepted.still_wants(&response) {
                    // Apart: it is large, and handlers mostly did it already.
                    return Box::pin(accepted.compress(response)).await;
                }
                compression::mark(&mut response);
                response
            });
            let answer = self.middleware.answer(handling, &arrival, answer);
            let mut response = answer.instrument(span.clone()).await;
            if let Some(signer) = self.signer() {
                if is_signed {
                    // Apart, as compression is.
                    response = Box::pin(signing::sign(signer, response)).await;
                }
                signing::mark(response.headers_mut());
            }
            response.headers_mut().insert(request_id::X_REQUEST_ID, id);
            cors::allow(response.headers_mut());
            entity_tag::mark_encoded(response.headers_mut());
            let (status, took) = (response.status(), started.elapsed());
            self.middleware
                .0
                .answers
                .record(route, method, status, took);
            span.in_scope(|| {
                let (status, duration_ms) = (status.as_u16(), milliseconds(took));
                if is_simulated {
                    tracing::trace!(status, duration_ms, "answered");
                } else {
                    tracing::debug!(status, duration_ms, "answered");
                }
            });
            Ok(response)
        }
    }

    /// Who signs answers here, if somebody does.
    fn signer(&self) -> Option<&AnswerSigner> {
        match self.counting {
            Counting::Counted => self.middleware.0.signer.as_ref(),
            Counting::Free | Counting::ByProduct(_) => None,
        }
    }

    fn handling(&self, request: &mut Request) -> Handling {
        if request.method() == Method::OPTIONS && addressing::names_one_host(request) {
            return Handling::Preflight;
        }
        match &self.counting {
            Counting::Counted => Handling::Counted(self.middleware.0.limits.caller(request)),
            Counting::Free => Handling::Free,
            Counting::ByProduct(product) => Handling::ByProduct(product.expect(request)),
        }
    }
}

fn is_of_a_simulated_person(headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT);
    agent.is_some_and(|agent| agent == SIMULATED_PERSON)
}

/// As the log shows it: two digits after the point are enough for anybody.
fn milliseconds(took: Duration) -> f64 {
    (took.as_secs_f64() * 1e5).round() / 1e2
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
