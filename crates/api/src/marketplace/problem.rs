//! A refusal of the marketplace: a problem document (RFC 9457), flat, with
//! everything that belongs to this one occurrence.

use super::catalog::Slug;
use crate::http::{error::Rejection, json_answer, retry_after};
use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::{Map, Value};
use services::{Fault, Refused};
use std::sync::Arc;
use utoipa::ToSchema;

const MEDIA_TYPE: &str = "application/problem+json";

/// What is told when the fault is ours. The cause is in the log.
const OUR_FAULT: &str = "something went wrong on our side";

/// What is told when nobody can say whether a session is good.
const NO_ISSUER: &str =
    "the issuer of this session cannot be asked for its keys; the token may be good";

/// When it may be asked again.
const ISSUER_PAUSE_S: u64 = 10;

/// Why a request is refused.
///
/// As an answer it has no body yet: that needs to know where the pages of slugs
/// are, and the request's path, which [`Problem::document`] is given.
#[derive(Debug, Clone)]
pub(crate) struct Problem(Box<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    slug: Slug,
    status: StatusCode,
    detail: String,
    extensions: Map<String, Value>,
    retry_after_s: Option<u64>,
}

impl Problem {
    /// A refusal of a kind, and what is wrong with this very request.
    pub(super) fn new(slug: Slug, detail: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            slug,
            status: slug.status(),
            detail: detail.into(),
            extensions: Map::new(),
            retry_after_s: None,
        }))
    }

    /// A refusal about which the table says it all.
    pub(super) fn plain(slug: Slug) -> Self {
        Self::new(slug, slug.entry().meaning)
    }

    /// The same with another status.
    pub(super) fn with_status(mut self, status: StatusCode) -> Self {
        self.0.status = status;
        self
    }

    /// The same, told of a part of the request.
    pub(super) fn at(mut self, part: impl std::fmt::Display) -> Self {
        self.0.detail = format!("{part}: {}", self.0.detail);
        self
    }

    /// The same with something that machines may read.
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.extensions.insert(name.to_owned(), value.into());
        self
    }

    /// The same, and when to ask again.
    pub(super) fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after_s = Some(seconds);
        self
    }

    /// Its kind.
    pub(super) fn slug(&self) -> Slug {
        self.0.slug
    }

    /// The refusal of a domain, or a fault of ours.
    pub(super) fn of<E>(refused: Refused<E>, form: impl FnOnce(E) -> Self) -> Self {
        match refused {
            Refused::Rejected(reason) => form(reason),
            Refused::Fault(fault) => fault.into(),
        }
    }

    /// What a wallet shows to whoever pays: a sentence of at most 80 characters,
    /// which is what wallets show at least.
    fn message(&self) -> &'static str {
        match self.0.slug {
            Slug::ChainPayMemoNotFound => {
                "There is nothing to pay here any more. Please book again."
            }
            Slug::InvalidAccount => "This account cannot pay. Please choose another account.",
            Slug::PayerIsPayoutWallet => {
                "The validator cannot pay itself. Please use another account."
            }
            Slug::PaymentBelowRent => {
                "This payment is too small for the network. Ask the validator."
            }
            Slug::ChainRpcUnavailable => {
                "The network does not answer. Please try again in a minute."
            }
            Slug::RateLimitExceeded => "Too many attempts. Please wait a minute and try again.",
            Slug::DatabaseError | Slug::InternalError => {
                "Something went wrong on our side. Please try again in a minute."
            }
            _ => "This wallet's request could not be understood. Nothing was paid.",
        }
    }

    /// The document. Wallets show people a `message`; where one asks, there is
    /// one.
    fn document(&self, errors_url: &str, path: &str, to_wallet: bool) -> ProblemBody<'_> {
        let parts = &self.0;
        let entry = parts.slug.entry();
        ProblemBody {
            r#type: format!("{errors_url}/{}", entry.slug),
            title: entry.title,
            status: parts.status.as_u16(),
            detail: &parts.detail,
            instance: path.to_owned(),
            message: to_wallet.then(|| self.message()),
            extensions: &parts.extensions,
        }
    }
}

