//! Asks an issuer for its keys.

use super::{
    key::{Key, read_keys},
    secure_url::{NotSecureUrl, SecureUrl},
};
use reqwest::{Client, StatusCode, redirect::Policy};
use serde::Deserialize;
use std::time::Duration;
use thiserror::Error;
use url::Url;

/// How long all answers together may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// No answer is longer.
const MAX_ANSWER_BYTES: usize = 256 * 1024;

/// Where an issuer describes itself (`OpenID` Connect Discovery, section 4).
const DESCRIPTION: &str = "/.well-known/openid-configuration";

/// Why an issuer's keys are not known.
#[derive(Debug, Error)]
pub enum IssuerError {
    /// There is nothing to ask with.
    #[error("no client for the issuer can be made")]
    Client(#[source] reqwest::Error),
    /// It took too long.
    #[error("the issuer took longer than {} s", PATIENCE.as_secs())]
    Slow,
    /// It did not answer.
    #[error("{url} does not answer")]
    Silent {
        /// What was asked.
        url: Url,
        /// Why.
        #[source]
        source: reqwest::Error,
    },
    /// It answered with something else than 200.
    #[error("{url} answers with {status}")]
    Status {
        /// What was asked.
        url: Url,
        /// Its answer.
        status: StatusCode,
    },
    /// Its answer is longer than any can be.
    #[error("{url} answers with more than {MAX_ANSWER_BYTES} bytes")]
    TooLarge {
        /// What was asked.
        url: Url,
    },
    /// Its answer has not the form that it must have.
    #[error("{url} answers with something else than {expected}")]
    Form {
        /// What was asked.
        url: Url,
        /// What it should be.
        expected: &'static str,
    },
    /// It describes another issuer.
    #[error("the issuer names itself {said}; it must be written exactly so")]
    OtherName {
        /// What it says.
        said: String,
    },
    /// It names a place for its keys that cannot be trusted.
    #[error("the issuer's jwks_uri {said}")]
    InsecureKeys {
        /// What it says.
        said: String,
        /// What is wrong with it.
        #[source]
        source: NotSecureUrl,
    },
}

/// An issuer, to be asked.
#[derive(Debug)]
pub(super) struct Provider {
    http: Client,
    issuer: SecureUrl,
    jwks_url: Option<SecureUrl>,
}

/// What an issuer says of itself, as far as it is used.
#[derive(Deserialize)]
struct Description {
    issuer: String,
    jwks_uri: String,
}

impl Provider {
    pub(super) fn new(issuer: SecureUrl, jwks_url: Option<SecureUrl>) -> Result<Self, IssuerError> {
        let mut http = Client::builder()
            .redirect(Policy::none())
            .user_agent(concat!("stoa/", env!("CARGO_PKG_VERSION")));
        let keys = jwks_url.as_ref().unwrap_or(&issuer);
        if keys.url().scheme() == "http" {
            // Otherwise a system without certificates could not use plain HTTP either.
            http = http.tls_certs_only([]);
        }
        if keys.is_local() {
            http = http.no_proxy();
        }
        Ok(Self {
            http: http.build().map_err(IssuerError::Client)?,
            issuer,
            jwks_url,
        })
    }

    /// The keys that the issuer signs with now.
    pub(super) async fn keys(&self) -> Result<Vec<Key>, IssuerError> {
        let read = tokio::time::timeout(PATIENCE, self.read());
        read.await.unwrap_or(Err(IssuerError::Slow))
    }

    async fn read(&self) -> Result<Vec<Key>, IssuerError> {
        let url = match &self.jwks_url {
            Some(url) => url.clone(),
            None => self.described().await?,
        };
        let answer = self.ask(url.url()).await?;
        read_keys(&answer).ok_or_else(|| IssuerError::Form {
            url: url.url().clone(),
            expected: "a set of keys (JWKS)",
        })
    }

    /// Where the issuer says that its keys are.
    async fn described(&self) -> Result<SecureUrl, IssuerError> {
        let mut url = self.issuer.url().clone();
        url.set_path(&format!(
            "{}{DESCRIPTION}",
            url.path().trim_end_matches('/')
        ));
        let answer = self.ask(&url).await?;
        let description = serde_json::from_slice(&answer);
        let Description { issuer, jwks_uri } = description.map_err(|_| IssuerError::Form {
            url,
            expected: "the description of an issuer",
        })?;
        if issuer != self.issuer.as_str() {
            return Err(IssuerError::OtherName { said: issuer });
        }
        jwks_uri
            .parse()
            .map_err(|source| IssuerError::InsecureKeys {
                said: jwks_uri,
                source,
            })
    }

    async fn ask(&self, url: &Url) -> Result<Vec<u8>, IssuerError> {
        let url = || url.clone();
        let silent = |source: reqwest::Error| IssuerError::Silent {
            url: url(),
            source: source.without_url(),
        };
        let mut answer = self.http.get(url()).send().await.map_err(silent)?;
        if answer.status() != StatusCode::OK {
            let status = answer.status();
            return Err(IssuerError::Status { url: url(), status });
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(silent)? {
            if chunk.len() > MAX_ANSWER_BYTES - body.len() {
                return Err(IssuerError::TooLarge { url: url() });
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}
