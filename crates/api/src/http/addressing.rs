//! Whom a request is meant for: HTTP/1.1 wants exactly one `Host` (RFC 9112,
//! section 3.2). Whoever stands between a caller and us may read another one
//! of two than we would.

use axum::{
    extract::Request,
    http::{Version, header::HOST},
};

/// Whether the request names its host as it must.
pub(crate) fn names_one_host(request: &Request) -> bool {
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(_), None) => true,
        (None, _) => request.version() < Version::HTTP_11,
        (Some(_), Some(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    fn is_good(version: Version, hosts: &[&str]) -> bool {
        let mut request = Request::builder().version(version);
        for host in hosts {
            request = request.header(HOST, *host);
        }
        names_one_host(&request.body(Body::empty()).unwrap())
    }

    #[test]
    fn a_host_is_named_once_and_may_be_missing_only_in_old_requests() {
        assert!(is_good(Version::HTTP_11, &["x.example"]));
        assert!(is_good(Version::HTTP_10, &["x.example"]));
        assert!(is_good(Version::HTTP_10, &[]));
        assert!(!is_good(Version::HTTP_11, &[]));
        for version in [Version::HTTP_10, Version::HTTP_11] {
            assert!(!is_good(version, &["x.example", "x.example"]));
        }
    }
}
