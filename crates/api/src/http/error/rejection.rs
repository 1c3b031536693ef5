//! Every way a request can be refused, with its status and text.

use super::{
    super::{json_answer::Json, retry_after},
    body::ErrorBody,
    problems::Problems,
    shown,
};
use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use primitives::Impossible;
use services::{Fault, Policy, Stale};

/// A request that is not answered as asked.
#[derive(Debug)]
pub enum Rejection {
    /// Values of the request are wrong.
    Invalid(Problems),
    /// The `x-api-key` is no living key.
    UnknownKey,
    /// There is no `api-key`, or it is no sponsor's.
    NoSponsor,
    /// No token has this address or symbol.
    UnknownToken {
        /// What was asked for.
        asked: String,
    },
    /// The token has no price yet, so that there is nothing to tell of its
    /// market.
    UnpricedToken {
        /// What was asked for.
        asked: String,
    },
    /// No pool of the staker's has this address or takes the token there.
    UnknownPool {
        /// What was asked for.
        asked: String,
    },
    /// There is nobody to stake with.
    NoStaking,
    /// No such path.
    UnknownPath,
    /// The path does not know the method.
    WrongMethod,
    /// The body is larger than is read.
    BodyTooLarge,
    /// The body is not declared to be JSON.
    NotJson,
    /// The body has a content encoding, which nobody here undoes.
    Encoded,
    /// The body did not arrive in time.
    SlowBody,
    /// There is no `Host` header, or there are several.
    NotOneHost,
    /// The caller's window is used up.
    TooManyRequests {
        /// The limit.
        policy: Policy,
        /// Seconds until the next window.
        retry_after_s: u64,
        /// The limit that a key would give a caller who has none, where that is wider.
        with_key: Option<Policy>,
    },
    /// The caller has as many streams open as one may.
    TooManyStreams {
        /// How many.
        most: usize,
    },
    /// All callers together have.
    StreamsFull,
    /// Something that Stoa stands on failed, or a bug; logged where it was met.
    Internal,
    /// There is no block to answer from yet.
    NotReady,
    /// The answer took too long.
    TooSlow,
    /// The newest block is too old to trade on.
    Stale(Stale),
    /// As many searches for quotes wait as may wait.
    Saturated,
    /// The store does not have the block that is served: history is still indexed,
    /// or a reorganisation is being taken up.
    NoHistory,
}

/// Seconds after which asking again makes sense when nothing better is known.
const SOON_S: u64 = 1;

impl Problems {
    /// Adds what a refusal says.
    pub(crate) fn absorb(&mut self, refusal: Rejection) {
        refusal
            .into_messages()
            .into_iter()
            .for_each(|it| self.add(it));
    }

    /// `Err` if there is any.
    pub fn none(self) -> Result<(), Rejection> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(Rejection::Invalid(self))
        }
    }
}

impl Rejection {
    /// A refusal for one wrong value.
    pub fn invalid(message: String) -> Self {
        Self::Invalid(Problems::from(message))
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) | Self::NotOneHost => StatusCode::BAD_REQUEST,
            Self::UnknownKey | Self::NoSponsor => StatusCode::UNAUTHORIZED,
            Self::UnknownToken { .. }
            | Self::UnpricedToken { .. }
            | Self::UnknownPool { .. }
            | Self::NoStaking
            | Self::UnknownPath => StatusCode::NOT_FOUND,
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotJson | Self::Encoded => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::SlowBody => StatusCode::REQUEST_TIMEOUT,
            Self::TooManyRequests { .. } | Self::TooManyStreams { .. } => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::NotReady
            | Self::TooSlow
            | Self::Stale(_)
            | Self::Saturated
            | Self::NoHistory
            | Self::StreamsFull => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub(crate) fn retry_after_s(&self) -> Option<u64> {
        match self {
            Self::TooManyRequests { retry_after_s, .. } => Some(*retry_after_s),
            Self::NotReady
            | Self::TooSlow
            | Self::Stale(_)
            | Self::Saturated
            | Self::NoHistory
            | Self::TooManyStreams { .. }
            | Self::StreamsFull => Some(SOON_S),
            Self::Invalid(_)
            | Self::UnknownKey
            | Self::NoSponsor
            | Self::UnknownToken { .. }
            | Self::UnpricedToken { .. }
            | Self::UnknownPool { .. }
            | Self::NoStaking
            | Self::UnknownPath
            | Self::WrongMethod
            | Self::BodyTooLarge
            | Self::NotJson
            | Self::Encoded
            | Self::SlowBody
            | Self::NotOneHost
            | Self::Internal => None,
        }
    }

