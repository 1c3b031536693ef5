//! Which pages may steer: the console's own.
//!
//! Any page that somebody looks at can send requests to this machine; browsers say
//! which page it is, in the header `Origin`. A page is our own if it comes from the
//! very host and port that it asks, and that host is a number or `localhost`: a name
//! can be made to lead here by whoever owns it.

use super::refusal::Refusal;
use axum::{
    extract::Request,
    http::{
        HeaderMap,
        header::{HOST, ORIGIN},
    },
    middleware::Next,
    response::Response,
};
use url::{Host, Url};

pub(super) async fn own_pages_alone(request: Request, next: Next) -> Result<Response, Refusal> {
    if is_foreign(request.headers()) {
        return Err(Refusal::foreign_page());
    }
    Ok(next.run(request).await)
}

/// Programs send no `Origin`.
fn is_foreign(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let mut origins = headers.get_all(ORIGIN).iter();
    !origins.all(|origin| {
        let origin = origin.to_str().ok().and_then(|text| text.parse().ok());
        origin
            .zip(host)
            .is_some_and(|(origin, host)| is_own(&origin, host))
    })
}

fn is_own(origin: &Url, host: &str) -> bool {
    let is_number = match origin.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => false,
    };
    let asked = Url::parse(&format!("{}://{host}", origin.scheme()));
    is_number && asked.is_ok_and(|asked| asked.origin() == origin.origin())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreign(host: &str, origins: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        for origin in origins {
            headers.append(ORIGIN, origin.parse().unwrap());
        }
        is_foreign(&headers)
    }

    #[test]
    fn programs_and_the_console_may_steer() {
        for (host, origins) in [
            ("127.0.0.1:8080", &[][..]),
            ("stoa.example", &[]),
            ("127.0.0.1:8080", &["http://127.0.0.1:8080"]),
            ("localhost:8080", &["http://localhost:8080"]),
            ("[::1]:8080", &["http://[::1]:8080"]),
            ("192.168.0.7", &["http://192.168.0.7"]),
        ] {
            assert!(!foreign(host, origins), "{host} {origins:?}");
        }
    }

    #[test]
    fn pages_of_others_may_not() {
        for (host, origins) in [
            ("127.0.0.1:8080", &["https://attacker.example"][..]),
            ("127.0.0.1:8080", &["null"]),
            ("127.0.0.1:8080", &[""]),
            ("127.0.0.1:8080", &["http://127.0.0.1:8081"]),
            ("127.0.0.1:8080", &["http://localhost:8080"]),
            (
                "127.0.0.1:8080",
                &["http://127.0.0.1:8080", "https://attacker.example"],
            ),
            // A name that leads to this machine for as long as it likes.
            ("attacker.example:8080", &["http://attacker.example:8080"]),
        ] {
            assert!(foreign(host, origins), "{host} {origins:?}");
        }
    }
}
