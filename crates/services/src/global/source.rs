//! One HTTP question to an aggregator, bounded in time and size.
//!
//! Address and key may be secrets. They stay in here; everything else sees
//! scheme, host and port.

use super::{
    answer::Answer,
    options::{GlobalKey, GlobalOptions},
};
use chain::is_loopback;
use reqwest::{
    Client, Response, StatusCode,
    header::{ACCEPT, HeaderMap, HeaderValue, RETRY_AFTER},
    redirect::Policy,
};
use std::{fmt, time::Duration};
use thiserror::Error;
use url::Url;

/// Tokens in one question.
pub(super) const MAX_IDS: usize = 250;

/// A longer answer is not read: one item has about a thousand bytes.
pub(super) const MAX_ANSWER_BYTES: usize = 4 << 20;

/// Why an aggregator cannot be asked at all.
#[derive(Debug, Error)]
pub enum GlobalSetupError {
    /// The key has characters that no header can have.
    #[error("the key cannot be sent in a header")]
    Key,
    /// Nothing can be asked for below the address.
    #[error("the address has no paths")]
    Address,
    /// The HTTP client could not be made.
    #[error("cannot set up an HTTP client")]
    Client(#[source] reqwest::Error),
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub(super) enum SourceError {
    #[error("no answer")]
    Transport(#[source] reqwest::Error),
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    #[error("status {status}")]
    Status {
        status: StatusCode,
        retry_after: Option<Duration>,
    },
    #[error("an answer of more than {MAX_ANSWER_BYTES} bytes")]
    TooLarge,
    #[error("an answer that is no list of markets")]
    NoList(#[source] serde_json::Error),
}

impl SourceError {
    /// Whether further questions would only make it worse.
    pub(super) fn is_too_many(&self) -> bool {
        matches!(self, Self::Status { status, .. } if *status == StatusCode::TOO_MANY_REQUESTS)
    }

    /// How long the aggregator wants to be left alone.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// An aggregator's address and the connections to it.
pub(super) struct Source {
    http: Client,
    url: Url,
    timeout: Duration,
}

impl Source {
    /// The aggregator of these options.
    pub(super) fn new(options: &GlobalOptions) -> Result<Self, GlobalSetupError> {
        let mut url = options.url.clone();
        url.path_segments_mut()
            .map_err(|()| GlobalSetupError::Address)?
            .pop_if_empty()
            .extend(["coins", "markets"]);
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(GlobalKey { plan, secret }) = &options.key {
            let value = HeaderValue::from_str(secret);
            let mut value = value.map_err(|_| GlobalSetupError::Key)?;
            value.set_sensitive(true);
            headers.insert(plan.header(), value);
        }
        // A redirect could carry the key elsewhere.
        let mut http = Client::builder()
            .redirect(Policy::none())
            .default_headers(headers)
            .user_agent(concat!("stoa/", env!("CARGO_PKG_VERSION")));
        if url.scheme() == "http" {
            // Otherwise a system without certificates could not use plain HTTP either.
            http = http.tls_certs_only([]);
        }
        if is_loopback(&url) {
            http = http.no_proxy();
        }
        let http = http
            .build()
            .map_err(|source| GlobalSetupError::Client(source.without_url()))?;
        Ok(Self {
            http,
            url,
            timeout: options.timeout,
        })
    }

    /// What is said of these tokens.
    pub(super) async fn ask(&self, ids: &[String]) -> Result<Answer, SourceError> {
        let late = |_| Err(SourceError::Timeout(self.timeout));
        let exchange = tokio::time::timeout(self.timeout, self.exchange(ids));
        let body = exchange.await.unwrap_or_else(late)?;
        Answer::parse(&body).map_err(SourceError::NoList)
    }

    async fn exchange(&self, ids: &[String]) -> Result<Vec<u8>, SourceError> {
        let mut url = self.url.clone();
        url.query_pairs_mut()
            .append_pair("vs_currency", "usd")
            .append_pair("ids", &ids.join(","))
            .append_pair("per_page", &MAX_IDS.to_string())
            .append_pair("page", "1");
        let response = self.http.get(url).send().await.map_err(broken)?;
        let status = response.status();
        if !status.is_success() {
            return Err(SourceError::Status {
                status,
                retry_after: retry_after(&response),
            });
        }
        read(response).await
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url.origin().ascii_serialization())
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, SourceError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if chunk.len() > MAX_ANSWER_BYTES - body.len() {
            return Err(SourceError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn broken(source: reqwest::Error) -> SourceError {
    SourceError::Transport(source.without_url())
}

/// Only the form in seconds: a date would need both clocks to agree.
fn retry_after(response: &Response) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}