    /// The same refusal as one of a wrong value.
    pub(crate) fn into_invalid(self) -> Self {
        let mut problems = Problems::default();
        problems.absorb(self);
        Self::Invalid(problems)
    }

    pub(crate) fn into_messages(self) -> Vec<String> {
        let message = match self {
            Self::Invalid(problems) => return problems.into_messages(),
            Self::UnknownKey => "the x-api-key is not a valid key".to_owned(),
            Self::NoSponsor => "the header api-key must be a sponsor's valid key".to_owned(),
            Self::UnknownToken { asked } => format!("token {} not found", shown(&asked)),
            Self::UnpricedToken { asked } => format!("token {} has no price yet", shown(&asked)),
            Self::UnknownPool { asked } => format!("staking pool {} not found", shown(&asked)),
            Self::NoStaking => "staking is not offered here: no staker is configured".to_owned(),
            Self::UnknownPath => "there is nothing at this path; see /docs".to_owned(),
            Self::WrongMethod => {
                "this path does not support the method; the Allow header names those it does"
                    .to_owned()
            }
            Self::BodyTooLarge => "the request body is too large".to_owned(),
            Self::NotJson => "the request body must be sent as application/json".to_owned(),
            Self::Encoded => "the request body must be sent without a Content-Encoding".to_owned(),
            Self::SlowBody => "the request body did not arrive in time".to_owned(),
            Self::NotOneHost => "the request must have exactly one Host header".to_owned(),
            Self::TooManyRequests {
                policy,
                retry_after_s,
                with_key,
            } => {
                let told = format!(
                    "more than {} requests in {} seconds; try again in {retry_after_s} s",
                    policy.limit, policy.window_s
                );
                match with_key {
                    None => told,
                    Some(wider) => format!(
                        "{told}, or send an API key in the header x-api-key for {} requests in \
                         {} seconds: whoever runs this service makes one with `stoa key create`",
                        wider.limit, wider.window_s
                    ),
                }
            }
            Self::TooManyStreams { most } => {
                format!("no more than {most} streams of one address; close one of them")
            }
            Self::StreamsFull => "too many streams are open; try again in a moment".to_owned(),
            Self::Internal => "something went wrong on our side".to_owned(),
            Self::NotReady => format!("{}; try again in a moment", reason(Stale::Empty)),
            Self::TooSlow => "the answer took too long; try again in a moment".to_owned(),
            Self::Stale(stale) => format!("{}; try again in a moment", reason(stale)),
            Self::NoHistory => {
                "the history of the chain is being read; try again in a moment".to_owned()
            }
            Self::Saturated => "too many quotes are waiting; try again in a moment".to_owned(),
        };
        vec![message]
    }
}

/// Why nothing is quoted or built.
fn reason(stale: Stale) -> String {
    match stale {
        Stale::Empty => "no block has been read yet".to_owned(),
        Stale::Behind { block, head } => {
            format!("catching up with the chain: block {block} of {head} is read")
        }
        Stale::Silent { seconds: None } => "no Starknet node has answered yet".to_owned(),
        Stale::Silent {
            seconds: Some(seconds),
        } => format!("no Starknet node has answered for {seconds} s"),
        Stale::Old { seconds } => format!("the newest block is {seconds} s old"),
    }
}

impl From<Stale> for Rejection {
    fn from(stale: Stale) -> Self {
        Self::Stale(stale)
    }
}

impl From<Fault> for Rejection {
    /// The one place where a request's fault is logged.
    fn from(fault: Fault) -> Self {
        tracing::error!(cause = fault.chain_text(), "request failed");
        Self::Internal
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let (status, retry_after_s) = (self.status(), self.retry_after_s());
        let messages = self.into_messages();
        let mut response = (status, Json(ErrorBody { messages })).into_response();
        retry_after::write(retry_after_s, response.headers_mut());
        response
    }
}

/// It was told where it was found.
impl From<Impossible> for Rejection {
    fn from(_: Impossible) -> Self {
        Self::Internal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_answered_without_its_cause() {
        let fault = Fault::Unlinked { number: 7 };
        assert!(matches!(Rejection::from(fault), Rejection::Internal));
    }
}
