//! `POST /`: one call or a batch of them.

use super::{
    answers::{Asking, error, refused},
    calls::{MethodResult, answer},
    description::{AnswerBody, RequestBody, ResponseBody},
    envelope::{RpcAnswer, RpcCall, RpcError, is_list},
    state::{PaymasterState, X_PAYMASTER_API_KEY},
};
use crate::http::{
    error::Rejection,
    json::JsonText,
    json_answer::Json,
    limits::{self, X_API_KEY},
    retry_after,
};
use axum::{
    extract::{FromRequest as _, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header::CACHE_CONTROL},
    response::{IntoResponse, Response},
};
use serde_json::value::RawValue;
use services::Decision;

/// The most calls of one batch, each of which counts as a request.
const MAX_BATCH: usize = 20;

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

type CallAnswer<'b> = RpcAnswer<'b, MethodResult>;

/// What counts, and what was counted last.
struct Turn<'s> {
    state: &'s PaymasterState,
    asking: Asking,
    key: Option<String>,
    counted: Option<Decision>,
    /// The status of a call that was not even looked at, and when to come again.
    refusal: Option<(StatusCode, Option<u64>)>,
}

/// Call the paymaster
///
/// JSON-RPC 2.0: one call, or a list of at most 20, each of which counts as a request.
/// `docs/paymaster.md` has the methods, their params and results, and every code. A call
/// without an `id` is not answered (204 if there is no other). Refusals are JSON-RPC errors,
/// mostly with status 200.
#[utoipa::path(
    post,
    path = "/",
    tag = "Paymaster",
    operation_id = "callPaymaster",
    params(("x-paymaster-api-key" = Option<String>, Header, description = "A sponsor's key, for the fee modes `sponsored` and `sponsored_private`.", example = "sk_k3j9x2qr_0J3v6Yk1m5D3P7K9")),
    request_body(content = RequestBody),
    responses(
        (status = 200, description = "The answer, or a list of them.", body = ResponseBody),
        (status = 204, description = "Nothing was to be answered."),
        (status = 400, description = "Not a request.", body = AnswerBody),
        (status = 408, description = "The body did not arrive in time.", body = AnswerBody),
        (status = 413, description = "The body is too large.", body = AnswerBody),
        (status = 415, description = "The body is not declared to be JSON.", body = AnswerBody),
        (status = 429, description = "Too many calls.", body = AnswerBody),
        (status = 500, description = "Something went wrong on our side.", body = AnswerBody),
        (status = 503, description = "The answer took too long.", body = AnswerBody),
    ),
)]
pub(super) async fn handle(State(state): State<PaymasterState>, request: Request) -> Response {
    let Some(asking) = request.extensions().get::<Asking>().cloned() else {
        return refused(Rejection::Internal);
    };
    let mut turn = Turn {
        key: sponsor_key(request.headers()),
        state: &state,
        asking,
        counted: None,
        refusal: None,
    };
    let text = match JsonText::from_request(request, &()).await {
        Ok(text) => text,
        Err(rejection) => return refused(rejection),
    };
    let mut response = match std::str::from_utf8(text.bytes()) {
        Err(error) => {
            turn.about_nothing(RpcError::not_json(&error.to_string()))
                .await
        }
        Ok(calls) if is_list(calls) => turn.batch(calls).await,
        Ok(call) => turn.single(call).await,
    };
    let headers = response.headers_mut();
    if let Some(decision) = turn.counted {
        limits::write_headers(&decision, headers);
    }
    headers.insert(CACHE_CONTROL, NO_STORE);
    response
}

/// From the paymaster's own header, otherwise from that of API keys.
fn sponsor_key(headers: &HeaderMap) -> Option<String> {
    let header = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::to_owned);
    header(X_PAYMASTER_API_KEY).or_else(|| header(X_API_KEY))
}

impl Turn<'_> {
    /// Counts a call. A key that is none's is for the method to judge.
    async fn count(&mut self) -> Result<(), RpcError> {
        let caller = self.asking.0.clone();
        let admitted = self.state.limits().admit(caller, &mut self.counted).await;
        match admitted {
            Ok(()) | Err(Rejection::UnknownKey) => Ok(()),
            Err(rejection) => {
                self.refusal = Some((rejection.status(), rejection.retry_after_s()));
                Err(error(rejection))
            }
        }
    }

    /// What is no call is counted, too.
    async fn about_nothing(&mut self, problem: RpcError) -> Response {
        match self.count().await {
            Ok(()) => Json(CallAnswer::new(RawValue::NULL, Err(problem))).into_response(),
            Err(error) => self.whole(CallAnswer::new(RawValue::NULL, Err(error))),
        }
    }

    async fn single(&mut self, call: &str) -> Response {
        match self.answer(call).await {
            Some(answer) => self.whole(answer),
            None => StatusCode::NO_CONTENT.into_response(),
        }
    }

    /// An answer with the status that fits what was refused, if anything was.
    fn whole(&mut self, answer: CallAnswer<'_>) -> Response {
        let mut response = Json(answer).into_response();
        if let Some((status, retry_after_s)) = self.refusal.take() {
            *response.status_mut() = status;
            retry_after::write(retry_after_s, response.headers_mut());
        }
        response
    }

    async fn batch(&mut self, calls: &str) -> Response {
        let calls = match serde_json::from_str::<Vec<&RawValue>>(calls) {
            Ok(calls) => calls,
            Err(error) => {
                let problem = RpcError::not_json(&error.to_string());
                return self.about_nothing(problem).await;
            }
        };
        if calls.is_empty() || calls.len() > MAX_BATCH {
            let words = format!("a batch has 1 to {MAX_BATCH} calls");
            let problem = RpcError::invalid_request(&words);
            return self.about_nothing(problem).await;
        }
        let mut answers = Vec::new();
        for call in calls {
            answers.extend(self.answer(call.get()).await);
        }
        if answers.is_empty() {
            return StatusCode::NO_CONTENT.into_response();
        }
        Json(answers).into_response()
    }

    async fn answer<'b>(&mut self, call: &'b str) -> Option<CallAnswer<'b>> {
        let call = RpcCall::read(call);
        if let Err(error) = self.count().await {
            let id = match call {
                Ok(call) => call.id?,
                Err((id, _)) => id,
            };
            return Some(CallAnswer::new(id, Err(error)));
        }
        match call {
            Ok(RpcCall { id, method, params }) => {
                let paymaster = self.state.paymaster();
                let outcome = answer(paymaster, &method, params, self.key.as_deref()).await;
                id.map(|id| CallAnswer::new(id, outcome))
            }
            Err((id, error)) => Some(CallAnswer::new(id, Err(error))),
        }
    }
}
