//! Where a webhook leads.

use super::networks::Networks;
use thiserror::Error;
use url::{Host, Url};

/// The longest address.
const MAX_LENGTH: usize = 2_048;

/// Where deliveries go: an address that may be asked for. What its name leads to
/// is only known when it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookTarget(Url);

/// Why nothing is sent to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TargetError {
    /// It is too long, or none.
    #[error("must be an address of at most {MAX_LENGTH} characters")]
    Form,
    /// It is not https, and not of this machine where that may be sent to.
    #[error("must begin with https://")]
    Scheme,
    /// It has a user or a password.
    #[error("must not have a user or a password: deliveries are signed")]
    Credentials,
    /// It has a fragment, which is never sent.
    #[error("must not have a fragment")]
    Fragment,
    /// It leads to this machine, to a private network, or nowhere.
    #[error("must lead to the public internet")]
    Address,
}

impl WebhookTarget {
    /// The target of a text, where these networks may be sent to.
    pub fn new(text: &str, networks: Networks) -> Result<Self, TargetError> {
        if text.len() > MAX_LENGTH {
            return Err(TargetError::Form);
        }
        let url: Url = text.parse().map_err(|_| TargetError::Form)?;
        // Without TLS nothing is sent beyond this machine.
        let networks = match url.scheme() {
            "https" => networks,
            "http" if networks.loopback => Networks::LOOPBACK,
            _ => return Err(TargetError::Scheme),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::Credentials);
        }
        if url.fragment().is_some() {
            return Err(TargetError::Fragment);
        }
        let is_allowed = match url.host().ok_or(TargetError::Form)? {
            Host::Ipv4(address) => networks.allow(address.into()),
            Host::Ipv6(address) => networks.allow(address.into()),
            Host::Domain(name) if is_this_machine(name) => networks.loopback,
            Host::Domain(_) => networks.public || networks.private,
        };
        match url.scheme() {
            _ if is_allowed => Ok(Self(url)),
            "http" => Err(TargetError::Scheme),
            _ => Err(TargetError::Address),
        }
    }

    /// The address.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

/// Whether a name means this machine wherever it is looked up (RFC 6761).
fn is_this_machine(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, networks: Networks) -> Option<TargetError> {
        WebhookTarget::new(text, networks).err()
    }

    #[test]
    fn a_target_is_a_plain_https_address_of_the_public_internet() {
        let strict = Networks::PUBLIC;
        for good in [
            "https://hooks.example",
            "https://hooks.example:8443/a?b=c",
            "https://1.1.1.1/",
            "https://[2606:4700:4700::1111]/",
        ] {
            assert_eq!(refused(good, strict), None, "{good}");
        }
        for (wrong, error) in [
            ("", TargetError::Form),
            ("hooks.example", TargetError::Form),
            ("https://", TargetError::Form),
            ("http://hooks.example", TargetError::Scheme),
            ("ftp://hooks.example", TargetError::Scheme),
            ("file:///etc/passwd", TargetError::Scheme),
            ("https://user@hooks.example", TargetError::Credentials),
            ("https://:secret@hooks.example", TargetError::Credentials),
            ("https://hooks.example/#a", TargetError::Fragment),
            ("https://localhost", TargetError::Address),
            ("https://LOCALHOST.", TargetError::Address),
            ("https://a.localhost", TargetError::Address),
            ("https://127.0.0.1", TargetError::Address),
            // Other ways to write an address, which the parser of URLs knows.
            ("https://2130706433/", TargetError::Address),
            ("https://0x7f.1/", TargetError::Address),
            ("https://0177.0.0.1/", TargetError::Address),
            ("https://[::ffff:169.254.169.254]/", TargetError::Address),
            ("https://169.254.169.254/latest", TargetError::Address),
            ("https://10.0.0.1", TargetError::Address),
        ] {
            assert_eq!(refused(wrong, strict), Some(error), "{wrong}");
        }
        let long = format!("https://hooks.example/{}", "a".repeat(MAX_LENGTH));
        assert_eq!(refused(&long, strict), Some(TargetError::Form));
    }

    #[test]
    fn without_tls_nothing_is_sent_beyond_this_machine() {
        let networks = Networks {
            public: true,
            private: true,
            loopback: true,
        };
        for here in [
            "http://localhost:9000/hook",
            "http://a.localhost",
            "http://127.0.0.1",
        ] {
            assert_eq!(refused(here, networks), None, "{here}");
        }
        for beyond in ["http://10.0.0.1", "http://1.1.1.1", "http://hooks.example"] {
            assert_eq!(
                refused(beyond, networks),
                Some(TargetError::Scheme),
                "{beyond}"
            );
        }
        for inside in ["https://inside.example", "https://10.0.0.1"] {
            assert_eq!(refused(inside, networks), None, "{inside}");
        }
        let metadata = "https://169.254.169.254";
        assert_eq!(refused(metadata, networks), Some(TargetError::Address));
    }
}
