//! Addresses whose answers nobody on the way can change.

use chain::is_loopback;
use std::{fmt, str::FromStr};
use thiserror::Error;
use url::Url;

/// No address is longer.
const MAX_BYTES: usize = 1_024;

/// An address with https, or with http on this very machine. It is kept as it
/// was written: names of issuers are compared letter by letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecureUrl {
    text: String,
    url: Url,
}

/// Why a text is no such address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotSecureUrl {
    /// It is no address, or a very long one.
    #[error("it is no address")]
    Malformed,
    /// Others could answer in its name.
    #[error("it must begin with https://; http:// is for 127.0.0.1, [::1] and localhost alone")]
    Insecure,
    /// It names a user or a place within a page.
    #[error("it must have neither a user nor a #")]
    Decorated,
}

impl SecureUrl {
    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// To be asked.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Whether it is on this machine.
    pub(super) fn is_local(&self) -> bool {
        is_loopback(&self.url)
    }
}

impl FromStr for SecureUrl {
    type Err = NotSecureUrl;

    fn from_str(text: &str) -> Result<Self, NotSecureUrl> {
        let is_plain = text.len() <= MAX_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic());
        let url: Url = text.parse().map_err(|_| NotSecureUrl::Malformed)?;
        if !is_plain || !url.has_host() {
            return Err(NotSecureUrl::Malformed);
        }
        if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback(&url)) {
            return Err(NotSecureUrl::Insecure);
        }
        if url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
            return Err(NotSecureUrl::Decorated);
        }
        let text = text.to_owned();
        Ok(Self { text, url })
    }
}

impl fmt::Display for SecureUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_on_the_machine() {
        for good in [
            "https://id.example",
            "https://id.example/realms/market/",
            "http://127.0.0.1:9000",
            "http://[::1]:9000/x",
            "http://localhost/x?y=z",
        ] {
            let url: SecureUrl = good.parse().unwrap();
            assert_eq!(url.as_str(), good);
        }
        let why = |text: &str| text.parse::<SecureUrl>().unwrap_err();
        for insecure in [
            "http://id.example",
            "http://10.0.0.1",
            "http://localhost.example",
            "ftp://localhost/",
        ] {
            assert_eq!(why(insecure), NotSecureUrl::Insecure, "{insecure}");
        }
        for other in ["", "id.example", "https://", "https://a b", "mailto:x@y"] {
            assert_eq!(why(other), NotSecureUrl::Malformed, "{other}");
        }
        let long = format!("https://id.example/{}", "x".repeat(MAX_BYTES));
        assert_eq!(why(&long), NotSecureUrl::Malformed);
        for decorated in ["https://a@id.example", "https://id.example/#a"] {
            assert_eq!(why(decorated), NotSecureUrl::Decorated, "{decorated}");
        }
    }
}
