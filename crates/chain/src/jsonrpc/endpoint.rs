//! One HTTP exchange with a node, bounded in time and size.
//!
//! The address may hold a key in its path, query or user part. It stays in
//! here; everything else sees scheme, host and port.

use crate::error::RpcError;
use reqwest::{
    Client, Response,
    header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER},
    redirect::Policy,
};
use std::{fmt, sync::Arc, time::Duration};
use url::{Host, Url};

/// A node's address and the connections to it.
pub(super) struct Endpoint {
    http: Client,
    url: Url,
    shown: Arc<str>,
}

impl Endpoint {
    /// Scheme, host and port.
    pub(super) fn node(&self) -> &str {
        &self.shown
    }

    pub(super) fn new(url: Url) -> Result<Self, RpcError> {
        let secure = match url.scheme() {
            "https" => true,
            "http" => false,
            scheme => {
                return Err(RpcError::UnsupportedUrl {
                    scheme: scheme.to_owned(),
                });
            }
        };
        // A redirect could carry the key elsewhere, and would turn POST into GET.
        let mut http = Client::builder()
            .redirect(Policy::none())
            .user_agent(concat!("stoa/", env!("CARGO_PKG_VERSION")));
        if !secure {
            // Otherwise a system without certificates could not use plain HTTP either.
            http = http.tls_certs_only([]);
        }
        if is_loopback(&url) {
            http = http.no_proxy();
        }
        Ok(Self {
            http: http.build().map_err(|source| RpcError::Setup {
                source: source.without_url(),
            })?,
            shown: shown(&url).into(),
            url,
        })
    }

    /// Sends one body and returns the other, read within `timeout` and not
    /// beyond `limit` bytes.
    pub(super) async fn post(
        &self,
        body: Vec<u8>,
        timeout: Duration,
        limit: usize,
    ) -> Result<Vec<u8>, RpcError> {
        tokio::time::timeout(timeout, self.exchange(body, limit))
            .await
            .unwrap_or_else(|_| {
                Err(RpcError::Timeout {
                    node: self.shown.clone(),
                    after: timeout,
                })
            })
    }

    async fn exchange(&self, body: Vec<u8>, limit: usize) -> Result<Vec<u8>, RpcError> {
        let response = self
            .http
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json")
            .body(body)
            .send()
            .await
            .map_err(|source| self.broken(source))?;
        if !response.status().is_success() {
            return Err(RpcError::HttpStatus {
                node: self.shown.clone(),
                status: response.status(),
                retry_after: retry_after(&response),
            });
        }
        self.read(response, limit).await
    }

    async fn read(&self, mut response: Response, limit: usize) -> Result<Vec<u8>, RpcError> {
        let too_large = RpcError::TooLarge { limit };
        let announced = match response.content_length().map(usize::try_from) {
            None => 0,
            Some(Ok(length)) if length <= limit => length,
            Some(_) => return Err(too_large),
        };
        let mut body = Vec::with_capacity(announced);
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|source| self.broken(source))?
        {
            if chunk.len() > limit - body.len() {
                return Err(too_large);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    fn broken(&self, source: reqwest::Error) -> RpcError {
        let source = source.without_url();
        let node = self.shown.clone();
        if source.is_connect() {
            RpcError::Connect { node, source }
        } else {
            RpcError::Transport { node, source }
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// What may be shown of an address: scheme, host and port.
pub(crate) fn shown(url: &Url) -> String {
    let scheme = url.scheme();
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    }
}

/// Whether a URL leads to this very machine, by its host alone.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// Only the form in seconds: a date would need both clocks to agree.
fn retry_after(response: &Response) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scheme_host_and_port_are_shown() {
        for (url, shown) in [
            (
                "https://user:pass@node.example/v1/KEY?k=KEY#KEY",
                "https://node.example",
            ),
            ("http://[::1]:8090/KEY", "http://[::1]:8090"),
        ] {
            let endpoint = Endpoint::new(url.parse().unwrap()).unwrap();
            assert_eq!(format!("{endpoint:?}"), shown);
        }
    }

    #[test]
    fn an_address_that_is_not_http_is_refused() {
        for url in [
            "ftp://node.example/KEY",
            "ws://node.example/KEY",
            "file:///KEY",
        ] {
            let error = Endpoint::new(url.parse().unwrap()).unwrap_err();
            assert!(
                matches!(error, RpcError::UnsupportedUrl { .. }),
                "{error:?}"
            );
            assert!(!format!("{error} {error:?}").contains("KEY"));
        }
    }
}