/// Why a request was refused.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(super) struct ProblemBody<'a> {
    /// Names the kind: an address that ends with its slug, at which a page
    /// explains it. Branch on this, not on texts.
    #[schema(
        format = "uri",
        example = "https://lease.example/errors/lease-slot-taken"
    )]
    r#type: String,
    /// What this kind is called.
    #[schema(example = "Slot taken")]
    title: &'a str,
    /// The HTTP status again.
    #[schema(example = 409)]
    status: u16,
    /// What is wrong with this very request. For people.
    #[schema(example = "epochs 800 to 802 are taken")]
    detail: &'a str,
    /// The path that was asked for.
    #[schema(example = "/v1/leases")]
    instance: String,
    /// A sentence for whoever pays, which wallets show; only from
    /// `POST /v1/chain-pay/{memo}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    /// What machines may read about it, such as `conflicting_lease_id`.
    #[schema(value_type = Option<Object>, example = json!({"conflicting_lease_id": "01KA0XJ8QG3V1B7Z5N9D2T6M4R"}))]
    #[serde(skip_serializing_if = "Map::is_empty")]
    extensions: &'a Map<String, Value>,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.0.status.into_response();
        retry_after::write(self.0.retry_after_s, response.headers_mut());
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// Writes the document of a refusal into its answer.
pub(super) fn write(
    mut response: Response,
    errors_url: &str,
    path: &str,
    wallet: bool,
) -> Response {
    let Some(problem) = response.extensions_mut().remove::<Arc<Problem>>() else {
        return response;
    };
    let document = problem.document(errors_url, path, wallet);
    let text = json_answer::line(&document).unwrap_or_default();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    *response.body_mut() = Body::from(text);
    response
}

impl From<Fault> for Problem {
    /// The one place where a request's fault is logged.
    fn from(fault: Fault) -> Self {
        let slug = match &fault {
            Fault::Store(_) => Slug::DatabaseError,
            Fault::Solana(_) | Fault::NoSolanaNode => Slug::ChainRpcUnavailable,
            Fault::Signing(_) | Fault::NoTokenKey | Fault::TokenKey(_) => Slug::JwtSignFailed,
            Fault::Hashing(_) => Slug::TokenHashFailure,
            Fault::Audit(_) => Slug::AuditRowEncodingFailed,
            _ => Slug::InternalError,
        };
        tracing::error!(cause = fault.chain_text(), "request failed");
        match fault {
            Fault::Issuer(_) => Self::new(slug, NO_ISSUER).retry_after(ISSUER_PAUSE_S),
            _ => Self::plain(slug),
        }
    }
}

impl From<Rejection> for Problem {
    /// What the surroundings of all routes refuse.
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::BodyTooLarge => Self::plain(Slug::PayloadTooLarge),
            Rejection::NotJson => Self::plain(Slug::UnsupportedMediaType),
            Rejection::Encoded => {
                let told = "the request's body must be sent without a Content-Encoding";
                Self::new(Slug::UnsupportedMediaType, told)
            }
            Rejection::SlowBody => Self::plain(Slug::RequestTimeout),
            Rejection::NotOneHost => {
                let told = "the request must have exactly one Host header";
                Self::new(Slug::MalformedRequest, told)
            }
            Rejection::Invalid(_) => {
                Self::new(Slug::MalformedRequest, "the request body could not be read")
            }
            rejection @ (Rejection::TooManyStreams { .. } | Rejection::StreamsFull) => {
                let pause = rejection.retry_after_s().unwrap_or(0);
                let told = rejection.into_messages().concat();
                Self::new(Slug::RateLimitExceeded, told).retry_after(pause)
            }
            Rejection::TooSlow => Self::new(Slug::InternalError, "the answer took too long"),
            _ => Self::new(Slug::InternalError, OUR_FAULT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn body(problem: &Problem, wallet: bool) -> Value {
        let document = problem.document("https://x.example/errors", "/v1/leases", wallet);
        serde_json::to_value(document).unwrap()
    }

    #[test]
    fn a_document_is_flat_and_names_its_page() {
        let problem = Problem::new(Slug::LeaseSlotTaken, "taken").with("conflicting_lease_id", "A");
        let expected = json!({
            "type": "https://x.example/errors/lease-slot-taken",
            "title": "Slot taken",
            "status": 409,
            "detail": "taken",
            "instance": "/v1/leases",
            "extensions": {"conflicting_lease_id": "A"},
        });
        assert_eq!(body(&problem, false), expected);
    }

    #[test]
    fn wallets_get_a_message() {
        let problem = Problem::plain(Slug::InvalidAccount);
        let document = body(&problem, true);
        assert_eq!(document["message"], problem.message());
        assert!(document.get("extensions").is_none());
        for slug in Slug::ALL {
            let message = Problem::plain(*slug).message();
            assert!(message.chars().count() <= 80, "{message}");
            assert!(!message.contains('`'), "{message}");
        }
        assert!(body(&problem, false).get("message").is_none());
    }

    #[test]
    fn a_fault_is_told_apart_but_not_explained() {
        let slug = |fault| Problem::from(fault).slug();
        assert_eq!(slug(Fault::NoSolanaNode), Slug::ChainRpcUnavailable);
        assert_eq!(slug(Fault::Unlinked { number: 7 }), Slug::InternalError);
        let problem = Problem::from(Fault::Unlinked { number: 7 });
        assert!(!body(&problem, false).to_string().contains('7'));
    }
}
