//! Who asks, and whether it may steer the simulation.
//!
//! Any page that somebody looks at can send requests to a node on their machine.
//! Browsers say which page it is, in the header `Origin`. Pages of other hosts may
//! read and send transactions, as with any node; the control methods are not
//! for them.

use crate::fault::is_control;
use crate::jsonrpc::RpcError;
use axum::http::HeaderMap;
use axum::http::header::{HOST, ORIGIN};
use serde_json::json;
use url::{Host, Url};

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A program, or a page of the node's own host.
    Own,
    /// A page of somebody else.
    ForeignPage,
}

impl Caller {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut origins = headers.get_all(ORIGIN).iter();
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = host.and_then(|host| place(&format!("http://{host}")));
        let own = |origin: &str| host.is_some() && place(origin) == host;
        if origins.all(|origin| origin.to_str().is_ok_and(own)) {
            Self::Own
        } else {
            Self::ForeignPage
        }
    }

    /// Refuses methods that are not for this caller.
    pub(crate) fn check(self, method: &str) -> Result<(), RpcError> {
        if self == Self::ForeignPage && is_control(method) {
            let reason = "control methods are refused to pages of other hosts (Origin)";
            return Err(RpcError::new(-32050, "Foreign origin")
                .with_data(json!({ "method": method, "reason": reason })));
        }
        Ok(())
    }
}

/// What an address leads to, whatever the port.
#[derive(Debug, PartialEq, Eq)]
enum Destination {
    /// This machine.
    Loopback,
    /// Another machine, by its number.
    Machine(std::net::IpAddr),
}

/// `None` for names: whoever owns one can let it lead to any machine.
fn place(address: &str) -> Option<Destination> {
    let number = match Url::parse(address).ok()?.host()? {
        Host::Domain("localhost") => return Some(Destination::Loopback),
        Host::Domain(_) => return None,
        Host::Ipv4(number) => number.into(),
        Host::Ipv6(number) => std::net::IpAddr::from(number).to_canonical(),
    };
    Some(if number.is_loopback() {
        Destination::Loopback
    } else {
        Destination::Machine(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(host: Option<&str>, origins: &[&str]) -> Caller {
        let mut headers = HeaderMap::new();
        if let Some(host) = host {
            headers.insert(HOST, host.parse().unwrap());
        }
        for origin in origins {
            headers.append(ORIGIN, origin.parse().unwrap());
        }
        Caller::of(&headers)
    }

    #[test]
    fn programs_and_pages_of_the_own_host_are_not_foreign() {
        for (host, origins) in [
            (Some("127.0.0.1:8090"), &[][..]),
            (Some("node.example:8090"), &[]),
            (None, &[]),
            (Some("127.0.0.1:8090"), &["http://127.0.0.1:8090"]),
            (Some("127.0.0.1:8090"), &["http://localhost:3000"]),
            (Some("localhost:8090"), &["http://[::1]:8090"]),
            (Some("192.168.0.7:8090"), &["https://192.168.0.7"]),
            (Some("[fd00::7]:8090"), &["http://[fd00::7]"]),
        ] {
            assert_eq!(caller(host, origins), Caller::Own, "{host:?} {origins:?}");
        }
    }

    #[test]
    fn pages_of_others_are_foreign_whatever_they_call_the_node() {
        for (host, origins) in [
            (Some("127.0.0.1:8090"), &["https://attacker.example"][..]),
            (Some("127.0.0.1:8090"), &["null"]),
            (Some("127.0.0.1:8090"), &[""]),
            (
                Some("127.0.0.1:8090"),
                &["http://127.0.0.1.attacker.example"],
            ),
            (Some("127.0.0.1:8090"), &["http://192.168.0.7:8090"]),
            (
                Some("127.0.0.1:8090"),
                &["http://127.0.0.1:8090", "https://attacker.example"],
            ),
            // A name that leads to this machine for as long as it likes.
            (
                Some("attacker.example:8090"),
                &["http://attacker.example:8090"],
            ),
            (None, &["http://127.0.0.1:8090"]),
        ] {
            let found = caller(host, origins);
            assert_eq!(found, Caller::ForeignPage, "{host:?} {origins:?}");
        }
    }

    #[test]
    fn a_foreign_page_is_refused_what_steers_and_nothing_else() {
        for method in ["sim_mine", "sim_fault", "sim_accounts", "sim_"] {
            let refused = Caller::ForeignPage.check(method).unwrap_err();
            assert_eq!(refused.code, -32050);
            assert!(Caller::Own.check(method).is_ok());
        }
        for method in ["starknet_call", "getSlot", "sendTransaction", "SIM_mine"] {
            assert!(Caller::ForeignPage.check(method).is_ok());
        }
    }
}
